"""tf.gradients and tf.hessians of a graph's tensors, and tf.recompute_grad."""

import functools
import math
from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.gradients import gradient_tape
from graphkiln._src.gradients.gradient_tape import (
    GradientTape,
    UnconnectedGradients,
)
from graphkiln._src.graph import name_scope
from graphkiln._src.sparse.indexed_slices import IndexedSlices


class AggregationMethod:
    """How tf.gradients adds up what reaches a tensor on several ways; the
    result is the same.

    >>> tf.AggregationMethod.DEFAULT
    0
    """

    ADD_N = 0
    DEFAULT = 0
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys,
    xs,
    grad_ys=None,
    name="gradients",
    gate_gradients=False,
    aggregation_method=None,
    stop_gradients=None,
    unconnected_gradients=UnconnectedGradients.NONE,
):
    """The gradients of the sum of `ys` with respect to each of `xs`.

    Works in functions and graphs, whose nodes say how the `ys` came about.

    Args:
      ys: a tensor or a list of tensors.
      xs: a tensor, a variable or a list of them.
      grad_ys: what the gradients of `ys` are; ones where it is None.
      name: of the scope of the new nodes.
      gate_gradients: accepted for compatibility.
      aggregation_method: accepted for compatibility.
      stop_gradients: tensors that count as constants: nothing goes through
        the ops that made them (of calls and branches, through these
        results). The gradient for such a tensor itself can be asked for.
      unconnected_gradients: tf.UnconnectedGradients.NONE or ZERO.

    Returns:
      A list with a gradient, or None, for each of `xs`.

    Raises:
      RuntimeError: in eager mode.
      ValueError: `grad_ys` is not as long as `ys`, or an option is unknown.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x * x, x)[0]
    >>> float(slope(tf.constant(3.0)))
    6.0
    """
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead."
        )
    unconnected = gradient_tape._unconnected(unconnected_gradients)
    if aggregation_method not in (None, 0, 1, 2):
        raise ValueError(
            f"Invalid `aggregation_method` specified {aggregation_method}. "
            "Accepted values are [0, 1, 2]."
        )
    ys, xs = _as_list(ys), _as_list(xs)
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    if len(grad_ys) != len(ys):
        raise ValueError(
            f"Length mismatch. Passed {len(grad_ys)} grad_ys for {len(ys)} ys"
        )
    with name_scope.name_scope(name or "gradients"):
        targets = [
            y if isinstance(y, Tensor) else _graphkiln.convert_to_tensor(y)
            for y in ys
        ]
        weights = [
            _weight(g, y, i) for i, (g, y) in enumerate(zip(grad_ys, targets))
        ]
        found = _differentiate(targets, xs, weights, stops)
        if unconnected is UnconnectedGradients.ZERO:
            found = [
                ops.zeros_like(_graphkiln.convert_to_tensor(x))
                if g is None
                else g
                for g, x in zip(found, xs)
            ]
    return found


def _as_list(value: object) -> list:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _weight(weight, target, index: int):
    if weight is None or isinstance(weight, IndexedSlices):
        return weight
    weight = _graphkiln.convert_to_tensor(
        weight, dtype=target.dtype, name=f"grad_ys_{index}"
    )
    if not weight.shape.is_compatible_with(target.shape):
        raise ValueError(
            "Incompatible shapes between op input and calculated input "
            f"gradient. Forward operation: {target.op.name}. Input index: 0. "
            f"Original input shape: {target.shape}. Calculated input gradient "
            f"shape: {weight.shape}"
        )
    return weight


def _differentiate(targets: list, xs: list, weights: list, stops: list):
    useful = [
        i for i, y in enumerate(targets)
        if y.dtype.is_floating or y.dtype.is_complex
    ]
    if not useful:
        return [None] * len(xs)
    targets = [targets[i] for i in useful]
    weights = [weights[i] for i in useful]
    stops = [
        s if isinstance(s, _graphkiln.BaseVariable)
        else _graphkiln.convert_to_tensor(s)
        for s in stops
    ]
    return list(_graphkiln.symbolic_gradients(targets, xs, weights, stops))


def hessians(
    ys, xs, gate_gradients=False, aggregation_method=None, name="hessians"
):
    """The matrices of second derivatives of the sum of `ys`.

    Args:
      ys: a tensor or a list of tensors.
      xs: a tensor or a list of tensors whose shapes are known.
      gate_gradients: accepted for compatibility.
      aggregation_method: accepted for compatibility.
      name: of the scope of the new nodes.

    Returns:
      A list with a tensor of the shape of x twice for each x.

    Raises:
      RuntimeError: in eager mode.
      ValueError: the shape of an x is not known.

    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x ** 3.0), x)[0]
    >>> curvature(tf.constant([1.0, 2.0])).numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    xs = _as_list(xs)
    options = {"aggregation_method": aggregation_method}
    found = []
    firsts = gradients(ys, xs, name=name, **options)
    for first, x in zip(firsts, xs):
        if first is None:
            raise ValueError(
                f"{x} is not connected with the tensors to differentiate"
            )
        if not x.shape.is_fully_defined():
            raise ValueError(
                f"The static shape of {x} must be known for its Hessian"
            )
        flat = ops.reshape(_graphkiln.convert_to_tensor(first), [-1])
        size = math.prod(x.shape.as_list())
        with name_scope.name_scope(name or "hessians"):
            rows = [
                gradients(
                    flat[j], x, unconnected_gradients="zero", **options
                )[0]
                for j in range(size)
            ]
            sizes = x.shape.as_list()
            found.append(
                ops.reshape(ops.stack(rows), sizes + sizes) if rows
                else ops.zeros(sizes + sizes, x.dtype)
            )
    return found


def recompute_grad(f: Callable) -> Callable:
    """`f`, of which nothing is kept for the gradient but the arguments: its
    gradient runs it once more.

    Args:
      f: a function of tensors that returns tensors.

    Returns:
      A function with the same results and gradients.

    >>> cube = tf.recompute_grad(lambda x: x * x * x)
    >>> x = tf.constant(2.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = cube(x)
    >>> float(tape.gradient(y, x))
    12.0
    """

    def recomputed(*args, **kwargs):
        result = f(*args, **kwargs)

        def grad(*upstream, variables=None):
            variables = [] if variables is None else list(variables)
            with GradientTape() as tape:
                again = [
                    x if isinstance(x, _graphkiln.BaseVariable)
                    else ops.identity(x)
                    for x in _graphkiln.nest_flatten(args)
                ]
                floating = [
                    x for x in (*again, *variables) if _is_floating(x)
                ]
                tape.watch(floating)
                # Not before its turn: else all would be kept after all.
                with _graphkiln.control_dependencies(
                    [g for g in upstream if g is not None]
                ):
                    value = f(*_graphkiln.nest_pack(args, again), **kwargs)
            found = iter(
                tape.gradient(
                    _graphkiln.nest_flatten(value), floating,
                    output_gradients=list(upstream),
                )
            )
            of_all = [
                next(found) if _is_floating(x) else None
                for x in (*again, *variables)
            ]
            of_args, of_variables = of_all[: len(again)], of_all[len(again):]
            return (of_args, of_variables) if variables else of_args

        return result, grad

    @functools.wraps(f)
    def call(*args, **kwargs):
        return gradient_tape._call_custom(
            recomputed, args, kwargs, forget=True
        )

    return call


def _is_floating(x) -> bool:
    return x.dtype.is_floating or x.dtype.is_complex
