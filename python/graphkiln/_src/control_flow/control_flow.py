"""Branches and loops as functions: tf.cond, tf.case, tf.switch_case,
tf.while_loop.

Eagerly they are Python's; in a graph each part is traced into a graph of its
own, and one node chooses or repeats.
"""

from collections.abc import Callable, Mapping

import numpy as np

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import Tensor, TensorShape
from graphkiln._src.control_flow.tensor_array import TensorArray
from graphkiln._src.function import python_parts
from graphkiln._src.graph import name_scope
from graphkiln._src.types import composite, dtypes
from graphkiln._src.types.type_spec import TypeSpec


def begin_part(graph: _graphkiln.FuncGraph) -> None:
    """A branch or a part of a loop of the current graph will be traced."""
    graph._inherit_device()
    python_parts.keep_body(graph)


end_part = python_parts.keep


def as_tensor(value: object) -> object:
    """A tensor for anything that converts; composite values and None as they
    are."""
    if isinstance(value, _graphkiln.Operation):
        return None
    if value is None or composite.is_composite(value):
        return value
    return _graphkiln.convert_to_tensor(value)


def flatten(structure: object) -> list:
    """All tensors of a structure; None where nothing is."""
    return nest.flatten(structure, expand_composites=True)


def taken_apart(value: object) -> tuple[object, list]:
    """(structure of tensors, its leaves) of what a function returned."""
    structure = nest.map_structure(as_tensor, value)
    return structure, flatten(structure)


def compare_branches(first: object, second: object) -> None:
    """TypeError or ValueError: what two branches return nests unlike."""
    nest.assert_same_structure(first, second, expand_composites=True)
    _check_arrays(first, second)


def compare_iterations(before: object, after: object) -> None:
    """The same of loop variables."""
    nest.assert_same_structure(after, before, expand_composites=True)
    _check_arrays(before, after)


def _check_arrays(first: object, second: object) -> None:
    """TypeError if TensorArrays differ in dtype, which handles do not tell."""
    for a, b in zip(nest.flatten(first), nest.flatten(second)):
        if isinstance(a, TensorArray) and a.dtype != b.dtype:
            raise TypeError(
                f"No common supertype of {a._type_spec} and {b._type_spec}."
            )


def cond(pred, true_fn=None, false_fn=None, name=None):
    """Returns `true_fn()` if `pred` holds, else `false_fn()`.

    In a graph both functions are traced, and one of them runs.

    Args:
      pred: a bool scalar.
      true_fn: called without arguments.
      false_fn: called without arguments.
      name: of the op; "cond" if not given.

    Returns:
      What the function returns: tensors or a structure of them. Both must
      return the same structure and dtypes; shapes may differ, the result has
      what they have in common.

    Raises:
      TypeError: a function is not callable; in a graph, `pred` is a Python
        bool, or the branches' structures or dtypes differ.
      ValueError: one branch returns None where the other does not.

    >>> x = tf.constant(2.0)
    >>> float(tf.cond(x > 1.0, lambda: x * 10.0, lambda: x))
    20.0
    """
    if not callable(true_fn):
        raise TypeError("'true_fn' must be callable.")
    if false_fn is None:
        raise TypeError("cond(): 'false_fn' argument required")
    if not callable(false_fn):
        raise TypeError("'false_fn' must be callable.")
    if _graphkiln.executing_eagerly():
        if isinstance(pred, (list, tuple)):
            pred = _graphkiln.convert_to_tensor(pred)
        with name_scope.name_scope(name or "cond"):
            result = true_fn() if pred else false_fn()
            return nest.map_structure(
                lambda x: None if isinstance(x, _graphkiln.Operation) else x,
                result,
            )
    if isinstance(pred, bool):
        raise TypeError("pred must not be a Python bool", pred)
    return _graphkiln._build_if(pred, true_fn, false_fn, name or "cond")


def _indexed(branch_fns) -> dict[int, Callable]:
    if isinstance(branch_fns, Mapping):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        pairs = [
            tuple(f) if isinstance(f, tuple) else (i, f)
            for i, f in enumerate(branch_fns)
        ]
    else:
        raise TypeError(
            f"branch_fns must be a list, tuple or dict, got {branch_fns!r}"
        )
    if not pairs:
        raise ValueError("Must provide at least one item in branch_fns")
    by_index: dict[int, Callable] = {}
    for index, function in pairs:
        if not isinstance(index, int):
            raise TypeError(f"key must be a Python `int`, got {index}")
        if not callable(function):
            raise TypeError(
                f"fn for key {index} must be callable, got {function}"
            )
        if index in by_index:
            raise ValueError(f"branch_fns has key {index} twice")
        by_index[index] = function
    if sorted(by_index) != list(range(len(by_index))):
        found = ",".join(str(k) for k in by_index)
        raise ValueError(
            "branch indices (keys) must form contiguous range of [0 to "
            f"{len(by_index)}) but found {{{found}}}"
        )
    return by_index


def switch_case(branch_index, branch_fns, default=None, name="switch_case"):
    """Calls the function that an index chooses.

    Args:
      branch_index: an integer scalar.
      branch_fns: a list of callables, or a dict or pairs with int keys.
      default: called for an index without function; if None, the last (by
        index) of `branch_fns` is.
      name: of the op.

    Returns:
      What that function returns. All must return the same structure and
      dtypes.

    Raises:
      TypeError: the index is no tensor of integers, a key is no int, a value is not
        callable, or structures differ.
      ValueError: there are no functions.
      tf.errors.InvalidArgumentError: the index is no scalar.

    >>> int(tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]))
    20
    """
    by_index = _indexed(branch_fns)
    if default is not None and not callable(default):
        raise TypeError(f"default must be callable, got {default}")
    if not isinstance(branch_index, Tensor):
        raise TypeError(
            f"'branch_index' must be a Tensor, got {type(branch_index)}"
        )
    _graphkiln._check_branch_index(branch_index)
    if _graphkiln.executing_eagerly() and not hasattr(branch_index, "graph"):
        function = by_index.get(int(branch_index), default)
        if function is None:
            function = by_index[max(by_index)]
        with name_scope.name_scope(name or "switch_case"):
            return function()
    functions = [by_index[k] for k in sorted(by_index)]
    if default is not None:
        functions.append(default)
    return _graphkiln._build_case(
        branch_index, functions, name or "switch_case"
    )


def case(pred_fn_pairs, default=None, exclusive=False, strict=False,
         name="case"):
    """Calls the function of the first condition that holds.

    Args:
      pred_fn_pairs: a list of (bool scalar tensor, callable).
      default: called if no condition holds.
      exclusive: it is an error if more than one condition holds.
      strict: accepted for compatibility.
      name: of the ops.

    Returns:
      What that function returns.

    Raises:
      TypeError: the pairs are not pairs, a condition is no bool tensor, or a
        function is not callable.
      tf.errors.InvalidArgumentError: no condition holds and there is no
        default, or `exclusive` and more than one holds.

    >>> x = tf.constant(3)
    >>> int(tf.case([(x < 2, lambda: 1), (x < 5, lambda: 2)], lambda: 3))
    2
    """
    if isinstance(pred_fn_pairs, Mapping):
        pairs = [
            (k.deref() if hasattr(k, "deref") else k, f)
            for k, f in pred_fn_pairs.items()
        ]
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError("pred_fn_pairs must be a list, tuple, or dict.")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                "Each entry in pred_fn_pairs must be a 2-tuple. "
                f"Received {pair}."
            )
        condition, function = pair
        if not isinstance(condition, Tensor):
            if not isinstance(condition, bool):
                raise TypeError(
                    f"pred must be Tensor, got: {type(condition)}"
                )
        elif condition.dtype != dtypes.bool:
            raise TypeError(f"pred must be of type bool: {condition.name}")
        if not callable(function):
            raise TypeError(
                f"fn for pred {condition} must be callable."
            )
    if default is not None and not callable(default):
        raise TypeError(f"default must be callable, got {default}")
    if not pairs:
        if default is None:
            raise ValueError("pred_fn_pairs must not be empty")
        return default()
    conditions = [_graphkiln.convert_to_tensor(c) for c, _ in pairs]
    with name_scope.name_scope(name or "case"):
        checks = []
        if default is None:
            checks.append(_assert_any(conditions))
            *pairs, (_, default) = pairs
        if exclusive:
            checks.append(_assert_one(conditions))
        with _graphkiln.control_dependencies(
            [c for c in checks if c is not None]
        ):
            function = default
            for (condition, branch) in reversed(pairs):
                function = _chained(condition, branch, function)
            return function()


_assert_any = _graphkiln.composite_function("_assert_any_case")
_assert_one = _graphkiln.composite_function("_assert_one_case")


def _chained(condition, branch: Callable, otherwise: Callable) -> Callable:
    if isinstance(condition, bool):
        return branch if condition else otherwise
    return lambda: cond(condition, branch, otherwise)


def _eager_loop(condition, body, loop_vars, maximum_iterations):
    packed = loop_vars
    limit = None if maximum_iterations is None else int(maximum_iterations)
    count = 0
    is_list = isinstance(loop_vars, (list, tuple))
    while (limit is None or count < limit) and (
        condition(*packed) if is_list else condition(packed)
    ):
        after = body(*packed) if is_list else body(packed)
        if is_list and not (
            isinstance(after, (list, tuple)) and not hasattr(after, "_fields")
        ):
            after = type(packed)([after]) if len(packed) == 1 else after
        nest.assert_same_structure(list(packed), list(after))
        packed = after
        count += 1
    return nest.map_structure(
        lambda x: x
        if x is None or composite.is_composite(x)
        else _graphkiln.convert_to_tensor(x),
        packed,
    )


_PLAIN = (bool, int, float, complex, str, bytes, np.ndarray, np.generic)


def while_loop(
    cond,
    body,
    loop_vars,
    shape_invariants=None,
    parallel_iterations=10,
    back_prop=True,
    swap_memory=False,
    maximum_iterations=None,
    name=None,
):
    """Repeats `body` while `cond` holds.

    Args:
      cond: called with the loop variables; returns a bool scalar.
      body: called with the loop variables; returns the next ones in the same
        structure.
      loop_vars: a (nested) list or tuple of tensors, composite tensors or
        TensorArrays.
      shape_invariants: a structure like `loop_vars` of shapes; a variable may
        change its shape only as far as its invariant allows.
      parallel_iterations: a positive int, written into the graph.
      back_prop: deprecated; tf.stop_gradient does what False did.
      swap_memory: accepted for compatibility.
      maximum_iterations: the loop stops after so many iterations.
      name: of the op; "while" if not given.

    Returns:
      The loop variables at the end.

    Raises:
      TypeError: `cond` or `body` is not callable; a variable changes dtype.
      ValueError: there are no loop variables; a variable changes its shape or
        structure.

    >>> i, s = tf.while_loop(
    ...     lambda i, s: i < 4, lambda i, s: (i + 1, s + i), [0, 0])
    >>> int(s)
    6
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if loop_vars is None or (
        isinstance(loop_vars, (list, tuple)) and not loop_vars
    ):
        raise ValueError("'loop_vars' must be provided.")
    if parallel_iterations is not None and parallel_iterations < 1:
        raise ValueError(
            "'parallel_iterations' must be a positive integer."
        )
    if _graphkiln.executing_eagerly():
        return _eager_loop(cond, body, loop_vars, maximum_iterations)
    # Constants are made outside of the loop's scope.
    loop_vars = nest.map_structure(
        lambda x: (
            _graphkiln.convert_to_tensor(x) if isinstance(x, _PLAIN) else x
        ),
        loop_vars,
    )
    is_list = isinstance(loop_vars, (list, tuple)) and not hasattr(
        loop_vars, "_fields"
    )

    def call(function, values):
        return function(*values) if is_list else function(values)

    def step(values):
        result = call(body, values)
        if is_list and (
            not isinstance(result, (list, tuple)) or hasattr(result, "_fields")
        ):
            result = [result]
        if is_list:
            result = type(loop_vars)(result)
        return result

    invariants = None
    if shape_invariants is not None:
        invariants = _flat_shapes(loop_vars, shape_invariants)
    return _graphkiln._while_loop(
        lambda values: call(cond, values), step, loop_vars, invariants,
        maximum_iterations, parallel_iterations or 10, name or "while",
    )


def _flat_shapes(values: object, invariants: object) -> list:
    """The shapes of the tensors of loop variables; those of composite tensors
    follow from the invariant for the whole."""
    nest.assert_same_structure(values, invariants, check_types=False)
    shapes = []
    for value, invariant in zip(nest.flatten(values), nest.flatten(invariants)):
        if not isinstance(invariant, (TensorShape, TypeSpec)):
            raise TypeError(
                f"shape_invariants must hold tf.TensorShape, got {invariants!r}"
            )
        shapes += _component_shapes(value, invariant)
    return shapes


def _component_shapes(value: object, invariant: object) -> list:
    """The shapes of the tensors of one loop variable."""
    if not hasattr(type(value), "_type_spec") or isinstance(
        value, TensorArray
    ):
        if isinstance(invariant, TypeSpec):
            _check_compatible(invariant, as_tensor(value))
            return [invariant.shape]
        return [invariant]
    spec = value._type_spec
    if not isinstance(invariant, TypeSpec):
        if not hasattr(spec, "_with_shape"):
            raise TypeError(
                f"The invariant of a {type(value).__name__} must be a "
                f"tf.TypeSpec, got {invariant!r}"
            )
        invariant = spec._with_shape(invariant)
    _check_compatible(invariant, value)
    return [
        part.shape
        for part in nest.flatten(invariant, expand_composites=True)
    ]


def _check_compatible(spec: TypeSpec, value: object) -> None:
    if not spec.is_compatible_with(value):
        raise TypeError(f"TypeSpec {spec} is not compatible with {value}")
