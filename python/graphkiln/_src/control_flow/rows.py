"""Rows of tensors, ragged and sparse tensors, taken one by one by a loop and
collected again."""

import graphkiln as tf
from graphkiln import nest
from graphkiln._src.types import batchable
from graphkiln._src.types.extension_type import ExtensionType


def is_batch(value: object) -> bool:
    """Is it something whose rows can be taken as it is?"""
    return isinstance(
        value, (tf.Tensor, tf.RaggedTensor, tf.SparseTensor)
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
    if isinstance(value, tf.RaggedTensor):
        return tf.cast(value.nrows(), tf.int32)
    if isinstance(value, tf.SparseTensor):
        return tf.cast(value.dense_shape[0], tf.int32)
    return tf.shape(value)[0]


def spec_of_row(value) -> tf.TypeSpec:
    """What a row of `value` is."""
    if isinstance(value, ExtensionType):
        return batchable.sliced(value._type_spec)
    inner = value.shape[1:]
    if isinstance(value, tf.RaggedTensor):
        return tf.RaggedTensorSpec(
            inner, value.dtype, value.ragged_rank - 1, value.row_splits.dtype
        )
    if isinstance(value, tf.SparseTensor):
        return tf.SparseTensorSpec(inner, value.dtype)
    return tf.TensorSpec(inner, value.dtype)


def like_row(value):
    """The signature of results that are like the rows of `value`: of tensors
    only the dtype."""
    return value.dtype if isinstance(value, tf.Tensor) else spec_of_row(value)


class _TensorRows:
    def __init__(self, value):
        self._array = tf.TensorArray(
            value.dtype, count(value) if value.shape[0] is None
            else value.shape[0],
            clear_after_read=False,
        ).unstack(value)

    def row(self, i):
        return self._array.read(i)


class _RaggedRows:
    def __init__(self, value):
        self._value = value

    def row(self, i):
        return self._value[i]


class _SparseRows:
    def __init__(self, value):
        self._value = value

    def row(self, i):
        value = self._value
        here = tf.equal(value.indices[:, 0], tf.cast(i, tf.int64))
        return tf.SparseTensor(
            tf.boolean_mask(value.indices, here)[:, 1:],
            tf.boolean_mask(value.values, here),
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

    def row(self, i):
        return batchable.decode(
            self._spec, [part.row(i) for part in self._sources]
        )


def source(value):
    """Gives the rows of `value`."""
    if isinstance(value, ExtensionType):
        return _EncodedRows(value)
    if isinstance(value, tf.RaggedTensor):
        return _RaggedRows(value)
    if isinstance(value, tf.SparseTensor):
        return _SparseRows(value)
    return _TensorRows(value)


def collector(spec, n, infer_shape: bool):
    """Collects `n` rows that `spec`, a dtype or spec, describes."""
    if batchable.encoder(spec) is not None:
        return _EncodedCollector(spec, n, infer_shape)
    if isinstance(spec, tf.RaggedTensorSpec):
        return _RaggedCollector(spec, n)
    if isinstance(spec, tf.SparseTensorSpec):
        return _SparseCollector(spec, n)
    if isinstance(spec, tf.TensorSpec):
        return _TensorCollector(spec.dtype, spec.shape, n, infer_shape)
    return _TensorCollector(spec, tf.TensorShape(None), n, infer_shape)


def _is_one_of(spec, value) -> bool:
    """Is `value` of the type and the Python values that `spec` says? Its
    tensors are checked where they are written."""
    if type(spec) is not type(getattr(value, "_type_spec", None)):
        return False
    ours = nest.flatten(spec._values())
    theirs = nest.flatten(value._type_spec._values())
    return len(ours) == len(theirs) and all(map(_is_same, ours, theirs))


def _is_same(ours: object, theirs: object) -> bool:
    if isinstance(ours, tf.TypeSpec):
        return isinstance(theirs, tf.TypeSpec)
    if isinstance(ours, tf.TensorShape):
        return ours.is_compatible_with(theirs)
    return ours == theirs


class _EncodedCollector:
    """Of an extension type."""

    def __init__(self, spec, n, infer_shape):
        self._spec = spec
        self._batched = batchable.batched(
            spec, None if isinstance(n, tf.Tensor) else n
        )
        self._collectors = [
            collector(part, n, infer_shape) for part in batchable.encoded(spec)
        ]
        self.arrays = [part.arrays for part in self._collectors]

    def write(self, arrays, i, value):
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
            part.write(held, i, encoded)
            for part, held, encoded in zip(
                self._collectors, arrays, batchable.encode(self._spec, value)
            )
        ]

    def result(self, arrays):
        return batchable.decode(
            self._batched,
            [part.result(a) for part, a in zip(self._collectors, arrays)],
        )


class _TensorCollector:
    """Stacks tensors. `arrays` is what the loop carries."""

    def __init__(self, dtype, shape, n, infer_shape):
        dtype = tf.as_dtype(dtype)
        self.arrays = tf.TensorArray(
            dtype, n, infer_shape=infer_shape, element_shape=shape
        )

    def write(self, arrays, i, value):
        return arrays.write(i, value)

    def result(self, arrays):
        return arrays.stack()


def _parts(dtype, shape, n) -> tf.TensorArray:
    """An array of pieces of different lengths."""
    return tf.TensorArray(dtype, n, infer_shape=False, element_shape=shape)


class _RaggedCollector:
    """One row more in the outermost dimension: its lengths are the rows'."""

    def __init__(self, spec, n):
        self._spec = spec
        rank = spec.ragged_rank
        splits = spec.row_splits_dtype
        inner = spec.shape[rank + 1 :] if spec.shape.rank is not None else None
        self.arrays = [
            _parts(
                spec.dtype,
                None if inner is None else [None, *inner.as_list()], n,
            ),
            _parts(splits, [], n),
            *(_parts(splits, [None], n) for _ in range(rank)),
        ]

    def write(self, arrays, i, value):
        splits = self._spec.row_splits_dtype
        if not isinstance(value, tf.RaggedTensor):
            value = tf.convert_to_tensor(value, dtype=self._spec.dtype)
            rows, flat, lengths = tf.shape(value)[0], value, ()
        else:
            rows, flat = value.nrows(), value.flat_values
            lengths = value.nested_row_lengths()
        if len(lengths) != self._spec.ragged_rank:
            raise ValueError(
                f"The result {value} does not have ragged rank "
                f"{self._spec.ragged_rank}, as its signature says"
            )
        written = [flat, tf.cast(rows, splits)]
        written += [tf.cast(level, splits) for level in lengths]
        return [a.write(i, x) for a, x in zip(arrays, written)]

    def result(self, arrays):
        flat, rows, *levels = arrays
        return tf.RaggedTensor.from_nested_row_lengths(
            flat.concat(),
            [rows.stack(), *(level.concat() for level in levels)],
            validate=False,
        )


class _SparseCollector:
    def __init__(self, spec, n):
        rank = spec.shape.rank
        if rank is None:
            raise ValueError(
                f"The rank of sparse results must be known, got {spec}"
            )
        self._n = n
        self.arrays = [
            _parts(tf.int64, [None, rank + 1], n),
            _parts(spec.dtype, [None], n),
            _parts(tf.int64, [rank], n),
        ]

    def write(self, arrays, i, value):
        number = tf.fill(
            [tf.shape(value.indices)[0], 1], tf.cast(i, tf.int64)
        )
        written = [
            tf.concat([number, value.indices], 1), value.values,
            value.dense_shape,
        ]
        return [a.write(i, x) for a, x in zip(arrays, written)]

    def result(self, arrays):
        indices, values, shapes = arrays
        # The largest of the rows' shapes holds all of them.
        inner = tf.reduce_max(
            tf.pad(shapes.stack(), [[1, 0], [0, 0]]), axis=0
        )
        return tf.SparseTensor(
            indices.concat(), values.concat(),
            tf.concat([[tf.cast(self._n, tf.int64)], inner], 0),
        )
