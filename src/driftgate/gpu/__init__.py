"""The GPU tier: our module over real kernels and NCCL, on Hopper or Blackwell."""
