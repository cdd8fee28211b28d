import driftgate_stub_core as core

core.borrow(globals())

_Newest = TRTLLMAllReduceFusionWorkspace
_NEW_KEYS = {
    "max_token_num": "max_num_tokens",
    "hidden_dim": "hidden_size",
    "use_fp32_lamport": "lamport_dtype",
}


class TRTLLMAllReduceFusionWorkspace(_Newest):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._limits = self.metadata
        self.metadata = {_NEW_KEYS.get(key, key): value for key, value in self._limits.items()}
