"""Datasets of the same elements, fewer of them, in another order or at other
times: methods of tf.data.Dataset."""

from collections.abc import Callable

import numpy as np

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.types import dtypes
from graphkiln.data import _constants as constants
from graphkiln.data import _making as making
from graphkiln.data import _options
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure


class Selection:
    """A base of tf.data.Dataset."""

    def take(self, count, name=None) -> "Dataset":
        """The first `count` elements; all if it is -1.

        >>> [int(x) for x in tf.data.Dataset.range(5).take(2)]
        [0, 1]
        """
        return self._then(raw_ops.TakeDataset, count=count)

    def skip(self, count, name=None) -> "Dataset":
        """All but the first `count` elements; none if it is -1.

        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return self._then(raw_ops.SkipDataset, count=count)

    def repeat(self, count=None, name=None) -> "Dataset":
        """The elements `count` times over; for ever if it is None or -1.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._then(
            raw_ops.RepeatDataset, count=-1 if count is None else count
        )

    def _then(self, op: Callable, spec: object = None, **given) -> "Dataset":
        """What `op` makes of this dataset; of the same elements if no `spec`
        is given."""
        if spec is None:
            spec = self.element_spec
        return making.of(op, spec, input_dataset=self, **given)

    def shard(self, num_shards, index, name=None) -> "Dataset":
        """Every `num_shards`-th element, beginning with the one of number
        `index`.

        Raises:
          tf.errors.InvalidArgumentError: `index` is not below `num_shards`.

        >>> [int(x) for x in tf.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        return self._then(
            raw_ops.ShardDataset, num_shards=num_shards, index=index
        )

    def shuffle(
        self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None
    ) -> "Dataset":
        """The elements in random order: each is drawn from the next
        `buffer_size`.

        Args:
          buffer_size: an int64 scalar; tf.data.UNKNOWN_CARDINALITY for all.
          seed: an int; with the global seed it determines the order.
          reshuffle_each_iteration: whether each iteration has another order.
          name: accepted for compatibility.

        Raises:
          tf.errors.InvalidArgumentError: `buffer_size` is not positive.

        >>> sorted(int(x) for x in tf.data.Dataset.range(4).shuffle(4))
        [0, 1, 2, 3]
        """
        first, second = _graphkiln.op_seeds(seed)
        return self._then(
            raw_ops.ShuffleDatasetV3, buffer_size=buffer_size, seed=first,
            seed2=second, seed_generator=raw_ops.DummySeedGenerator(),
            reshuffle_each_iteration=reshuffle_each_iteration is None
            or bool(reshuffle_each_iteration),
        )

    def prefetch(self, buffer_size, name=None) -> "Dataset":
        """The same elements, up to `buffer_size` of them made in advance on
        other threads.

        Args:
          buffer_size: an int64 scalar; tf.data.AUTOTUNE leaves it to the
            library.
          name: accepted for compatibility.

        Raises:
          tf.errors.InvalidArgumentError: `buffer_size` is below -1.

        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(2)]
        [0, 1, 2]
        """
        if buffer_size is None:
            buffer_size = constants.AUTOTUNE
        return self._then(
            raw_ops.PrefetchDataset, buffer_size=buffer_size, slack_period=0,
            legacy_autotune=False, buffer_size_min=0,
        )

    def cache(self, filename="", name=None) -> "Dataset":
        """The same elements, kept when they have been seen once to the end.

        Args:
          filename: of a file that they are kept in, with ".index" behind it;
            if there is one, they are read from there. In memory if empty.
          name: accepted for compatibility.

        Raises:
          tf.errors.DataLossError: when iterating, the file is damaged or
            something else.

        >>> cached = tf.data.Dataset.range(3).cache()
        >>> [int(x) for x in cached], [int(x) for x in cached]
        ([0, 1, 2], [0, 1, 2])
        """
        return self._then(
            raw_ops.CacheDatasetV2, filename=filename,
            cache=raw_ops.DummyMemoryCache(),
        )

    def enumerate(self, start=0, name=None) -> "Dataset":
        """Pairs of a number, counted from `start`, and an element.

        >>> [(int(i), int(x)) for i, x in
        ...  tf.data.Dataset.range(5, 7).enumerate(start=1)]
        [(1, 5), (2, 6)]
        """
        most = np.iinfo(np.int64).max
        numbers = specs.Dataset.range(start, most)
        # In several processes each of them counts for itself.
        numbers = numbers._then(
            raw_ops.RewriteDataset, rewrite_name="replicate_on_split"
        )
        return specs.Dataset.zip((numbers, self))

    def concatenate(self, dataset, name=None) -> "Dataset":
        """The elements, then those of another dataset.

        Raises:
          TypeError: its elements have another structure or other types.

        >>> a = tf.data.Dataset.range(2)
        >>> [int(x) for x in a.concatenate(a)]
        [0, 1, 0, 1]
        """
        spec = structure.common(self.element_spec, dataset.element_spec)
        if spec is None:
            raise TypeError(
                f"Incompatible dataset elements:\n  {self.element_spec} vs. "
                f"  {dataset.element_spec}"
            )
        return self._then(
            raw_ops.ConcatenateDataset, spec, another_dataset=dataset
        )

    def apply(self, transformation_func) -> "Dataset":
        """`transformation_func(self)`, which must be a dataset.

        >>> def halves(dataset):
        ...     return dataset.map(lambda x: x / 2)
        >>> [float(x) for x in tf.data.Dataset.range(3).apply(halves)]
        [0.0, 0.5, 1.0]
        """
        made = transformation_func(self)
        if not isinstance(made, specs.Dataset):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` "
                f"object. Got {type(made)}."
            )
        return made

    def unique(self, name=None) -> "Dataset":
        """The elements that were not there before.

        Raises:
          TypeError: elements are neither tf.int32, tf.int64 nor tf.string.

        >>> data = tf.data.Dataset.from_tensor_slices([1, 2, 1, 3, 2])
        >>> [int(x) for x in data.unique()]
        [1, 2, 3]
        """
        for leaf in structure.flatten(self.element_spec):
            dtype = getattr(leaf, "dtype", leaf)
            if dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(
                    "`tf.data.Dataset.unique` does not support type "
                    f"{dtype!r} -- only `tf.int32`, `tf.int64`, and "
                    "`tf.string` are supported."
                )
        return self._then(raw_ops.UniqueDataset)

    def ignore_errors(self, log_warning=False, name=None) -> "Dataset":
        """The elements that can be made; errors are passed over.

        Args:
          log_warning: accepted for compatibility.
          name: accepted for compatibility.

        >>> data = tf.data.Dataset.from_tensor_slices([1, 0, 2])
        >>> [int(x) for x in data.map(lambda x: 4 // x).ignore_errors()]
        [4, 2]
        """
        return self._then(
            raw_ops.IgnoreErrorsDataset, log_warning=bool(log_warning)
        )

    def with_options(self, options, name=None) -> "Dataset":
        """The same elements, with tf.data.Options for how it is run; see
        `options`.

        >>> options = tf.data.Options()
        >>> options.threading.private_threadpool_size = 2
        >>> data = tf.data.Dataset.range(2).with_options(options)
        >>> data.options().threading.private_threadpool_size
        2
        """
        if not isinstance(options, _options.Options):
            raise TypeError(
                f"Expected tf.data.Options, got {options!r} of type "
                f"{type(options)}"
            )
        made = self._then(raw_ops.OptionsDataset, serialized_options="")
        made._own_options = options._copy()
        return made

    def options(self) -> _options.Options:
        """What `with_options` said, of this dataset and those it is made of.

        >>> tf.data.Dataset.range(2).options().deterministic is None
        True
        """
        made = _options.Options()
        for part in getattr(self, "_parts", ()):
            if isinstance(part, specs.Dataset):
                made = made.merge(part.options())
        if hasattr(self, "_own_options"):
            made = made.merge(self._own_options)
        made._freeze()
        return made
