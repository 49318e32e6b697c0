"""Parts of TensorFlow's private `warm_starting_util` and `lookup_ops`."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, lookup
from graphkiln._src.checkpoint.warm_start import (
    VocabInfo,
    name_of_variable,
    start_with_entries,
)
from graphkiln._src.version_one.partitioned_variables import PartitionedVariable


def _parts(var: Any) -> list[Any]:
    parts = list(var) if isinstance(var, (list, tuple, PartitionedVariable)) else [var]
    if not all(isinstance(part, _graphkiln.Variable) for part in parts):
        raise TypeError(
            "var MUST be one of the following: a Variable, list of Variable or "
            f"PartitionedVariable, but is {type(var)}"
        )
    return parts


def _get_var_info(var: Any, prev_tensor_name: str | None = None) -> tuple[str, Any]:
    """The name of a variable in a checkpoint, and the variable or its parts."""
    parts = _parts(var)
    name = prev_tensor_name or name_of_variable(parts[0])
    return name, parts[0] if len(parts) == 1 else parts


def _warm_start_var_with_vocab(
    var: Any,
    current_vocab_path: str,
    current_vocab_size: int,
    prev_ckpt: str,
    prev_vocab_path: str,
    previous_vocab_size: int = -1,
    current_oov_buckets: int = 0,
    prev_tensor_name: str | None = None,
    initializer: Any = None,
    axis: int = 0,
) -> None:
    """A variable begins with what a checkpoint has of the entries of a file."""
    if not (current_vocab_path and current_vocab_size and prev_ckpt and prev_vocab_path):
        raise ValueError(
            "Invalid args: Must provide all of [current_vocab_path, "
            "current_vocab_size, prev_ckpt, prev_vocab_path}."
        )
    parts = _parts(var)
    vocabulary = VocabInfo(
        current_vocab_path,
        current_vocab_size,
        current_oov_buckets,
        prev_vocab_path,
        previous_vocab_size,
        initializer,
        axis,
    )
    name = prev_tensor_name or name_of_variable(parts[0])
    start_with_entries(prev_ckpt, name, parts, vocabulary)


class TextFileIdTableInitializer(lookup.TextFileInitializer):
    """The lines of a file, or a column of them, with their numbers as ids."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = lookup.TextFileIndex.WHOLE_LINE,
        value_column_index: int = lookup.TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: Any = _graphkiln.string,
    ) -> None:
        super().__init__(
            filename,
            key_dtype,
            key_column_index,
            _graphkiln.int64,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )


class TextFileStringTableInitializer(lookup.TextFileInitializer):
    """The lines of a file, or a column of them, by their numbers."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = lookup.TextFileIndex.LINE_NUMBER,
        value_column_index: int = lookup.TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename,
            _graphkiln.int64,
            key_column_index,
            _graphkiln.string,
            value_column_index,
            vocab_size,
            delimiter,
            name,
        )
