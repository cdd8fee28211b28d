import driftgate_stub_core as core

core.borrow(globals(), "trtllm_mnnvl_ar.py")
