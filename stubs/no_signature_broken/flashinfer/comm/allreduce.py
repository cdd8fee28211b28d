import driftgate_stub_core as core

core.borrow(globals())

create_allreduce_fusion_workspace.__signature__ = "(...)"
allreduce_fusion.__signature__ = "(...)"
