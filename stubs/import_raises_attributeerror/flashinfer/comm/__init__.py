raise AttributeError("module 'torch.distributed' has no attribute '_symmetric_memory'")
