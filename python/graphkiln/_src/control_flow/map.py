"""tf.map_fn and tf.vectorized_map: a function of every row of tensors."""

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import Tensor, elements, type_spec_from_value
from graphkiln._src.function import tracing


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """Calls `fn` with the parts of `elems` along the first axis, and stacks
    the results.

    Args:
      fn: takes an element, in the structure of `elems`.
      elems: a structure of tensors, ragged or sparse tensors of one length.
      dtype: deprecated; means `fn_output_signature`.
      parallel_iterations: a positive int, written into the graph.
      back_prop: deprecated; tf.stop_gradient does what False did.
      swap_memory: accepted for compatibility.
      infer_shape: whether all results must have the same shape.
      name: of the scope of the ops.
      fn_output_signature: dtypes or specs of the results in their structure;
        those of `elems` if not given.

    Returns:
      What `fn` returned, stacked.

    Raises:
      TypeError: `fn` is not callable, or does not return the structure of
        `fn_output_signature`.
      ValueError: `elems` has no tensor, or a scalar; the lengths differ; `fn`
        does not return the structure of `elems`, which no signature
        replaces.

    >>> tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3])).numpy().tolist()
    [1, 4, 9]
    """
    if fn_output_signature is None:
        fn_output_signature = dtype
    if not callable(fn):
        raise TypeError(
            f"The provided function {fn} is not callable."
            f"fn must be callable, got {fn!r}"
        )
    fn = tracing.convert_callee(fn)
    with _graphkiln.name_scope(name or "map"):
        elems, flat = _checked(elems)
        if fn_output_signature is None:
            signature = nest.map_structure(
                lambda x: x.dtype if isinstance(x, Tensor) else _row(x), elems
            )
        else:
            signature = fn_output_signature

        def step(rows):
            result = fn(nest.pack_sequence_as(elems, rows))
            _check(signature, result, fn_output_signature is None)
            return nest.flatten(result)

        return nest.pack_sequence_as(
            signature,
            _graphkiln._map_rows(
                step, flat, nest.flatten(signature), infer_shape,
                parallel_iterations or 10,
            ),
        )


def _row(value: object) -> object:
    """What a row of `value` is."""
    return elements.sliced(type_spec_from_value(value))


def _tensor(value: object) -> object:
    """What has rows as it is, all else as a tensor."""
    if _graphkiln._has_rows(value):
        return value
    return _graphkiln.convert_to_tensor(value)


def _checked(elems: object) -> tuple[object, list]:
    """`elems` of tensors, and those in a list."""
    if nest.flatten(elems):
        elems = nest.map_structure(
            lambda x: x if isinstance(x, list) else _tensor(x), elems
        )
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError(
            "elems must be a Tensor or (possibly nested) sequence of Tensors. "
            f"Got {elems}, which does not contain any Tensors."
        )
    return elems, flat


def _check(signature: object, result: object, implied: bool) -> None:
    try:
        nest.assert_same_structure(signature, result)
    except (TypeError, ValueError) as error:
        # Who gave a signature gets a TypeError, as of a wrong type.
        raise (type(error) if implied else TypeError)(str(error)) from None


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """Calls `fn` with the parts of `elems` along the first axis, and stacks
    the results, whatever their dtypes are.

    Args:
      fn: takes an element, in the structure of `elems`.
      elems: a structure of tensors of one length; those of length 1 are used
        for every call.
      fallback_to_while_loop: accepted for compatibility.
      warn: accepted for compatibility.

    Returns:
      What `fn` returned, stacked.

    Raises:
      tf.errors.InvalidArgumentError: the lengths differ.

    >>> rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.vectorized_map(tf.reduce_sum, rows).numpy().tolist()
    [3.0, 7.0]
    """
    if not callable(fn):
        raise TypeError(f"fn must be callable, got {fn!r}")
    elems = nest.map_structure(_tensor, elems)
    flat = nest.flatten(elems)
    if not flat:
        raise ValueError(f"elems must hold a tensor, got {elems}")
    signature = None

    def step(rows):
        nonlocal signature
        result = fn(nest.pack_sequence_as(elems, rows))
        result = nest.map_structure(_tensor, result)
        if signature is None:
            signature = result
        _check(signature, result, False)
        return nest.flatten(result)

    with _graphkiln.name_scope("map"):
        stacked = _graphkiln._map_rows(step, flat, None, True, 10)
    return nest.pack_sequence_as(signature, stacked)
