"""tf.debugging: checks that hold when a program runs, traced or not.

What can be decided while tracing is; the rest becomes an Assert op.
"""

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import errors
from graphkiln import raw_ops as ops

_FLOATS = (tf.float16, tf.bfloat16, tf.float32, tf.float64)


def Assert(condition, data, summarize=None, name=None):
    """Raises InvalidArgumentError unless `condition` holds when run.

    Args:
      condition: a boolean scalar.
      data: tensors that are printed if it does not hold.
      summarize: how many elements of each are printed; 3 unless given.

    >>> tf.debugging.Assert(True, [1])
    """
    if tf.executing_eagerly():
        if not tf.convert_to_tensor(condition):
            shown = "\n".join(_text(x, summarize or 3) for x in data)
            raise errors.InvalidArgumentError(
                None,
                None,
                "Expected '%s' to be true. Summarized data: %s"
                % (tf.convert_to_tensor(condition), shown),
            )
        return None
    return ops.Assert(
        condition=condition,
        data=[tf.convert_to_tensor(x) for x in data],
        summarize=3 if summarize is None else summarize,
        name=name or "Assert",
    )


def _text(value: object, summarize: int) -> str:
    value = tf.convert_to_tensor(value)
    if value.dtype == tf.string and value.shape.rank == 0:
        return str(value.numpy())
    return str(value.numpy().reshape(-1)[:summarize].tolist())


def _static(value: tf.Tensor):
    """The value if it is known now, as an array."""
    try:
        return value.numpy()
    except (AttributeError, NotImplementedError):
        return tf.get_static_value(value)


def _check(
    name, symbol, holds, x, y, message, summarize, scope, condition_text
):
    with tf.name_scope(scope or name):
        x = tf.convert_to_tensor(x, name="x")
        y = tf.convert_to_tensor(y, dtype=x.dtype, name="y")
        condition = tf.reduce_all(holds(x, y))
        if tf.executing_eagerly():
            if condition:
                return None
            parts = [
                message or "",
                f"Condition x {symbol} y did not hold.",
            ]
            failed = tf.where(tf.logical_not(holds(x, y)))
            parts.append(
                f"Indices of first {summarize or 3} different values:\n"
                f"{failed[: summarize or 3].numpy()}"
            )
            parts.append(f"x (shape={x.shape} dtype={x.dtype.name}) = \n"
                         f"{x.numpy()}")
            parts.append(f"y (shape={y.shape} dtype={y.dtype.name}) = \n"
                         f"{y.numpy()}")
            raise errors.InvalidArgumentError(
                None, None, "\n".join(p for p in parts if p)
            )
        data = [
            message or "",
            f"Condition x {symbol} y did not hold element-wise:",
            f"x ({x.name}) = ",
            x,
            f"y ({y.name}) = ",
            y,
        ]
        return Assert(condition, data, summarize=summarize)


def assert_equal(x, y, message=None, summarize=None, name=None):
    """Checks x == y element-wise.

    Raises InvalidArgumentError when run if it does not hold.

    >>> tf.debugging.assert_equal([1, 2], [1, 2])
    """
    return _check(
        "assert_equal", "==", tf.equal, x, y, message, summarize, name, ""
    )


def assert_none_equal(x, y, summarize=None, message=None, name=None):
    """Checks x != y for every pair of elements.

    >>> tf.debugging.assert_none_equal([1, 2], [2, 1])
    """
    return _check(
        "assert_none_equal", "!=", tf.not_equal, x, y, message, summarize,
        name, "",
    )


def assert_less(x, y, message=None, summarize=None, name=None):
    """Checks x < y element-wise.

    >>> tf.debugging.assert_less([1], [2])
    """
    return _check(
        "assert_less", "<", tf.less, x, y, message, summarize, name, ""
    )


def assert_less_equal(x, y, message=None, summarize=None, name=None):
    """Checks x <= y element-wise.

    >>> tf.debugging.assert_less_equal([2], [2])
    """
    return _check(
        "assert_less_equal", "<=", tf.less_equal, x, y, message, summarize,
        name, "",
    )


def assert_greater(x, y, message=None, summarize=None, name=None):
    """Checks x > y element-wise.

    >>> tf.debugging.assert_greater([2], [1])
    """
    return _check(
        "assert_greater", ">", tf.greater, x, y, message, summarize, name, ""
    )


def assert_greater_equal(x, y, message=None, summarize=None, name=None):
    """Checks x >= y element-wise.

    >>> tf.debugging.assert_greater_equal([2], [2])
    """
    return _check(
        "assert_greater_equal", ">=", tf.greater_equal, x, y, message,
        summarize, name, "",
    )


def assert_positive(x, message=None, summarize=None, name=None):
    """Checks x > 0 element-wise."""
    x = tf.convert_to_tensor(x)
    return assert_less(tf.zeros([], x.dtype), x, message, summarize, name)


def assert_negative(x, message=None, summarize=None, name=None):
    """Checks x < 0 element-wise."""
    x = tf.convert_to_tensor(x)
    return assert_less(x, tf.zeros([], x.dtype), message, summarize, name)


def assert_non_negative(x, message=None, summarize=None, name=None):
    """Checks x >= 0 element-wise."""
    x = tf.convert_to_tensor(x)
    zero = tf.zeros([], x.dtype)
    return assert_less_equal(zero, x, message, summarize, name)


def assert_non_positive(x, message=None, summarize=None, name=None):
    """Checks x <= 0 element-wise."""
    x = tf.convert_to_tensor(x)
    zero = tf.zeros([], x.dtype)
    return assert_less_equal(x, zero, message, summarize, name)


def assert_near(
    x, y, rtol=None, atol=None, message=None, summarize=None, name=None
):
    """Checks |x - y| <= atol + rtol * |y| element-wise.

    Both tolerances are ten times the dtype's resolution unless given.

    >>> tf.debugging.assert_near([1.], [1.0000001])
    """
    x = tf.convert_to_tensor(x)
    y = tf.convert_to_tensor(y, dtype=x.dtype)
    resolution = {tf.float64: 2.220446049250313e-15, tf.float16: 9.765625e-3,
                  tf.bfloat16: 7.8125e-2}.get(x.dtype, 1.1920929e-6)
    rtol = tf.cast(resolution if rtol is None else rtol, x.dtype)
    atol = tf.cast(resolution if atol is None else atol, x.dtype)
    holds = lambda a, b: tf.abs(a - b) <= atol + rtol * tf.abs(b)
    return _check(
        "assert_near", "and", holds, x, y, message, summarize, name, ""
    )


def check_numerics_all(x, message, name=None):
    """Checks that no element is infinite or NaN; returns `x`."""
    return ops.CheckNumerics(
        tensor=tf.convert_to_tensor(x), message=message, name=name
    )


def assert_all_finite(x, message, name=None):
    """Checks that no element is infinite or NaN; returns `x`.

    >>> tf.debugging.assert_all_finite([1.], "bad").numpy().tolist()
    [1.0]
    """
    return check_numerics_all(x, message, name)


def _raise_static(message, text):
    raise ValueError(f"{message or ''}{' ' if message else ''}{text}")


def _static_rank(x):
    return tf.convert_to_tensor(x).shape.rank


def assert_rank(x, rank, message=None, name=None):
    """Checks that `x` has this rank; ValueError if known not to.

    >>> tf.debugging.assert_rank([1], 1)
    """
    x = tf.convert_to_tensor(x)
    actual = x.shape.rank
    if actual is None:
        return assert_equal(tf.rank(x), rank, message, name=name)
    if actual != int(rank):
        _raise_static(
            message, f"Tensor must have rank {int(rank)}. Received rank "
            f"{actual}, shape {x.shape}"
        )
    return None


def assert_rank_at_least(x, rank, message=None, name=None):
    """Checks that `x` has at least this rank."""
    x = tf.convert_to_tensor(x)
    actual = x.shape.rank
    if actual is None:
        return assert_greater_equal(tf.rank(x), rank, message, name=name)
    if actual < int(rank):
        _raise_static(
            message, f"Tensor must have rank at least {int(rank)}. Received "
            f"rank {actual}, shape {x.shape}"
        )
    return None


def assert_rank_in(x, ranks, message=None, name=None):
    """Checks that the rank of `x` is one of `ranks`."""
    x = tf.convert_to_tensor(x)
    actual = x.shape.rank
    if actual is None:
        ok = tf.reduce_any(tf.equal(tf.rank(x), list(ranks)))
        return Assert(ok, [message or "", "rank", tf.rank(x)], name=name)
    if actual not in [int(r) for r in ranks]:
        _raise_static(
            message, f"Tensor must have rank in {tuple(ranks)}. Received rank "
            f"{actual}, shape {x.shape}"
        )
    return None


def assert_scalar(tensor, message=None, name=None):
    """Checks that `tensor` is a scalar and returns it.

    >>> tf.debugging.assert_scalar(3).numpy().item()
    3
    """
    tensor = tf.convert_to_tensor(tensor)
    if tensor.shape.rank != 0:
        _raise_static(
            message, f"Expected scalar shape, saw shape: {tensor.shape}."
        )
    return tensor


def assert_type(tensor, tf_type, message=None, name=None):
    """Checks the dtype of `tensor`; TypeError if it is another."""
    tensor = tf.convert_to_tensor(tensor)
    if tensor.dtype != tf.as_dtype(tf_type):
        raise TypeError(
            f"{message or ''}{' ' if message else ''}tensor must be of type "
            f"{tf.as_dtype(tf_type)!r}; got {tensor.dtype!r}"
        )


def assert_integer(x, message=None, name=None):
    """Checks that `x` has an integer dtype; TypeError if not."""
    x = tf.convert_to_tensor(x)
    if not x.dtype.is_integer:
        raise TypeError(
            f"{message or ''}{' ' if message else ''}Expected \"x\" to be "
            f"integer type.  Found: {x.dtype!r}"
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
    """Checks for a list or another iterable that is no tensor or string."""
    if isinstance(values, (tf.Tensor, tf.Variable, str, bytes)):
        raise TypeError(
            "Expected argument \"values\" to be a \"proper\" iterable.  Found: "
            f"{type(values)}"
        )
    if not hasattr(values, "__iter__"):
        raise TypeError(
            "Expected argument \"values\" to be iterable.  Found: "
            f"{type(values)}"
        )


def assert_same_float_dtype(tensors=None, dtype=None):
    """Checks for one floating dtype and returns it; float32 if none."""
    dtype = None if dtype is None else tf.as_dtype(dtype)
    for tensor in tensors or ():
        if tensor is None:
            continue
        if dtype is None:
            dtype = tensor.dtype
        elif tensor.dtype != dtype:
            raise ValueError(
                f"Expected all tensors to have dtype {dtype.name}, got "
                f"{tensor.dtype.name}"
            )
    dtype = dtype or tf.float32
    if not dtype.is_floating:
        raise ValueError("Expected floating point type, got %s." % dtype.name)
    return dtype


def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Checks shapes that share symbolic sizes.

    Args:
      shapes: pairs of a tensor and its sizes: numbers, names that stand for
        the same number everywhere, None or "." for any; "*" or ... in front
        stands for any leading dimensions.

    >>> tf.debugging.assert_shapes([(tf.ones([2, 3]), ("N", 3))])
    """
    sizes: dict = {}
    pairs = shapes.items() if hasattr(shapes, "items") else shapes
    for x, wanted in pairs:
        x = tf.convert_to_tensor(x)
        wanted = (
            list(wanted) if isinstance(wanted, (list, tuple, str)) else [wanted]
        )
        any_prefix = bool(wanted) and wanted[0] in ("*", ...)
        if any_prefix:
            wanted = wanted[1:]
        if x.shape.rank is None:
            continue
        if any_prefix:
            assert_rank_at_least(x, len(wanted), message)
        else:
            assert_rank(x, len(wanted), message)
        actual = x.shape.as_list()[x.shape.rank - len(wanted):]
        for i, (size, want) in enumerate(zip(actual, wanted)):
            if size is None or want in (None, "."):
                continue
            try:
                number = int(want)
            except (TypeError, ValueError):
                number = sizes.setdefault(want, size)
            if number != size:
                _raise_static(
                    message,
                    f"Specified by tensor of shape {x.shape} dimension {i}. "
                    f"Tensor dimension must have size {number}. Received size "
                    f"{size}",
                )


_filtering = True


def enable_traceback_filtering():
    """Leaves our own frames out of tracebacks."""
    global _filtering
    _filtering = True


def disable_traceback_filtering():
    """Shows our own frames in tracebacks."""
    global _filtering
    _filtering = False


def is_traceback_filtering_enabled():
    """Are our own frames left out of tracebacks?"""
    return _filtering


def enable_check_numerics(stack_height_limit=30, path_length_limit=50):
    """Ops that this thread makes fail if they give infinity or NaN.

    That holds for eager ops and for functions that are traced from now on.

    Args:
      stack_height_limit: accepted for compatibility; errors of graphs tell
        the line where the op was made.
      path_length_limit: the same.
    """
    _graphkiln.set_check_numerics(True)


def disable_check_numerics():
    """Ops made from now on are not checked."""
    _graphkiln.set_check_numerics(False)
