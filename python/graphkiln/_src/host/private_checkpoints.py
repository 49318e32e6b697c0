"""TensorFlow's private functions of checkpoints, which its tests and some packages
use."""

from __future__ import annotations

from graphkiln import _graphkiln, _proto, initializers, raw_ops, train
from graphkiln._src.checkpoint.old_checkpoints import meta_graph_file
from graphkiln._src.checkpoint.saveables import SaveableObject, SaveSpec, value_of
from graphkiln._src.checkpoint.state_file import (  # noqa: F401
    update_checkpoint_state as update_checkpoint_state_internal,
)
from graphkiln.compat import v1

EVAL = "eval"
_SAVER_LABEL = "saver_v1"

_converts = False


def force_checkpoint_conversion(value: bool = True) -> None:
    """Notes that checkpoints are to be those of objects, as all here are."""
    global _converts
    _converts = value


def force_checkpoint_conversion_enabled() -> bool:
    return _converts


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
    return meta_graph_file(checkpoint_filename, meta_graph_suffix)


class VariableSaveable(SaveableObject):
    """A variable, or a slice of one."""

    def __init__(self, var: object, slice_spec: str, name: str) -> None:
        def value() -> object:
            return value_of(var)

        spec = SaveSpec(value, slice_spec, name, dtype=var.dtype, device=var.device)
        super().__init__(var, [spec], name)

    def restore(self, restored_tensors: list, restored_shapes: list | None) -> object:
        value = restored_tensors[0]
        if restored_shapes is not None:
            value = raw_ops.Reshape(tensor=value, shape=restored_shapes[0])
        return self.op.assign(value)


class BaseSaverBuilder:
    """What TensorFlow has these classes in as well."""

    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
    VariableSaveable = VariableSaveable
    ResourceVariableSaveable = VariableSaveable


class UninitializedVariable(_graphkiln.Variable):
    """A variable that has no value until it is assigned one."""

    def __init__(
        self,
        trainable: bool | None = None,
        caching_device: object = None,
        name: str | None = None,
        shape: object = None,
        dtype: object = None,
        **kwargs: object,
    ) -> None:
        shape = _graphkiln.TensorShape(shape)
        sizes = [size or 0 for size in shape] if shape.rank is not None else []
        dtype = _graphkiln.as_dtype(dtype)
        super().__init__(
            raw_ops.Empty(shape=sizes, dtype=dtype, init=True),
            trainable=trainable is not False,
            name=name,
            dtype=dtype,
            shape=shape,
        )
        if _graphkiln.executing_eagerly():
            _graphkiln._drop_value(self.handle)
