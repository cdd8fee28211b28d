import driftgate_stub_core as core

core.borrow(globals())

from flashinfer.comm.mnnvl_cutedsl_ar import MNNVLCuteDSLAllReduceFusionWorkspace

del AllReduceFusionWorkspace.__del__
# functools.cache would keep every workspace that was ever asked.
MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient = (
    MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient.__wrapped__
)

for _cls in (
    MNNVLAllReduceFusionWorkspace,
    MNNVLCuteDSLAllReduceFusionWorkspace,
    TRTLLMAllReduceFusionWorkspace,
    AllReduceFusionWorkspace,
):
    del _cls.destroy
