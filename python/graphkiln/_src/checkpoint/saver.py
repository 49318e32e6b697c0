"""tf.compat.v1.train.Saver: checkpoints of a session's variables, by name."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphkiln import _graphkiln, _proto, nest, raw_ops
from graphkiln._graphkiln import (
    FailedPreconditionError,
    NotFoundError,
    Operation,
    OpError,
    Tensor,
    Variable,
)
from graphkiln._src.checkpoint.old_checkpoints import (
    checkpoint_exists,
    get_checkpoint_mtimes,
    meta_graph_file,
    remove_checkpoint,
)
from graphkiln._src.checkpoint.saved_variables import (
    Saved,
    all_saved,
    by_names,
    owners,
)
from graphkiln._src.checkpoint.saver_operations import (
    V2,
    read_variables,
    write_variables,
)
from graphkiln._src.checkpoint.state_file import update_checkpoint_state
from graphkiln._src.host.logging import get_logger
from graphkiln._src.session.meta_graph import (
    add_collection_def,
    export_meta_graph,
    name_in_scope,
    scoped_name,
)

_HOUR = 3600.0
_VERSIONS = (_proto.SaverDef.LEGACY, _proto.SaverDef.V1, V2)
_RESTORE_FAILED = (
    "Restoring from checkpoint failed. This is most likely due to {} Please ensure "
    "that you have not altered the graph expected based on the checkpoint. Original "
    "error:\n\n{}"
)


class Saver:
    """Saves the variables of a graph, with their values in a session, in
    checkpoints, and gives them the values of checkpoints.

    Args:
      var_list: the variables, in a list or by the names that they have in
        checkpoints; all global ones of the default graph, and its tables whose
        keys change, unless given. Parts of one, in a list or a variable that is
        made of them, have its name.
      reshape: may a value in a checkpoint have another shape than its variable?
      sharded: is the checkpoint written next to its place and then merged?
      max_to_keep: how many checkpoints stay; the oldest go. All if None or 0.
      keep_checkpoint_every_n_hours: one that would go stays for ever if it is so
        much newer than the last that stayed so.
      name: of the scope of the operations that are added to the graph.
      restore_sequentially: is one variable restored after the other?
      saver_def: names of operations that are there; then none are added.
      builder: accepted for compatibility.
      defer_build: are the operations added by `build`?
      allow_empty: may there be no variables?
      write_version: SaverDef.V2, or V1 for the format of one file that
        TensorFlow had first. Both are read.
      pad_step_number: do numbers of steps in names have eight digits?
      save_relative_paths: accepted for compatibility; paths within the folder are
        always written so.
      filename: of the checkpoint that runs of the operations alone take.

    Raises:
      TypeError: `var_list` holds what is no variable.
      ValueError: there are no variables, or two of one name.
      RuntimeError: eagerly, without `var_list`; or there is no such version.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model"
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(3.0, name="v")
    ...     saver = tf.compat.v1.train.Saver()
    ...     session.run(v.initializer)
    ...     path = saver.save(session, path, global_step=7)
    ...     session.run(v.assign(0.0)).item()
    ...     saver.restore(session, path)
    ...     session.run(v).item()
    0.0
    3.0
    >>> path[-7:]
    'model-7'
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        if write_version not in _VERSIONS:
            raise RuntimeError(
                f"Unexpected write_version: {write_version}; give one of "
                "tf.compat.v1.train.SaverDef.V2, the default, and V1"
            )
        self._eager = _graphkiln.executing_eagerly()
        if self._eager and var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or "
                "dict of variables to save"
            )
        self._var_list = var_list
        self._saved: list[Saved] = []
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep
        self._keep_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self._allow_empty = allow_empty
        self._is_empty = False
        self._pad_step_number = pad_step_number
        self._write_version = write_version
        # Reads checkpoints of objects, in which variables have other names.
        self._of_objects: Saver | None = None
        self._filename = filename
        self._kept: list[tuple[str, float]] = []  # oldest first
        self._next_kept = time.time() + keep_checkpoint_every_n_hours * _HOUR
        self.saver_def = saver_def
        if saver_def is not None:
            self._use(saver_def, name)
        elif self._eager:
            self._find_variables()
        elif not defer_build:
            self.build()

    def _use(self, saver_def: Any, scope: str | None) -> None:
        self.saver_def = _proto.SaverDef()
        self.saver_def.CopyFrom(saver_def)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            name = getattr(saver_def, field)
            if not name:
                raise ValueError(f"saver_def must specify the {field}: {saver_def!s}")
            setattr(self.saver_def, field, scoped_name(name, scope))
        self._max_to_keep = saver_def.max_to_keep
        self._sharded = saver_def.sharded
        self._write_version = saver_def.version
        if saver_def.keep_checkpoint_every_n_hours:
            self._keep_hours = saver_def.keep_checkpoint_every_n_hours
            self._next_kept = time.time() + self._keep_hours * _HOUR

    def _find_variables(self) -> None:
        var_list = all_saved() if self._var_list is None else self._var_list
        self._saved = by_names(var_list)
        self._is_empty = not self._saved
        if self._is_empty and not self._allow_empty:
            raise ValueError("No variables to save")

    def build(self) -> None:
        """Adds the operations to the default graph, if they are not there.

        Raises RuntimeError eagerly."""
        if _graphkiln.executing_eagerly():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self.saver_def is not None:
            return
        self._find_variables()
        self.saver_def = _proto.SaverDef(
            max_to_keep=self._max_to_keep or 0,
            sharded=self._sharded,
            keep_checkpoint_every_n_hours=self._keep_hours,
            version=self._write_version,
        )
        if self._is_empty:
            return
        with _graphkiln.name_scope(self._name or "save"):
            default = _graphkiln.constant(
                self._filename or "model", name="filename/input"
            )
            given = raw_ops.PlaceholderWithDefault(
                input=default, shape=[], name="filename"
            )
            path = raw_ops.PlaceholderWithDefault(
                input=given, shape=[], name=default.op.type
            )
            saved = write_variables(
                self._saved, path, self._sharded, self._write_version
            )
            restored = self._add_restore(path)
        self.saver_def.filename_tensor_name = path.name
        self.saver_def.save_tensor_name = saved.name
        self.saver_def.restore_op_name = restored.name

    def _shaped(self, value: Tensor, variable: Variable) -> Tensor:
        if not self._reshape:
            return value
        return raw_ops.Reshape(tensor=value, shape=variable.shape.as_list())

    def _restore_saveable(self, saveable: Any, tensors: list[Tensor]) -> list:
        shapes = None
        if self._reshape:
            shapes = [
                value.shape.as_list()
                if (value := spec.tensor).shape.is_fully_defined()
                else raw_ops.Shape(input=value)
                for spec in saveable.specs
            ]
        done = saveable.restore(tensors, shapes)
        return [o for o in nest.flatten(done) if o is not None]

    def _add_restore(self, path: Tensor) -> Operation:
        assigned: list[Any] = []
        values = read_variables(self._saved, path)
        for owner, places in owners(self._saved):
            before = assigned[-1:] if self._restore_sequentially else []
            with _graphkiln.control_dependencies(before):
                tensors = [raw_ops.Identity(input=values[place]) for place in places]
                if not isinstance(owner, Variable):
                    assigned += self._restore_saveable(owner, tensors)
                    continue
                assigned.append(
                    raw_ops.AssignVariableOp(
                        resource=owner.handle,
                        value=self._shaped(tensors[0], owner),
                        validate_shape=not self._reshape,
                    )
                )
        return _graphkiln.group(*assigned, name="restore_all")

    # What was saved.

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, oldest first."""
        return [path for path, _ in self._kept]

    def set_last_checkpoints(self, last_checkpoints: Sequence[str]) -> None:
        """Sets which checkpoints are there, oldest first; when they were saved is
        not known."""
        self._kept = [(path, np.inf) for path in list(last_checkpoints)]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: Sequence[tuple[str, float]]
    ) -> None:
        """Sets which checkpoints are there, oldest first, and when each was
        saved."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError(f"Not a list: {last_checkpoints_with_time}")
        self._kept = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: Sequence[str]) -> None:
        """Sets which checkpoints are there, oldest first, of those of these paths
        that are; times are those of the files."""
        there = [path for path in checkpoint_paths if checkpoint_exists(path)]
        times = get_checkpoint_mtimes(there)
        self._kept = list(zip(there, times, strict=True))

    def _record(self, path: str) -> list[tuple[str, float]]:
        """Notes a checkpoint, if they are kept count of; gives what is too much."""
        if not self._max_to_keep:
            return []
        self._kept = [(p, t) for p, t in self._kept if p != path]
        self._kept.append((path, time.time()))
        return [self._kept.pop(0)] if len(self._kept) > self._max_to_keep else []

    def _delete(self, oldest: str, saved: float, suffix: str) -> None:
        if saved > self._next_kept:
            self._next_kept += self._keep_hours * _HOUR
            return
        try:
            remove_checkpoint(oldest, self._write_version, suffix)
        except OpError as error:
            get_logger().warning("Ignoring: %s", error)

    # Saving and restoring.

    def save(
        self,
        sess: Any,
        save_path: str | os.PathLike,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Saves the variables' values in a session.

        Args:
          sess: the session; None eagerly.
          save_path: the prefix of the checkpoint's files.
          global_step: a number, or a variable, that is put behind it.
          latest_filename: of the file that says which checkpoints there are,
            "checkpoint" by default.
          meta_graph_suffix: of the file of the meta graph.
          write_meta_graph: is that written, too?
          write_state: is the file written that says which checkpoints there are?
          strip_default_attrs: does the meta graph leave out attributes that have
            their defaults?
          save_debug_info: accepted for compatibility.

        Returns:
          The path for `restore`; None if there are no variables.

        Raises:
          TypeError: `sess` is no session.
          ValueError: `latest_filename` is the checkpoint, or has a folder, or the
            folder of `save_path` is not there.
          RuntimeError: `build` is to be called first.
        """
        latest = latest_filename or "checkpoint"
        prefix = os.fspath(save_path)
        if os.path.split(latest)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        eager = self._check(sess)
        path = prefix
        if global_step is not None:
            if not isinstance(global_step, (int, np.integer)):
                global_step = global_step.numpy() if eager else sess.run(global_step)
            digits = "08d" if self._pad_step_number else "d"
            path = f"{prefix}-{int(global_step):{digits}}"
        elif os.path.basename(prefix) == latest and not self._sharded:
            raise ValueError(
                "'latest_filename' collides with 'save_path': "
                f"'{latest}' and '{prefix}'"
            )
        folder = os.path.dirname(prefix)
        if not self._is_empty:
            try:
                path = self._write(sess, path, eager)
            except (FailedPreconditionError, NotFoundError) as error:
                if folder and not _graphkiln.gfile_isdir(folder):
                    raise ValueError(
                        f"Parent directory of {prefix} doesn't exist, can't save."
                    ) from error
                raise
            if write_state:
                too_much = self._record(path)
                update_checkpoint_state(
                    folder, path, self.last_checkpoints, latest_filename=latest
                )
                for oldest, saved in too_much:
                    self._delete(oldest, saved, meta_graph_suffix)
        if write_meta_graph and not eager:
            with sess.graph.as_default():
                self.export_meta_graph(
                    meta_graph_file(path, meta_graph_suffix),
                    strip_default_attrs=strip_default_attrs,
                )
        return None if self._is_empty else path

    def _check(self, sess: Any) -> bool:
        eager = _graphkiln.executing_eagerly() and self._eager
        if eager:
            return True
        if self.saver_def is None:
            raise RuntimeError(
                "`build()` should be called before save if defer_build==True"
            )
        if not hasattr(sess, "run") or not hasattr(sess, "graph"):
            raise TypeError(f"'sess' must be a Session; {sess}")
        return False

    def _write(self, sess: Any, path: str, eager: bool) -> str:
        if eager:
            self._find_variables()  # values of SaveableObjects are those of now
            written = write_variables(
                self._saved,
                _graphkiln.constant(path),
                self._sharded,
                self._write_version,
            ).numpy()
        else:
            written = sess.run(
                self.saver_def.save_tensor_name,
                {self.saver_def.filename_tensor_name: path},
            )
        return written.decode() if isinstance(written, bytes) else str(written)

    def restore(self, sess: Any, save_path: str | os.PathLike | None) -> None:
        """Gives the variables the values of a checkpoint; they need no other.

        Args:
          sess: the session; None eagerly.
          save_path: what `save` gave.

        Raises:
          ValueError: `save_path` is None, or there is no such checkpoint.
          NotFoundError: it lacks a variable. One of tf.train.Checkpoint is asked
            for variables that had these names, with a warning.
          InvalidArgumentError: a value does not fit its variable.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = os.fspath(save_path)
        if not checkpoint_exists(prefix):
            raise ValueError(
                f"The passed save_path is not a valid checkpoint: {prefix}"
            )
        get_logger().info("Restoring parameters from %s", prefix)
        eager = self._check(sess)
        try:
            if eager:
                self._find_variables()
                self._assign_all(prefix)
            else:
                sess.run(
                    self.saver_def.restore_op_name,
                    {self.saver_def.filename_tensor_name: prefix},
                )
        except _graphkiln.NotFoundError as error:
            keys = _graphkiln._names_to_keys(prefix)
            if keys is not None:
                self._restore_objects(sess, prefix, keys)
                return
            cause = (
                "a Variable name or other graph key that is missing from the "
                "checkpoint."
            )
            raise _graphkiln.NotFoundError(
                error.node_def, error.op, _RESTORE_FAILED.format(cause, error.message)
            ) from error
        except _graphkiln.InvalidArgumentError as error:
            cause = "a mismatch between the current graph and the graph from the "
            raise _graphkiln.InvalidArgumentError(
                error.node_def,
                error.op,
                _RESTORE_FAILED.format(cause + "checkpoint.", error.message),
            ) from error

    def _restore_objects(self, sess: Any, prefix: str, keys: dict[str, str]) -> None:
        get_logger().warning(
            "Restoring an object-based checkpoint using a name-based saver. This may "
            "be somewhat fragile, and will re-build the Saver. Instead, consider "
            "loading object-based checkpoints using tf.train.Checkpoint()."
        )
        if not self._saved:  # a saver of a meta graph
            self._find_variables()
        names = {saved.name for saved in self._saved}
        missing = sorted(names - set(keys))
        if missing:
            extra = sorted(set(keys) - names)
            raise _graphkiln.NotFoundError(
                None,
                None,
                f"Existing variables not in the checkpoint: {', '.join(missing)}\n\n"
                "Variables names when this checkpoint was written which don't exist "
                f"now: {', '.join(extra)}\n\n({len(names) - len(missing)} "
                "variable name(s) did match)\n\n"
                f"The checkpoint {prefix} is one of objects, read by the names that "
                "variables had when it was written; they may have been numbered "
                'otherwise then ("v_1"). Give Saver those that were there, in a '
                "dictionary by their old names, or use tf.train.Checkpoint.",
            )
        if self._of_objects is None:
            by_key: dict[str, Any] = {}
            for name, part, variable, saveable in self._saved:
                if saveable is not None:
                    by_key[keys[name]] = saveable
                elif part:
                    by_key.setdefault(keys[name], []).append(variable)
                else:
                    by_key[keys[name]] = variable
            with contextlib.ExitStack() as scopes:
                if not _graphkiln.executing_eagerly():
                    scopes.enter_context(sess.graph.as_default())
                self._of_objects = Saver(by_key, reshape=self._reshape)
        self._of_objects.restore(sess, prefix)

    def _assign_all(self, prefix: str) -> None:
        values = read_variables(self._saved, _graphkiln.constant(prefix))
        for owner, places in owners(self._saved):
            if isinstance(owner, Variable):
                owner.assign(self._shaped(values[places[0]], owner))
            else:
                self._restore_saveable(owner, [values[place] for place in places])

    # As messages.

    def as_saver_def(self) -> Any:
        """The names of its operations, a SaverDef."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The names of its operations without a scope, a SaverDef; None if they
        are not in it."""
        message = _proto.SaverDef()
        message.CopyFrom(self.saver_def)
        if export_scope is None:
            return message
        fields = ("filename_tensor_name", "save_tensor_name", "restore_op_name")
        if not all(getattr(message, f).startswith(export_scope) for f in fields):
            return None
        for field in fields:
            name = name_in_scope(getattr(message, field), export_scope)
            setattr(message, field, name)
        return message

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """A saver of operations that are there, below a scope."""
        return Saver(saver_def=saver_def, name=import_scope)

    def _add_collection_def(
        self, meta_graph_def: Any, key: object, export_scope: str | None = None
    ) -> None:
        add_collection_def(meta_graph_def, key, export_scope=export_scope)

    def export_meta_graph(
        self,
        filename: str | os.PathLike | None = None,
        collection_list: list[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """The default graph as a MetaGraphDef that names this saver, as of
        tf.compat.v1.train.export_meta_graph."""
        # One without variables has no ops to name.
        named = self.saver_def is not None and self.saver_def.save_tensor_name
        return export_meta_graph(
            filename=filename,
            saver_def=self.saver_def if named else None,
            collection_list=collection_list,
            as_text=as_text,
            export_scope=export_scope,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )
