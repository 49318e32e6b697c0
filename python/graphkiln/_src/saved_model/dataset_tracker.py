"""Datasets that functions of a saved model capture."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._src.function.function import function
from graphkiln._src.saved_model.resources import Asset


def is_dataset(value: Any) -> bool:
    """Is it a tf.data.Dataset?"""
    return isinstance(value, _graphkiln.DatasetBase)


class DatasetTracker:
    """The handle of a dataset, which a loaded model makes anew.

    Args:
      dataset: the dataset.
    """

    def __init__(self, dataset: Any) -> None:
        self.handle = dataset._variant_tensor
        # The files that it reads go along with the model.
        self._assets = {
            path: Asset(path)
            for names in _graphkiln._files_of_dataset(self.handle)
            for path in names.numpy().flatten().tolist()
        }

    def assets(self) -> list[tuple[str, Asset]]:
        """Its files, by the names that they have in the model."""
        return [(f"file_{i}", a) for i, a in enumerate(self._assets.values())]

    def _names(self, given: Any) -> Any:
        paths = given.numpy().flatten().tolist()
        if not paths:
            return given
        return raw_ops.Pack(values=[self._assets[path].asset_path for path in paths])

    def functions(self) -> list[tuple[str, Any]]:
        """What makes it, by the name that loaders know."""

        def create() -> Any:
            return _graphkiln._remade_dataset(self.handle, self._names)

        return [
            ("_create_resource", function(create, input_signature=[], autograph=False))
        ]
