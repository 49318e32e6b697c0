"""Distances of arrays in units of the last place."""

import numpy as np


def ulps_apart(found, expected, largest=0):
    """The largest difference, in units of the last place of the array's largest
    value, or of `largest` if that is larger: sums of other orders differ by so much
    of what was summed, not of what is left of it."""
    if expected.size == 0:
        return 0.0
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    whole = np.isfinite(expected)
    np.testing.assert_array_equal(found[~whole], expected[~whole])
    if not whole.any():
        return 0.0
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    apart = np.abs(found[whole].astype(wide) - expected[whole].astype(wide)).max()
    scale = max(np.abs(expected[whole]).max(), expected.real.dtype.type(largest))
    return float(apart / np.spacing(scale))


def assert_within(found, expected, ulps, largest=0):
    """Dtypes and shapes are equal, and so are values that are not floating."""
    assert found.dtype == expected.dtype and found.shape == expected.shape
    if ulps == 0 or expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(found, expected)
    else:
        apart = ulps_apart(found, expected, largest)
        assert apart <= ulps, f"{apart:.1f} ulps apart, at most {ulps} are allowed"
