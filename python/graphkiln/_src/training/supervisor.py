"""tf.compat.v1.train.Supervisor: a session with checkpoints and summaries that
threads write."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.queue.queue_runner import QueueRunner
from graphkiln._src.session import graph_variables as variables
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.meta_graph import export_meta_graph
from graphkiln._src.session.session import Session
from graphkiln._src.summary.event_files import FileWriter
from graphkiln._src.summary.version_one import merge_all
from graphkiln._src.training.coordinator import Coordinator, LooperThread
from graphkiln._src.training.global_step import global_step as step_of
from graphkiln._src.training.session_manager import SessionManager


def _kept(key: str, make: Callable[[], Any]) -> Any:
    """The first that the graph keeps under a name, made if there is none."""
    kept = variables.get_collection(key)
    if kept:
        return kept[0]
    made = make()
    if made is not None:
        variables.add_to_collection(key, made)
    return made


def _step_by_name() -> Any:
    try:
        step = _graphkiln.get_default_graph().get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    if step.dtype in (_graphkiln.int32, _graphkiln.int64):
        return step
    # The handle of a variable: its value is a tensor of its own.
    for variable in variables.global_variables():
        if variable.op is step.op:
            step = variable
    if step.dtype in (_graphkiln.int32, _graphkiln.int64):
        return step
    _graphkiln.warning("Found 'global_step' is not an int type: %s", step.dtype)
    return None


class Supervisor:
    """Makes a session from a checkpoint or by initializers, and lets threads write
    checkpoints, summaries and the speed while a program trains.

    What is not given is made, and the graph keeps it; None leaves it out.

    Args:
      graph: what is trained, finalized here; the default graph unless given.
      ready_op: gives the names of what has no value yet.
      ready_for_local_init_op: the same, before `local_init_op`.
      is_chief: does this one give variables their values and write files?
      init_op: gives variables their values where there is no checkpoint.
      init_feed_dict: what `init_op` is fed.
      local_init_op: run in each session.
      logdir: where checkpoints and summaries are written.
      summary_op: makes summaries.
      saver: writes and restores checkpoints.
      global_step: counts steps.
      save_summaries_secs: after so many seconds; 0: never.
      save_model_secs: after so many seconds; 0: never.
      recovery_wait_secs: how long it waits before it looks again.
      stop_grace_secs: how long threads may go on once they are to stop.
      checkpoint_basename: how checkpoints' names begin.
      session_manager: makes sessions.
      summary_writer: writes summaries; a FileWriter of `logdir` unless given.
      init_fn: a function of the session, called after `init_op`.
      local_init_run_options: RunOptions of `local_init_op`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     more = tf.compat.v1.train.create_global_step().assign_add(1)
    ...     sv = tf.compat.v1.train.Supervisor(logdir=folder)
    ...     with sv.managed_session() as session:
    ...         _ = session.run(more)
    ...         path = sv.saver.save(session, sv.save_path, global_step=sv.global_step)
    >>> os.path.basename(path)
    'model.ckpt-1'
    """

    # What is not given; 0, as None says that there is none.
    USE_DEFAULT = 0

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = USE_DEFAULT,
        ready_for_local_init_op: Any = USE_DEFAULT,
        is_chief: bool = True,
        init_op: Any = USE_DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = USE_DEFAULT,
        logdir: str | None = None,
        summary_op: Any = USE_DEFAULT,
        saver: Any = USE_DEFAULT,
        global_step: Any = USE_DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: SessionManager | None = None,
        summary_writer: Any = USE_DEFAULT,
        init_fn: Callable | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        if _graphkiln.executing_eagerly():
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        if graph is None:
            graph = _graphkiln.get_default_graph()

        def given(value: Any, key: str, make: Callable[[], Any]) -> Any:
            return _kept(key, make) if value is Supervisor.USE_DEFAULT else value

        with graph.as_default():
            self._ready_op = given(
                ready_op, GraphKeys.READY_OP, variables.report_uninitialized_variables
            )
            self._ready_for_local_init_op = given(
                ready_for_local_init_op, GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = given(
                init_op, GraphKeys.INIT_OP, variables.global_variables_initializer
            )
            self._local_init_op = given(
                local_init_op,
                GraphKeys.LOCAL_INIT_OP,
                lambda: _graphkiln.group(
                    variables.local_variables_initializer(),
                    variables.tables_initializer(),
                ),
            )
            self._saver = given(
                saver,
                GraphKeys.SAVERS,
                lambda: Saver() if variables.global_variables() else None,
            )
            self._summary_op = given(summary_op, GraphKeys.SUMMARY_OP, merge_all)
            self._global_step = given(global_step, GraphKeys.GLOBAL_STEP, _step_by_name)
        self._init_feed_dict = init_feed_dict
        self._graph = graph
        self._meta_graph_def = export_meta_graph(
            graph=graph,
            saver_def=self._saver.saver_def if self._saver else None,
        )
        self._is_chief = is_chief
        self._coord = Coordinator()
        self._stop_grace_secs = stop_grace_secs
        self._init_fn = init_fn
        self._logdir = logdir if is_chief else None
        self._save_summaries_secs = save_summaries_secs if is_chief else None
        self._save_model_secs = save_model_secs if is_chief else None
        self._save_path = (
            os.path.join(self._logdir, checkpoint_basename) if self._logdir else None
        )
        self._summary_writer = None
        if is_chief and summary_writer is Supervisor.USE_DEFAULT:
            self._summary_writer = FileWriter(self._logdir) if self._logdir else None
        elif is_chief:
            self._summary_writer = summary_writer
        self._graph_is_written = False
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        graph.finalize()

    @property
    def is_chief(self) -> bool:
        """Does this one give variables their values and write files?"""
        return self._is_chief

    @property
    def session_manager(self) -> SessionManager:
        """Makes sessions."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """Stops the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """Gives variables their values."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """What `init_op` is fed."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """Gives the names of what has no value yet."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """The same, before the local ones get theirs."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """Writes summaries; None for those who are not chief."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """Makes summaries."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float | None:
        """After so many seconds summaries are written."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """Counts steps."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """Writes and restores checkpoints."""
        return self._saver

    @property
    def save_model_secs(self) -> float | None:
        """After so many seconds a checkpoint is written."""
        return self._save_model_secs

    @property
    def save_path(self) -> str | None:
        """How checkpoints' paths begin."""
        return self._save_path

    def _write_graph(self) -> None:
        if self._logdir:
            _graphkiln.write_graph(
                self._graph.as_graph_def(add_shapes=True), self._logdir, "graph.pbtxt"
            )
        if self._summary_writer and not self._graph_is_written:
            self._summary_writer.add_graph(self._graph)
            self._summary_writer.add_meta_graph(self._meta_graph_def)
            self._graph_is_written = True

    def start_standard_services(self, sess: Session) -> list[LooperThread] | None:
        """Starts the threads that write checkpoints, summaries and the speed.

        Args:
          sess: whose values they write.

        Raises:
          RuntimeError: for one that is not chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief "
                "supervisors can write events."
            )
        if not self._logdir:
            _graphkiln.warning(
                "Standard services need a 'logdir' passed to the SessionManager"
            )
            return None
        writer = self._summary_writer
        if self._global_step is not None and writer:
            writer.add_session_log(
                _proto.SessionLog(status=_proto.SessionLog.START),
                step_of(sess, self._global_step),
            )
        threads: list[LooperThread] = []
        if self._save_summaries_secs and writer:
            if self._summary_op is not None:
                threads.append(_SummaryThread(self, sess))
            if self._global_step is not None:
                threads.append(_SpeedThread(self, sess))
        if self._saver and self._save_model_secs:
            threads.append(_CheckpointThread(self, sess))
        for thread in threads:
            thread.start()
        return threads

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """A session in which everything has a value, its threads started.

        Args:
          master: "".
          config: a ConfigProto.
          wait_for_checkpoint: does the chief wait for a checkpoint?
          max_wait_secs: how long at most.
          start_standard_services: are the threads started, those of queues too?
        """
        # A supervisor may be used again.
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if not self._is_chief:
            session = self._session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        else:
            session = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                _graphkiln.info("Starting standard services.")
                self.start_standard_services(session)
        if start_standard_services:
            _graphkiln.info("Starting queue runners.")
            self.start_queue_runners(session)
        return session

    def start_queue_runners(
        self, sess: Session, queue_runners: list[QueueRunner] | None = None
    ) -> list:
        """Starts the threads of runners of queues.

        Args:
          sess: runs them.
          queue_runners: those that the graph keeps unless given.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads: list = []
        for runner in queue_runners:
            threads += runner.create_threads(
                sess, coord=self._coord, daemon=True, start=True
            )
        return threads

    def loop(
        self,
        timer_interval_secs: float | None,
        target: Callable,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Starts a thread that calls something until it is time to stop.

        Args:
          timer_interval_secs: between two beginnings; None: without a pause.
          target: what is called.
          args: its arguments.
          kwargs: its arguments with names.
        """
        return LooperThread.loop(self._coord, timer_interval_secs, target, args, kwargs)

    def stop(
        self,
        threads: Any = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops the threads, and raises what one of them was stopped by.

        Args:
          threads: to wait for, besides those started here.
          close_summary_writer: does the writer end?
          ignore_live_threads: whether it is no error that some still run.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._summary_writer:
                self._summary_writer.add_session_log(
                    _proto.SessionLog(status=_proto.SessionLog.STOP)
                )
                self._summary_writer.close()
                self._graph_is_written = False

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop.

        Args:
          ex: an error, raised by `stop`.
        """
        self._coord.request_stop(ex)

    def should_stop(self) -> bool:
        """Has anybody asked to stop?"""
        return self._coord.should_stop()

    def stop_on_exception(self) -> Any:
        """A context whose errors become `request_stop(error)`."""
        return self._coord.stop_on_exception()

    def wait_for_stop(self) -> None:
        """Waits until somebody asks to stop."""
        self._coord.wait_for_stop()

    def summary_computed(
        self, sess: Session, summary: Any, global_step: Any = None
    ) -> None:
        """Writes a summary.

        Args:
          sess: tells the step.
          summary: a Summary, or one as bytes.
          global_step: the step.

        Raises:
          RuntimeError: if there is no writer.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = step_of(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)

    @contextmanager
    def managed_session(
        self,
        master: str = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """A `with` statement with a session whose threads stop behind it; errors of
        threads are raised there.

        Args:
          master: "".
          config: a ConfigProto.
          start_standard_services: are the threads started?
          close_summary_writer: does the writer end?
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:  # noqa: BLE001, raised by stop()
            self.request_stop(error)
        finally:
            try:
                self.stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    PrepareSession = prepare_or_wait_for_session
    StartQueueRunners = start_queue_runners
    StartStandardServices = start_standard_services
    Stop = stop
    RequestStop = request_stop
    Loop = loop
    ShouldStop = should_stop
    StopOnException = stop_on_exception
    WaitForStop = wait_for_stop
    SummaryComputed = summary_computed


class _SummaryThread(LooperThread):
    """Writes summaries."""

    def __init__(self, supervisor: Supervisor, session: Session) -> None:
        super().__init__(supervisor.coord, supervisor.save_summaries_secs)
        self._supervisor = supervisor
        self._session = session

    def run_loop(self) -> None:
        own = self._supervisor
        step = None
        if own.global_step is None:
            made = self._session.run(own.summary_op)
        else:
            made, step = self._session.run([own.summary_op, own.global_step])
        _graphkiln.info("Recording summary at step %s.", step)
        own.summary_writer.add_summary(made, step)


class _SpeedThread(LooperThread):
    """Writes how many steps are made a second."""

    def __init__(self, supervisor: Supervisor, session: Session) -> None:
        super().__init__(supervisor.coord, supervisor.save_summaries_secs)
        self._supervisor = supervisor
        self._session = session
        self._tag = f"{supervisor.global_step.op.name}/sec"

    def start_loop(self) -> None:
        self._time = time.time()
        self._step = step_of(self._session, self._supervisor.global_step)

    def run_loop(self) -> None:
        step = step_of(self._session, self._supervisor.global_step)
        now = time.time()
        steps, seconds = step - self._step, now - self._time
        self._step, self._time = step, now
        speed = steps / seconds if seconds > 0 else float("inf")
        value = _proto.Summary.Value(tag=self._tag, simple_value=speed)
        self._supervisor.summary_writer.add_summary(_proto.Summary(value=[value]), step)
        _graphkiln.info("%s: %g", self._tag, speed)


class _CheckpointThread(LooperThread):
    """Writes checkpoints."""

    def __init__(self, supervisor: Supervisor, session: Session) -> None:
        super().__init__(supervisor.coord, supervisor.save_model_secs)
        self._supervisor = supervisor
        self._session = session

    def run_loop(self) -> None:
        own = self._supervisor
        _graphkiln.info("Saving checkpoint to path %s", own.save_path)
        own.saver.save(self._session, own.save_path, global_step=own.global_step)
        if own.summary_writer and own.global_step is not None:
            log = _proto.SessionLog(
                status=_proto.SessionLog.CHECKPOINT, checkpoint_path=own.save_path
            )
            own.summary_writer.add_session_log(
                log, step_of(self._session, own.global_step)
            )


def basic_train_loop(
    supervisor: Supervisor,
    train_step_fn: Callable,
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Calls a function of a session until the supervisor is to stop; with another
    session after an AbortedError.

    Args:
      supervisor: makes the session.
      train_step_fn: called with the session and the arguments.
      args: its arguments.
      kwargs: its arguments with names.
      master: "".

    >>> with tf.Graph().as_default():
    ...     more = tf.compat.v1.train.create_global_step().assign_add(1)
    ...     sv = tf.compat.v1.train.Supervisor()
    ...     def step(session):
    ...         if session.run(more) == 3:
    ...             sv.request_stop()
    ...     tf.compat.v1.train.basic_train_loop(sv, step)
    """
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
        except _graphkiln.AbortedError as error:
            _graphkiln.info("A session was lost, a new one is made: %s", error)
