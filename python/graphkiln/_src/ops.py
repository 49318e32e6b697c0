"""Functions of ops and compositions by their public names: `ops.math.log`."""

from graphkiln import _graphkiln, _namespaces


class _Names:
    def __init__(self, prefix: str = ""):
        self._prefix = prefix

    def __getattr__(self, name: str) -> object:
        public = self._prefix + name
        if public in _namespaces.composite_names():
            value = _graphkiln.composite_function(public)
        elif public in _namespaces.op_names():
            value = _graphkiln.op_function(_namespaces.op_names()[public], name)
        elif _namespaces.names_below(public + "."):
            value = _Names(public + ".")
        else:
            raise AttributeError(f"no op has the public name {public!r}")
        setattr(self, name, value)
        return value


_names = _Names()


def __getattr__(name: str) -> object:
    value = globals()[name] = getattr(_names, name)
    return value
