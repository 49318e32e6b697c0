"""Datasets that functions of a saved model capture."""

from __future__ import annotations

from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.function.function import function


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

    def functions(self) -> list[tuple[str, Any]]:
        """What makes it, by the name that loaders know."""

        def create() -> Any:
            return _graphkiln._remade_dataset(self.handle)

        return [
            ("_create_resource", function(create, input_signature=[], autograph=False))
        ]
