"""Objects that saved models hold beside variables and functions: files, and
resources that are made anew when a model is loaded."""

from __future__ import annotations

import os

from graphkiln import _graphkiln
from graphkiln._graphkiln import Tensor
from graphkiln._src.checkpoint.auto_trackable import AutoTrackable
from graphkiln._src.saved_model.late_functions import HasLateFunctions

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Of an object whose class or saver the program that saved it had registered: the
# SavedObject that it was, serialized.
SAVED_AS = "_saved_as"


class Asset(AutoTrackable):
    """A file that is saved with a model.

    Args:
      path: of the file; a string tensor will do.

    What a model computes from `asset_path` it computes, when it is loaded, from
    the copy that was saved with it. Raises FileNotFoundError when it is saved and
    there is no such file.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/words"
    >>> _ = open(path, "w").write("a b")
    >>> asset = tf.saved_model.Asset(path)
    >>> tf.io.read_file(asset.asset_path).numpy()
    b'a b'
    """

    def __init__(self, path: Any) -> None:
        if isinstance(path, os.PathLike):
            path = os.fspath(path)
        with _graphkiln.init_scope():
            self._path = _graphkiln.convert_to_tensor(
                path, dtype=_graphkiln.string, name="asset_path"
            )

    @property
    def asset_path(self) -> Tensor:
        """The path, a string scalar."""
        return self._path

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return _graphkiln.convert_to_tensor(self._path, dtype=dtype, name=name)


class TrackableResource(AutoTrackable):
    """Base of resources that are made when they are used first, and anew when a
    model that holds one is loaded.

    Args:
      device: accepted for compatibility.

    A class makes the resource in `_create_resource`, which gives the handle, and
    may fill it in `_initialize`.

    >>> class Numbers(tf.saved_model.experimental.TrackableResource):
    ...     def _create_resource(self):
    ...         return tf.raw_ops.MutableHashTableV2(
    ...             key_dtype=tf.int64, value_dtype=tf.int64)
    >>> Numbers().resource_handle.dtype
    tf.resource
    """

    def __init__(self, device: str = "") -> None:
        self._resource_handle: Tensor | None = None
        self._resource_device = device

    def _create_resource(self) -> Tensor:
        """The handle of a new resource."""
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Fills the resource."""

    def _destroy_resource(self) -> Any:
        """Lets go of it; handles do by themselves."""

    @property
    def resource_handle(self) -> Tensor:
        """The handle; the resource is made if it is not there."""
        if self._resource_handle is None:
            with _graphkiln.init_scope():
                self._resource_handle = self._create_resource()
        return self._resource_handle


class RestoredResource(HasLateFunctions, TrackableResource):
    """A resource of a loaded model.

    Args:
      handle: of the resource, or None.
    """

    def __init__(self, handle: Tensor | None) -> None:
        super().__init__()
        self._resource_handle = handle
        # By name of the value: what gives the function that saves it, and the one
        # that restores it.
        self.__dict__["_saveable_functions"] = {}

    @property
    def _self_saveable_object_factories(self) -> dict[str, Any]:
        return dict(self._saveable_functions)

    def _saveable_values(self) -> list[tuple[str, str, list[str]]]:
        """What a checkpoint has of it: (name, name of a variable, suffixes of the
        tensors' keys)."""
        return [
            (name, "", [part["name"].numpy().decode() for part in save()("")])
            for name, (save, _) in self._saveable_functions.items()
        ]

    def _saveable_tensors(self) -> list[Tensor]:
        return [
            part["tensor"]
            for save, _ in self._saveable_functions.values()
            for part in save()("")
        ]

    def _restore_saveable(self, name: str, tensors: Any) -> None:
        self._saveable_functions[name][1]()(*tensors)
