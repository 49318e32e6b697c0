"""By which names classes of specs are known that packages register."""

from __future__ import annotations

from graphkiln import _graphkiln

NAME_TO_TYPE_SPEC: dict[str, type] = {
    f"tf.{cls.__name__}": cls
    for cls in (
        _graphkiln.RaggedTensorSpec,
        _graphkiln.SparseTensorSpec,
        _graphkiln.TensorArraySpec,
        _graphkiln.TensorSpec,
    )
}
TYPE_SPEC_TO_NAME: dict[type, str] = {
    cls: name for name, cls in NAME_TO_TYPE_SPEC.items()
}
