"""The pretended driver bindings, asked as an engine's look for memory asks them."""

from __future__ import annotations

from driftgate.drive.drivers.cuda_driver import PretendedCudaDriver


def test_memory_is_there_unless_the_device_is_full() -> None:
    """Granularities are told either way; 2 is CUDA's number for being out of memory."""
    for full, code in ((False, 0), (True, 2)):
        driver = PretendedCudaDriver(full=full)
        result, _ = driver.cuMemCreate(1 << 21, None, 0)

        assert result.value == code
        assert (result is driver.CUresult.CUDA_SUCCESS) is not full
        assert driver.cuMemGetAllocationGranularity(None, None)[0] is driver.CUresult.CUDA_SUCCESS


def test_a_device_without_multicast_has_no_granularity_for_it() -> None:
    """801 is CUDA's number for what a device does not support; plain memory is as before."""
    for multicast, code in ((True, 0), (False, 801)):
        driver = PretendedCudaDriver(multicast=multicast)

        assert driver.cuMulticastGetGranularity(None, None)[0].value == code
        assert driver.cuMemCreate(1 << 21, None, 0)[0].value == 0
