"""tf.compat.v1.lookup: tables whose initializers sessions run."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.lookup import tables


class StaticHashTable(tables.StaticHashTable):
    """A table that gets its content when its initializer runs; eagerly when it is
    made.

    Args:
      initializer: where that comes from, as `tf.lookup.KeyValueTensorInitializer`.
      default_value: of keys that are not there, a scalar.
      name: of the op.
      experimental_is_anonymous: takes no effect.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     table = tf.compat.v1.lookup.StaticHashTable(
    ...         tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8]), -1)
    ...     session.run(table.initializer)
    ...     session.run(table.lookup(tf.constant(["b", "c"]))).tolist()
    [8, -1]
    """

    @property
    def initializer(self) -> Any:
        """The operation that fills it."""
        return self._init_op


class StaticVocabularyTable(tables.StaticVocabularyTable):
    """Numbers of keys; those that are not there share some further numbers.

    Args:
      initializer: keys and their numbers, int64; None: there are none.
      num_oov_buckets: how many numbers the others share.
      lookup_key_dtype: of keys that are looked up; None: as they are in
        `initializer`.
      name: of the op.
      experimental_is_anonymous: takes no effect.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     table = tf.compat.v1.lookup.StaticVocabularyTable(
    ...         tf.lookup.KeyValueTensorInitializer(
    ...             ["a", "b"], tf.constant([0, 1], tf.int64)), 1)
    ...     session.run(table.initializer)
    ...     session.run(table.lookup(tf.constant(["b", "z"]))).tolist()
    [1, 2]
    """

    @property
    def initializer(self) -> Any:
        """The operation that fills it."""
        if self._table is not None:
            return self._table._init_op
        with _graphkiln.name_scope(""):
            return ops.no_op(name="init")
