"""tf.train.Checkpoint."""

from __future__ import annotations

import concurrent.futures
import os
import threading
import weakref
from typing import Any

from graphkiln import _graphkiln
from graphkiln._graphkiln import NotFoundError, Variable
from graphkiln._src.checkpoint.auto_trackable import AutoTrackable
from graphkiln._src.checkpoint.graph_checkpoints import (
    GraphWriter,
    session_for,
    write_operations,
)
from graphkiln._src.checkpoint.leftovers import Leftovers, warn_of_split_objects
from graphkiln._src.checkpoint.objects import Protocol
from graphkiln._src.checkpoint.options import CheckpointOptions
from graphkiln._src.checkpoint.sharding import policy_of
from graphkiln._src.checkpoint.state_file import update_checkpoint_state
from graphkiln._src.checkpoint.statuses import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
)
from graphkiln._src.checkpoint.trackable import is_tracked
from graphkiln._src.checkpoint.waiting import child_came

_COUNTER = "save_counter"


class _Writer:
    """Writes snapshots by a thread of its own, one after the other."""

    def __init__(self) -> None:
        self.in_graph = GraphWriter()
        self.counted: tuple | None = None  # a graph, and its op that counts up
        self._thread: concurrent.futures.ThreadPoolExecutor | None = None
        self._last: concurrent.futures.Future | None = None
        self._lock = threading.Lock()

    def __deepcopy__(self, memo: dict) -> _Writer:
        return _Writer()

    def begin(self, work: Any) -> None:
        self.wait()
        with self._lock:
            if self._thread is None:
                self._thread = concurrent.futures.ThreadPoolExecutor(
                    1, thread_name_prefix="checkpoint"
                )
            self._last = self._thread.submit(work)

    def wait(self) -> None:
        """Raises what the last one raised."""
        with self._lock:
            last, self._last = self._last, None
        if last is not None:
            last.result()


class Checkpoint(AutoTrackable):
    """Saves and restores objects: variables, and what has some.

    Values are found again by the way to them from here, the names of attributes,
    keys and places in lists. What a checkpoint has for an attribute that is not
    there yet is restored when it is set, a list's element when it is appended.

    Args:
      root: the object to save; by default this one.
      **kwargs: objects that become attributes of it.

    Raises:
      ValueError: one of them is nothing that can be saved.

    >>> import tempfile
    >>> step = tf.Variable(7)
    >>> checkpoint = tf.train.Checkpoint(step=step)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> _ = step.assign(0)
    >>> _ = checkpoint.restore(path).assert_consumed()
    >>> step.numpy().item()
    7
    """

    # A subclass may leave the constructor out.
    _root: Any = None
    _save_counter: Any = None

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._begin(root, kwargs)

    def _begin(self, root: Any, parts: dict[str, Any]) -> None:
        # Its own, which it does not track.
        own = self.__dict__
        own["_root"] = root
        own["_save_counter"] = None
        own["_writer"] = _Writer()
        # What is saved as if it were the root's.
        own["_attached"] = {}
        if isinstance(root, weakref.ref):
            root = root()
        if root is not None and not is_tracked(root):
            raise ValueError(_not_trackable("root", root))
        for name, value in sorted(parts.items()):
            setattr(self, name, value)
            value = getattr(self, name)  # a list is wrapped meanwhile
            if isinstance(value, weakref.ref):
                value = value()
            if not is_tracked(value):
                raise ValueError(_not_trackable(name, value))
            if root is not None:
                known = _part_of(root, name)
                if known is not None and known is not value:
                    raise ValueError(
                        f"Cannot create a Checkpoint with keyword argument {name} if "
                        f"root.{name} already exists."
                    )
            own["_attached"][name] = value

    def _trackable_children(
        self, save_type: str = "checkpoint", **kwargs: Any
    ) -> dict[str, Any]:
        children = super()._trackable_children(save_type, **kwargs)
        if self._save_counter is not None:
            children[_COUNTER] = self._save_counter
        return children

    def _saved_root(self) -> Any:
        if isinstance(self._root, weakref.ref):
            return self._root()
        return self if self._root is None else self._root

    def _protocol(self, leftovers: Leftovers | None = None) -> Protocol:
        if self._root is None:
            return Protocol(leftovers)
        root = self._saved_root()
        return Protocol(leftovers, (root, {"root": root, **self._attached}))

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called, an int64 variable that is saved, too. It
        numbers the checkpoints."""
        self._ensure_counter()
        return self._save_counter

    def _ensure_counter(self) -> None:
        if self._save_counter is not None:
            return
        with _graphkiln.init_scope():
            self.__dict__["_save_counter"] = Variable(
                0, dtype=_graphkiln.int64, trainable=False, name=_COUNTER
            )
        self._attached[_COUNTER] = self._save_counter
        child_came(self._saved_root(), _COUNTER, self._save_counter)

    def write(
        self, file_prefix: str | os.PathLike, options: CheckpointOptions | None = None
    ) -> str:
        """Writes a checkpoint of that very name, without a number.

        An older one of that name stays whole until the new one is.

        Args:
          file_prefix: what the names of the files begin with; folders that are
            missing are made.
          options: a tf.train.CheckpointOptions.

        Returns:
          The path, for `read`; while a function is traced a tensor, which the
          function gives after it has written.

        Raises:
          UnimplementedError: a value cannot be saved.
          RuntimeError: variables of a graph, and no default session.
        """
        if not _graphkiln.is_tensor(file_prefix):
            file_prefix = os.fspath(file_prefix)
        return self._write(file_prefix, options or CheckpointOptions())

    def _write(self, prefix: Any, options: CheckpointOptions) -> Any:
        if isinstance(prefix, bytes):
            prefix = prefix.decode()
        if _graphkiln.inside_function():
            # The path, once the function has written.
            return write_operations(
                self._snapshot(), _graphkiln.convert_to_tensor(prefix), options
            )
        if not _graphkiln.executing_eagerly():
            session = session_for(prefix)
            if os.path.dirname(prefix):
                _graphkiln.gfile_makedirs(os.path.dirname(prefix))
            prefix = self._writer.in_graph.write(
                session, self._snapshot(), prefix, options
            )
            options._written(prefix)
            return prefix
        if _graphkiln.is_tensor(prefix):
            prefix = prefix.numpy().decode()
        snapshot = self._snapshot()
        sharding = policy_of(options.experimental_sharding_callback)

        def write() -> None:
            snapshot.write(prefix, sharding)
            options._written(prefix)

        if options.enable_async:
            self._writer.begin(write)
        else:
            self._writer.wait()
            write()
        return prefix

    def _snapshot(self) -> Any:
        return _graphkiln._object_snapshot(self._saved_root(), self._protocol())

    def _count(self, prefix: str) -> int:
        """Counts up; the number of the checkpoint that is to be written."""
        if _graphkiln.executing_eagerly():
            self.save_counter.assign_add(1)
            return int(self.save_counter.numpy())
        session = session_for(prefix)
        if self._save_counter is None:
            session.run(self.save_counter.initializer)
        graph = _graphkiln.get_default_graph()
        if self._writer.counted is None or self._writer.counted[0] is not graph:
            counted = self._save_counter.assign_add(1, read_value=True)
            self._writer.counted = (graph, counted)
        return int(session.run(self._writer.counted[1]))

    def save(
        self, file_prefix: str | os.PathLike, options: CheckpointOptions | None = None
    ) -> str:
        """Writes a checkpoint with the next number, and notes it in its folder for
        tf.train.latest_checkpoint.

        Args:
          file_prefix: what the names of the files begin with; folders that are
            missing are made.
          options: a tf.train.CheckpointOptions.

        Returns:
          The path, with the number, for `restore`.

        Raises:
          NotImplementedError: called while a function is traced.
        """
        if _graphkiln.inside_function():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not "
                "supported, as save() modifies saving metadata in ways not "
                "supported by TensorFlow Operations. Consider using "
                "tf.train.Checkpoint.write(), a lower-level API which does not "
                "update metadata. tf.train.latest_checkpoint and related APIs will "
                "not see this checkpoint."
            )
        prefix = os.fspath(file_prefix)
        prefix = f"{prefix}-{self._count(prefix)}"
        options = options or CheckpointOptions()
        return self._write(
            prefix,
            options._with_callback(
                lambda path: update_checkpoint_state(
                    os.path.dirname(path), path, [path]
                )
            ),
        )

    def read(
        self, save_path: str | os.PathLike, options: CheckpointOptions | None = None
    ) -> Any:
        """Restores a checkpoint that `write` wrote.

        Returns:
          A status whose assertions say what was restored.

        Raises:
          NotFoundError: there is none of that name.
          DataLossError: it is damaged; the message names tensor and file.
          ValueError: a value has another shape than its variable.
        """
        self.sync()
        reader = _graphkiln._open_checkpoint(os.fspath(save_path))
        root = self._saved_root()
        leftovers = Leftovers()
        protocol = self._protocol(leftovers)
        with_slots = not (options and options.experimental_skip_slot_variables)
        leftovers.restoration = _graphkiln._start_restoration(
            reader, root, protocol, with_slots
        )
        warn_of_split_objects(leftovers.restoration)
        protocol.walked()
        return CheckpointLoadStatus(leftovers, root, self._protocol())

    def restore(
        self,
        save_path: str | os.PathLike | None,
        options: CheckpointOptions | None = None,
    ) -> Any:
        """Restores a checkpoint that `save` wrote, or tf.compat.v1.train.Saver,
        whose variables are found by their names.

        Args:
          save_path: of the checkpoint, or of a saved model, whose variables are
            taken; None restores nothing.
          options: a tf.train.CheckpointOptions.

        Returns:
          A status whose assertions say what was restored.

        Raises:
          NotFoundError, DataLossError, ValueError: as `read`.
        """
        if save_path is None:
            self._ensure_counter()
            return InitializationOnlyStatus(self._saved_root(), self._protocol())
        path = os.fspath(save_path)
        if _graphkiln._contains_saved_model(path):
            save_path = os.path.join(path, "variables", "variables")
        try:
            status = self.read(save_path, options)
        except NotFoundError as error:
            raise NotFoundError(
                None,
                None,
                "Error when restoring from checkpoint or SavedModel at "
                f"{os.fspath(save_path)}: {error.message}\nPlease double-check that "
                "the path is correct. You may be missing the checkpoint suffix "
                "(e.g. the '-1' in 'path/to/ckpt-1').",
            ) from None
        self._ensure_counter()
        if status._restoration.by_name:
            status._restoration.add_optional(self._save_counter, Protocol())
        return status

    def sync(self) -> None:
        """Waits until checkpoints that are written by another thread are written;
        raises what went wrong there."""
        self._writer.wait()


def _part_of(root: Any, name: str) -> Any:
    look_up = getattr(root, "_lookup_dependency", None)
    return None if look_up is None else look_up(name)


def _not_trackable(name: str, value: object) -> str:
    return (
        f"`Checkpoint` was expecting {name} to be a trackable object (an object "
        f"derived from `Trackable`), got {value}. If you believe this object should "
        "be trackable (i.e. it is part of the TensorFlow Python API and manages "
        "state), please open an issue."
    )
