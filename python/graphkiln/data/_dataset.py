"""tf.data.Dataset: a description of a sequence of elements.

A dataset is a variant tensor, made by an op of TensorFlow's name, and the spec
of its elements. Nothing is computed before somebody iterates.
"""

import collections.abc
from collections.abc import Callable

import numpy as np

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import _random_seed
from graphkiln import _type_spec
from graphkiln import raw_ops
from graphkiln.data import _constants as constants
from graphkiln.data import _generator as generators
from graphkiln.data import _iterator as iterators
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure
from graphkiln.data import _traced as traced


class Dataset(_type_spec.CompositeTensor, collections.abc.Iterable):
    """Elements that are made when somebody asks for them.

    An element is a structure of tensors (tuples, named tuples and dicts nest);
    all elements of a dataset have the same `element_spec`. A dataset can be
    iterated over any number of times, in Python or with a for statement in a
    tf.function, where the loop becomes a node. Methods return new datasets.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3])
    >>> dataset = dataset.map(lambda x: x * 10).batch(2)
    >>> [x.numpy().tolist() for x in dataset]
    [[10, 20], [30]]
    """

    def __init__(self, variant_tensor):
        self._variant_tensor = variant_tensor

    # --- What it is.

    @property
    def element_spec(self):
        """The structure of tf.TypeSpecs of an element.

        >>> tf.data.Dataset.from_tensors((1, "a")).element_spec
        (TensorSpec(shape=(), dtype=tf.int32, name=None), \
TensorSpec(shape=(), dtype=tf.string, name=None))
        """
        return self._element_spec

    @property
    def _type_spec(self) -> "specs.DatasetSpec":
        known = self.__dict__.get("_own_spec")
        if known is None:
            known = self._own_spec = specs.DatasetSpec(self.element_spec)
        return known

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not tf.executing_eagerly():
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use "
                "`tf.data.Dataset.cardinality()` instead."
            )
        length = int(self.cardinality())
        if length == constants.INFINITE_CARDINALITY:
            raise TypeError("The dataset is infinite.")
        if length == constants.UNKNOWN_CARDINALITY:
            raise TypeError("The dataset length is unknown.")
        return length

    def __iter__(self) -> iterators.OwnedIterator:
        graph = _graphkiln.current_graph()
        if graph is None or graph.building_function:
            return iterators.OwnedIterator(self)
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager "
            "mode or within tf.function."
        )

    def as_numpy_iterator(self) -> iterators.NumpyIterator:
        """An iterator over the elements as NumPy arrays.

        Raises:
          TypeError: elements hold something that is no array.
          RuntimeError: while a graph is built.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        if not tf.executing_eagerly():
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in "
                "eager mode."
            )
        for leaf in structure.flatten(self.element_spec):
            if not isinstance(
                leaf,
                (tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec,
                 _type_spec.NoneTensorSpec),
            ):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported "
                    f"for datasets that produce values of type "
                    f"{leaf.value_type}"
                )
        return iterators.NumpyIterator(self)

    def cardinality(self):
        """The number of elements as an int64 scalar, where it is known
        without iterating; tf.data.INFINITE_CARDINALITY (-1) or
        tf.data.UNKNOWN_CARDINALITY (-2) else.

        >>> int(tf.data.Dataset.range(7).batch(3).cardinality())
        3
        """
        return raw_ops.DatasetCardinality(input_dataset=self._as_input())

    def get_single_element(self, name=None):
        """The one element.

        Raises:
          tf.errors.InvalidArgumentError: there are none, or several.

        >>> int(tf.data.Dataset.from_tensors(5).get_single_element())
        5
        """
        components = raw_ops.DatasetToSingleElement(
            dataset=self._as_input(), **structure.signature(self.element_spec)
        )
        return structure.from_tensors(self.element_spec, components)

    def reduce(self, initial_state, reduce_func, name=None):
        """The last of the states `state = reduce_func(state, element)`.

        Args:
          initial_state: a structure of what can be tensors.
          reduce_func: takes a state and an element; returns the next state.
          name: accepted for compatibility.

        Raises:
          TypeError: the next state has another structure or other types.

        >>> int(tf.data.Dataset.range(5).reduce(np.int64(0), lambda a, x: a + x))
        10
        """
        with tf.name_scope("initial_state"):
            state = structure.normalize(initial_state)
        made, spec = specs.until_fixed(
            structure.spec_of(state),
            lambda state_spec: traced.Traced(
                reduce_func, "reduce()", (state_spec, self.element_spec)
            ),
            lambda f: f.output_spec,
        )
        results = raw_ops.ReduceDataset(
            input_dataset=self._as_input(),
            initial_state=structure.to_tensors(spec, state),
            other_arguments=made.captured,
            f=made.function,
            **structure.signature(spec),
        )
        return structure.from_tensors(spec, results)

    # --- Sources.

    @staticmethod
    def range(*args, **kwargs) -> "Dataset":
        """Numbers: `range(stop)`, `range(start, stop)` or
        `range(start, stop, step)`.

        Args:
          *args: int64 scalars.
          **kwargs: output_type: of the elements; tf.int64 if not given.
            name: accepted for compatibility.

        Raises:
          ValueError: there are no numbers, or more than three.
          tf.errors.InvalidArgumentError: step is 0.

        >>> [int(x) for x in tf.data.Dataset.range(1, 8, 3)]
        [1, 4, 7]
        """
        kwargs.pop("name", None)
        dtype = tf.as_dtype(kwargs.pop("output_type", tf.int64))
        if kwargs:
            raise TypeError(f"unexpected argument {next(iter(kwargs))!r}")
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and "
                f"3 but was {len(args)}."
            )
        start, stop, step = {
            1: lambda: (0, args[0], 1),
            2: lambda: (*args, 1),
            3: lambda: args,
        }[len(args)]()
        spec = tf.TensorSpec((), dtype)
        variant = raw_ops.RangeDataset(
            start=_int64(start, "start"), stop=_int64(stop, "stop"),
            step=_int64(step, "step"), **structure.signature(spec),
        )
        return _make("_RangeDataset", variant, spec)

    @staticmethod
    def from_tensors(tensors, name=None) -> "Dataset":
        """One element.

        Args:
          tensors: a structure of what can be tensors; lists are tensors.
          name: accepted for compatibility.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        value = structure.normalize(tensors)
        spec = structure.spec_of(value)
        _not_empty(spec)
        variant = raw_ops.TensorDataset(
            components=structure.to_tensors(spec, value),
            output_shapes=structure.signature(spec)["output_shapes"],
        )
        return _make("_TensorDataset", variant, spec)

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> "Dataset":
        """The rows of tensors: what their first dimension holds.

        Args:
          tensors: a structure of what can be tensors of one length.
          name: accepted for compatibility.

        Raises:
          ValueError: a tensor is a scalar, or lengths differ.

        >>> [(int(a), int(b)) for a, b in
        ...  tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))]
        [(1, 3), (2, 4)]
        """
        value = structure.normalize(tensors)
        batched = structure.spec_of(value)
        _not_empty(batched)
        spec = structure.map_structure(specs.sliced, batched)
        length = None
        for leaf in structure.flatten(batched):
            n = None if leaf.shape.rank is None else leaf.shape[0]
            if length is not None and n is not None and n != length:
                raise ValueError(
                    f"Dimensions {length} and {n} are not compatible"
                )
            length = n if length is None else length
        variant = raw_ops.TensorSliceDataset(
            components=structure.to_tensors(batched, value),
            output_shapes=structure.signature(spec)["output_shapes"],
        )
        return _make("_TensorSliceDataset", variant, spec)

    @staticmethod
    def from_generator(
        generator,
        output_types=None,
        output_shapes=None,
        args=None,
        output_signature=None,
        name=None,
    ) -> "Dataset":
        """What a Python generator yields, asked for when it is needed.

        Args:
          generator: a callable that returns an iterable; called for each
            iteration.
          output_types: a structure of dtypes; or give `output_signature`.
          output_shapes: a structure of shapes; unknown if not given.
          args: a tuple of what can be tensors; `generator` gets their values.
          output_signature: a structure of tf.TypeSpecs.
          name: accepted for compatibility.

        Raises:
          TypeError: `generator` is not callable, or nothing or too much says
            what the elements are.

        What the generator raises comes out as tf.errors.InvalidArgumentError;
        also if it yields something else than it should.

        >>> def squares(n):
        ...     for i in range(n):
        ...         yield i * i
        >>> dataset = tf.data.Dataset.from_generator(
        ...     squares, args=(4,),
        ...     output_signature=tf.TensorSpec([], tf.int32))
        >>> [int(x) for x in dataset]
        [0, 1, 4, 9]
        """
        source = generators.Source(
            generator, output_types, output_shapes, args, output_signature
        )
        return Dataset.from_tensors(np.int32(0)).flat_map(
            generators.Elements(
                source,
                lambda variant: _make(
                    "_GeneratorDataset", variant, source.spec
                ),
            ).flat_map_fn
        )

    @staticmethod
    def zip(*args, datasets=None, name=None) -> "Dataset":
        """Elements of several datasets side by side, as many as the shortest
        has.

        Args:
          *args: datasets, or one structure of datasets.
          datasets: the structure, if not given as argument.
          name: accepted for compatibility.

        Raises:
          TypeError: something is no dataset.

        >>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, b)]
        [(0, 5), (1, 6)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if args:
            datasets = args[0] if len(args) == 1 else args
        inputs = structure.flatten(datasets)
        for leaf in inputs:
            if isinstance(leaf, list):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be "
                    "(nested) structures of `tf.data.Dataset` objects. Python "
                    "`list` is not supported and you should use `tuple` "
                    "instead."
                )
            if not isinstance(leaf, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be "
                    "(nested) structures of `tf.data.Dataset` objects but "
                    f"encountered object of type {type(leaf)}."
                )
        spec = structure.pack_like(datasets, [d.element_spec for d in inputs])
        variant = raw_ops.ZipDataset(
            input_datasets=[d._as_input() for d in inputs],
            **structure.signature(spec),
        )
        return _make("_ZipDataset", variant, spec, *inputs)

    # --- Transformations.

    def map(
        self,
        map_func,
        num_parallel_calls=None,
        deterministic=None,
        synchronous=None,
        use_unbounded_threadpool=False,
        name=None,
    ) -> "Dataset":
        """What `map_func` makes of each element.

        Args:
          map_func: called with the element, or with its parts if it is a
            tuple. Traced once; what it captured is used as it is then.
          num_parallel_calls: how many elements may be worked on at a time;
            tf.data.AUTOTUNE for as many as there are CPUs. One after the
            other if not given.
          deterministic: accepted; elements always keep their order.
          synchronous: accepted for compatibility.
          use_unbounded_threadpool: accepted for compatibility.
          name: accepted for compatibility.

        Raises:
          TypeError: `map_func` returns what cannot be tensors.

        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
        [0, 1, 4]
        """
        f = traced.Traced(map_func, "Dataset.map()", self.element_spec)
        _not_empty(f.output_spec)
        given = dict(
            input_dataset=self._as_input(), other_arguments=f.captured,
            f=f.function, preserve_cardinality=True,
            **structure.signature(f.output_spec),
        )
        if num_parallel_calls is None:
            variant = raw_ops.MapDataset(
                force_synchronous=bool(synchronous), **given
            )
            return _make("_MapDataset", variant, f.output_spec, self, f)
        variant = raw_ops.ParallelMapDatasetV2(
            num_parallel_calls=_int64(
                num_parallel_calls, "num_parallel_calls"
            ),
            deterministic=_deterministic(deterministic),
            use_unbounded_threadpool=bool(use_unbounded_threadpool), **given,
        )
        return _make("_ParallelMapDataset", variant, f.output_spec, self, f)

    def filter(self, predicate, name=None) -> "Dataset":
        """The elements for which `predicate` holds.

        Args:
          predicate: as map_func of `map`; returns a bool scalar.
          name: accepted for compatibility.

        Raises:
          ValueError: it returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(5).filter(lambda x: x > 2)]
        [3, 4]
        """
        f = self._predicate(predicate, "Dataset.filter()")
        variant = raw_ops.FilterDataset(
            input_dataset=self._as_input(), other_arguments=f.captured,
            predicate=f.function, **structure.signature(self.element_spec),
        )
        return _make("_FilterDataset", variant, self.element_spec, self, f)

    def take_while(self, predicate, name=None) -> "Dataset":
        """The elements before the first for which `predicate` does not hold.

        Args:
          predicate: as map_func of `map`; returns a bool scalar.
          name: accepted for compatibility.

        Raises:
          ValueError: it returns something else.

        >>> [int(x) for x in
        ...  tf.data.Dataset.range(5).take_while(lambda x: x < 2)]
        [0, 1]
        """
        f = self._predicate(predicate, "Dataset.take_while()")
        variant = raw_ops.TakeWhileDataset(
            input_dataset=self._as_input(), other_arguments=f.captured,
            predicate=f.function, **structure.signature(self.element_spec),
        )
        return _make("_TakeWhileDataset", variant, self.element_spec, self, f)

    def _predicate(self, predicate, transformation: str) -> traced.Traced:
        f = traced.Traced(predicate, transformation, self.element_spec)
        wanted = tf.TensorSpec((), tf.bool)
        if not isinstance(
            f.output_spec, tf.TensorSpec
        ) or not f.output_spec.is_compatible_with(wanted):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` "
                f"scalar tensor, but its return type is {f.output_spec}."
            )
        return f

    def flat_map(self, map_func, name=None) -> "Dataset":
        """The elements of the datasets that `map_func` makes of each element,
        one after the other.

        Args:
          map_func: as that of `map`; returns a dataset.
          name: accepted for compatibility.

        Raises:
          TypeError: it returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(4).flat_map(
        ...     lambda x: tf.data.Dataset.range(x))]
        [0, 0, 1, 0, 1, 2]
        """
        f, spec = self._to_datasets(map_func, "Dataset.flat_map()")
        variant = raw_ops.FlatMapDataset(
            input_dataset=self._as_input(), other_arguments=f.captured,
            f=f.function, **structure.signature(spec),
        )
        return _make("_FlatMapDataset", variant, spec, self, f)

    def interleave(
        self,
        map_func,
        cycle_length=None,
        block_length=None,
        num_parallel_calls=None,
        deterministic=None,
        name=None,
    ) -> "Dataset":
        """The elements of the datasets that `map_func` makes of each element,
        of several of them in turn.

        Args:
          map_func: as that of `map`; returns a dataset.
          cycle_length: how many datasets take turns; as many as there are
            CPUs if not given.
          block_length: how many elements one gives in its turn; 1 if not
            given.
          num_parallel_calls: accepted; elements are read one by one.
          deterministic: accepted; the order is always the same.
          name: accepted for compatibility.

        Raises:
          TypeError: `map_func` returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(2).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2),
        ...     cycle_length=2)]
        [0, 1, 0, 1]
        """
        f, spec = self._to_datasets(map_func, "Dataset.interleave()")
        given = dict(
            input_dataset=self._as_input(), other_arguments=f.captured,
            f=f.function,
            cycle_length=_int64(
                constants.AUTOTUNE if cycle_length is None else cycle_length,
                "cycle_length",
            ),
            block_length=_int64(
                1 if block_length is None else block_length, "block_length"
            ),
            **structure.signature(spec),
        )
        if num_parallel_calls is None:
            variant = raw_ops.InterleaveDataset(**given)
            return _make("_InterleaveDataset", variant, spec, self, f)
        variant = raw_ops.ParallelInterleaveDatasetV4(
            buffer_output_elements=_int64(-1, "buffer_output_elements"),
            prefetch_input_elements=_int64(-1, "prefetch_input_elements"),
            num_parallel_calls=_int64(
                num_parallel_calls, "num_parallel_calls"
            ),
            deterministic=_deterministic(deterministic), **given,
        )
        return _make("_ParallelInterleaveDataset", variant, spec, self, f)

    def _to_datasets(self, map_func, transformation: str):
        f = traced.Traced(map_func, transformation, self.element_spec)
        if not isinstance(f.output_spec, specs.DatasetSpec):
            raise TypeError(
                "The `map_func` argument must return a `Dataset` object. Got "
                f"{f.output_spec}."
            )
        return f, f.output_spec.element_spec

    def scan(self, initial_state, scan_func, name=None) -> "Dataset":
        """What `scan_func(state, element)` returns besides the next state.

        Args:
          initial_state: a structure of what can be tensors.
          scan_func: returns a pair: the next state, and an element.
          name: accepted for compatibility.

        Raises:
          TypeError: it returns no pair, or the next state has another
            structure or other types.

        >>> [int(x) for x in tf.data.Dataset.range(4).scan(
        ...     np.int64(0), lambda a, x: (a + x, a + x))]
        [0, 1, 3, 6]
        """
        with tf.name_scope("initial_state"):
            state = structure.normalize(initial_state)

        def pair(f):
            if not isinstance(f.output_spec, tuple) or (
                len(f.output_spec) != 2
            ):
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair "
                    "consisting of new state and the output value but its "
                    f"return type is {f.output_spec}."
                )
            return f.output_spec[0]

        made, state_spec = specs.until_fixed(
            structure.spec_of(state),
            lambda spec: traced.Traced(
                scan_func, "Dataset.scan()", (spec, self.element_spec)
            ),
            pair,
        )
        spec = made.output_spec[1]
        variant = raw_ops.ScanDataset(
            input_dataset=self._as_input(),
            initial_state=structure.to_tensors(state_spec, state),
            other_arguments=made.captured, f=made.function,
            preserve_cardinality=True, use_default_device=False,
            **structure.signature(spec),
        )
        return _make("_ScanDataset", variant, spec, self, made)

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
          num_parallel_calls: accepted; elements are stacked as they come.
          deterministic: accepted; elements always keep their order.
          name: accepted for compatibility.

        Raises:
          tf.errors.InvalidArgumentError: `batch_size` is not positive; or,
            when iterating, elements have different shapes.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        size = _int64(batch_size, "batch_size")
        drop = tf.convert_to_tensor(
            drop_remainder, dtype=tf.bool, name="drop_remainder"
        )
        known = None
        if tf.get_static_value(drop):
            known = tf.get_static_value(size)
        spec = structure.map_structure(
            lambda leaf: specs.batched(leaf, known), self.element_spec
        )
        given = dict(
            input_dataset=self._as_input(), batch_size=size,
            drop_remainder=drop, **structure.signature(spec),
        )
        if num_parallel_calls is None:
            variant = raw_ops.BatchDatasetV2(**given)
            return _make("_BatchDataset", variant, spec, self)
        variant = raw_ops.ParallelBatchDataset(
            num_parallel_calls=_int64(
                num_parallel_calls, "num_parallel_calls"
            ),
            deterministic=_deterministic(deterministic), **given,
        )
        return _make("_ParallelBatchDataset", variant, spec, self)

    def unbatch(self, name=None) -> "Dataset":
        """The rows of each element.

        Raises:
          ValueError: elements hold scalars, or tensors of different lengths.

        >>> [int(x) for x in tf.data.Dataset.range(3).batch(2).unbatch()]
        [0, 1, 2]
        """
        length = None
        for leaf in structure.flatten(self.element_spec):
            if not isinstance(leaf, tf.TensorSpec):
                raise TypeError(f"Elements of {leaf} have no rows")
            if leaf.shape.rank == 0:
                raise ValueError("Cannot unbatch an input with scalar components.")
            n = None if leaf.shape.rank is None else leaf.shape[0]
            if length is not None and n is not None and n != length:
                raise ValueError(
                    "`unbatch()` is only supported for datasets of elements "
                    "whose components have a matching leading dimension. "
                    f"Encountered both {length} and {n}."
                )
            length = n if length is None else length
        spec = structure.map_structure(specs.sliced, self.element_spec)
        variant = raw_ops.UnbatchDataset(
            input_dataset=self._as_input(), **structure.signature(spec)
        )
        return _make("_UnbatchDataset", variant, spec, self)

    def take(self, count, name=None) -> "Dataset":
        """The first `count` elements; all if it is -1.

        >>> [int(x) for x in tf.data.Dataset.range(5).take(2)]
        [0, 1]
        """
        return self._counted("_TakeDataset", raw_ops.TakeDataset, count)

    def skip(self, count, name=None) -> "Dataset":
        """All but the first `count` elements; none if it is -1.

        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return self._counted("_SkipDataset", raw_ops.SkipDataset, count)

    def repeat(self, count=None, name=None) -> "Dataset":
        """The elements `count` times over; for ever if it is None or -1.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._counted(
            "_RepeatDataset", raw_ops.RepeatDataset,
            -1 if count is None else count,
        )

    def _counted(self, kind: str, op: Callable, count) -> "Dataset":
        variant = op(
            input_dataset=self._as_input(), count=_int64(count, "count"),
            **structure.signature(self.element_spec),
        )
        return _make(kind, variant, self.element_spec, self)

    def shard(self, num_shards, index, name=None) -> "Dataset":
        """Every `num_shards`-th element, beginning with the one of number
        `index`.

        Raises:
          tf.errors.InvalidArgumentError: `index` is not below `num_shards`.

        >>> [int(x) for x in tf.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        variant = raw_ops.ShardDataset(
            input_dataset=self._as_input(),
            num_shards=_int64(num_shards, "num_shards"),
            index=_int64(index, "index"),
            **structure.signature(self.element_spec),
        )
        return _make("_ShardDataset", variant, self.element_spec, self)

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
        size = _int64(buffer_size, "buffer_size")
        seeds = _random_seed.op_seeds(seed)
        variant = raw_ops.ShuffleDatasetV3(
            input_dataset=self._as_input(),
            buffer_size=size,
            seed=_int64(seeds[0], "seed"),
            seed2=_int64(seeds[1], "seed2"),
            seed_generator=raw_ops.DummySeedGenerator(),
            reshuffle_each_iteration=(
                True if reshuffle_each_iteration is None
                else bool(reshuffle_each_iteration)
            ),
            **structure.signature(self.element_spec),
        )
        return _make("_ShuffleDataset", variant, self.element_spec, self)

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
        variant = raw_ops.PrefetchDataset(
            input_dataset=self._as_input(),
            buffer_size=_int64(
                constants.AUTOTUNE if buffer_size is None else buffer_size,
                "buffer_size",
            ),
            slack_period=0, legacy_autotune=False, buffer_size_min=0,
            **structure.signature(self.element_spec),
        )
        return _make("_PrefetchDataset", variant, self.element_spec, self)

    def cache(self, filename="", name=None) -> "Dataset":
        """The same elements, kept in memory when they have been seen once to
        the end.

        Args:
          filename: must be empty.
          name: accepted for compatibility.

        Raises:
          tf.errors.UnimplementedError: a file name is given.

        >>> cached = tf.data.Dataset.range(3).cache()
        >>> [int(x) for x in cached], [int(x) for x in cached]
        ([0, 1, 2], [0, 1, 2])
        """
        variant = raw_ops.CacheDatasetV2(
            input_dataset=self._as_input(),
            filename=tf.convert_to_tensor(
                filename, dtype=tf.string, name="filename"
            ),
            cache=raw_ops.DummyMemoryCache(),
            **structure.signature(self.element_spec),
        )
        return _make("CacheDataset", variant, self.element_spec, self)

    def enumerate(self, start=0, name=None) -> "Dataset":
        """Pairs of a number, counted from `start`, and an element.

        >>> [(int(i), int(x)) for i, x in
        ...  tf.data.Dataset.range(5, 7).enumerate(start=1)]
        [(1, 5), (2, 6)]
        """
        most = np.iinfo(np.int64).max
        numbers = Dataset.range(start, most)
        # In several processes each of them counts for itself.
        variant = raw_ops.RewriteDataset(
            input_dataset=numbers._as_input(),
            rewrite_name="replicate_on_split",
            **structure.signature(numbers.element_spec),
        )
        numbers = _make("_RewriteDataset", variant, numbers.element_spec)
        return Dataset.zip((numbers, self))

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
        variant = raw_ops.ConcatenateDataset(
            input_dataset=self._as_input(),
            another_dataset=dataset._as_input(), **structure.signature(spec),
        )
        return _make("_ConcatenateDataset", variant, spec, self, dataset)

    def apply(self, transformation_func) -> "Dataset":
        """`transformation_func(self)`, which must be a dataset.

        >>> def halves(dataset):
        ...     return dataset.map(lambda x: x / 2)
        >>> [float(x) for x in tf.data.Dataset.range(3).apply(halves)]
        [0.0, 0.5, 1.0]
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(
                "`transformation_func` must return a `tf.data.Dataset` "
                f"object. Got {type(made)}."
            )
        return made

    # --- For those who use it.

    def _as_input(self):
        """The variant tensor for an op. The graph around keeps the Python
        parts of the dataset's functions."""
        graph = _graphkiln.current_graph()
        if graph is not None:
            parts = vars(graph).setdefault("_python_parts", [])
            if not any(part is self for part in parts):
                parts.append(self)
        return self._variant_tensor

    def _autograph_for(self, *loop) -> None:
        from graphkiln.data import _loops

        _loops.dataset_loop(self, *loop)

    def _autograph_len(self):
        length = self.cardinality()
        check = tf.debugging.Assert(
            length >= 0,
            [
                "len requires dataset with definitive cardinality, got",
                length,
            ],
        )
        with tf.control_dependencies([] if check is None else [check]):
            return tf.identity(length)

    def _autograph_enumerate(self, start=0) -> "Dataset":
        return self.enumerate(start)

    @staticmethod
    def _autograph_zip(iterables) -> "Dataset":
        return Dataset.zip(tuple(iterables))

    def _autograph_map(self, function: Callable) -> "Dataset":
        return self.map(function)

    def _autograph_filter(self, function: Callable) -> "Dataset":
        return self.filter(function)

    def _autograph_any(self):
        self._check_bools("any")
        return self.filter(lambda x: x).take(1).reduce(
            tf.constant(False), lambda seen, x: tf.logical_or(seen, x)
        )

    def _autograph_all(self):
        self._check_bools("all")
        return self.filter(tf.logical_not).take(1).reduce(
            tf.constant(True), lambda so_far, x: tf.logical_and(so_far, x)
        )

    def _check_bools(self, name: str) -> None:
        spec = self.element_spec
        if not isinstance(spec, tf.TensorSpec) or spec.dtype != tf.bool or (
            spec.shape.rank not in (None, 0)
        ):
            raise ValueError(
                f'in graph mode, the "{name}" builtin only supports datasets '
                f"that return bool scalars; got: {spec}"
            )


_classes: dict[str, type] = {}


def _make(kind: str, variant, spec: object, *parts) -> Dataset:
    """A dataset of the class that TensorFlow calls `kind`. It keeps what it
    was made of."""
    cls = _classes.get(kind)
    if cls is None:
        cls = _classes[kind] = type(kind, (Dataset,), {"__module__": __name__})
    made = cls(variant)
    made._element_spec = spec
    made._parts = parts
    return made


specs.make_dataset = lambda variant, spec: _make(
    "_VariantDataset", variant, spec
)
specs.Dataset = Dataset


def _int64(value, name: str):
    if isinstance(value, _graphkiln.Tensor) and value.dtype != tf.int64:
        return tf.cast(value, tf.int64)
    return tf.convert_to_tensor(value, dtype=tf.int64, name=name)


def _deterministic(value) -> str:
    if value is None:
        return "default"
    return "true" if value else "false"


def _not_empty(spec: object) -> None:
    if not structure.flat_specs(spec):
        raise ValueError("Invalid `element`. `element` should not be empty.")
