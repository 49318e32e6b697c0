"""What the batches of tensors of unequal shapes are filled up with and to."""

from graphkiln._graphkiln import DType, Tensor, TensorShape

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.ragged.spec import RaggedTensorSpec
from graphkiln._src.ragged.tensor import RaggedTensor
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import TensorSpec, TypeSpec
from graphkiln.data import _structure as structure


def shape_tensor(shape: object):
    """An int64 vector of what describes a shape; -1 for what is not known."""
    if isinstance(shape, Tensor):
        return ops.reshape(ops.cast(shape, dtypes.int64), [-1])
    if isinstance(shape, TensorShape):
        if shape.rank is None:
            raise ValueError(
                f"Cannot convert a partially known TensorShape {shape} to a "
                "Tensor."
            )
        shape = shape.as_list()
    if shape is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type "
            f"({type(None)}) to a Tensor. `padded_shapes` must hold a shape "
            "for each component."
        )
    if not hasattr(shape, "__iter__"):
        shape = [shape]
    dims = [-1 if d is None else d for d in shape]
    if not dims:
        return _graphkiln.constant([], dtypes.int64)
    return ops.stack([ops.cast(d, dtypes.int64) for d in dims]) if any(
        isinstance(d, Tensor) for d in dims
    ) else _graphkiln.constant([int(d) for d in dims], dtypes.int64)


def static_shape(tensor) -> TensorShape:
    """What is known of the shape that such a vector says."""
    known = _graphkiln.get_static_value(tensor)
    if known is not None:
        return TensorShape([None if d < 0 else int(d) for d in known])
    rank = tensor.shape[0] if tensor.shape.rank else None
    return TensorShape(None if rank is None else [None] * rank)


def shapes(leaves: list, spec: object, given: object) -> list:
    """The vectors for tensors of the specs `leaves`."""
    if given is None:
        for i, leaf in enumerate(leaves):
            if leaf.shape.rank is None:
                raise ValueError(
                    "You must provide `padded_shapes` argument because "
                    f"component {i} has unknown rank."
                )
        return [shape_tensor(leaf.shape) for leaf in leaves]
    made = [shape_tensor(s) for s in structure.flatten_up_to(spec, given)]
    for shape, leaf in zip(made, leaves):
        if not _fits(static_shape(shape), leaf.shape):
            raise ValueError(
                f"The padded shape {static_shape(shape)} is not compatible "
                f"with the shape {leaf.shape} of the corresponding input "
                "component."
            )
    return made


def _fits(padded: TensorShape, shape: TensorShape) -> bool:
    if padded.rank is None or shape.rank is None:
        return True
    return padded.rank == shape.rank and all(
        p is None or n is None or p >= n
        for p, n in zip(padded.as_list(), shape.as_list())
    )


def values(leaves: list, spec: object, given: object) -> list:
    """The scalars that such tensors are filled up with."""
    if structure.is_leaf(given):
        parts = [given] * len(leaves)
    else:
        parts = structure.flatten_up_to(spec, given, True)
    return [_value(leaf.dtype, v) for leaf, v in zip(leaves, parts)]


def _value(dtype: DType, value: object):
    if value is None:
        if dtype == dtypes.variant:
            raise TypeError(
                "Unable to create padding for field of type 'variant' because "
                "t.base_dtype == tf.variant"
            )
        return (
            _graphkiln.constant("")
            if dtype == dtypes.string
            else ops.zeros([], dtype)
        )
    value = _graphkiln.convert_to_tensor(value, name="padding_value")
    if not value.shape.is_compatible_with([]):
        raise ValueError(
            "Invalid `padding_values`. `padding_values` values should be "
            f"scalars, but got {value.shape}."
        )
    if value.dtype != dtype:
        raise TypeError(
            "Invalid `padding_values`. `padding_values` values type "
            f"{value.dtype} does not match type {dtype} of the corresponding "
            "input component."
        )
    return value


def ragged_spec(leaf: TypeSpec, row_splits_dtype) -> TypeSpec:
    """What a tensor is as a row of a ragged tensor: ragged up to its last
    dimension that is not known."""
    if not isinstance(leaf, TensorSpec):
        return leaf
    if leaf.shape.rank is None:
        raise ValueError(
            "Converting a tensor of unknown rank to a ragged tensor is not "
            "supported."
        )
    unknown = [i for i, n in enumerate(leaf.shape.as_list()) if n is None]
    if not unknown:
        return leaf
    return RaggedTensorSpec(
        leaf.shape, leaf.dtype, unknown[-1], row_splits_dtype
    )


def to_ragged(spec: TypeSpec, value: object) -> object:
    """The tensor as `spec` describes it."""
    if (
        isinstance(spec, RaggedTensorSpec) and spec.ragged_rank > 0
        and isinstance(value, Tensor)
    ):
        return RaggedTensor.from_tensor(
            value, ragged_rank=spec.ragged_rank,
            row_splits_dtype=spec.row_splits_dtype,
        )
    return value
