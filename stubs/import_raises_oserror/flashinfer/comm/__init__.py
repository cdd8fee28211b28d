raise OSError("libcudart_stub.so: undefined symbol: cudaDeviceReset")
