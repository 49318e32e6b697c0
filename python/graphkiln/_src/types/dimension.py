"""Dimension objects, as `TensorShape.dims` holds them."""


class Dimension:
    """One dimension: a size, or None if it is unknown.

    >>> tf.compat.v1.Dimension(3) + 1
    Dimension(4)
    """

    __slots__ = ("_value",)

    def __init__(self, value: object):
        if isinstance(value, Dimension):
            value = value._value
        if value is not None:
            value = value.__index__()
            if value < 0:
                raise ValueError(f"Dimension {value} must be >= 0")
        self._value = value

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __eq__(self, other: object) -> bool | None:
        try:
            other = as_dimension(other)
        except (TypeError, ValueError, AttributeError):
            return NotImplemented
        if self._value is None or other._value is None:
            return None
        return self._value == other._value

    def __ne__(self, other: object) -> bool | None:
        equal = self.__eq__(other)
        return equal if equal in (None, NotImplemented) else not equal

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return self._value

    def __index__(self) -> int:
        return self._value

    def is_compatible_with(self, other: object) -> bool:
        """Could both be the same size?"""
        other = as_dimension(other)
        return None in (self._value, other._value) or self._value == other._value

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises ValueError unless both could be the same size.

        >>> tf.compat.v1.Dimension(2).assert_is_compatible_with(None)
        """
        if not self.is_compatible_with(other):
            raise ValueError(
                f"Dimensions {self} and {other} are not compatible"
            )

    def merge_with(self, other: object) -> "Dimension":
        """What is known by either."""
        other = as_dimension(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")
        return other if self._value is None else self


def _arithmetic(name: str) -> None:
    def forward(self, other):
        other = as_dimension(other)
        if self._value is None or other._value is None:
            return Dimension(None)
        return Dimension(getattr(self._value, name)(other._value))

    def backward(self, other):
        return getattr(as_dimension(other), name)(self)

    setattr(Dimension, name, forward)
    setattr(Dimension, "__r" + name[2:], backward)


for _name in ("__add__", "__sub__", "__mul__", "__floordiv__", "__mod__"):
    _arithmetic(_name)


def _comparison(name: str) -> None:
    def compare(self, other):
        other = as_dimension(other)
        if self._value is None or other._value is None:
            return None
        return getattr(self._value, name)(other._value)

    setattr(Dimension, name, compare)


for _name in ("__lt__", "__le__", "__gt__", "__ge__"):
    _comparison(_name)


def as_dimension(value: object) -> Dimension:
    """Converts to a Dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: object) -> int | None:
    """The size of a Dimension, an int or None.

    >>> tf.compat.dimension_value(tf.compat.v1.Dimension(3))
    3
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimensions(sizes: tuple) -> list[Dimension]:
    """Dimension objects of sizes."""
    return [Dimension(size) for size in sizes]
