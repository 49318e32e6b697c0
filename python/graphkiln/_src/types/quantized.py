"""The quantized dtypes."""

from graphkiln import _graphkiln

QUANTIZED_DTYPES = frozenset(
    getattr(_graphkiln, name)
    for name in ("qint8", "quint8", "qint16", "quint16", "qint32")
)
