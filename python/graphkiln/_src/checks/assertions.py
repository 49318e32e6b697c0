"""tf.debugging: assertions on values.

Eagerly a failure raises at once. In a graph it becomes an Assert op, unless
both sides are known: then tracing fails.
"""

from collections.abc import Callable, Sequence

import numpy as np

import graphkiln as tf
from graphkiln import _graphkiln, errors
from graphkiln import raw_ops as ops
from graphkiln._src.types import dispatch

_ALL = 10**9


def Assert(condition, data, summarize=None, name=None):
    """Raises InvalidArgumentError unless `condition` holds when run.

    Args:
      condition: a boolean scalar.
      data: tensors that are printed if it does not hold.
      summarize: how many elements of each are printed; 3 unless given, -1:
        all.
      name: of the op.

    Returns None when eager, else the operation that checks.

    >>> tf.debugging.Assert(True, [1])
    """
    if tf.executing_eagerly():
        if condition:
            return None
        shown = "\n".join(_summary(x, summarize) for x in data)
        raise _failure(
            f"Expected '{condition!s}' to be true. Summarized data: {shown}"
        )
    with tf.name_scope(name or "Assert"):
        return ops.Assert(
            condition=condition,
            data=[tf.convert_to_tensor(x) for x in data],
            summarize=summarize,
        )


def _failure(text: str) -> Exception:
    return errors.InvalidArgumentError(None, None, text)


def _elements(tensor: tf.Tensor, summarize: int | None) -> list[str]:
    """Texts of the first elements, "..." for the rest."""
    count = 3 if summarize is None else summarize if summarize >= 0 else _ALL
    flat = np.asarray(tensor.numpy()).reshape(-1)
    return [str(x) for x in flat[:count]] + ["..."] * (flat.size > count)


def _summary(value: object, summarize: int | None) -> str:
    value = tf.convert_to_tensor(value)
    if value.shape.rank == 0:
        return str(value.numpy())
    return ", ".join(_elements(value, summarize))


def _shown(item: object, summarize: int | None) -> str:
    if not isinstance(item, tf.Tensor):
        return str(item)
    if item.shape.rank == 0:
        return str(item.numpy())
    return str(_elements(item, summarize))


def argument(value: object, name: str = "", dtype=None) -> tf.Tensor:
    """An argument as a tensor; while tracing as one of the graph, which has a
    name."""
    tensor = tf.convert_to_tensor(value, dtype=dtype, name=name or None)
    graph = _graphkiln.current_graph()
    return tensor if graph is None else graph._capture(tensor, name)


def known(tensor: tf.Tensor) -> np.ndarray | None:
    """The value of a tensor that is known while tracing: computed from
    constants, or captured."""
    value = _graphkiln.known_value(tensor)
    graph = _graphkiln.current_graph()
    if value is not None or graph is None or not _graphkiln.has_trait(
        tensor.op.type, "placeholder"
    ):
        return value
    for outer, inner in graph.captures:
        if inner.name == tensor.name and outer is not None:
            if outer.dtype not in (tf.resource, tf.variant):
                return _graphkiln.known_value(outer)
    return None


def prefix(message: str | None) -> str:
    """What `message` puts in front of a text."""
    return f"{message}.  " if message else ""


def title(tensor: tf.Tensor) -> str:
    """How a text calls a tensor: by shape and dtype when eager."""
    if tf.executing_eagerly():
        return f"shape={tensor.shape} dtype={tensor.dtype.name}"
    return tensor.name


def labelled(letter: str, tensor: tf.Tensor) -> str:
    """"x (x:0) = "."""
    return f"{letter} ({title(tensor)}) = "


def check_static(holds: bool, data: Sequence) -> None:
    """Raises what tracing raises when an assertion is known to fail."""
    if holds:
        return
    texts = []
    for item in data:
        value = known(item) if isinstance(item, tf.Tensor) else item
        texts.append(str(item if value is None else value))
    raise _failure("\n".join(texts))


def _differences(
    symbol: str, x: tf.Tensor, y: tf.Tensor, summarize: int, holds: tf.Tensor
) -> list[str]:
    """The lines that say where an eager comparison failed."""
    lines = [f"Condition x {symbol} y did not hold."]
    if summarize <= 0:
        return lines
    a, b = np.asarray(x.numpy()), np.asarray(y.numpy())
    if x.shape == y.shape and x.shape.rank:
        wrong = ~np.asarray(holds.numpy())
        indices = np.argwhere(wrong)
        count = min(summarize, len(indices))
        lines += [
            f"Indices of first {count} different values:",
            indices[:count],
            "Corresponding x values:", a[wrong][:count],
            "Corresponding y values:", b[wrong][:count],
        ]
    for letter, value in (("x", a), ("y", b)):
        first = value.reshape(-1)[:summarize]
        lines += [f"First {first.size} elements of {letter}:", first]
    return [str(line) for line in lines]


def _compare(
    scope: str, symbol: str, holds: Callable, known_holds: Callable,
    x: object, y: object, message: str | None, summarize: int | None,
    name: str | None, data: list | None = None,
):
    with tf.name_scope(name or scope):
        x = argument(x, "x")
        y = argument(y, "y")
        test = holds(x, y)
        condition = tf.reduce_all(test)
        if tf.executing_eagerly():
            if condition:
                return None
            count = (
                3 if summarize is None else summarize if summarize >= 0 else _ALL
            )
            if data is None:
                data = _differences(symbol, x, y, count, test)
            if message is not None:
                data = [message, *data]
            raise _failure("\n".join(_shown(item, count) for item in data))
        if data is None:
            data = [
                f"Condition x {symbol} y did not hold element-wise:",
                labelled("x", x), x, labelled("y", y), y,
            ]
        if message is not None:
            data = [message, *data]
        a, b = known(x), known(y)
        if a is not None and b is not None:
            check_static(bool(np.all(known_holds(a, b))), data)
        return Assert(condition, data, summarize=summarize)


@dispatch.assertion
def assert_equal(x, y, message=None, summarize=None, name=None):
    """Checks x == y for all pairs of elements.

    Args:
      x: a tensor.
      y: a tensor that can be broadcast to it.
      message: put in front of the error's text.
      summarize: how many elements the text shows; 3 unless given.
      name: of the scope.

    Returns None when eager, else the operation that checks. Raises
    InvalidArgumentError where it does not hold: at once when eager or known,
    else when run.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """
    if x is y:
        return None if tf.executing_eagerly() else tf.no_op()
    return _compare(
        "assert_equal", "==", tf.equal, np.equal, x, y, message, summarize,
        name,
    )


@dispatch.assertion
def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Checks x != y for all pairs of elements; see `assert_equal`.

    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    return _compare(
        "assert_none_equal", "!=", tf.not_equal, np.not_equal, x, y, message,
        summarize, name,
    )


@dispatch.assertion
def assert_less(x, y, message=None, summarize=None, name=None):
    """Checks x < y for all pairs of elements; see `assert_equal`.

    >>> tf.debugging.assert_less([1], [2])
    """
    return _compare(
        "assert_less", "<", tf.less, np.less, x, y, message, summarize, name
    )


@dispatch.assertion
def assert_less_equal(x, y, message=None, summarize=None, name=None):
    """Checks x <= y for all pairs of elements; see `assert_equal`.

    >>> tf.debugging.assert_less_equal([2], [2])
    """
    return _compare(
        "assert_less_equal", "<=", tf.less_equal, np.less_equal, x, y, message,
        summarize, name,
    )


@dispatch.assertion
def assert_greater(x, y, message=None, summarize=None, name=None):
    """Checks x > y for all pairs of elements; see `assert_equal`.

    >>> tf.debugging.assert_greater([2], [1])
    """
    return _compare(
        "assert_greater", ">", tf.greater, np.greater, x, y, message,
        summarize, name,
    )


@dispatch.assertion
def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    """Checks x >= y for all pairs of elements; see `assert_equal`.

    >>> tf.debugging.assert_greater_equal([2], [2])
    """
    return _compare(
        "assert_greater_equal", ">=", tf.greater_equal, np.greater_equal, x, y,
        message, summarize, name,
    )


def _sign(
    kind: str, symbol: str, x: object, message: str | None,
    summarize: int | None, name: str | None,
):
    """Checks the sign: as a comparison of zero and `x`."""
    with tf.name_scope(name or f"assert_{kind}"):
        x = argument(x, "x")
        zero = tf.convert_to_tensor(0, dtype=x.dtype)
        data = [
            prefix(message),
            f"Condition x {symbol} 0 did not hold element-wise:",
            labelled("x", x), x,
        ]
        if symbol == "<=":  # as the original joins its texts
            data[1:3] = [data[1] + data[2]]
        strict = symbol in "<>"
        pair = (zero, x) if symbol[0] == ">" else (x, zero)
        return _compare(
            "assert_less" if strict else "assert_less_equal",
            "<" if strict else "<=",
            tf.less if strict else tf.less_equal,
            np.less if strict else np.less_equal,
            *pair, None, summarize, None, data,
        )


def assert_positive(x, message=None, summarize=None, name=None):
    """Checks x > 0 for all elements; see `assert_equal`.

    >>> tf.debugging.assert_positive([1.0, 2.0])
    """
    return _sign("positive", ">", x, message, summarize, name)


def assert_negative(x, message=None, summarize=None, name=None):
    """Checks x < 0 for all elements; see `assert_equal`.

    >>> tf.debugging.assert_negative([-1.0])
    """
    return _sign("negative", "<", x, message, summarize, name)


def assert_non_negative(x, message=None, summarize=None, name=None):
    """Checks x >= 0 for all elements; see `assert_equal`.

    >>> tf.debugging.assert_non_negative([0, 1])
    """
    return _sign("non_negative", ">=", x, message, summarize, name)


def assert_non_positive(x, message=None, summarize=None, name=None):
    """Checks x <= 0 for all elements; see `assert_equal`.

    >>> tf.debugging.assert_non_positive([0, -1])
    """
    return _sign("non_positive", "<=", x, message, summarize, name)


@dispatch.assertion
def assert_near(
    x, y, rtol=None, atol=None, message=None, summarize=None, name=None
):
    """Checks |x - y| < atol + rtol * |y| for all elements.

    Args:
      x: a tensor of floating point or complex numbers.
      y: another, which is converted to the dtype of `x`.
      rtol: relative tolerance; ten times the dtype's resolution unless given.
      atol: absolute tolerance; the same.
      message: put in front of the error's text.
      summarize: how many elements the text shows; 3 unless given.
      name: of the scope.

    Raises InvalidArgumentError where it does not hold, ValueError for dtypes
    without a resolution.

    >>> tf.debugging.assert_near([1.], [1.0000001])
    """
    with tf.name_scope(name or "assert_near"):
        x = argument(x, "x")
        y = argument(y, "y", x.dtype)
        real = x.dtype.real_dtype
        if rtol is None or atol is None:
            resolution = _resolution(real)
            rtol = 10 * resolution if rtol is None else rtol
            atol = 10 * resolution if atol is None else atol
        rtol = tf.convert_to_tensor(rtol, dtype=real, name="rtol")
        atol = tf.convert_to_tensor(atol, dtype=real, name="atol")
        data = [
            prefix(message),
            f"x and y not equal to tolerance rtol = {rtol!s}, "
            f"atol = {atol!s}",
            labelled("x", x), x, labelled("y", y), y,
        ]
        close = tf.abs(x - y) < atol + rtol * tf.abs(y)
        return Assert(tf.reduce_all(close), data, summarize=summarize)


def _resolution(dtype: tf.DType) -> float:
    if dtype == tf.bfloat16:
        return 2.0**-7
    return np.finfo(dtype.as_numpy_dtype).eps


def assert_all_finite(x, message, name=None):
    """Checks that no element is infinite or NaN; returns `x`.

    Raises InvalidArgumentError with `message` if one is.

    >>> tf.debugging.assert_all_finite([1.], "bad").numpy().tolist()
    [1.0]
    """
    with tf.name_scope(name or "VerifyFinite"):
        x = argument(x, "x")
        return ops.CheckNumerics(tensor=x, message=message)
