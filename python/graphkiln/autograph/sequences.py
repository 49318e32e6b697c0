"""Which values staged loops, comprehensions and targets run over, and how."""

from collections.abc import Callable

from graphkiln import _graphkiln, nest
from graphkiln._src import ops
from graphkiln.autograph import staging
from graphkiln.autograph.ragged_rows import RaggedRows
from graphkiln.autograph.sequence import Sequence
from graphkiln.autograph.tensor_rows import TensorRows


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
    value.prepare()
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
