"""Datasets of several elements at a time: methods of tf.data.Dataset."""

from graphkiln._graphkiln import TensorShape

from graphkiln import raw_ops
from graphkiln._src.sparse.sparse_tensor import SparseTensorSpec
from graphkiln._src.types import batchable, dtypes
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _making as making
from graphkiln.data import _padding as padding
from graphkiln.data import _structure as structure


class Batching:
    """A base of tf.data.Dataset."""

    def batch(
        self,
        batch_size,
        drop_remainder=False,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> "Dataset":
        """`batch_size` consecutive elements at a time, stacked.

        Args:
          batch_size: an int64 scalar.
          drop_remainder: whether a last batch of fewer elements is left out;
            then the first dimension is known.
          num_parallel_calls: how many batches are stacked at a time;
            tf.data.AUTOTUNE for as many as there are CPUs.
          deterministic: accepted; batches always keep their order.
          name: accepted for compatibility.

        Raises:
          tf.errors.InvalidArgumentError: `batch_size` is not positive; or,
            when iterating, elements have different shapes.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        size, drop, known = making.batches(batch_size, drop_remainder)
        spec = structure.map_structure(
            lambda leaf: batchable.batched(leaf, known), self.element_spec
        )
        given = dict(batch_size=size, drop_remainder=drop)
        if num_parallel_calls is None:
            return self._then(raw_ops.BatchDatasetV2, spec, **given)
        return self._then(
            raw_ops.ParallelBatchDataset, spec,
            num_parallel_calls=num_parallel_calls,
            deterministic=making.deterministic(deterministic), **given,
        )

    def unbatch(self, name=None) -> "Dataset":
        """The rows of each element.

        Raises:
          ValueError: elements hold scalars, or tensors of different lengths.

        >>> [int(x) for x in tf.data.Dataset.range(3).batch(2).unbatch()]
        [0, 1, 2]
        """
        for leaf in making.leaves(self.element_spec):
            if isinstance(leaf, TensorSpec) and leaf.shape.rank == 0:
                raise ValueError(
                    "Cannot unbatch an input with scalar components."
                )
        making.same_length(
            self.element_spec,
            "`unbatch()` is only supported for datasets of elements whose "
            "components have a matching leading dimension. Encountered both "
            "{} and {}.",
        )
        spec = structure.map_structure(batchable.sliced, self.element_spec)
        return self._with_rows()._then(raw_ops.UnbatchDataset, spec)

    def _with_rows(self) -> "Dataset":
        """The dataset of tensors whose rows are the components of rows."""
        leaves = structure.flatten(self.element_spec)
        if all(isinstance(leaf, TensorSpec) for leaf in leaves):
            return self

        def rows(components):
            value = structure.from_tensors(self.element_spec, components)
            return structure.to_tensors(self.element_spec, value, rows=True)

        return self._recoded("Dataset_unbatch_rows", None, rows)

    def padded_batch(
        self,
        batch_size,
        padded_shapes=None,
        padding_values=None,
        drop_remainder=False,
        name=None,
    ) -> "Dataset":
        """`batch_size` consecutive elements at a time, filled up to one shape.

        Args:
          batch_size: an int64 scalar.
          padded_shapes: a structure of shapes; a dimension that is None or -1
            is as large as the largest in the batch. All are if not given.
          padding_values: a structure of scalars of the components' types, or
            one for all; 0 and "" where it is None.
          drop_remainder: whether a last batch of fewer elements is left out.
          name: accepted for compatibility.

        Raises:
          TypeError: elements are no tensors, or a value has another type.
          ValueError: a shape does not fit, or none is given and the rank is
            not known.
          tf.errors.DataLossError: when iterating, an element is larger.

        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> [x.numpy().tolist() for x in rows.padded_batch(2)]
        [[[1, 0], [2, 2]], [[3, 3, 3]]]
        """
        leaves = structure.flatten(self.element_spec)
        for leaf in leaves:
            if not isinstance(leaf, TensorSpec):
                raise TypeError(
                    "`padded_batch` is only supported for datasets that "
                    "produce tensor elements but type spec of elements in the "
                    f"input dataset is not a subclass of TensorSpec: `{leaf}`."
                )
        size, drop, known = making.batches(batch_size, drop_remainder)
        shapes = padding.shapes(leaves, self.element_spec, padded_shapes)
        values = padding.values(leaves, self.element_spec, padding_values)
        spec = structure.pack_like(
            self.element_spec,
            [
                batchable.batched(
                    TensorSpec(padding.static_shape(s), leaf.dtype), known
                )
                for s, leaf in zip(shapes, leaves)
            ],
        )
        return self._then(
            raw_ops.PaddedBatchDatasetV2, spec, batch_size=size,
            padded_shapes=shapes, padding_values=values, drop_remainder=drop,
        )

    def ragged_batch(
        self,
        batch_size,
        drop_remainder=False,
        row_splits_dtype=dtypes.int64,
        name=None,
    ) -> "Dataset":
        """`batch_size` consecutive elements at a time. Tensors whose shape is
        not known become rows of a tf.RaggedTensor.

        Args:
          batch_size: an int64 scalar.
          drop_remainder: whether a last batch of fewer elements is left out.
          row_splits_dtype: tf.int32 or tf.int64.
          name: accepted for compatibility.

        Raises:
          ValueError: the rank of a tensor is not known.

        >>> rows = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
        >>> [x.to_list() for x in rows.ragged_batch(2)]
        [[[1], [2, 2]], [[3, 3, 3]]]
        """
        spec = structure.map_structure(
            lambda leaf: padding.ragged_spec(leaf, row_splits_dtype),
            self.element_spec,
        )

        def ragged(components):
            value = structure.from_tensors(self.element_spec, components)
            leaves = map(
                padding.to_ragged, structure.flatten(spec),
                structure.flatten(value),
            )
            value = structure.pack_like(spec, list(leaves))
            return structure.to_tensors(spec, value)

        return self._recoded("Dataset_ragged_batch", spec, ragged).batch(
            batch_size, drop_remainder
        )

    def sparse_batch(self, batch_size, row_shape, name=None) -> "Dataset":
        """`batch_size` consecutive elements at a time as a tf.SparseTensor of
        all of their values.

        Args:
          batch_size: an int64 scalar.
          row_shape: of each row; an element may be smaller. A dimension that
            is None or -1 is as large as the largest in the batch.
          name: accepted for compatibility.

        Raises:
          TypeError: elements are more than one tensor.
          tf.errors.DataLossError: when iterating, an element is larger.

        >>> rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
        >>> [tf.sparse.to_dense(x).numpy().tolist()
        ...  for x in rows.sparse_batch(2, [3])]
        [[[1, 0, 0], [2, 2, 0]]]
        """
        if not isinstance(self.element_spec, TensorSpec):
            types = structure.map_structure(
                lambda leaf: getattr(leaf, "dtype", leaf), self.element_spec
            )
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose "
                "elements have a single component, but the given dataset has "
                f"the following component types: {types}."
            )
        shape = padding.shape_tensor(row_shape)
        spec = batchable.batched(
            SparseTensorSpec(
                padding.static_shape(shape), self.element_spec.dtype
            ),
            None,
        )
        return self._then(
            raw_ops.DenseToSparseBatchDataset, spec, batch_size=batch_size,
            row_shape=shape,
        )

    def rebatch(self, batch_size, drop_remainder=False, name=None) -> "Dataset":
        """The rows of batches in batches of other sizes.

        Args:
          batch_size: an int64 scalar, or a vector of sizes to take in turn.
          drop_remainder: whether a last batch of fewer rows is left out.
          name: accepted for compatibility.

        Raises:
          ValueError: elements hold scalars.

        >>> batches = tf.data.Dataset.range(7).batch(4)
        >>> [x.numpy().tolist() for x in batches.rebatch(3)]
        [[0, 1, 2], [3, 4, 5], [6]]
        """
        for leaf in making.leaves(self.element_spec):
            if getattr(leaf, "shape", TensorShape(None)).rank == 0:
                raise ValueError(
                    "Invalid `batch_sizes`. Expected dataset with rank of >= "
                    "1 but found a dataset with scalar elements. Fix the "
                    "issue by adding the `batch` transformation to the "
                    "dataset."
                )
        sizes, drop, known = making.batches(
            batch_size, drop_remainder, "batch_sizes"
        )
        spec = structure.map_structure(
            lambda leaf: batchable.batched(batchable.sliced(leaf), known),
            self.element_spec,
        )
        return self._with_rows()._then(
            raw_ops.RebatchDatasetV2, spec, batch_sizes=sizes,
            drop_remainder=drop,
        )
