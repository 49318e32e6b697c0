"""What the core moves for a leaf of an element: its components.

A ragged tensor is one variant, a sparse tensor a vector of three; so a batch
of elements is a stack of components, whatever their lengths. A batchable
extension type is what its encoder makes of it, everything else the tensors
that it is made of.
"""

from collections.abc import Iterator

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.ragged.spec import RaggedTensorSpec
from graphkiln._src.ragged.tensor import RaggedTensor
from graphkiln._src.sparse.sparse_tensor import SparseTensorSpec
from graphkiln._src.types import batchable, dtypes
from graphkiln._src.types.type_spec import TensorSpec, TypeSpec


def _is_ragged(spec: TypeSpec) -> bool:
    return isinstance(spec, RaggedTensorSpec) and (
        spec.flat_values_spec is None
    )


def components(spec: TypeSpec) -> list:
    """The tf.TensorSpecs of the components."""
    if _is_ragged(spec) or isinstance(spec, SparseTensorSpec):
        return [TensorSpec(None, dtypes.variant)]
    if batchable.encoder(spec) is not None:
        return [
            component for part in batchable.encoded(spec)
            for component in components(part)
        ]
    return spec.flatten()


def encode(spec: TypeSpec, value: object, rows: bool = False) -> list:
    """The components of a value; or tensors whose rows are the components of
    its rows."""
    if _is_ragged(spec):
        is_ragged = isinstance(value, RaggedTensor)
        if rows and not is_ragged:
            return [value]
        return [
            raw_ops.RaggedTensorToVariant(
                rt_nested_splits=(
                    list(value.nested_row_splits) if is_ragged else []
                ),
                rt_dense_values=(
                    value.flat_values if is_ragged
                    else _graphkiln.convert_to_tensor(value)
                ),
                batched_input=rows,
            )
        ]
    if isinstance(spec, SparseTensorSpec):
        serialize = (
            raw_ops.SerializeManySparse if rows else raw_ops.SerializeSparse
        )
        return [
            serialize(
                sparse_indices=value.indices, sparse_values=value.values,
                sparse_shape=value.dense_shape, out_type=dtypes.variant,
            )
        ]
    if batchable.encoder(spec) is not None:
        return [
            component
            for part, own in zip(
                batchable.encode(spec, value, int(rows)),
                batchable.encoded(spec),
            )
            for component in encode(own, part, rows)
        ]
    return spec.to_tensors(value)


def decode(spec: TypeSpec, tensors: Iterator) -> object:
    """The value made of the next components."""
    if _is_ragged(spec):
        splits, values = raw_ops.RaggedTensorFromVariant(
            encoded_ragged=next(tensors), input_ragged_rank=-1,
            output_ragged_rank=spec.ragged_rank, Tvalues=spec.dtype,
            Tsplits=spec.row_splits_dtype,
        )
        made = [values, *splits]
    elif isinstance(spec, SparseTensorSpec):
        made = list(raw_ops.DeserializeSparse(
            serialized_sparse=next(tensors), dtype=spec.dtype
        ))
    elif batchable.encoder(spec) is not None:
        return batchable.decode(
            spec, [decode(part, tensors) for part in batchable.encoded(spec)]
        )
    else:
        return spec.from_tensors(tensors)
    for tensor, known in zip(made, spec._component_specs):
        if hasattr(tensor, "graph"):
            tensor.set_shape(known.shape)
    return spec._from_components(made)
