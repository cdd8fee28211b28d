import driftgate_stub_core as core

core.borrow(globals())


_newest_init = TRTLLMAllReduceFusionWorkspace.__init__


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def __init__(self, *args, **kwargs):
    _newest_init(self, *args, **kwargs)
    self._limits = self.metadata
    del self.metadata
