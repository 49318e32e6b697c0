"""What the core moves for a leaf of an element: its components.

A ragged tensor is one variant, a sparse tensor a vector of three; so a batch
of elements is a stack of components, whatever their lengths. A batchable
extension type is what its encoder makes of it, everything else the tensors
that it is made of.
"""

from collections.abc import Callable, Iterator

import graphkiln as tf
from graphkiln import raw_ops
from graphkiln._src.types import batchable


def _is_ragged(spec: tf.TypeSpec) -> bool:
    return isinstance(spec, tf.RaggedTensorSpec) and (
        spec.flat_values_spec is None
    )


def components(spec: tf.TypeSpec) -> list:
    """The tf.TensorSpecs of the components."""
    if _is_ragged(spec) or isinstance(spec, tf.SparseTensorSpec):
        return [tf.TensorSpec(None, tf.variant)]
    if batchable.encoder(spec) is not None:
        return [
            component for part in batchable.encoded(spec)
            for component in components(part)
        ]
    return spec.flatten()


def encode(spec: tf.TypeSpec, value: object) -> list:
    """The components of a value."""
    if _is_ragged(spec):
        return [_ragged(spec, value, batched=False)]
    if isinstance(spec, tf.SparseTensorSpec):
        return [
            raw_ops.SerializeSparse(
                sparse_indices=value.indices, sparse_values=value.values,
                sparse_shape=value.dense_shape, out_type=tf.variant,
            )
        ]
    if batchable.encoder(spec) is not None:
        return _parts(encode, spec, value, 0)
    return spec.to_tensors(value)


def encode_rows(spec: tf.TypeSpec, value: object) -> list:
    """Tensors whose rows are the components of the rows of a value."""
    if _is_ragged(spec) and isinstance(value, tf.RaggedTensor):
        return [_ragged(spec, value, batched=True)]
    if isinstance(spec, tf.SparseTensorSpec):
        return [
            raw_ops.SerializeManySparse(
                sparse_indices=value.indices, sparse_values=value.values,
                sparse_shape=value.dense_shape, out_type=tf.variant,
            )
        ]
    if _is_ragged(spec):
        return [value]
    if batchable.encoder(spec) is not None:
        return _parts(encode_rows, spec, value, 1)
    return spec.to_tensors(value)


def _parts(
    encode: Callable, spec: tf.TypeSpec, value: object, minimum_rank: int
) -> list:
    """The components of an extension type: those of its encoding."""
    return [
        component
        for part, own in zip(
            batchable.encode(spec, value, minimum_rank),
            batchable.encoded(spec),
        )
        for component in encode(own, part)
    ]


def decode(spec: tf.TypeSpec, tensors: Iterator) -> object:
    """The value made of the next components."""
    if _is_ragged(spec):
        encoded = next(tensors)
        rank = spec.ragged_rank
        splits, values = raw_ops.RaggedTensorFromVariant(
            encoded_ragged=encoded, input_ragged_rank=-1,
            output_ragged_rank=rank, Tvalues=spec.dtype,
            Tsplits=spec.row_splits_dtype,
        )
        made = [values, *splits]
        for tensor, known in zip(made, spec._component_specs):
            if hasattr(tensor, "graph"):
                tensor.set_shape(known.shape)
        return spec._from_components(made)
    if isinstance(spec, tf.SparseTensorSpec):
        parts = raw_ops.DeserializeSparse(
            serialized_sparse=next(tensors), dtype=spec.dtype
        )
        for tensor, known in zip(parts, spec._component_specs):
            if hasattr(tensor, "graph"):
                tensor.set_shape(known.shape)
        return spec._from_components(list(parts))
    if batchable.encoder(spec) is not None:
        return batchable.decode(
            spec, [decode(part, tensors) for part in batchable.encoded(spec)]
        )
    return spec.from_tensors(tensors)


def _ragged(spec: tf.RaggedTensorSpec, value: object, batched: bool):
    if isinstance(value, tf.RaggedTensor):
        splits, values = list(value.nested_row_splits), value.flat_values
    else:
        splits, values = [], tf.convert_to_tensor(value)
    return raw_ops.RaggedTensorToVariant(
        rt_nested_splits=splits, rt_dense_values=values, batched_input=batched
    )
