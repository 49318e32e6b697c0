"""tf.autograph.experimental."""

from graphkiln import _namespaces


def __getattr__(name: str) -> object:
    return _namespaces.resolve(__name__, "autograph.experimental.", name)


def __dir__() -> list[str]:
    return _namespaces.names_below("autograph.experimental.")
