"""What tables get their content from: tensors, and lines of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import DType, Operation
from graphkiln._src.checkpoint.trackable import Trackable
from graphkiln._src.saved_model.resources import Asset
from graphkiln._src.session.graph_keys import GraphKeys

if TYPE_CHECKING:
    from graphkiln._src.lookup.tables import LookupInterface


def check_table_dtypes(table, key_dtype, value_dtype) -> None:
    """TypeError if a table has other types."""
    if key_dtype != table.key_dtype:
        raise TypeError(
            f"Invalid key dtype for table, expected {table.key_dtype} but got "
            f"{key_dtype}."
        )
    if value_dtype != table.value_dtype:
        raise TypeError(
            "Invalid value dtype for table, expected "
            f"{table.value_dtype} but got {value_dtype}."
        )


def _collected(op: Operation | None) -> Operation | None:
    """The op, which tf.compat.v1.tables_initializer runs; None: it has run."""
    if op is not None:
        op.graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
    return op


class TableInitializerBase(Trackable):
    """Base of what tables get their content from: knows its types, and
    initializes a table of these."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = _graphkiln.as_dtype(key_dtype)
        self._value_dtype = _graphkiln.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: LookupInterface) -> Operation | None:
        """Gives the table its content."""
        raise NotImplementedError

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        return {}


class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and values of a table, from tensors.

    Args:
      keys: a vector.
      values: as many.
      key_dtype, value_dtype: their dtypes, where they have none.
      name: of the op.

    >>> init = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(init, -1)[tf.constant("b")].numpy().item()
    2
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = _graphkiln.convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = _graphkiln.convert_to_tensor(
            values, dtype=value_dtype, name="values"
        )
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: LookupInterface) -> Operation | None:
        """Gives the table these keys and values."""
        check_table_dtypes(table, self._keys.dtype, self._values.dtype)
        with _graphkiln.name_scope(self._name):
            op = raw_ops.LookupTableImportV2(
                table_handle=table.resource_handle,
                keys=self._keys,
                values=self._values,
            )
        return _collected(op)


class TextFileIndex:
    """What of a line becomes a key or a value, if not one of its columns.

    >>> tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    (-2, -1)
    """

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def _check_column(what: str, index: int, dtype) -> None:
    if index < -2:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype != _graphkiln.int64:
        raise ValueError(
            f"`{what}_dtype` must be int64 if `{what}_index` is "
            f"{TextFileIndex.LINE_NUMBER}, received: {dtype}"
        )
    if (
        index == TextFileIndex.WHOLE_LINE
        and not dtype.is_integer
        and dtype != _graphkiln.string
    ):
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for "
            f"`{what}_index` {TextFileIndex.WHOLE_LINE}, received: {dtype}"
        )


class TextFileInitializer(TableInitializerBase):
    """Keys and values of a table, from the lines of a text file.

    Args:
      filename: of the file.
      key_dtype: the dtype of the keys.
      key_index: the column that is the key, or one of `tf.lookup.TextFileIndex`.
      value_dtype: the dtype of the values.
      value_index: the same of the value.
      vocab_size: how many lines to read; None: all.
      delimiter: the character between columns.
      name: of the op.
      value_index_offset: what is added to line numbers.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words")
    >>> _ = open(path, "w").write("emerson\\nlake\\npalmer\\n")
    >>> init = tf.lookup.TextFileInitializer(
    ...     path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
    ...     tf.lookup.TextFileIndex.LINE_NUMBER)
    >>> tf.lookup.StaticHashTable(init, -1)[tf.constant("lake")].numpy().item()
    1
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, _graphkiln.Tensor) and not filename:
            raise ValueError(
                "`filename` argument required for tf.lookup.TextFileInitializer"
            )
        key_dtype = _graphkiln.as_dtype(key_dtype)
        value_dtype = _graphkiln.as_dtype(value_dtype)
        _check_column("key", key_index, key_dtype)
        _check_column("value", value_index, value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename = Asset(filename)
        self._key_index = key_index
        self._value_index = value_index
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._name = name
        self._offset = value_index_offset
        super().__init__(key_dtype, value_dtype)

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        return {"_filename": self._filename}

    def initialize(self, table: LookupInterface) -> Operation | None:
        """Gives the table the content of the file."""
        check_table_dtypes(table, self.key_dtype, self.value_dtype)
        with _graphkiln.name_scope(self._name or "text_file_init"):
            filename = self._filename.asset_path
            op = raw_ops.InitializeTableFromTextFileV2(
                table_handle=table.resource_handle,
                filename=filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
                offset=self._offset,
            )
        if op is not None and _graphkiln.get_static_value(filename) is not None:
            op.graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, filename)
        return _collected(op)
