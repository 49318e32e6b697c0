"""tf.data.Dataset: a description of a sequence of elements.

A dataset is a variant tensor, made by an op of TensorFlow's name, and the spec
of its elements. Nothing is computed before somebody iterates.
"""

import atexit
import collections.abc

from graphkiln import _graphkiln, _namespaces
from graphkiln.data import _generator, _named_members

# Generators that are read in advance need Python.
atexit.register(_graphkiln._stop_background_work)


class Dataset(
    _generator.Generated,
    _graphkiln.DatasetMethods,
    _graphkiln.DatasetBase,
    collections.abc.Iterable,
    metaclass=_named_members.NamedMembers,
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

    def __getattr__(self, name: str) -> object:
        # What a property raised is told as it is.
        if hasattr(type(self), name):
            return object.__getattribute__(self, name)
        owner = f"{type(self).__name__!r} object"
        raise _namespaces.member_is_missing("data.Dataset", owner, name)


_graphkiln.provide(Dataset)
