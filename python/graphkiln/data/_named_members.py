"""The metaclass of tf.data.Dataset."""

import collections.abc

from graphkiln import _namespaces


class NamedMembers(type(collections.abc.Iterable)):
    """Classes that say of a missing member whether it is TensorFlow's."""

    def __getattr__(cls, name: str) -> object:
        owner = f"type object {cls.__name__!r}"
        raise _namespaces.member_is_missing("data.Dataset", owner, name)
