"""TensorFlow's private functions of checkpoints, which its tests and some packages
use."""

from __future__ import annotations

import os

from graphkiln import _graphkiln, _proto, initializers, train
from graphkiln._src.checkpoint.state_file import (  # noqa: F401
    update_checkpoint_state as update_checkpoint_state_internal,
)
from graphkiln.compat import v1


def list_objects(root_trackable: object) -> list:
    """All objects that a checkpoint of one has."""
    return train.TrackableView(root_trackable).descendants()


def object_metadata(save_path: str) -> object:
    """The TrackableObjectGraph of a checkpoint."""
    reader = train.load_checkpoint(save_path)
    key = "_CHECKPOINTABLE_OBJECT_GRAPH"
    if not reader.has_tensor(key):
        raise ValueError(
            f'The specified checkpoint "{save_path}" does not appear to be '
            "object-based (saved with TF2) since it is missing the key "
            f'"{key}". Likely it was created with the TF1 name-based saver and '
            "does not contain an object dependency graph."
        )
    return _proto.TrackableObjectGraph.FromString(reader.get_tensor(key))


def _variable_of(
    name: str, shape: object, dtype: object, initializer: object, trainable: bool
) -> object:
    if initializer is None:
        dtype = _graphkiln.as_dtype(dtype)
        made = initializers.GlorotUniform if dtype.is_floating else initializers.Zeros
        initializer = made()
    value, of_dtype = initializer, None
    if callable(initializer):
        of_dtype = dtype

        def value() -> object:
            return initializer(shape, dtype=dtype)

    return v1.Variable(value, name=name, trainable=trainable, dtype=of_dtype)


def add_variable(
    trackable: object, name: str, shape: object = None,
    dtype: object = _graphkiln.float32, initializer: object = None,
    trainable: bool = True,
) -> object:
    """A new variable that is a part of `trackable`."""
    return trackable._add_variable_with_custom_getter(
        name=name, shape=shape, dtype=dtype, initializer=initializer,
        getter=_variable_of, trainable=trainable,
    )


def gather_initializers(root_trackable: object) -> list:
    """What gives the variables of an object their first values, in a graph."""
    return [
        part.initializer
        for part in list_objects(root_trackable)
        if getattr(part, "initializer", None) is not None
    ]


def meta_graph_filename(
    checkpoint_filename: str, meta_graph_suffix: str = "meta"
) -> str:
    """Where the meta graph of a checkpoint is."""
    return f"{checkpoint_filename}.{meta_graph_suffix}"


def parse_saved_model(export_dir: str) -> object:
    """The SavedModel that is in a folder."""
    path = os.path.join(export_dir, "saved_model.pb")
    if not os.path.exists(path):
        raise OSError(f"SavedModel file does not exist at: {export_dir}")
    with open(path, "rb") as file:
        return _proto.SavedModel.FromString(file.read())


class SaveSpec:
    """A tensor that is saved, and what it is called.

    Args:
      tensor: the tensor, or a function that gives it.
      slice_spec: which slice of a larger one it is.
      name: of the tensor.
      dtype: of the tensor, if it is a function's.
      device: as `dtype`.
    """

    def __init__(
        self,
        tensor: object,
        slice_spec: str,
        name: str,
        dtype: object = None,
        device: object = None,
    ) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError(
                "When passing a callable `tensor` to a SaveSpec, an explicit dtype "
                "and device must be provided."
            )
        self.dtype = dtype if callable(tensor) else tensor.dtype
        self.device = tensor.device if device is None else device

    @property
    def tensor(self) -> object:
        """The tensor."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Base of what is saved of an object, as several tensors.

    Args:
      op: the object.
      specs: a SaveSpec of each tensor.
      name: what it is saved by.
    """

    def __init__(self, op: object, specs: list[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self) -> object:
        """Where the first tensor is."""
        return self.specs[0].device

    def restore(self, restored_tensors: list, restored_shapes: list | None) -> object:
        """Gives the object its tensors; what a graph runs for that."""
        raise ValueError("Calling an abstract method.")


class BaseSaverBuilder:
    """What TensorFlow has these classes in as well."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject


class UninitializedVariable(_graphkiln.Variable):
    """A variable that has no value until it is assigned one."""
