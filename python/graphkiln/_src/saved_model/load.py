"""tf.saved_model.load."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from google.protobuf.message import DecodeError

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import DataLossError, NotFoundError
from graphkiln._src.checkpoint.objects import AutoTrackable
from graphkiln._src.checkpoint.waiting import WAITING
from graphkiln._src.saved_model.late_functions import (
    HasLateFunctions,
    SignatureMap,
    add_late,
)
from graphkiln._src.saved_model.options import LoadOptions
from graphkiln._src.saved_model.resources import SAVED_AS, Asset, RestoredResource
from graphkiln._src.saved_model.restored_function import (
    restored_concrete_function,
    restored_function,
)
from graphkiln._src.saved_model.version_one import add_graph


class _UserObject(HasLateFunctions, AutoTrackable):
    """Stands for an object whose class the file does not hold."""


_OWN = (WAITING, "_slots")


class _SlotOwner(_UserObject):
    """One that has variables for variables of others: an optimizer."""

    def _trackable_children(self) -> dict[str, Any]:
        return {name: v for name, v in vars(self).items() if name not in _OWN}

    def get_slot_names(self) -> list[str]:
        return sorted({name for name, _ in self._slots})

    def get_slot(self, variable: Any, name: str) -> Any:
        return self._slots.get((name, variable.ref()))

    def add_slot(self, var: Any, slot_name: str, slot: Any) -> None:
        self._slots[slot_name, var.ref()] = slot

    def _create_or_restore_slot_variable(
        self, slot_variable_position: Any, slot_name: str, variable: Any
    ) -> None:
        slot = self.get_slot(variable, slot_name)
        if slot is not None:
            slot_variable_position.restore(slot)


def _user_object(node: Any) -> _UserObject:
    """One of a class of its own, which gets what Python looks up in classes."""
    made = type(
        "_UserObject", (_SlotOwner if node.slot_variables else _UserObject,), {}
    )()
    if node.slot_variables:
        object.__setattr__(made, "_slots", {})
    if node.registered_name or node.registered_saver:
        made.__dict__[SAVED_AS] = node
    return made


_FUNCTIONS = ("function", "bare_concrete_function")


class _Loader:
    """Makes the objects of a model, each once."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._graph = _proto.SavedObjectGraph.FromString(model.object_graph)
        self._made: dict[int, Any] = {}

        self._lock = threading.RLock()

    def root(self) -> Any:
        for number, node in enumerate(self._graph.nodes):
            if node.WhichOneof("kind") not in _FUNCTIONS:
                self._object(number)
        for number, node in enumerate(self._graph.nodes):
            if node.WhichOneof("kind") not in _FUNCTIONS:
                self._fill(self._made[number], node)
        return self._object(0)

    def _later(self, number: int) -> Callable[[], Any]:
        """What makes a function, once it is asked for."""

        def make() -> Any:
            with self._lock, _graphkiln.init_scope():
                return self._object(number)

        return make

    def _saved(self, name: str) -> Any:
        return self._graph.concrete_functions[name]

    def _object(self, number: int) -> Any:
        if number not in self._made:
            self._made[number] = None  # of a tuple inside itself
            self._made[number] = self._make(number, self._graph.nodes[number])
        return self._made[number]

    def _make(self, number: int, node: Any) -> Any:
        kind = node.WhichOneof("kind")
        if kind in ("variable", "constant"):
            return self._model.value(number)
        if kind == "asset":
            return Asset(self._model.value(number))
        if kind == "resource":
            made = type("RestoredResource", (RestoredResource,), {})
            return made(self._model.value(number))
        if kind == "function":
            return restored_function(
                self._model,
                list(node.function.concrete_functions),
                node.function.function_spec,
                self._saved,
            )
        if kind == "bare_concrete_function":
            bare = node.bare_concrete_function
            saved = self._saved(bare.concrete_function_name)
            return restored_concrete_function(self._model, bare, saved)
        identifier = node.user_object.identifier
        if identifier == "trackable_list_wrapper":
            return []
        if identifier == "trackable_dict_wrapper":
            return {}
        if identifier == "trackable_tuple_wrapper":
            return tuple(
                self._object(child.node_id)
                for child in sorted(node.children, key=_place)
                if child.local_name.isdigit()
            )
        if identifier == "signature_map":
            return SignatureMap()
        return _user_object(node)

    def _fill(self, owner: Any, node: Any) -> None:
        """Sets what is in an object."""
        if isinstance(owner, RestoredResource):
            owner._saveable_functions = {
                name: (
                    self._later(functions.save_function),
                    self._later(functions.restore_function),
                )
                for name, functions in node.saveable_objects.items()
            }
        if isinstance(owner, _SlotOwner):
            for slot in node.slot_variables:
                owner.add_slot(
                    self._made[slot.original_variable_node_id],
                    slot.slot_name,
                    self._made[slot.slot_variable_node_id],
                )
        if isinstance(owner, list):
            places = [child for child in node.children if child.local_name.isdigit()]
            owner.extend(self._object(c.node_id) for c in sorted(places, key=_place))
            return
        for child in node.children:
            name, number = child.local_name, child.node_id
            late = self._graph.nodes[number].WhichOneof("kind") in _FUNCTIONS
            if isinstance(owner, dict):
                owner[name] = self._object(number)
            elif late and isinstance(owner, SignatureMap):
                owner._add_late(name, self._later(number))
            elif isinstance(owner, SignatureMap):
                owner._add_signature(name, self._object(number))
            elif late and isinstance(owner, HasLateFunctions):
                add_late(owner, name, self._later(number))
            elif isinstance(owner, HasLateFunctions):
                setattr(owner, name, self._object(number))


def _place(child: Any) -> int:
    return int(child.local_name) if child.local_name.isdigit() else -1


def load(
    export_dir: str | os.PathLike, tags: Any = None, options: LoadOptions | None = None
) -> Any:
    """Loads a model that tf.saved_model.save has written, here or in TensorFlow.

    Args:
      export_dir: the folder.
      tags: of the graph that is wanted, a string or several; by default there is
        only one.
      options: a tf.saved_model.LoadOptions.

    Returns:
      An object with the attributes that the saved one had: variables, functions
      that run the traces which were saved, modules, lists and dictionaries;
      `signatures` has the functions that were saved as such, by name. Of a model
      that TensorFlow 1 wrote it has `signatures`, `variables`, `graph` and
      `prune(feeds, fetches)`, which cuts a function out of the graph.

    Raises:
      OSError: there is no model in the folder.
      ValueError: none with these tags.
      DataLossError: the files are damaged.

    >>> import tempfile
    >>> class Adder(tf.Module):
    ...     @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    ...     def add(self, x):
    ...         return x + 1.0
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Adder(), folder)
    >>> tf.saved_model.load(folder).add(2.0).numpy().item()
    3.0
    """
    folder = os.fspath(export_dir)
    options = options or LoadOptions()
    if isinstance(tags, str):
        tags = [tags]
    try:
        model = _graphkiln._load_saved_model(
            folder,
            None if tags is None else list(tags),
            options.allow_partial_checkpoint,
            options.experimental_skip_checkpoint,
        )
    except NotFoundError as error:
        if error.message.startswith("SavedModel file does not exist"):
            raise OSError(error.message) from None
        raise
    except _graphkiln.InvalidArgumentError as error:
        if "`tags`" in error.message or "with available tags" in error.message:
            raise ValueError(error.message) from None
        raise
    try:
        with _graphkiln.init_scope():
            root = _Loader(model).root()
            if model.graph is not None:
                add_graph(root, model)
        info = _proto.MetaGraphDef.MetaInfoDef.FromString(model.meta_info)
    except DecodeError as error:
        raise DataLossError(
            None, None, f"The SavedModel at {folder} is damaged: {error}"
        ) from None
    if isinstance(root, AutoTrackable):
        root.tensorflow_version = info.tensorflow_version
        root.tensorflow_git_version = info.tensorflow_git_version
        root.graph_debug_info = None
    return root


def contains_saved_model(export_dir: str | os.PathLike) -> bool:
    """Is there a saved model in the folder?

    Args:
      export_dir: the folder.

    >>> tf.saved_model.contains_saved_model("/no/such/folder")
    False
    """
    return _graphkiln._contains_saved_model(os.fspath(export_dir))
