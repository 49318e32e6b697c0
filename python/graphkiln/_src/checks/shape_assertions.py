"""tf.debugging: assertions on ranks, shapes, dtypes and kinds of values.

What is known while tracing is checked then, with ValueError or TypeError; the
rest becomes Assert ops.
"""

from collections.abc import Sequence

import numpy as np

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln._src.checks.assertions import Assert, argument, prefix, title


def _name(tensor: tf.Tensor) -> str:
    """Eager tensors have none."""
    return "" if tf.executing_eagerly() else tensor.name


def _passed():
    """What an assertion returns that is known to hold."""
    if tf.executing_eagerly():
        return None
    return tf.no_op(name="static_checks_determined_all_ok")


def _static_rank(rank: object) -> int | None:
    """The value of a rank argument if it is known."""
    rank = tf.convert_to_tensor(rank)
    if not rank.dtype.is_integer:
        raise TypeError(
            f"Rank must be an integer, got {rank} of dtype {rank.dtype.name}."
        )
    if rank.shape.rank not in (0, None):
        raise ValueError("Rank must be a scalar.")
    known = _graphkiln.known_value(rank)
    return None if known is None else int(known)


def _assert_rank(
    x: object, ranks: Sequence, words: str, shown: str, holds, holds_traced,
    message: str | None, scope: str,
):
    with tf.name_scope(scope):
        x = argument(x, "x")
        known = [_static_rank(rank) for rank in ranks]
        actual = x.shape.rank
        if actual is not None and None not in known:
            if holds(actual, known):
                return _passed()
            raise ValueError(
                f"{prefix(message)}Tensor {_name(x)} must have rank {words}"
                f"{shown.format(*known)}.  Received rank {actual}, shape "
                f"{x.shape}"
            )
        data = [
            prefix(message), f"Tensor {_name(x)} must have rank {words}".strip(),
            *ranks, "Received shape: ", tf.shape(x),
        ]
        return Assert(holds_traced(tf.rank(x), ranks), data)


def assert_rank(x, rank, message=None, name=None):
    """Checks the rank of `x`.

    Raises ValueError if it is known to be another, InvalidArgumentError when
    run otherwise.

    >>> tf.debugging.assert_rank([1], 1)
    """
    return _assert_rank(
        x, [rank], "", "{}", lambda a, r: a == r[0],
        lambda a, r: tf.equal(a, tf.cast(r[0], tf.int32)), message,
        name or "assert_rank",
    )


def assert_rank_at_least(x, rank, message=None, name=None):
    """Checks that `x` has at least this rank; see `assert_rank`.

    >>> tf.debugging.assert_rank_at_least([[1]], 1)
    """
    return _assert_rank(
        x, [rank], "at least ", "{}", lambda a, r: a >= r[0],
        lambda a, r: tf.greater_equal(a, tf.cast(r[0], tf.int32)), message,
        name or "assert_rank_at_least",
    )


def assert_rank_in(x, ranks, message=None, name=None):
    """Checks that the rank of `x` is one of `ranks`; see `assert_rank`.

    >>> tf.debugging.assert_rank_in([1], [0, 1])
    """
    ranks = tuple(ranks)
    return _assert_rank(
        x, ranks, "in ", "(" + ", ".join(["{}"] * len(ranks))
        + ("," if len(ranks) == 1 else "") + ")",
        lambda a, r: a in r,
        lambda a, r: tf.reduce_any(
            tf.stack([tf.equal(a, tf.cast(one, tf.int32)) for one in r])
        ),
        message, name or "assert_rank_in",
    )


def assert_scalar(tensor, message=None, name=None):
    """Checks that `tensor` is a scalar and returns it.

    Raises ValueError if it is not.

    >>> tf.debugging.assert_scalar(3).numpy().item()
    3
    """
    with tf.name_scope(name or "assert_scalar"):
        tensor = argument(tensor)
        if tensor.shape.rank == 0:
            return tensor
        which = "" if tf.executing_eagerly() else f" for {tensor.name}"
        raise ValueError(
            f"{prefix(message)}Expected scalar shape{which}, saw shape: "
            f"{tensor.shape}."
        )


def assert_type(tensor, tf_type, message=None, name=None):
    """Checks the dtype of `tensor`; TypeError if it is another.

    >>> tf.debugging.assert_type(1, tf.int32)
    """
    tf_type = tf.as_dtype(tf_type)
    if not isinstance(tensor, tf.Tensor) and hasattr(tensor, "values"):
        tensor = tensor.values  # of a sparse or ragged tensor
    with tf.name_scope(name or "assert_type"):
        tensor = argument(tensor, "tensor")
        if tensor.dtype != tf_type:
            raise TypeError(
                f"{prefix(message)}{_name(tensor) or 'tensor'} must be of "
                f"type {tf_type!r}; got {tensor.dtype!r}"
            )


def assert_integer(x, message=None, name=None):
    """Checks that `x` has an integer dtype; TypeError if not.

    >>> tf.debugging.assert_integer([1, 2])
    """
    with tf.name_scope(name or "assert_integer"):
        x = argument(x, "x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{prefix(message)}Expected "x" to be integer type.  Found: '
                f"{_name(x) or 'tensor'} of dtype {x.dtype}"
            )


def is_numeric_tensor(tensor):
    """Is it a tensor of numbers?

    >>> tf.debugging.is_numeric_tensor(tf.constant(1))
    True
    """
    return isinstance(tensor, tf.Tensor) and (
        tensor.dtype.is_integer
        or tensor.dtype.is_floating
        or tensor.dtype.is_complex
    )


def assert_proper_iterable(values):
    """Checks for a list or another iterable that is no tensor, array or
    string; TypeError if not.

    >>> tf.debugging.assert_proper_iterable([1, 2])
    """
    improper = isinstance(values, (tf.Tensor, np.ndarray, str, bytes))
    if improper or not hasattr(values, "__iter__"):
        kind = 'a "proper" iterable' if improper else "iterable"
        raise TypeError(
            f'Expected argument "values" to be {kind}.  Found: {type(values)}'
        )


def assert_same_float_dtype(tensors=None, dtype=None):
    """Checks for one floating dtype and returns it; float32 if none.

    Raises ValueError if there are several or another.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), None])
    tf.float32
    """
    dtype = None if dtype is None else tf.as_dtype(dtype)
    first = None
    for tensor in tensors or ():
        if tensor is None:
            continue
        if dtype is None:
            dtype, first = tensor.dtype, tensor
        elif tensor.dtype != dtype:
            other = "" if first is None else f" as {first!s}"
            raise ValueError(
                f"{tensor!s}, type={tensor.dtype}, must be of the same type "
                f"({dtype}){other}."
            )
    dtype = dtype or tf.float32
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


class _Sized:
    """A tensor and what `assert_shapes` says of its sizes."""

    def __init__(self, tensor: object, symbols: object, message: str):
        self.tensor = argument(tensor)
        if not hasattr(symbols, "__iter__") and not hasattr(
            symbols, "__getitem__"
        ):
            raise ValueError(
                f"{prefix(message)}Tensor {title(self.tensor)}.  Specified "
                "shape must be an iterable.  An iterable has the attribute "
                "`__iter__` or `__getitem__`.  Received specified shape: "
                f"{symbols}"
            )
        if isinstance(symbols, tf.TensorShape):
            symbols = symbols.as_list()
        self.symbols = list(symbols)
        first = self.symbols[0] if self.symbols else None
        self.any_leading = first is ... or (
            isinstance(first, str) and first == "*"
        )
        if self.any_leading:
            del self.symbols[0]

    def check_rank(self, message: str | None):
        """The operation that checks the rank, or None when eager."""
        n = len(self.symbols)
        if self.any_leading:
            return assert_rank_at_least(self.tensor, n, message)
        if n <= 1:
            # A scalar counts as one element.
            return assert_rank_in(self.tensor, [0, 1], message)
        return assert_rank(self.tensor, n, message)

    def sizes(self):
        """(position, symbol, size): the size as a number if it is known."""
        n = len(self.symbols)
        static = self.tensor.shape
        traced = None
        for i, symbol in enumerate(self.symbols):
            if symbol is None or (isinstance(symbol, str) and symbol == "."):
                continue
            at = i - n if self.any_leading else i
            if static.rank == 0:
                yield at, symbol, 1
            elif static.rank is not None and static[at] is not None:
                yield at, symbol, static[at]
            else:
                traced = tf.shape(self.tensor) if traced is None else traced
                if static.rank is None and n == 1 and not self.any_leading:
                    yield at, symbol, tf.size(self.tensor)
                else:
                    yield at, symbol, traced[at]


def _number(symbol: object) -> int | None:
    """The size that a symbol demands, if it is a number."""
    if isinstance(symbol, (str, bytes)):
        return int(symbol) if symbol.isdigit() else None
    if isinstance(symbol, (int, np.integer)):
        return int(symbol)
    if isinstance(symbol, float) and symbol.is_integer():
        return int(symbol)
    return None


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Checks shapes that share symbolic sizes.

    Args:
      shapes: a mapping or list of pairs: a tensor and its sizes. They are
        numbers, symbols that stand for the same number everywhere, None or
        "." for any; "*" or ... in front stands for any leading dimensions.
      data: printed on failure in place of tensor and shape.
      summarize: how many elements of each are printed.
      message: put in front of the error's text.
      name: of the scope.

    Raises ValueError if a size is known to be another, InvalidArgumentError
    when run otherwise.

    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 3))])
    """
    pairs = shapes.items() if hasattr(shapes, "items") else shapes
    with tf.name_scope(name or "assert_shapes"):
        all_sized = []
        for pair in pairs:
            try:
                tensor, symbols = pair
            except TypeError:
                raise ValueError(
                    "`shapes` must hold pairs of a tensor and its shape, got "
                    f"{pair!r}"
                ) from None
            all_sized.append(_Sized(tensor, symbols, message))
        ranks = [sized.check_rank(message) for sized in all_sized]
        with tf.control_dependencies([op for op in ranks if op is not None]):
            _assert_sizes(all_sized, data, summarize, message)


def _assert_sizes(
    all_sized: list[_Sized], data, summarize: int | None, message: str | None
) -> None:
    # Symbol: (size, where it was met first).
    known: dict = {}
    for sized in all_sized:
        for at, symbol, size in sized.sizes():
            number = _number(symbol)
            if number is not None:
                _assert_size(
                    sized.tensor, at, size, number, "Specified explicitly",
                    data, summarize, message,
                )
            elif symbol in known:
                wanted, where = known[symbol]
                _assert_size(
                    sized.tensor, at, size, wanted, where, data, summarize,
                    message,
                )
            else:
                where = (
                    f"Specified by tensor {title(sized.tensor)} dimension {at}"
                )
                known[symbol] = (size, where)


def _assert_size(
    x, at, size, wanted, where, data, summarize, message
) -> None:
    if isinstance(size, int) and isinstance(wanted, int):
        if size != wanted:
            raise ValueError(
                f"{prefix(message)}{where}.  Tensor {title(x)} dimension {at} "
                f"must have size {wanted}.  Received size {size}, shape "
                f"{x.shape}"
            )
        return
    if data is None:
        data = [
            prefix(message), where, f"Tensor {title(x)} dimension", at,
            "must have size", wanted, "Received shape: ", tf.shape(x),
        ]
    Assert(tf.equal(size, wanted), data, summarize=summarize)
