"""The dtypes by name: `dtypes.int64`."""

from graphkiln._graphkiln import (  # noqa: F401
    bfloat16,
    bool,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
