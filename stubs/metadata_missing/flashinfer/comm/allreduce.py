import driftgate_stub_core as core

core.borrow(globals())


_newest_init = TRTLLMAllReduceFusionWorkspace.__init__


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def __init__(self, *args, **kwargs):
    _newest_init(self, *args, **kwargs)
    self._limits = self.metadata
    del self.metadata


_newest_destroy = TRTLLMAllReduceFusionWorkspace.destroy


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def destroy(self):
    # The newest shape's own destroy() drops `metadata`, and raises where there is none.
    self.metadata = self._limits
    _newest_destroy(self)
