raise RuntimeError("The NVIDIA driver on your system is too old")
