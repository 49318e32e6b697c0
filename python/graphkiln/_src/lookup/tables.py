"""tf.lookup: tables from keys to values, over the ops of tables."""

from __future__ import annotations

import contextlib
import uuid
from typing import TYPE_CHECKING, Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import DType, Operation, Tensor
from graphkiln._src import ops
from graphkiln._src.checkpoint.saveables import collect_table
from graphkiln._src.saved_model.resources import TrackableResource

if TYPE_CHECKING:
    from graphkiln._src.lookup.initializers import TableInitializerBase


def _check_keys(keys, dtype) -> None:
    if keys.dtype != dtype:
        raise TypeError(
            f"Dtype of argument `keys` must be {dtype}, received: {keys.dtype}"
        )


def _values_of(keys):
    """The tensor of keys that are ragged or sparse."""
    composite = isinstance(keys, (_graphkiln.SparseTensor, _graphkiln.RaggedTensor))
    return keys.values if composite else keys


def _placed_as(keys, values):
    """Values of keys, ragged or sparse as these are."""
    if isinstance(keys, _graphkiln.SparseTensor):
        return _graphkiln.SparseTensor(keys.indices, values, keys.dense_shape)
    if isinstance(keys, _graphkiln.RaggedTensor):
        return keys.with_values(values)
    return values


# Eagerly nothing has a name: the ops of tables are short, and a scope would be
# a good part of their time.
_NO_SCOPE = contextlib.nullcontext()


def _scope(table, name: str | None, ending: str):
    """The scope of a table's op."""
    if name is None and _graphkiln.executing_eagerly():
        return _NO_SCOPE
    return _graphkiln.name_scope(name or f"{table.name}{ending}")


def _name_in_graph(handle) -> str | None:
    if _graphkiln.executing_eagerly():
        return None
    return handle.op.name.rpartition("/")[2]


class LookupInterface(TrackableResource):
    """Base of tables from keys to values."""

    # Nothing that is in one is saved by itself.
    __setattr__ = object.__setattr__

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        return {}

    _resource_handle: Any = None
    _made_as: tuple[str, dict[str, Any]] = "", {}

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = _graphkiln.as_dtype(key_dtype)
        self._value_dtype = _graphkiln.as_dtype(value_dtype)

    @property
    def resource_handle(self) -> Any:
        """The handle that ops get."""
        return self._resource_handle

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """The name of the table in its graph; None of one that was made
        eagerly."""
        return self._table_name

    def _make(self, kind: str, name: str, **attributes: Any) -> Tensor:
        """The handle of a new table: in a graph, of the node's own."""
        self._made_as = kind, attributes
        eager = _graphkiln.executing_eagerly()
        op = f"Anonymous{kind}" if eager else f"{kind}V2"
        return getattr(raw_ops, op)(name=name, **attributes)

    def _create_resource(self) -> Tensor:
        """The handle of a table of this kind that is found by its name: of this
        one in loaded models."""
        kind, given = self._made_as
        # Values are constants of the function that makes it.
        attributes = {
            name: _graphkiln.convert_to_tensor(value.numpy(), dtype=value.dtype)
            if isinstance(value, Tensor)
            else value
            for name, value in given.items()
        }
        name = f"{kind}_{uuid.uuid4().hex}"
        return getattr(raw_ops, f"{kind}V2")(shared_name=name, **attributes)

    def _initialize(self) -> None:
        """Fills a table that was made anew."""

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        """What of it has a place of its own in checkpoints and saved models."""
        return {}

    def size(self, name: str | None = None) -> Tensor:
        """How many keys there are, an int64 scalar."""
        with _scope(self, name, "_Size"):
            return raw_ops.LookupTableSizeV2(table_handle=self.resource_handle)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _find(self, keys, default_value):
        return raw_ops.LookupTableFindV2(
            table_handle=self.resource_handle,
            keys=keys,
            default_value=default_value,
        )

    def _export(self):
        return raw_ops.LookupTableExportV2(
            table_handle=self.resource_handle,
            Tkeys=self._key_dtype,
            Tvalues=self._value_dtype,
        )


class StaticHashTable(LookupInterface):
    """A table that gets its content when it is made.

    Args:
      initializer: where that comes from, as `tf.lookup.KeyValueTensorInitializer`.
      default_value: of keys that are not there, a scalar.
      name: of the op.
      experimental_is_anonymous: takes no effect; a table lives as long as it is
        used.

    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer(["a", "b"], [7, 8]),
    ...     default_value=-1)
    >>> table.lookup(tf.constant(["b", "c"])).numpy().tolist()
    [8, -1]
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = _graphkiln.convert_to_tensor(
            default_value, dtype=self._value_dtype
        )
        self._default_value.shape.merge_with(_graphkiln.TensorShape([]))
        self._initializer = initializer
        with _graphkiln.init_scope():
            self._resource_handle = self._make(
                "HashTable",
                name or "hash_table",
                key_dtype=self._key_dtype,
                value_dtype=self._value_dtype,
            )
            self._table_name = _name_in_graph(self._resource_handle)
        self._init_op = initializer.initialize(self)

    def _initialize(self) -> None:
        self._initializer.initialize(self)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        return {"_initializer": self._initializer}

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default_value

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, which may be a tensor, a ragged or a sparse one;
        the default value of those that are not there."""
        values = _values_of(keys)
        _check_keys(keys, self._key_dtype)
        with _scope(self, name, "_Lookup"):
            found = self._find(values, self._default_value)
        if not isinstance(values, _graphkiln.RaggedTensor):
            found.set_shape(values.shape)
        return _placed_as(keys, found)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values, in no certain order."""
        with _scope(self, name, "_Export"):
            keys, values = self._export()
        values.set_shape(keys.shape)
        return keys, values


class StaticVocabularyTable(LookupInterface):
    """Numbers of keys; those that are not there share some further numbers, by
    their hash.

    Args:
      initializer: keys and their numbers, int64; None: there are none.
      num_oov_buckets: how many numbers the others share.
      lookup_key_dtype: of keys that are looked up, an integer type or
        tf.string; None: as they are in `initializer`.
      name: of the op.
      experimental_is_anonymous: takes no effect.

    >>> table = tf.lookup.StaticVocabularyTable(
    ...     tf.lookup.KeyValueTensorInitializer(
    ...         ["a", "b"], tf.constant([0, 1], tf.int64)), num_oov_buckets=1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy().tolist()
    [1, 2]
    """

    def __init__(
        self,
        initializer: TableInitializerBase | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError(
                "`num_oov_buckets` must be > 0; use StaticHashTable."
            )
        if name:
            name = name.rstrip("/")
        self._table = None
        if initializer:
            lookup_key_dtype = self._checked(initializer, lookup_key_dtype)
            self._table = StaticHashTable(initializer, default_value=-1)
            name = name or self._table.name
        else:
            lookup_key_dtype = _graphkiln.string
            name = name or "hash_bucket"
        if not lookup_key_dtype.is_integer and lookup_key_dtype != _graphkiln.string:
            raise TypeError(
                "Invalid `key_dtype`, expected integer or string, got "
                f"{lookup_key_dtype}"
            )
        self._num_oov_buckets = num_oov_buckets
        self._table_name = name and name.rpartition("/")[2]
        super().__init__(lookup_key_dtype, _graphkiln.int64)

    @staticmethod
    def _checked(initializer, lookup_key_dtype):
        key = initializer.key_dtype
        wanted = key if lookup_key_dtype is None else lookup_key_dtype
        wanted = _graphkiln.as_dtype(wanted)
        if key not in (_graphkiln.int64, _graphkiln.string):
            raise TypeError(
                "Invalid `key_dtype`, expected one of "
                f"{(_graphkiln.int64, _graphkiln.string)}, but got {key}."
            )
        if key.is_integer != wanted.is_integer:
            expected = "integer" if wanted.is_integer else "non-integer"
            raise TypeError(
                f"Invalid `key_dtype`, expected {expected} but got {key}."
            )
        if initializer.value_dtype != _graphkiln.int64:
            raise TypeError(
                f"Invalid `value_dtype`, expected {_graphkiln.int64} but got "
                f"{initializer.value_dtype}."
            )
        return wanted

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        return {} if self._table is None else self._table._trackable_children()

    @property
    def resource_handle(self) -> Tensor | None:
        """The handle of the table of known keys, or None."""
        return self._table and self._table.resource_handle

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are, with those that are shared."""
        with _scope(self, name, "_Size"):
            known = 0 if self._table is None else self._table.size()
            return _graphkiln.convert_to_tensor(
                known + self._num_oov_buckets, dtype=_graphkiln.int64
            )

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of keys, which may be a tensor, a ragged or a sparse one."""
        _check_keys(keys, self._key_dtype)
        values = _values_of(keys)
        if self._table is not None and self._table.key_dtype == _graphkiln.int64:
            values = ops.cast(values, _graphkiln.int64)
        with _scope(self, name, "_Lookup"):
            texts = values
            if texts.dtype != _graphkiln.string:
                texts = ops.strings.as_string(texts)
            ids = ops.strings.to_hash_bucket_fast(
                texts, num_buckets=self._num_oov_buckets, name="hash_bucket"
            )
            if self._table is not None:
                known = self._table.lookup(values)
                ids = ops.where(
                    ops.not_equal(known, self._table.default_value),
                    known,
                    ops.add(ids, self._table.size()),
                )
        return _placed_as(keys, ids)


class _ChangingTable(LookupInterface):
    """What both kinds of tables have whose keys come and go."""

    def _insert(self, keys, values, name):
        with _scope(self, name, "_lookup_table_insert"):
            keys = _graphkiln.convert_to_tensor(
                keys, dtype=self._key_dtype, name="keys"
            )
            values = _graphkiln.convert_to_tensor(
                values, dtype=self._value_dtype, name="values"
            )
            return raw_ops.LookupTableInsertV2(
                table_handle=self.resource_handle, keys=keys, values=values
            )

    def _remove(self, keys, name):
        with _scope(self, name, "_lookup_table_remove"):
            return raw_ops.LookupTableRemoveV2(
                table_handle=self.resource_handle, keys=keys
            )

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and their values."""
        with _graphkiln.name_scope(
            name or f"{self.name}_lookup_table_export_values"
        ):
            keys, values = self._export()
        return keys, values


class MutableHashTable(_ChangingTable):
    """A table whose keys come and go.

    Args:
      key_dtype: the dtype of the keys.
      value_dtype: the dtype of the values.
      default_value: of keys that are not there; its shape, () or that of a
        vector, is that of all values.
      name: of the op.
      checkpoint: is its content saved with the program's state?
      experimental_is_anonymous: takes no effect; a table lives as long as it is
        used.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    >>> table.insert(tf.constant(["a", "b"]), tf.constant([7, 8], tf.int64))
    >>> table.remove(tf.constant(["a"]))
    >>> table.lookup(tf.constant(["a", "b"])).numpy().tolist()
    [-1, 8]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = _graphkiln.convert_to_tensor(
            default_value, dtype=self._value_dtype
        )
        shape = self._default_value.shape
        shapes = {} if shape.rank == 0 else {"value_shape": shape}
        self._resource_handle = self._make(
            "MutableHashTable" if shape.rank == 0 else "MutableHashTableOfTensors",
            name,
            key_dtype=self._key_dtype,
            value_dtype=self._value_dtype,
            **shapes,
        )
        self._table_name = _name_in_graph(self._resource_handle)
        if checkpoint:
            collect_table(self, name)

    def lookup(
        self,
        keys: Any,
        dynamic_default_values: Any = None,
        name: str | None = None,
    ) -> Tensor:
        """The values of keys.

        Args:
          keys: a tensor.
          dynamic_default_values: values of those that are not there: one, or
            one for each key; None: the table's.
          name: of the op.
        """
        with _scope(self, name, "_lookup_table_find"):
            keys = _graphkiln.convert_to_tensor(
                keys, dtype=self._key_dtype, name="keys"
            )
            default = dynamic_default_values
            return self._find(
                keys, self._default_value if default is None else default
            )

    def insert(
        self, keys: Any, values: Any, name: str | None = None
    ) -> Operation | None:
        """Puts keys with their values into the table."""
        return self._insert(keys, values, name)

    def remove(self, keys: Any, name: str | None = None) -> Operation | None:
        """Takes keys, those that are there, out of the table."""
        _check_keys(keys, self._key_dtype)
        return self._remove(keys, name)


class DenseHashTable(_ChangingTable):
    """A table whose keys come and go, in buckets that two keys mark.

    Args:
      key_dtype: the dtype of the keys: integers or strings.
      value_dtype: the dtype of the values.
      default_value: of keys that are not there; its shape is that of all values.
      empty_key: marks buckets where no key was; cannot be a key itself.
      deleted_key: marks buckets whose key was taken out; another one.
      initial_num_buckets: a power of two.
      name: of the op.
      checkpoint: is its content saved with the program's state?
      experimental_is_anonymous: takes no effect.

    `export` gives all buckets, those that are empty, too.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.string, tf.int64, -1, empty_key="", deleted_key="$")
    >>> table.insert(tf.constant(["a", "b"]), tf.constant([7, 8], tf.int64))
    >>> table.lookup(tf.constant(["a", "c"])).numpy().tolist()
    [7, -1]
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = _graphkiln.convert_to_tensor(
            default_value, dtype=self._value_dtype, name="default_value"
        )
        buckets = {}
        if initial_num_buckets is not None:
            buckets["initial_num_buckets"] = initial_num_buckets
        self._resource_handle = self._make(
            "MutableDenseHashTable",
            name,
            empty_key=_graphkiln.convert_to_tensor(
                empty_key, dtype=self._key_dtype, name="empty_key"
            ),
            deleted_key=_graphkiln.convert_to_tensor(
                deleted_key, dtype=self._key_dtype, name="deleted_key"
            ),
            value_dtype=self._value_dtype,
            value_shape=self._default_value.shape,
            **buckets,
        )
        self._table_name = _name_in_graph(self._resource_handle)
        if checkpoint:
            collect_table(self, name)

    def lookup(self, keys: Any, name: str | None = None) -> Tensor:
        """The values of keys; the default value of those that are not there."""
        with _scope(self, name, "_lookup_table_find"):
            keys = _graphkiln.convert_to_tensor(
                keys, dtype=self._key_dtype, name="keys"
            )
            return self._find(keys, self._default_value)

    def insert_or_assign(
        self, keys: Any, values: Any, name: str | None = None
    ) -> Operation | None:
        """Puts keys with their values into the table."""
        return self._insert(keys, values, name)

    def insert(
        self, keys: Any, values: Any, name: str | None = None
    ) -> Operation | None:
        """Puts keys with their values into the table."""
        return self.insert_or_assign(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation | None:
        """Takes keys, those that are there, out of the table."""
        if keys.dtype != self._key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self._key_dtype}, got "
                f"{keys.dtype}."
            )
        return self._remove(keys, name)

    def remove(self, keys: Any, name: str | None = None) -> Operation | None:
        """Takes keys, those that are there, out of the table."""
        return self.erase(keys, name)
