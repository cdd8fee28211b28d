import driftgate_stub_core as core

core.borrow(globals())
