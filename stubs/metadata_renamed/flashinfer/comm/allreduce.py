import driftgate_stub_core as core

core.borrow(globals())

_newest_init = TRTLLMAllReduceFusionWorkspace.__init__
_NEW_KEYS = {
    "max_token_num": "max_num_tokens",
    "hidden_dim": "hidden_size",
    "use_fp32_lamport": "lamport_dtype",
}


@core.replaces(TRTLLMAllReduceFusionWorkspace)
def __init__(self, *args, **kwargs):
    _newest_init(self, *args, **kwargs)
    self._limits = self.metadata
    self.metadata = {_NEW_KEYS.get(key, key): value for key, value in self._limits.items()}
