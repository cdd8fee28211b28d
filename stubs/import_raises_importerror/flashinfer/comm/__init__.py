raise ImportError("libcudart.so.13: cannot open shared object file: No such file or directory")
