"""Datasets of windows and groups of elements: methods of tf.data.Dataset."""

import numpy as np
from graphkiln._graphkiln import Tensor, TensorShape

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops
from graphkiln._src.function import tracing
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _making as making
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure
from graphkiln.data import _traced as traced

_KEY = TensorSpec((), dtypes.int64)


class Windows:
    """A base of tf.data.Dataset."""

    def window(
        self, size, shift=None, stride=1, drop_remainder=False, name=None
    ) -> "Dataset":
        """Datasets of `size` elements: of each component one.

        Args:
          size: how many elements a window has.
          shift: how far the next window begins behind the one before; `size`
            if not given.
          stride: the distance of the elements of a window.
          drop_remainder: whether last windows of fewer elements are left out.
          name: accepted for compatibility.

        Raises:
          tf.errors.InvalidArgumentError: a number is not positive.

        >>> windows = tf.data.Dataset.range(5).window(3, shift=2)
        >>> [[int(x) for x in w] for w in windows]
        [[0, 1, 2], [2, 3, 4], [4]]
        """
        spec = structure.map_structure(specs.DatasetSpec, self.element_spec)
        parts = tuple(map(specs.DatasetSpec, structure.flat_specs(
            self.element_spec
        )))
        windows = self._then(
            raw_ops.WindowDataset, parts, size=size,
            shift=size if shift is None else shift, stride=stride,
            drop_remainder=drop_remainder,
        )
        if len(parts) == len(structure.flatten(spec)):
            windows._element_spec = spec
            return windows
        return windows._zipped(spec)

    def _zipped(self, spec: object) -> "Dataset":
        """The dataset of what `spec` describes: datasets of leaves, made of
        those of their components."""

        def zipped(given):
            made = []
            for leaf in structure.flatten(spec):
                own = structure.signature(leaf.element_spec)
                count = len(own["output_types"])
                made.append(
                    given[0] if count == 1
                    else raw_ops.ZipDataset(input_datasets=given[:count], **own)
                )
                given = given[count:]
            return made

        return self._recoded("Dataset_window_zip", spec, zipped)

    def group_by_window(
        self,
        key_func,
        reduce_func,
        window_size=None,
        window_size_func=None,
        name=None,
    ) -> "Dataset":
        """The elements of what `reduce_func` makes of windows of consecutive
        elements of one key.

        Args:
          key_func: takes an element; returns its key, an int64 scalar.
          reduce_func: takes a key and a dataset of the elements of a window;
            returns a dataset.
          window_size: how many elements a window has; the last ones of a key
            may have fewer.
          window_size_func: takes a key; returns how many. One of the two must
            be given.
          name: accepted for compatibility.

        Raises:
          ValueError: neither or both say how large windows are, or a key is
            no int64 scalar.
          TypeError: `reduce_func` returns no dataset.

        >>> groups = tf.data.Dataset.range(6).group_by_window(
        ...     lambda x: x % 2, lambda key, group: group.batch(2), 2)
        >>> [x.numpy().tolist() for x in groups]
        [[0, 2], [1, 3], [4], [5]]
        """
        if window_size is not None and window_size_func is not None:
            raise ValueError(
                "Must pass either `window_size` or `window_size_func`. The "
                "`window_size` argument and the `window_size_func` argument "
                "can not be specified at the same time."
            )
        if window_size is None and window_size_func is None:
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` "
                "argument must be specified."
            )
        if window_size_func is None:
            size = making.tensor(window_size, dtypes.int64, "window_size")
            window_size_func = lambda key: size
        key = _integer(key_func, self.element_spec, "key_func")
        size = _integer(window_size_func, _KEY, "window_size_func")
        return self._grouped(key, reduce_func, size)

    def _grouped(self, key, reduce_func, size, convert=True) -> "Dataset":
        reduce = traced.Traced(
            reduce_func, "Dataset.group_by_window()",
            (_KEY, specs.DatasetSpec(self.element_spec)), convert,
        )
        if not isinstance(reduce.output_spec, specs.DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single "
                "`tf.data.Dataset` object but its return type is "
                f"{reduce.output_spec}."
            )
        return self._then(
            raw_ops.GroupByWindowDataset, reduce.output_spec.element_spec,
            key_func=key.function, reduce_func=reduce.function,
            window_size_func=size.function,
        )

    def bucket_by_sequence_length(
        self,
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes=None,
        padding_values=None,
        pad_to_bucket_boundary=False,
        no_padding=False,
        drop_remainder=False,
        name=None,
    ) -> "Dataset":
        """Batches of elements of similar length.

        Args:
          element_length_func: takes an element; returns an int32 scalar.
          bucket_boundaries: a list of lengths, rising; each begins a bucket.
          bucket_batch_sizes: a list of batch sizes, one more.
          padded_shapes: as those of `padded_batch`.
          padding_values: as those of `padded_batch`.
          pad_to_bucket_boundary: whether dimensions that are not known are
            filled up to the longest of the bucket instead of the batch.
          no_padding: whether elements are batched as they are.
          drop_remainder: whether last batches of fewer elements are left out.
          name: accepted for compatibility.

        Raises:
          ValueError: there is not one batch size more than boundaries.

        >>> rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
        >>> batches = rows.bucket_by_sequence_length(
        ...     lambda row: tf.shape(row)[0], [3], [2, 2])
        >>> [x.numpy().tolist() for x in batches]
        [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) "
                "+ 1` but `len(bucket_batch_sizes)="
                f"{len(bucket_batch_sizes)}` and `len(bucket_boundaries)="
                f"{len(bucket_boundaries)}`."
            )
        length = tracing.convert(element_length_func, None)
        boundaries = np.asarray(bucket_boundaries, np.int64)
        sizes = np.asarray(bucket_batch_sizes, np.int64)

        def bucket(*element):
            n = ops.cast(length(*element), dtypes.int64)
            return ops.reduce_sum(ops.cast(n >= boundaries, dtypes.int64))

        def size_of(key):
            return ops.gather(sizes, key)

        def batches(key, group):
            size = size_of(key)
            if no_padding:
                return group.batch(size, drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structure.map_structure(
                    lambda leaf: leaf.shape, self.element_spec
                )
            if pad_to_bucket_boundary:
                last = _graphkiln.constant(len(boundaries), dtypes.int64)
                check = ops.debugging.assert_less(
                    key, last,
                    message="When pad_to_bucket_boundary=True, elements must "
                    "have length < max(bucket_boundaries).",
                )
                with _graphkiln.control_dependencies(
                    [] if check is None else [check]
                ):
                    longest = ops.gather(boundaries, key) - 1
                shapes = structure.pack_like(
                    self.element_spec,
                    [
                        [longest if d is None else d for d in _dims(s)]
                        for s in structure.flatten_up_to(
                            self.element_spec, shapes
                        )
                    ],
                )
            return group.padded_batch(
                size, shapes, padding_values, drop_remainder
            )

        key = _integer(bucket, self.element_spec, "key_func", False)
        size = _integer(size_of, _KEY, "window_size_func", False)
        return self._grouped(key, batches, size, convert=False)


def _dims(shape: object) -> list:
    if not isinstance(shape, Tensor):
        return TensorShape(shape).as_list()
    return ops.unstack(ops.cast(shape, dtypes.int64))


def _integer(
    function, spec: object, name: str, convert: bool = True
) -> traced.Traced:
    """The function, which must return an int64 scalar."""
    made = traced.Traced(
        function, "Dataset.group_by_window()", spec, convert,
        lambda result: _graphkiln.convert_to_tensor(result, dtype=dtypes.int64),
    )
    if not made.output_spec.is_compatible_with(_KEY):
        raise ValueError(
            f"Invalid `{name}`. `{name}` must return a single `tf.int64` "
            f"scalar tensor but its return type is {made.output_spec}."
        )
    return made
