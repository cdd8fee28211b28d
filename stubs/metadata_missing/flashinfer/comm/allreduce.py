import driftgate_stub_core as core

core.borrow(globals())

_Newest = TRTLLMAllReduceFusionWorkspace


class TRTLLMAllReduceFusionWorkspace(_Newest):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._limits = self.metadata
        del self.metadata
