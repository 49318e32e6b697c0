"""Messages of TensorFlow's that programs find in its private modules alone."""

from graphkiln import _proto


def __getattr__(name: str) -> object:
    return getattr(_proto, name)
