"""Files that models of sessions take along: their names in a model, and where a
graph wants them again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.host.private_files import filecmp
from graphkiln._src.saved_model import constants
from graphkiln._src.session.scoped_names import scoped_name


def _path_of(tensor: Any) -> str:
    if not isinstance(tensor, _graphkiln.Tensor):
        raise TypeError(f"Asset path tensor {tensor} must be a Tensor.")
    if tensor.op.type != "Const":
        raise TypeError(
            f"Asset path tensor {tensor} must be of type constant. Has type "
            f"{tensor.op.type} instead."
        )
    if tensor.dtype != _graphkiln.string:
        raise TypeError(
            f"Asset path tensor {tensor} must be of dtype string. Has type "
            f"{tensor.dtype} instead."
        )
    values = tensor.op.get_attr("value").string_val
    if len(values) != 1:
        raise TypeError(f"Asset path tensor {tensor} must be a scalar.")
    if not values[0]:
        raise ValueError(f"Asset filepath tensor {tensor} is invalid: it is empty.")
    return os.fsdecode(values[0])


def name_of_file(path: str, files: dict[str, str]) -> str:
    """The name that a file has in a model: its own, numbered if another file of
    `files`, paths by names, has it."""
    own = os.path.basename(path)
    if own not in files or path == files[own] or filecmp(path, files[own]):
        return own
    name, number = own, 0
    while name in files:
        number += 1
        name = f"{own}_{number}"
    return name


def named_assets(tensors: Iterable[Any] | None) -> tuple[dict[str, str], list[Any]]:
    """The files that constants name: their paths by the names that they have in a
    model, and AssetFileDefs of the constants."""
    files: dict[str, str] = {}
    messages = []
    for tensor in tensors or ():
        path = _path_of(tensor)
        message = _proto.AssetFileDef(filename=name_of_file(path, files))
        message.tensor_info.name = tensor.name
        files[message.filename] = path
        messages.append(message)
    return files, messages


def copy_assets(files: dict[str, str], export_dir: str, copied: set[str]) -> None:
    """Copies files into a model, but those that are there (`copied`)."""
    if not files:
        return
    folder = os.path.join(export_dir, constants.ASSETS_DIRECTORY)
    _graphkiln.gfile_makedirs(folder)
    for name, path in files.items():
        to = os.path.join(folder, name)
        if path != to and to not in copied and _graphkiln.gfile_exists(path):
            _graphkiln.gfile_copy(path, to, overwrite=True)
            copied.add(to)


def get_asset_tensors(
    export_dir: str, meta_graph_def_to_load: Any, import_scope: str | None = None
) -> dict[str, str]:
    """Paths of a model's files by the names of the tensors that want them."""
    messages = list(meta_graph_def_to_load.asset_file_def)
    collections = meta_graph_def_to_load.collection_def
    if not messages and constants.ASSETS_KEY in collections:
        for packed in collections[constants.ASSETS_KEY].any_list.value:
            messages.append(_proto.AssetFileDef.FromString(packed.value))
    folder = os.path.join(os.fspath(export_dir), constants.ASSETS_DIRECTORY)
    return {
        scoped_name(message.tensor_info.name, import_scope): os.path.join(
            folder, message.filename
        )
        for message in messages
    }
