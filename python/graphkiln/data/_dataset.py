"""tf.data.Dataset: a description of a sequence of elements.

A dataset is a variant tensor, made by an op of TensorFlow's name, and the spec
of its elements. Nothing is computed before somebody iterates.
"""

import atexit
import collections.abc
from collections.abc import Callable

from graphkiln import _graphkiln, raw_ops
from graphkiln._src import ops
from graphkiln._src.ragged.spec import RaggedTensorSpec
from graphkiln._src.sparse.sparse_tensor import SparseTensorSpec
from graphkiln._src.types import dtypes, type_spec
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _sources
from graphkiln.data import _constants as constants
from graphkiln.data import _specs as specs
from graphkiln.data import _structure as structure

# Generators that are read in advance need Python.
atexit.register(_graphkiln._stop_background_work)


class Dataset(
    _sources.Sources,
    _graphkiln.DatasetMethods,
    type_spec.CompositeTensor,
    collections.abc.Iterable,
):
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

    @property
    def element_spec(self):
        """The structure of tf.TypeSpecs of an element.

        >>> tf.data.Dataset.from_tensors((1, "a")).element_spec
        (TensorSpec(shape=(), dtype=tf.int32, name=None), \
TensorSpec(shape=(), dtype=tf.string, name=None))
        """
        return self._element_spec

    @property
    def _type_spec(self) -> _graphkiln.DatasetSpec:
        known = self.__dict__.get("_own_spec")
        if known is None:
            known = self._own_spec = _graphkiln.DatasetSpec(self.element_spec)
        return known

    def __repr__(self) -> str:
        return f"<{type(self).__name__} element_spec={self.element_spec!r}>"

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        if not _graphkiln.executing_eagerly():
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

    def __iter__(self) -> _graphkiln.Iterator:
        graph = _graphkiln.current_graph()
        if graph is None or graph.building_function:
            return _graphkiln.Iterator(self)
        raise RuntimeError(
            "`tf.data.Dataset` only supports Python-style iteration in eager "
            "mode or within tf.function."
        )

    def as_numpy_iterator(self) -> _graphkiln.NumpyIterator:
        """An iterator over the elements as NumPy arrays.

        Raises:
          TypeError: elements hold something that is no array.
          RuntimeError: while a graph is built.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        if not _graphkiln.executing_eagerly():
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in "
                "eager mode."
            )
        for leaf in structure.flatten(self.element_spec):
            if not isinstance(
                leaf,
                (TensorSpec, RaggedTensorSpec, SparseTensorSpec,
                 type_spec.NoneTensorSpec),
            ):
                raise TypeError(
                    "`tf.data.Dataset.as_numpy_iterator()` is not supported "
                    f"for datasets that produce values of type "
                    f"{leaf.value_type}"
                )
        return _graphkiln.NumpyIterator(self)

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
        check = _graphkiln.Assert(
            length >= 0,
            [
                "len requires dataset with definitive cardinality, got",
                length,
            ],
        )
        with _graphkiln.control_dependencies(
            [] if check is None else [check]
        ):
            return ops.identity(length)

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
            _graphkiln.constant(False), lambda seen, x: ops.logical_or(seen, x)
        )

    def _autograph_all(self):
        self._check_bools("all")
        return (
            self.filter(ops.logical_not)
            .take(1)
            .reduce(
                _graphkiln.constant(True),
                lambda so_far, x: ops.logical_and(so_far, x),
            )
        )

    def _check_bools(self, name: str) -> None:
        spec = self.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype != dtypes.bool or (
            spec.shape.rank not in (None, 0)
        ):
            raise ValueError(
                f'in graph mode, the "{name}" builtin only supports datasets '
                f"that return bool scalars; got: {spec}"
            )


specs.Dataset = Dataset
