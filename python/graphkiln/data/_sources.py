"""Datasets of given values: the static methods of tf.data.Dataset."""

import numpy as np

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.types import batchable, dtypes
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _generator as generators
from graphkiln.data import _making as making
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure


class Sources:
    """A base of tf.data.Dataset."""

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
        dtype = _graphkiln.as_dtype(kwargs.pop("output_type", dtypes.int64))
        if kwargs:
            raise TypeError(f"unexpected argument {next(iter(kwargs))!r}")
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and "
                f"3 but was {len(args)}."
            )
        start, stop, step = (
            (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        )
        return making.of(
            raw_ops.RangeDataset, TensorSpec((), dtype), start=start,
            stop=stop, step=step,
        )

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
        making.not_empty(spec)
        return making.of(
            raw_ops.TensorDataset, spec,
            components=structure.to_tensors(spec, value),
        )

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
        making.not_empty(batched)
        spec = structure.map_structure(batchable.sliced, batched)
        making.same_length(batched, "Dimensions {} and {} are not compatible")
        return making.of(
            raw_ops.TensorSliceDataset, spec,
            components=structure.to_tensors(batched, value, rows=True),
        )

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
        return Sources.from_tensors(np.int32(0)).flat_map(
            source.flat_map_fn
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
            if not isinstance(leaf, specs.Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be "
                    "(nested) structures of `tf.data.Dataset` objects but "
                    f"encountered object of type {type(leaf)}."
                )
        spec = structure.pack_like(datasets, [d.element_spec for d in inputs])
        return making.of(raw_ops.ZipDataset, spec, input_datasets=inputs)

    @staticmethod
    def counter(start=0, step=1, dtype=dtypes.int64, name=None) -> "Dataset":
        """Numbers from `start` on, without end.

        Args:
          start: the first number.
          step: the difference of two numbers.
          dtype: of the numbers.
          name: accepted for compatibility.

        >>> [int(x) for x in tf.data.Dataset.counter(3, 2).take(3)]
        [3, 5, 7]
        """
        start = _graphkiln.convert_to_tensor(start, dtype=dtype, name="start")
        step = _graphkiln.convert_to_tensor(step, dtype=dtype, name="step")
        return Sources.from_tensors(0).repeat(None).scan(
            start, lambda state, _: (state + step, state)
        )

    @staticmethod
    def random(
        seed=None, rerandomize_each_iteration=None, name=None
    ) -> "Dataset":
        """Random int64 numbers from 0 to 2**32 - 1, without end.

        Args:
          seed: an int; with the global seed it determines the numbers.
          rerandomize_each_iteration: whether each iteration has others.
          name: accepted for compatibility.

        >>> numbers = tf.data.Dataset.random(seed=1).take(2)
        >>> all(0 <= x < 2 ** 32 for x in numbers.as_numpy_iterator())
        True
        """
        first, second = _graphkiln.op_seeds(seed)
        return making.of(
            raw_ops.RandomDatasetV2, TensorSpec((), dtypes.int64), seed=first,
            seed2=second, seed_generator=raw_ops.DummySeedGenerator(),
            rerandomize_each_iteration=bool(rerandomize_each_iteration),
        )
