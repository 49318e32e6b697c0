"""`tensor.ref()`: a hashable stand-in for an object, by identity."""


class Reference:
    """Compares and hashes by the identity of what it wraps."""

    __slots__ = ("_wrapped", "__weakref__")

    def __init__(self, wrapped: object):
        self._wrapped = wrapped

    def deref(self) -> object:
        """The object itself."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reference):
            return NotImplemented
        return self._wrapped is other._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"
