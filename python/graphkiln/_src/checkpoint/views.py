"""The graphs of objects of a program and of a checkpoint, to look at."""

from __future__ import annotations

import os
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.objects import Protocol, named_children


class TrackableView:
    """The objects that a checkpoint of `root` has.

    Args:
      root: an object.

    >>> module = tf.Module()
    >>> module.v = tf.Variable(1.0)
    >>> len(tf.train.TrackableView(module).descendants())
    2
    """

    def __init__(self, root: Any) -> None:
        self._root = root

    @property
    def root(self) -> Any:
        """The object at which it begins."""
        return self._root

    @classmethod
    def children(
        cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        """What is in an object, by the names of attributes, keys or places."""
        return dict(named_children(obj, save_type))

    def descendants(self) -> list[Any]:
        """All objects, each once, those nearer to the root first."""
        if type(self).children.__func__ is TrackableView.children.__func__:
            return _graphkiln._reachable_objects(self._root, Protocol())
        # A class of the user's says what is in an object.
        found, seen = [self._root], {id(self._root)}
        for obj in found:
            for child in self.children(obj).values():
                if id(child) not in seen:
                    seen.add(id(child))
                    found.append(child)
        return found


class CheckpointView:
    """The objects that a checkpoint has, by numbers; the root's is 0.

    Args:
      save_path: of the checkpoint.

    Raises:
      NotFoundError: there is none of that path.
      ValueError: it has no objects, only names.

    >>> import tempfile
    >>> path = tf.train.Checkpoint(v=tf.Variable([1.0])).write(
    ...     tempfile.mkdtemp() + "/ckpt")
    >>> tf.train.CheckpointView(path).children(0)
    {'v': 1}
    """

    def __init__(self, save_path: str | os.PathLike) -> None:
        path = os.fspath(save_path)
        reader = _graphkiln._open_checkpoint(path)
        if not reader.has_tensor("_CHECKPOINTABLE_OBJECT_GRAPH"):
            raise ValueError(
                f'The specified checkpoint "{path}" does not appear to be '
                "object-based (saved with TF2) since it is missing the key "
                '"_CHECKPOINTABLE_OBJECT_GRAPH". Likely it was created with the '
                "TF1 name-based saver and does not contain an object dependency "
                "graph."
            )
        text = reader.get_tensor("_CHECKPOINTABLE_OBJECT_GRAPH")
        self._graph = _proto.TrackableObjectGraph.FromString(text)

    def children(self, node_id: int) -> dict[str, int]:
        """The numbers of what is in an object, by name."""
        return {
            child.local_name: child.node_id
            for child in self._graph.nodes[node_id].children
        }

    def descendants(self) -> list[int]:
        """The numbers of all objects, the root first."""
        return list(self._walk())

    def _walk(self) -> dict[int, None]:
        found = {0: None}
        queue = [0]
        for node in queue:
            for child in self.children(node).values():
                if child not in found:
                    found[child] = None
                    queue.append(child)
        return found

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects of a program that are in the checkpoint, by number.

        Args:
          obj: the root, or an object that is described as one.
        """
        if isinstance(obj, TrackableView):
            obj = obj.root
        matched = {0: obj}
        queue = [0]
        for node in queue:
            children = dict(named_children(matched[node]))
            for name, child in self.children(node).items():
                if child not in matched and name in children:
                    matched[child] = children[name]
                    queue.append(child)
        return matched

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What is in both, numbers of what only the checkpoint has, and objects
        that only the program has.

        Args:
          obj: the root.
        """
        matched = self.match(obj)
        only_here = [node for node in self.descendants() if node not in matched]
        known = {id(value) for value in matched.values()}
        view = obj if isinstance(obj, TrackableView) else TrackableView(obj)
        only_there = [o for o in view.descendants() if id(o) not in known]
        return matched, only_here, only_there
