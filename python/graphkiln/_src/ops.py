"""Functions of ops and compositions by their public names: `ops.math.log`."""

from graphkiln import _namespaces


class _Names:
    def __init__(self, prefix: str = ""):
        self._prefix = prefix

    def __getattr__(self, name: str) -> object:
        public = self._prefix + name
        value = _namespaces.op_function(public)
        if value is None:
            if not _namespaces.names_below(public + "."):
                raise AttributeError(f"no op has the public name {public!r}")
            value = _Names(public + ".")
        setattr(self, name, value)
        return value


_names = _Names()


def __getattr__(name: str) -> object:
    value = globals()[name] = getattr(_names, name)
    return value
