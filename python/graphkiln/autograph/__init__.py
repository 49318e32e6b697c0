"""AutoGraph: Python control flow on tensors becomes graph control flow.

Functions are converted when they are traced first; see `conversion`. The
public names are those of `_exports` and are imported when asked for.
"""

from graphkiln import _namespaces


def __getattr__(name: str) -> object:
    return _namespaces.resolve(__name__, "autograph.", name)


def __dir__() -> list[str]:
    return _namespaces.names_below("autograph.")
