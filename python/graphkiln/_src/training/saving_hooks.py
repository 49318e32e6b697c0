"""tf.compat.v1.train: hooks that write checkpoints, summaries and speeds."""

from __future__ import annotations

import os
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.graph_variables import get_collection
from graphkiln._src.summary.event_files import FileWriterCache
from graphkiln._src.training.basic_hooks import SecondOrStepTimer, step_of
from graphkiln._src.training.session_run_hook import SessionRunArgs, SessionRunHook


class CheckpointSaverListener:
    """Is called when a `CheckpointSaverHook` saves.

    >>> class Count(tf.compat.v1.train.CheckpointSaverListener):
    ...     saved = 0
    ...     def after_save(self, session, global_step_value):
    ...         self.saved += 1
    """

    def begin(self) -> None:
        """Before the session is made."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Before a checkpoint is written.

        Args:
          session: that is saved.
          global_step_value: the step.
        """

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """When a checkpoint is written; True asks to stop.

        Args:
          session: that was saved.
          global_step_value: the step.
        """

    def end(self, session: Any, global_step_value: int) -> None:
        """At the end.

        Args:
          session: that was saved.
          global_step_value: the step.
        """


class CheckpointSaverHook(SessionRunHook):
    """Writes checkpoints at first, now and then, and at the end.

    Args:
      checkpoint_dir: where.
      save_secs: after so many seconds.
      save_steps: after so many steps.
      saver: writes them; that of the scaffold or the graph unless given.
      checkpoint_basename: what their names begin with.
      scaffold: has the saver.
      listeners: CheckpointSaverListeners.
      save_graph_def: is the graph written, too?

    Raises:
      ValueError: for both a saver and a scaffold.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     more = tf.compat.v1.train.create_global_step().assign_add(1)
    ...     hook = tf.compat.v1.train.CheckpointSaverHook(folder, save_steps=5)
    ...     with tf.compat.v1.train.SingularMonitoredSession([hook]) as session:
    ...         _ = session.run(more)
    >>> os.path.basename(tf.train.latest_checkpoint(folder))
    'model.ckpt-1'
    """

    def __init__(
        self,
        checkpoint_dir: str | os.PathLike,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
        save_graph_def: bool = True,
    ) -> None:
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver = saver
        self._folder = os.fspath(checkpoint_dir)
        self._path = os.path.join(self._folder, checkpoint_basename)
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = listeners or []
        self._save_graph_def = save_graph_def

    def begin(self) -> None:
        """Looks for the global step."""
        self._writer = FileWriterCache.get(self._folder)
        self._step = step_of("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Writes the graph and a first checkpoint."""
        step = int(session.run(self._step))
        if self._save_graph_def:
            graph = session.graph.as_graph_def(add_shapes=True)
            _graphkiln.write_graph(graph, self._folder, "graph.pbtxt")
        self._writer.add_graph(session.graph)
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes a checkpoint if it is time."""
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._save(run_context.session, step):
                run_context.request_stop()

    def end(self, session: Any) -> None:
        """Writes the last one."""
        step = int(session.run(self._step))
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: int) -> bool:
        _graphkiln.info("Saving checkpoints for %d into %s.", step, self._path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._found_saver().save(
            session, self._path, global_step=step, write_meta_graph=self._save_graph_def
        )
        log = _proto.SessionLog(
            status=_proto.SessionLog.CHECKPOINT, checkpoint_path=self._path
        )
        self._writer.add_session_log(log, step)
        asked = [listener.after_save(session, step) for listener in self._listeners]
        return any(asked)

    def _found_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the "
                "collection or provide a saver or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate "
                "which one to use by passing it to the constructor."
            )
        self._saver = savers[0]
        return self._saver


class StepCounterHook(SessionRunHook):
    """Writes and logs how many steps are taken in a second.

    Args:
      every_n_steps: after so many steps.
      every_n_secs: after so many seconds, if steps are None.
      output_dir: where the summaries are written.
      summary_writer: that writes them, in place of a folder.

    Raises:
      ValueError: unless one of the numbers is given.

    >>> hook = tf.compat.v1.train.StepCounterHook(every_n_steps=10)
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError(
                "exactly one of every_n_steps and every_n_secs should be provided."
            )
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._writer = summary_writer
        self._folder = output_dir

    def begin(self) -> None:
        """Looks for the global step."""
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._step = step_of("StepCounterHook")
        self._tag = self._step.name.partition(":")[0] + "/sec"

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for the step."""
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes the speed if it is time."""
        if not self._timer.should_trigger_for_step(int(run_values.results) + 1):
            return
        step = int(run_context.session.run(self._step))
        if not self._timer.should_trigger_for_step(step):
            return
        seconds, steps = self._timer.update_last_triggered_step(step)
        if not seconds:
            return
        speed = steps / seconds
        if self._writer is not None:
            value = _proto.Summary.Value(tag=self._tag, simple_value=speed)
            self._writer.add_summary(_proto.Summary(value=[value]), step)
        _graphkiln.info("%s: %g", self._tag, speed)


class SummarySaverHook(SessionRunHook):
    """Writes summaries now and then.

    Args:
      save_steps: after so many steps.
      save_secs: after so many seconds.
      output_dir: where they are written.
      summary_writer: that writes them, in place of a folder.
      scaffold: has the operation that makes them.
      summary_op: makes them; or a list of such.

    Raises:
      ValueError: unless either of the last two is given.

    >>> import tempfile
    >>> with tf.Graph().as_default():
    ...     more = tf.compat.v1.train.create_global_step().assign_add(1)
    ...     loss = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
    ...     hook = tf.compat.v1.train.SummarySaverHook(
    ...         save_steps=2, output_dir=tempfile.mkdtemp(), summary_op=loss)
    ...     with tf.compat.v1.train.MonitoredSession(hooks=[hook]) as session:
    ...         _ = session.run(more)
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError(
                "Exactly one of scaffold or summary_op must be provided."
            )
        self._summary_op = summary_op
        self._writer = summary_writer
        self._folder = output_dir
        self._scaffold = scaffold
        self._timer = SecondOrStepTimer(save_secs, save_steps)

    def begin(self) -> None:
        """Looks for the global step."""
        if self._writer is None and self._folder:
            self._writer = FileWriterCache.get(self._folder)
        self._next_step: int | None = None
        self._step = step_of("SummarySaverHook")

    def before_run(self, run_context: Any) -> SessionRunArgs:
        """Asks for the summaries if it is time."""
        self._now = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        ops = self._ops() if self._now else []
        return SessionRunArgs([self._step, ops])

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes them."""
        if not self._writer:
            return
        before, summaries = run_values.results
        step = int(before) + 1
        if self._next_step is None or self._now:
            step = int(run_context.session.run(self._step))
        if self._next_step is None:
            log = _proto.SessionLog(status=_proto.SessionLog.START)
            self._writer.add_session_log(log, step)
        if self._now:
            self._timer.update_last_triggered_step(step)
            for summary in summaries:
                self._writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Writes what waits."""
        if self._writer:
            self._writer.flush()

    def _ops(self) -> list:
        op = self._summary_op
        if op is None and self._scaffold.summary_op is not None:
            op = self._scaffold.summary_op
        if op is None:
            return []
        return list(op) if isinstance(op, (list, tuple)) else [op]
