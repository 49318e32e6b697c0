"""tf.compat.v1.train: sessions with hooks, which begin from checkpoints."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.queue.queue_runner import start_queue_runners
from graphkiln._src.session.session import Session
from graphkiln._src.training.coordinator import Coordinator
from graphkiln._src.training.saving_hooks import (
    CheckpointSaverHook,
    StepCounterHook,
    SummarySaverHook,
)
from graphkiln._src.training.scaffold import (
    ChiefSessionCreator,
    Scaffold,
    SessionCreator,
    WorkerSessionCreator,
)
from graphkiln._src.training.session_run_hook import (
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
)

USE_DEFAULT = object()
# After these a new session is made, from the last checkpoint.
_LOST = (_graphkiln.AbortedError, _graphkiln.UnavailableError)


class _StepContext:
    """What `run_step_fn` gives its function.

    Args:
      session: the session without its hooks.
      run_with_hooks_fn: runs it with them.
    """

    def __init__(self, session: Session, run_with_hooks_fn: Callable) -> None:
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self) -> Session:
        """The session without its hooks."""
        return self._session

    def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
        """What the monitored session's `run` gives.

        Args:
          *args: as of `run`.
          **kwargs: as of `run`.
        """
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self) -> None:
        """Ends the `with` statement of the session, by a StopIteration."""
        raise StopIteration("step_fn has requested the iterations to stop.")


class _Monitored:
    """A session with hooks."""

    def __init__(
        self,
        session_creator: SessionCreator | None,
        hooks: Any,
        recovers: bool,
        stop_grace_period_secs: float,
    ) -> None:
        self._hooks: list[SessionRunHook] = list(hooks or [])
        for hook in self._hooks:
            hook.begin()
        self._creator = session_creator or ChiefSessionCreator()
        self._recovers = recovers
        self._grace = stop_grace_period_secs
        self._session: Session | None = None
        self._start()

    def _start(self) -> None:
        while True:
            try:
                self._session = self._creator.create_session()
                self._coord = Coordinator(clean_stop_exception_types=())
                self._stopped = False
                start_queue_runners(self._session, self._coord)
                for hook in self._hooks:
                    hook.after_create_session(self._session, self._coord)
                return
            except _LOST as error:
                if not self._recovers:
                    raise
                _graphkiln.info("A session was lost, a new one is made: %s", error)

    @property
    def graph(self) -> Any:
        """The graph that it runs; None once closed."""
        return None if self._session is None else self._session.graph

    def run(
        self,
        fetches: Any,
        feed_dict: Any = None,
        options: Any = None,
        run_metadata: Any = None,
    ) -> Any:
        """The values of what is fetched, the hooks called around it.

        Args:
          fetches: as of tf.compat.v1.Session.run.
          feed_dict: values of tensors.
          options: accepted for compatibility.
          run_metadata: accepted for compatibility.

        Raises:
          RuntimeError: once closed, and after a request to stop.
        """
        while True:
            try:
                return self._run_once(fetches, feed_dict, options, run_metadata)
            except _LOST as error:
                if not self._recovers:
                    raise
                _graphkiln.info("A session was lost, a new one is made: %s", error)
                self._leave()
                self._start()
            except BaseException:
                # Of a thread's error this run's is a consequence.
                if self._coord.should_stop():
                    self._coord.join(stop_grace_period_secs=self._grace)
                raise

    def run_step_fn(self, step_fn: Callable) -> Any:
        """What a function gives that runs the session itself.

        Args:
          step_fn: of a context, with `session`, `run_with_hooks` and `request_stop`.

        Raises:
          ValueError: for a function of other arguments.
        """
        names = list(inspect.signature(step_fn).parameters)
        if names not in (["step_context"], ["self", "step_context"]):
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or two "
                f"arguments `self` and `step_context` if it's an instance method. Got {names} "
                "instead."
            )
        # A request to stop is a StopIteration, which ends the `with` statement.
        return step_fn(_StepContext(self._open_session(), self.run))

    def should_stop(self) -> bool:
        """Is it closed, or has anybody asked to stop?"""
        return self._session is None or self._stopped or self._coord.should_stop()

    def close(self) -> None:
        """Ends the hooks and closes the session."""
        self._close(None)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, value: Any, traceback: Any) -> bool:
        if exception_type in (_graphkiln.OutOfRangeError, StopIteration):
            exception_type = None
        self._close(exception_type)
        return exception_type is None

    def _open_session(self) -> Session:
        if self._session is None:
            raise RuntimeError("Session is already closed.")
        return self._session

    def _run_once(
        self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any
    ) -> Any:
        session = self._open_session()
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), session)
        options = options or _proto.RunOptions()
        run_metadata = run_metadata or _proto.RunMetadata()
        feeds = dict(feed_dict or {})
        by_hooks: dict = {}
        asked = [fetches]
        places: dict[int, int] = {}  # of what each hook asked for
        for i, hook in enumerate(self._hooks):
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                places[i] = len(asked)
                asked.append(request.fetches)
            for key, value in (request.feed_dict or {}).items():
                if key in by_hooks:
                    raise RuntimeError("Same tensor is fed by two hooks.")
                by_hooks[key] = value
        if any(key in feeds for key in by_hooks):
            raise RuntimeError("Same tensor is fed by a SessionRunHook and user.")
        found = session.run(asked, {**feeds, **by_hooks}, options, run_metadata)
        for i, hook in enumerate(self._hooks):
            results = found[places[i]] if i in places else None
            hook.after_run(context, SessionRunValues(results, options, run_metadata))
        self._stopped = self._stopped or context.stop_requested
        return found[0]

    def _leave(self) -> None:
        session, self._session = self._session, None
        try:
            self._coord.request_stop()
            self._coord.join(
                stop_grace_period_secs=self._grace, ignore_live_threads=True
            )
        finally:
            if session is not None:
                session.close()

    def _close(self, exception_type: Any) -> None:
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            self._open_session()
            self._leave()


class MonitoredSession(_Monitored):
    """A session with hooks, made anew when one is lost.

    OutOfRangeError ends its `with` statement as `should_stop` does.

    Args:
      session_creator: makes the sessions; a ChiefSessionCreator unless given.
      hooks: SessionRunHooks.
      stop_grace_period_secs: how long threads may go on once they are to stop.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     with tf.compat.v1.train.MonitoredSession() as session:
    ...         session.run(v).item()
    3.0
    """

    StepContext = _StepContext

    def __init__(
        self,
        session_creator: SessionCreator | None = None,
        hooks: Any = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


class SingularMonitoredSession(_Monitored):
    """A session with hooks that is not made anew when it is lost.

    Args:
      hooks: SessionRunHooks.
      scaffold: what it needs.
      master: "".
      config: a ConfigProto.
      checkpoint_dir: where checkpoints are.
      stop_grace_period_secs: how long threads may go on once they are to stop.
      checkpoint_filename_with_path: one checkpoint, in place of a folder.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=3.0)
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:
    ...         session.raw_session().run(v).item()
    3.0
    """

    StepContext = _StepContext

    def __init__(
        self,
        hooks: Any = None,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: str | None = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: str | None = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Session | None:
        """The session without its hooks."""
        return self._session


def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: str | None = None,
    scaffold: Scaffold | None = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = USE_DEFAULT,
    save_summaries_steps: Any = USE_DEFAULT,
    save_summaries_secs: Any = USE_DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: int | None = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = USE_DEFAULT,
    summary_dir: str | None = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """A session for training: with checkpoints, summaries and the speed, if a folder
    is given.

    Args:
      master: "".
      is_chief: does this process give variables their values and write files?
      checkpoint_dir: where checkpoints are.
      scaffold: what it needs.
      hooks: SessionRunHooks.
      chief_only_hooks: more of them, of the chief.
      save_checkpoint_secs: after so many seconds; 600 unless either is given.
      save_summaries_steps: after so many steps; 100 unless either is given.
      save_summaries_secs: after so many seconds.
      config: a ConfigProto.
      stop_grace_period_secs: how long threads may go on once they are to stop.
      log_step_count_steps: after so many steps the speed is written.
      max_wait_secs: how long others than the chief wait for it.
      save_checkpoint_steps: after so many steps.
      summary_dir: where summaries are; `checkpoint_dir` unless given.
      save_graph_def: is the graph written with checkpoints?

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     more = tf.compat.v1.train.create_global_step().assign_add(1)
    ...     with tf.compat.v1.train.MonitoredTrainingSession(
    ...             checkpoint_dir=folder) as session:
    ...         _ = session.run(more)
    >>> os.path.basename(tf.train.latest_checkpoint(folder))
    'model.ckpt-1'
    """
    if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    elif save_summaries_secs is USE_DEFAULT:
        save_summaries_secs = None
    elif save_summaries_steps is USE_DEFAULT:
        save_summaries_steps = None
    if save_checkpoint_steps is USE_DEFAULT and save_checkpoint_secs is USE_DEFAULT:
        save_checkpoint_steps, save_checkpoint_secs = None, 600
    elif save_checkpoint_secs is USE_DEFAULT:
        save_checkpoint_secs = None
    elif save_checkpoint_steps is USE_DEFAULT:
        save_checkpoint_steps = None
    scaffold = scaffold or Scaffold()
    if not is_chief:
        waiting = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(waiting, hooks, stop_grace_period_secs)
    every = list(chief_only_hooks or [])
    folder = summary_dir or checkpoint_dir
    if folder:
        if log_step_count_steps and log_step_count_steps > 0:
            every.append(StepCounterHook(log_step_count_steps, output_dir=folder))
        if any(n and n > 0 for n in (save_summaries_steps, save_summaries_secs)):
            every.append(SummarySaverHook(
                save_summaries_steps, save_summaries_secs, folder, scaffold=scaffold
            ))
    if checkpoint_dir and any(
        n and n > 0 for n in (save_checkpoint_secs, save_checkpoint_steps)
    ):
        every.append(CheckpointSaverHook(
            os.fspath(checkpoint_dir), save_checkpoint_secs, save_checkpoint_steps,
            scaffold=scaffold, save_graph_def=save_graph_def,
        ))
    every += list(hooks or [])
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, every, stop_grace_period_secs)
