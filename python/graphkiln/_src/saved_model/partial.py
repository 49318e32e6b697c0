"""Parts of saved models, and objects of a program in the places of theirs."""

from __future__ import annotations

import collections
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from graphkiln._src.checkpoint.trackable import is_tracked
from graphkiln._src.checkpoint.tracked_containers import TrackableDataStructure
from graphkiln._src.saved_model.load import load_objects
from graphkiln._src.saved_model.session_loader import parse_saved_model

_ROOT = "root"
_HANDLES = {"variable": "handle", "resource": "resource_handle"}


def _leave(owner: Any, name: str, value: Any) -> None:
    """Of what has its parts already."""


class Part:
    """Which objects of a model are wanted.

    `given` are objects of the program that stand in the places of some, by their
    numbers; `setters` set what is in these. `wanted` are the numbers of all, None
    if it is the whole model.

    Args:
      graph: the SavedObjectGraph.
      filters: paths below "root"; of a dictionary with objects of the program, None,
        or pairs of an object and its setter.
    """

    def __init__(self, graph: Any, filters: Iterable[str]) -> None:
        self._graph = graph
        self.given: dict[int, Any] = {}
        self.setters: dict[int, Callable] = {}
        self.numbers = {path: self._number(path) for path in filters}
        if isinstance(filters, Mapping):
            for path, value in filters.items():
                made, setter = value if isinstance(value, tuple) else (value, setattr)
                if made is None:
                    continue
                if not is_tracked(made):
                    raise TypeError(
                        "Error when processing dictionary values passed to "
                        f"nodes_to_load.Object at {path} is expected to be a "
                        "checkpointable (i.e. 'trackable') TensorFlow object (e.g. "
                        "tf.Variable, tf.Module or Keras layer)."
                    )
                self._give(self.numbers[path], made, setter)
        reached = self._reached()
        self.wanted = None if 0 in reached else reached
        if self.wanted is not None:
            self._check_captures()

    def handles(self) -> dict[int, Any]:
        """Of the variables and resources that are given."""
        found = {}
        for number, made in self.given.items():
            kind = self._graph.nodes[number].WhichOneof("kind")
            handle = getattr(made, _HANDLES.get(kind, ""), None)
            if handle is not None:
                found[number] = handle
        return found

    def _number(self, path: str) -> int:
        if not isinstance(path, str):
            raise TypeError("Elements in node_filters must be strings.")
        first, *names = path.split(".")
        if first != _ROOT:
            raise ValueError(
                "When passing string identifiers to node_filters, the first name must "
                f"be {_ROOT}. Received {first}."
            )
        number = 0
        for count, name in enumerate(names, 2):
            children = self._graph.nodes[number].children
            number = next((c.node_id for c in children if c.local_name == name), -1)
            if number < 0:
                below = ".".join(path.split(".")[:count])
                raise ValueError(f"Unable to find node {below}.")
        return number

    def _give(self, number: int, made: Any, setter: Callable) -> None:
        self.given[number] = made
        if self._graph.nodes[number].WhichOneof("kind") != "variable":
            self.setters[number] = setter

    def _walk(self, starts: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """The starts and all that is below them, each once, with a shortest path."""
        waiting, seen = collections.deque(starts), set()
        while waiting:
            number, path = waiting.popleft()
            if number in seen:
                continue
            seen.add(number)
            yield number, path
            for child in self._graph.nodes[number].children:
                waiting.append((child.node_id, f"{path}.{child.local_name}"))

    def _reached(self) -> set[int]:
        """All that is below the filters; parts of given objects are given, too."""
        reached = set()
        starts = ((number, path) for path, number in self.numbers.items())
        for number, _ in self._walk(starts):
            reached.add(number)
            find = getattr(self.given.get(number), "_lookup_dependency", None)
            if find is None:
                continue
            for child in self._graph.nodes[number].children:
                if child.node_id in self.given:
                    continue
                part = find(child.local_name)
                if part is not None:
                    known = isinstance(part, TrackableDataStructure)
                    setter = _leave if known else self.setters.get(number, setattr)
                    self._give(child.node_id, part, setter)
        return reached

    def _check_captures(self) -> None:
        """Raises where a function that is wanted needs what is not."""
        functions = self._graph.concrete_functions
        for number in self.wanted or ():
            node = self._graph.nodes[number]
            names = [
                *node.function.concrete_functions,
                node.bare_concrete_function.concrete_function_name,
            ]
            for name in filter(functions.__contains__, names):
                for needed in functions[name].bound_inputs:
                    if needed not in self.wanted:
                        raise ValueError(
                            "Unable to partially load SavedModel since the specified "
                            "filter does not include all required objects for loading "
                            "(e.g. variables used in functions or deserialization "
                            "dependencies). Please include this path in the filter: "
                            f"{self._path_of(needed)}"
                        )

    def _path_of(self, wanted: int) -> str:
        paths = (path for n, path in self._walk([(0, _ROOT)]) if n == wanted)
        return next(paths, str(wanted))


def load_partial(
    export_dir: str | os.PathLike, filters: Any, tags: Any = None, options: Any = None
) -> dict[str, Any]:
    """Loads objects of a SavedModel by their paths, and what is in them.

    Args:
      export_dir: where it is.
      filters: paths, such as "root.layers". Of a dictionary an object of the program
        may be a value, or a pair of one and a function (object, name, value) that
        sets what is in it: it stands in the place of the saved one, and variables get
        the saved values, in a graph that a session runs by their initializers. None:
        it is made, as those without a value are.
      tags, options: as of `tf.saved_model.load`.

    Returns:
      The objects by path.

    Raises:
      ValueError: there is no such path, or a function uses what is not loaded.
      TypeError: a value is nothing that can be saved.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> module = tf.Module()
    >>> module.v = tf.Variable(3.0)
    >>> tf.saved_model.save(module, folder)
    >>> mine = tf.Variable(0.0)
    >>> loaded = tf.__internal__.saved_model.load_partial(folder, {"root.v": mine})
    >>> loaded["root.v"] is mine, mine.numpy().item()
    (True, 3.0)
    """
    graph = parse_saved_model(export_dir).meta_graphs[0]
    if not graph.HasField("object_graph_def"):
        raise ValueError(
            "SavedModels saved from Tensorflow 1.x) cannot be loaded with node filters."
        )
    part = Part(graph.object_graph_def, filters)
    _, loader = load_objects(export_dir, tags, options, part)
    return {path: loader.object(number) for path, number in part.numbers.items()}
