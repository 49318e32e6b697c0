"""Iterables whose elements a staged loop gets by number: tensors, and
enumerate, zip, map of them."""

from collections.abc import Callable

from graphkiln import _graphkiln, errors, nest
from graphkiln._src import ops
from graphkiln._src.types import dtypes
from graphkiln.autograph import staging


class Sequence:
    """Elements by number. `length()` is an int or an int32 tensor."""

    def length(self):
        raise NotImplementedError

    def element(self, i):
        raise NotImplementedError

    def __iter__(self):
        count = self.length()
        if not isinstance(count, int):
            raise errors.OperatorNotAllowedInGraphError(
                "Iterating over a symbolic `tf.Tensor` is not allowed where "
                "its length is not known while tracing; use it in a for "
                "statement."
            )
        return iter([self.element(i) for i in range(count)])

    def __len__(self) -> int:
        count = self.length()
        if not isinstance(count, int):
            raise TypeError("the length is not known while tracing")
        return count


class TensorRows(Sequence):
    """The slices of a tensor along its first axis."""

    def __init__(self, tensor):
        self.tensor = _graphkiln.convert_to_tensor(tensor)
        if self.tensor.shape.rank == 0:
            raise ValueError(
                "len requires a non-scalar tensor, got one of shape (): a "
                f"scalar cannot be iterated over: {self.tensor}"
            )
        self._list = None

    def length(self):
        shape = self.tensor.shape
        if shape.rank is not None and shape.as_list()[0] is not None:
            return shape.as_list()[0]
        return ops.shape(self.tensor)[0]

    def prepare(self) -> None:
        self._list = _graphkiln.ListValue.of_rows(self.tensor)

    def element(self, i):
        if self._list is None:
            return self.tensor[i]
        return self._list.element(i)


class RaggedRows(Sequence):
    """The rows of a ragged tensor."""

    def __init__(self, ragged):
        self.ragged = ragged

    def length(self):
        return ops.cast(self.ragged.nrows(), dtypes.int32)

    def element(self, i):
        return self.ragged[i]


class PythonItems(Sequence):
    """A Python iterable beside tensors: its own items where the number is
    Python's, else rows of a tensor of them."""

    def __init__(self, items):
        self.items = list(items)
        self._tensor = None

    def prepare(self) -> None:
        try:
            self._tensor = _graphkiln.convert_to_tensor(self.items)
        except (TypeError, ValueError):
            # No loop can run over them; in a comprehension they are fine.
            self._tensor = None

    def length(self):
        return len(self.items)

    def element(self, i):
        if isinstance(i, int):
            return self.items[i]
        if self._tensor is None:
            raise TypeError(
                f"a loop over tensors cannot run over {self.items!r} beside "
                "them: they do not make a tensor"
            )
        return self._tensor[i]


class Enumerated(Sequence):
    """enumerate of a sequence."""

    def __init__(self, inner: Sequence, start):
        self.inner, self.start = inner, start

    def prepare(self) -> None:
        prepare(self.inner)

    def length(self):
        return self.inner.length()

    def element(self, i):
        return i + self.start, self.inner.element(i)


class Zipped(Sequence):
    """zip of sequences."""

    def __init__(self, inner: list[Sequence]):
        self.inner = inner

    def prepare(self) -> None:
        for part in self.inner:
            prepare(part)

    def length(self):
        counts = [part.length() for part in self.inner]
        known = [n for n in counts if isinstance(n, int)]
        if len(known) == len(counts):
            return min(known)
        shortest = counts[0]
        for count in counts[1:]:
            shortest = ops.minimum(shortest, count)
        return shortest

    def element(self, i):
        return tuple(part.element(i) for part in self.inner)


class Mapped(Sequence):
    """map of a function over sequences."""

    def __init__(self, function, inner: list[Sequence]):
        self.function, self.inner = function, inner

    def prepare(self) -> None:
        for part in self.inner:
            prepare(part)

    length = Zipped.length

    def element(self, i):
        return self.function(*(part.element(i) for part in self.inner))


def prepare(source: Sequence) -> None:
    """Makes in the graph around a loop what its iterations read from."""
    make = getattr(source, "prepare", None)
    if make is not None:
        make()


def sample(source: Sequence):
    """The tensors of an element, in a graph that is thrown away."""
    aside = _graphkiln.FuncGraph("tmp")
    try:
        aside._enter()
        return nest.map_structure(
            _graphkiln.convert_to_tensor, source.element(_graphkiln.constant(0))
        )
    finally:
        aside._exit()


def is_sequence(value: object) -> bool:
    """Can a staged loop run over `value`?"""
    return (
        staging.is_staged(value)
        or isinstance(value, Sequence)
        or type(value).__name__ == "RaggedTensor"
        and any(
            staging.is_symbolic(t)
            for t in nest.flatten(value, expand_composites=True)
        )
    )


def sequence(value: object) -> Sequence:
    """The sequence of a value for which `is_sequence` holds."""
    if isinstance(value, (_graphkiln.Tensor, _graphkiln.BaseVariable)):
        value = TensorRows(value)
    elif not isinstance(value, Sequence):
        value = RaggedRows(value)
    prepare(value)
    return value


def unpack(value: object, pattern: tuple):
    """`value` as what a tuple of targets takes. `pattern` has a tuple for
    each nested tuple, "*" for a starred target, else None."""
    if staging.is_symbolic(value):
        value = _rows_of(value, len(pattern), "*" in pattern)
    if "*" in pattern or not any(type(p) is tuple for p in pattern):
        return value
    value = tuple(value)
    if len(value) != len(pattern):
        return value
    return tuple(
        v if p is None else unpack(v, p) for v, p in zip(value, pattern)
    )


def _rows_of(value, count: int, star: bool) -> list:
    shape = value.shape
    if shape.rank == 0:
        raise TypeError(f"cannot unpack a scalar tensor: {value}")
    length = None if shape.rank is None else shape.as_list()[0]
    if length is None:
        if star:
            raise ValueError(
                f"cannot unpack {value} into a starred target: its length is "
                "not known while tracing"
            )
        length = count
    if not star and length != count:
        raise ValueError(
            f"cannot unpack {length} rows of {value} into {count} targets"
        )
    return ops.unstack(value, num=length)


def each(value: object):
    """What a comprehension without conditions runs over."""
    if staging.is_symbolic(value) and value.shape.rank != 0:
        value = TensorRows(value)
    if isinstance(value, Sequence) and isinstance(value.length(), int):
        return iter(value)
    return value


def generator(value: object, lazily: Callable, loop: Callable):
    """A generator expression over `value`: what `loop` makes of it if that
    is for the graph to say."""
    if is_sequence(value) and not _graphkiln.executing_eagerly():
        found = loop(value)
        return iter(found) if isinstance(found, list) else found
    if isinstance(value, (list, tuple)) and any(
        staging.is_staged(item) for item in value
    ):
        found = loop(value)
        return iter(found) if isinstance(found, list) else found
    return lazily(value)
