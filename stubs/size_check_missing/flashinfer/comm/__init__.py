import driftgate_stub_core as core

core.borrow(globals())

from flashinfer.comm.mnnvl_cutedsl_ar import MNNVLCuteDSLAllReduceFusionWorkspace

for _cls in (
    MNNVLAllReduceFusionWorkspace,
    MNNVLCuteDSLAllReduceFusionWorkspace,
    TRTLLMAllReduceFusionWorkspace,
    AllReduceFusionWorkspace,
):
    del _cls.is_buffer_size_sufficient
