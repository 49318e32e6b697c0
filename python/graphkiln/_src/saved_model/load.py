"""tf.saved_model.load."""

from __future__ import annotations

import _thread
import os

from graphkiln import _graphkiln, _loading
from graphkiln._graphkiln import DataLossError, NotFoundError
from graphkiln._src.checkpoint.auto_trackable import AutoTrackable
from graphkiln._src.checkpoint.data_structures import (
    ListWrapper,
    _DictWrapper,
    _TupleWrapper,
)
from graphkiln._src.saved_model import constants
from graphkiln._src.saved_model.late_functions import (
    HasLateFunctions,
    SignatureMap,
    add_late,
    find_in_object,
)
from graphkiln._src.saved_model.resources import SAVED_AS, Asset, RestoredResource

# Nothing is imported for annotations: a program that loads a small model would
# wait for `typing` longer than for the model.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from graphkiln._src.saved_model.options import LoadOptions
    from graphkiln._src.saved_model.partial import Part


class _UserObject(HasLateFunctions, AutoTrackable):
    """Stands for an object whose class the file does not hold."""


class _SlotOwner(_UserObject):
    """One that has variables for variables of others: an optimizer."""

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
    has_slots = node is not None and node.slots
    made = type("_UserObject", (_SlotOwner if has_slots else _UserObject,), {})()
    if has_slots:
        object.__setattr__(made, "_slots", {})
    if node is not None and node.is_registered:
        made.__dict__[SAVED_AS] = node.message
    return made


_FUNCTIONS = ("function", "bare_concrete_function")


# Of objects whose class the file tells otherwise, or not at all.
_KNOWN = frozenset(("", "_generic_user_object"))


class Loader:
    """Makes the objects of a model, each once.

    Args:
      variables: those of a graph, by the numbers of the objects.
      part: which objects are wanted, where it is not all.
    """

    def __init__(
        self, model: Any, variables: dict[int, Any], part: Part | None = None
    ) -> None:
        self._model = model
        self._variables = variables
        self._part = part
        self._nodes = model.objects
        self._kinds = [node.kind for node in self._nodes]
        self._made: dict[int, Any] = {}
        # How what is in an object is set, where that is no attribute of ours.
        self._setters: dict[int, Callable] = {}
        if part is not None:
            self._made.update(part.given)
            self._setters.update(part.setters)
        self._lock = _thread.RLock()

    def root(self) -> Any:
        wanted = range(len(self._kinds))
        if self._part is not None and self._part.wanted is not None:
            wanted = sorted(self._part.wanted)
        others = [n for n in wanted if self._kinds[n] not in _FUNCTIONS]
        for number in others:
            self.object(number)
        for number in others:
            self._fill(number, self._made[number], self._nodes[number])
        if wanted and wanted[0] == 0:
            return self.object(0)
        return _user_object(None)

    def aliased(self, root: Any) -> dict[str, Any]:
        """The functions that have aliases, by those; of one that no object is, its
        traces."""
        if hasattr(root, "function_aliases"):
            raise ValueError(
                "Could not load with experimental_load_function_aliases option "
                "because the top-level object already has an attributed with name "
                "'function_aliases'"
            )
        model = self._model
        functions = model.aliased_functions
        found = {alias: self.object(number) for alias, number in functions.items()}
        for alias, names in model.aliased_traces.items():
            found[alias] = [model.trace(name) for name in names]
        return found

    def _later(self, number: int) -> Callable[[], Any]:
        """What makes a function, once it is asked for."""

        def make() -> Any:
            with self._lock, _graphkiln.init_scope():
                return self.object(number)

        return make

    def object(self, number: int) -> Any:
        if number not in self._made:
            self._made[number] = None  # of a tuple inside itself
            try:
                self._made[number] = self._make(number, self._nodes[number])
            except BaseException:
                del self._made[number]
                raise
        return self._made[number]

    def _make(self, number: int, node: Any) -> Any:
        kind = self._kinds[number]
        if kind in _FUNCTIONS:
            return self._model.function(number)
        if number in self._variables:
            return self._variables[number]
        if kind in ("variable", "constant"):
            return self._model.value(number)
        if kind == "asset":
            return Asset(self._model.value(number))
        if kind == "resource":
            made = type("RestoredResource", (RestoredResource,), {})
            return made(self._model.value(number))
        identifier = node.identifier
        if identifier == "trackable_list_wrapper":
            return ListWrapper([])
        if identifier == "trackable_dict_wrapper":
            return _DictWrapper({})
        if identifier == "trackable_tuple_wrapper":
            return _TupleWrapper(tuple(self._elements(node)))
        if identifier == "signature_map":
            return SignatureMap()
        if identifier not in _KNOWN:
            revived = self._revived(number, node)
            if revived is not None:
                return revived
        return _user_object(node)

    def _revived(self, number: int, node: Any) -> Any:
        """An object of a kind that the program has registered, or None."""
        # Few programs have registered any.
        kinds = _loading.load("graphkiln._src.internal.revived_types")
        registration = kinds.find_registration(node.message)
        if registration is None:
            return None
        made, self._setters[number] = registration
        return made

    def _elements(self, node: Any) -> list[Any]:
        """Those of a list or tuple, each in its place; what was not saved is None."""
        places = {int(name): n for name, n in node.children if name.isdigit()}
        elements: list[Any] = [None] * (max(places, default=-1) + 1)
        for place, number in places.items():
            elements[place] = self.object(number)
        return elements

    def _fill_by(self, setter: Callable, owner: Any, node: Any) -> None:
        """Sets what is in an object of a class of the program's."""
        for variable, name, slot in node.slots:
            made = owner.add_slot(var=self.object(variable), slot_name=name)
            made.assign(self.object(slot))
        for name, number in node.children:
            setter(owner, name, self.object(number))
            if name == "__call__" and not callable(owner):
                find_in_object(type(owner), name)

    def _fill(self, number: int, owner: Any, node: Any) -> None:
        """Sets what is in an object."""
        if number in self._setters:
            self._fill_by(self._setters[number], owner, node)
            return
        if isinstance(owner, RestoredResource):
            owner.__dict__["_saveable_functions"] = {
                name: (self._later(save), self._later(restore))
                for name, (save, restore) in node.saveables.items()
            }
        if isinstance(owner, _SlotOwner):
            for variable, name, slot in node.slots:
                owner.add_slot(self._made[variable], name, self._made[slot])
        if isinstance(owner, list):
            owner.extend(self._elements(node))
            return
        for name, number in node.children:
            late = self._kinds[number] in _FUNCTIONS
            if isinstance(owner, dict):
                owner[name] = self.object(number)
            elif late and isinstance(owner, SignatureMap):
                owner._add_late(name, self._later(number))
            elif isinstance(owner, SignatureMap):
                owner._add_signature(name, self.object(number))
            elif late and isinstance(owner, HasLateFunctions):
                add_late(owner, name, self._later(number))
            elif isinstance(owner, HasLateFunctions):
                setattr(owner, name, self.object(number))
                if name == "__call__":
                    find_in_object(type(owner), name)


def _in_graph(model: Any, part: Part | None) -> tuple[Any, dict[int, Any]]:
    """The model in the graph that a session runs, and its variables there."""
    # Few programs have such graphs.
    module = _loading.load("graphkiln._src.saved_model.graph_values")
    values = module.GraphValues(model.graph is not None, part)
    return model.in_graph(values), values.variables


def load_objects(
    export_dir: str | os.PathLike,
    tags: Any,
    options: LoadOptions | None,
    part: Part | None = None,
) -> tuple[Any, Loader]:
    """The root of a model, or of a part of it, and what makes its objects."""
    folder = os.fspath(export_dir)
    if isinstance(tags, str):
        tags = [tags]
    given = {}
    if part is not None:
        with _graphkiln.init_scope():
            # In graphs that sessions run, initializers set what is given.
            given = part.handles() if _graphkiln.executing_eagerly() else {}
    try:
        model = _graphkiln._load_saved_model(
            folder,
            None if tags is None else list(tags),
            options is not None and options.allow_partial_checkpoint,
            options is not None and options.experimental_skip_checkpoint,
            options is not None
            and options.experimental_variable_policy.value is not None,
            given,
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
            variables: dict[int, Any] = {}
            if not _graphkiln.executing_eagerly():
                model, variables = _in_graph(model, part)
            loader = Loader(model, variables, part)
            root = loader.root()
            if options is not None and options.experimental_load_function_aliases:
                root.function_aliases = loader.aliased(root)
            if model.graph is not None:
                model.add_graph_to(root)
        if isinstance(root, AutoTrackable):
            root.tensorflow_version = model.tensorflow_version
            root.tensorflow_git_version = model.tensorflow_git_version
            root.graph_debug_info = _debug_info(folder)
    except DataLossError as error:
        raise DataLossError(
            None, None, f"The SavedModel at {folder} is damaged: {error.message}"
        ) from None
    return root, loader


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
    return load_objects(export_dir, tags, options)[0]


def _debug_info(folder: str) -> object:
    """The GraphDebugInfo of a model, or None: most have none."""
    path = os.path.join(
        folder, constants.DEBUG_DIRECTORY, constants.DEBUG_INFO_FILENAME_PB
    )
    if not _graphkiln.gfile_exists(path):
        return None
    with _graphkiln.GFile(path, "rb") as file:
        content = file.read()
    message = _loading.load("graphkiln._proto").GraphDebugInfo
    try:
        return message.FromString(content)
    except ValueError as error:
        raise DataLossError(
            None, None, f"{path} is no GraphDebugInfo: {error}"
        ) from None


def contains_saved_model(export_dir: str | os.PathLike) -> bool:
    """Is there a saved model in the folder?

    Args:
      export_dir: the folder.

    >>> tf.saved_model.contains_saved_model("/no/such/folder")
    False
    """
    return _graphkiln._contains_saved_model(os.fspath(export_dir))
