"""Rows of tensors, ragged and sparse tensors, taken one by one by a loop and
collected again."""

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import (
    RaggedTensor,
    RaggedTensorSpec,
    SparseTensor,
    SparseTensorSpec,
    Tensor,
    TensorShape,
)
from graphkiln._src import ops
from graphkiln._src.types import batchable, dtypes
from graphkiln._src.types.extension_type import ExtensionType
from graphkiln._src.types.type_spec import (
    TensorSpec,
    TypeSpec,
    type_spec_from_value,
)


def is_batch(value: object) -> bool:
    """Is it something whose rows can be taken as it is?"""
    return isinstance(
        value, (Tensor, RaggedTensor, SparseTensor)
    ) or isinstance(value, ExtensionType) and (
        batchable.encoder(value._type_spec) is not None
    )


def parts(value: object) -> list:
    """The tensors, ragged and sparse ones that hold the rows of `value`."""
    if not isinstance(value, ExtensionType):
        return [value]
    encoded = batchable.encode(value._type_spec, value, 1)
    return [leaf for part in encoded for leaf in parts(part)]


def count(value):
    """How many rows there are, as an int32 scalar."""
    if isinstance(value, ExtensionType):
        return count(parts(value)[0])
    if isinstance(value, RaggedTensor):
        return ops.cast(value.nrows(), dtypes.int32)
    if isinstance(value, SparseTensor):
        return ops.cast(value.dense_shape[0], dtypes.int32)
    return ops.shape(value)[0]


def spec_of_row(value) -> TypeSpec:
    """What a row of `value` is."""
    return batchable.sliced(type_spec_from_value(value))


def like_row(value):
    """The signature of results that are like the rows of `value`: of tensors
    only the dtype."""
    return value.dtype if isinstance(value, Tensor) else spec_of_row(value)


class _TensorRows:
    """Of a tensor: rows that the loop takes."""

    def __init__(self, value):
        self.tensors = [value]

    def row(self, i, taken):
        return next(taken)


class _RaggedRows:
    tensors = ()

    def __init__(self, value):
        self._value = value

    def row(self, i, taken):
        return self._value[i]


class _SparseRows:
    tensors = ()

    def __init__(self, value):
        self._value = value

    def row(self, i, taken):
        value = self._value
        here = ops.equal(value.indices[:, 0], ops.cast(i, dtypes.int64))
        return SparseTensor(
            ops.boolean_mask(value.indices, here)[:, 1:],
            ops.boolean_mask(value.values, here),
            value.dense_shape[1:],
        )


class _EncodedRows:
    """Of an extension type."""

    def __init__(self, value):
        spec = value._type_spec
        self._spec = batchable.sliced(spec)
        self._sources = [
            source(part) for part in batchable.encode(spec, value, 1)
        ]
        self.tensors = [t for part in self._sources for t in part.tensors]

    def row(self, i, taken):
        return batchable.decode(
            self._spec, [part.row(i, taken) for part in self._sources]
        )


def first(value):
    """The first row of `value`."""
    rows = source(value)
    return rows.row(0, iter([t[0] for t in rows.tensors]))


def source(value):
    """Gives row `i` of `value`, made of that row of its `tensors`."""
    if isinstance(value, ExtensionType):
        return _EncodedRows(value)
    if isinstance(value, RaggedTensor):
        return _RaggedRows(value)
    if isinstance(value, SparseTensor):
        return _SparseRows(value)
    return _TensorRows(value)


def collector(spec, n, infer_shape: bool):
    """Takes apart `n` rows that `spec`, a dtype or spec, describes: `parts`
    says what of each row is kept, (dtype, shape, joined or else stacked, all
    of one shape); `decode` takes what was kept of all of them."""
    if batchable.encoder(spec) is not None:
        return _EncodedCollector(spec, n, infer_shape)
    if isinstance(spec, RaggedTensorSpec):
        return _RaggedCollector(spec)
    if isinstance(spec, SparseTensorSpec):
        return _SparseCollector(spec, n)
    if isinstance(spec, TensorSpec):
        return _TensorCollector(spec.dtype, spec.shape, infer_shape)
    return _TensorCollector(spec, None, infer_shape)


def _is_one_of(spec, value) -> bool:
    """Is `value` of the type and the Python values that `spec` says? Its
    tensors are checked where they are written."""
    if type(spec) is not type(getattr(value, "_type_spec", None)):
        return False
    ours = nest.flatten(spec._values())
    theirs = nest.flatten(value._type_spec._values())
    return len(ours) == len(theirs) and all(map(_is_same, ours, theirs))


def _is_same(ours: object, theirs: object) -> bool:
    if isinstance(ours, TypeSpec):
        return isinstance(theirs, TypeSpec)
    if isinstance(ours, TensorShape):
        return ours.is_compatible_with(theirs)
    return ours == theirs


class _EncodedCollector:
    """Of an extension type."""

    def __init__(self, spec, n, infer_shape):
        self._spec = spec
        self._batched = batchable.batched(
            spec, None if isinstance(n, Tensor) else n
        )
        self._collectors = [
            collector(part, n, infer_shape) for part in batchable.encoded(spec)
        ]
        self.parts = [p for part in self._collectors for p in part.parts]

    def encode(self, i, value):
        if not _is_one_of(self._spec, value):
            raise ValueError(
                "Error in map_fn:\n  Expected `fn` to return a:\n    "
                f"{self._spec}\n  But it returned a:\n    "
                f"{getattr(value, '_type_spec', type(value))}\n"
                f"    (value={value})\n"
                "  To fix, update the `fn_output_signature` (or `dtype`) "
                "argument to `map_fn`."
            )
        return [
            tensor
            for part, encoded in zip(
                self._collectors, batchable.encode(self._spec, value)
            )
            for tensor in part.encode(i, encoded)
        ]

    def decode(self, kept):
        return batchable.decode(
            self._batched, [decoded(part, kept) for part in self._collectors]
        )


def decoded(part, kept):
    """What a collector makes of the next of what was kept."""
    return part.decode(iter([next(kept) for _ in part.parts]))


class _TensorCollector:
    def __init__(self, dtype, shape, infer_shape):
        self.parts = [
            (_graphkiln.as_dtype(dtype), TensorShape(shape), False, infer_shape)
        ]

    def encode(self, i, value):
        return [value]

    def decode(self, kept):
        return next(kept)


class _RaggedCollector:
    """One row more in the outermost dimension: its lengths are the rows'."""

    def __init__(self, spec):
        self._spec = spec
        rank = spec.ragged_rank
        splits = spec.row_splits_dtype
        inner = spec.shape[rank + 1 :] if spec.shape.rank is not None else None
        flat = None if inner is None else [None, *inner.as_list()]
        self.parts = [
            (spec.dtype, flat, True, False), (splits, [], False, False),
            *[(splits, [None], True, False)] * rank,
        ]

    def encode(self, i, value):
        splits = self._spec.row_splits_dtype
        if not isinstance(value, RaggedTensor):
            value = _graphkiln.convert_to_tensor(value, dtype=self._spec.dtype)
            rows, flat, lengths = ops.shape(value)[0], value, ()
        else:
            rows, flat = value.nrows(), value.flat_values
            lengths = value.nested_row_lengths()
        if len(lengths) != self._spec.ragged_rank:
            raise ValueError(
                f"The result {value} does not have ragged rank "
                f"{self._spec.ragged_rank}, as its signature says"
            )
        return [flat, *(ops.cast(x, splits) for x in (rows, *lengths))]

    def decode(self, kept):
        flat, *lengths = kept
        return RaggedTensor.from_nested_row_lengths(
            flat, lengths, validate=False
        )


class _SparseCollector:
    def __init__(self, spec, n):
        rank = spec.shape.rank
        if rank is None:
            raise ValueError(
                f"The rank of sparse results must be known, got {spec}"
            )
        self._n = n
        self.parts = [
            (dtypes.int64, [None, rank + 1], True, False),
            (spec.dtype, [None], True, False),
            (dtypes.int64, [rank], False, False),
        ]

    def encode(self, i, value):
        number = ops.fill(
            [ops.shape(value.indices)[0], 1], ops.cast(i, dtypes.int64)
        )
        return [
            ops.concat([number, value.indices], 1), value.values,
            value.dense_shape,
        ]

    def decode(self, kept):
        indices, values, shapes = kept
        # The largest of the rows' shapes holds all of them.
        inner = ops.reduce_max(ops.pad(shapes, [[1, 0], [0, 0]]), axis=0)
        return SparseTensor(
            indices, values,
            ops.concat([[ops.cast(self._n, dtypes.int64)], inner], 0),
        )
