"""Look the CUDA runtime up where files with a name like its own are mapped before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.exercises.making import attempt
from driftgate.exercises.maps import mapped

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = True

_LIBRARY = "CudaRTLibrary"
_STUB = "/site-packages/tilelang/lib/libcudart_stub.so"
# None of them is the runtime.
_OTHERS = (
    _STUB,
    "/site-packages/other/libcudart-stub.so",
    "/usr/lib/libcudart/libother.so",
    "/usr/local/cuda/lib64/libcudart.so.12.backup",
    "/usr/local/cuda/lib64/libcudart_static.a",
)
# All of them are: the plain name, versions, and the hash that wheel builders put in.
_RUNTIMES = (
    "/usr/local/cuda/lib64/libcudart.so",
    "/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
    "/site-packages/torch/lib/libcudart-d0da41ae.so.11.0",
)


def play(release: Release) -> Json:
    """Return how the import ended beside a stub, and then how each look-up did."""
    with mapped(_STUB, _RUNTIMES[0]):
        refused = release.load()
    if refused:
        return {"refused": refused, "lookups": []}
    library = release.get(_LIBRARY)
    lookups = []
    for runtime in _RUNTIMES:
        for other in _OTHERS:
            with mapped(other, runtime):
                lookups.append({"first": other, "runtime": runtime, **attempt(library)})
    return {"refused": "", "lookups": lookups}
