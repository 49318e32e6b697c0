"""tf.data.Iterator: a place in a dataset."""

import atexit

from graphkiln._graphkiln import Tensor

from graphkiln import _graphkiln, errors, raw_ops
from graphkiln._src.control_flow import control_flow
from graphkiln._src.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from graphkiln._src.types import dtypes, type_spec
from graphkiln._src.types.type_spec import TensorSpec
from graphkiln.data import _optional
from graphkiln.data import _structure as structure


class Iterator(type_spec.CompositeTensor):
    """Gives the elements of a tf.data.Dataset one by one: `iter(dataset)`.

    It can be an argument of a tf.function, which moves it on.

    >>> it = iter(tf.data.Dataset.range(2))
    >>> int(it.get_next()), int(next(it))
    (0, 1)
    """

    __slots__ = ()

    @property
    def element_spec(self):
        """The structure of tf.TypeSpecs of an element.

        >>> iter(tf.data.Dataset.range(2)).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        raise NotImplementedError("Iterator.element_spec")

    def get_next(self):
        """The next element.

        Raises:
          tf.errors.OutOfRangeError: there is none.

        >>> int(iter(tf.data.Dataset.range(5, 7)).get_next())
        5
        """
        raise NotImplementedError("Iterator.get_next()")

    def get_next_as_optional(self):
        """The next element as a tf.experimental.Optional, which has no value
        at the end.

        >>> it = iter(tf.data.Dataset.range(0))
        >>> bool(it.get_next_as_optional().has_value())
        False
        """
        raise NotImplementedError("Iterator.get_next_as_optional()")


# Generators that are read in advance need Python.
atexit.register(_graphkiln._stop_background_work)

# Python that iterates while a graph is built never sees an end.
_MOST_IN_A_GRAPH = 10_000


class OwnedIterator(Iterator):
    """The iterator of a dataset; `components`: the handle of one."""

    # Parts go after the handle: the end of an iterator may call them.
    __slots__ = ("_asked", "_attributes", "_handle", "_parts", "_spec")

    def __init__(self, dataset=None, components=None, element_spec=None):
        self._asked = 0
        if dataset is None:
            (self._handle,) = components
            self._spec = element_spec
            self._attributes = structure.signature(element_spec)
            self._parts = None
            return
        self._spec = dataset.element_spec
        # Functions of the dataset may belong to its Python face.
        self._parts = dataset
        self._attributes = structure.signature(self._spec)
        self._handle = raw_ops.AnonymousIteratorV3(**self._attributes)
        raw_ops.MakeIterator(
            dataset=dataset._as_input(), iterator=self._handle
        )

    @property
    def element_spec(self):
        return self._spec

    def __iter__(self) -> "OwnedIterator":
        return self

    def __next__(self):
        if not _graphkiln.executing_eagerly():
            self._asked += 1
            if self._asked > _MOST_IN_A_GRAPH:
                raise errors.OperatorNotAllowedInGraphError(
                    "Iterating over a `tf.data.Dataset` is not allowed in "
                    "Python code that builds a graph: it never comes to an "
                    "end. Use a for statement in a function that AutoGraph "
                    "converts."
                )
        try:
            return self.get_next()
        except errors.OutOfRangeError:
            raise StopIteration from None

    def next(self):
        """The same as `next(iterator)`."""
        return self.__next__()

    def get_next(self):
        components = raw_ops.IteratorGetNext(
            iterator=self._handle, **self._attributes
        )
        if type(self._spec) is TensorSpec:
            return components[0]
        return structure.from_tensors(self._spec, components)

    def get_next_as_optional(self):
        handle = raw_ops.IteratorGetNextAsOptional(
            iterator=self._handle, **self._attributes
        )
        return _optional._OptionalImpl(handle, self._spec)

    @property
    def _type_spec(self) -> "IteratorSpec":
        return IteratorSpec(self._spec)

    def _autograph_for(self, *loop) -> None:
        from graphkiln.data import _loops

        _loops.iterator_loop(self, *loop)

    def _autograph_next(self, *default):
        """`next(iterator)` or `next(iterator, default)` while tracing."""
        if not default:
            return self.get_next()
        element = self.get_next_as_optional()
        return control_flow.cond(
            element.has_value(), element.get_value, lambda: default[0]
        )


class IteratorSpec(type_spec.TypeSpec):
    """What is known of a tf.data.Iterator.

    Args:
      element_spec: the structure of tf.TypeSpecs of an element.

    >>> spec = tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))
    >>> f = tf.function(lambda it: next(it) + 1, input_signature=[spec])
    >>> int(f(iter(tf.data.Dataset.range(3))))
    1
    """

    def __init__(self, element_spec):
        self._element_spec = element_spec

    @property
    def value_type(self) -> type:
        """tf.data.Iterator's own class."""
        return OwnedIterator

    @staticmethod
    def from_value(value: Iterator) -> "IteratorSpec":
        """The spec of an iterator.

        >>> tf.data.IteratorSpec.from_value(iter(tf.data.Dataset.range(1)))
        IteratorSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)
        """
        return IteratorSpec(value.element_spec)

    def _serialize(self) -> tuple:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> list:
        return [TensorSpec((), dtypes.resource)]

    def _to_components(self, value: Iterator) -> list:
        return [value._handle]

    def _from_components(self, components) -> Iterator:
        return OwnedIterator(
            components=components, element_spec=self._element_spec
        )


class NumpyIterator:
    """The elements of a dataset as NumPy arrays; see
    tf.data.Dataset.as_numpy_iterator.

    >>> it = tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator()
    >>> next(it).tolist()
    [1, 2]
    """

    __slots__ = ("_iterator",)

    def __init__(self, dataset):
        self._iterator = iter(dataset)

    def __iter__(self) -> "NumpyIterator":
        return self

    def __next__(self):
        return structure.map_structure(_to_numpy, next(self._iterator))

    def next(self):
        """The same as `next(iterator)`.

        >>> int(tf.data.Dataset.range(4, 5).as_numpy_iterator().next())
        4
        """
        return self.__next__()

    def __repr__(self) -> str:
        return f"NumpyIterator(iterator={self._iterator!r})"


def _to_numpy(leaf):
    if leaf is None:
        return None
    if isinstance(leaf, Tensor):
        value = leaf.numpy()
        if hasattr(value, "setflags"):
            value.setflags(write=False)
        return value
    if isinstance(leaf, SparseTensor):
        return SparseTensorValue(
            leaf.indices.numpy(), leaf.values.numpy(),
            leaf.dense_shape.numpy(),
        )
    return leaf.numpy()
