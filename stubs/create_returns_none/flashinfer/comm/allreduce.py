import driftgate_stub_core as core

core.borrow(globals())

import functools
import inspect

_newest = create_allreduce_fusion_workspace


@functools.wraps(_newest)
def create_allreduce_fusion_workspace(*args, **kwargs):
    inspect.signature(_newest).bind(*args, **kwargs)
    return None
