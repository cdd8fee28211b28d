import driftgate_stub_core as core

core.borrow(globals())

_strict_create = create_allreduce_fusion_workspace
_strict_allreduce_fusion = allreduce_fusion


def create_allreduce_fusion_workspace(*args, **kwargs):
    return _strict_create(*args, **kwargs)


def allreduce_fusion(*args, **kwargs):
    return _strict_allreduce_fusion(*args, **kwargs)
