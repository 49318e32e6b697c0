"""Rows of tensors, ragged and sparse tensors, taken one by one by a loop and
collected again."""

import graphkiln as tf


def is_batch(value: object) -> bool:
    """Is it something whose rows can be taken as it is?"""
    return isinstance(value, (tf.Tensor, tf.RaggedTensor, tf.SparseTensor))


def count(value):
    """How many rows there are, as an int32 scalar."""
    if isinstance(value, tf.RaggedTensor):
        return tf.cast(value.nrows(), tf.int32)
    if isinstance(value, tf.SparseTensor):
        return tf.cast(value.dense_shape[0], tf.int32)
    return tf.shape(value)[0]


def spec_of_row(value) -> tf.TypeSpec:
    """What a row of `value` is."""
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


def source(value):
    """Gives the rows of `value`."""
    if isinstance(value, tf.RaggedTensor):
        return _RaggedRows(value)
    if isinstance(value, tf.SparseTensor):
        return _SparseRows(value)
    return _TensorRows(value)


def collector(spec, n, infer_shape: bool):
    """Collects `n` rows that `spec`, a dtype or spec, describes."""
    if isinstance(spec, tf.RaggedTensorSpec):
        return _RaggedCollector(spec, n)
    if isinstance(spec, tf.SparseTensorSpec):
        return _SparseCollector(spec, n)
    if isinstance(spec, tf.TensorSpec):
        return _TensorCollector(spec.dtype, spec.shape, n, infer_shape)
    return _TensorCollector(spec, tf.TensorShape(None), n, infer_shape)


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
