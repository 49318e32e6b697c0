"""tf.compat.v1.train.QueueRunner: threads that fill a queue."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.host.logging import vlog
from graphkiln._src.session.default_session import get_default_session
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.scoped_names import name_in_scope, scoped_name
from graphkiln._src.session.base_session import BaseSession


def _checked_types(types: Any) -> tuple[type[BaseException], ...]:
    if types is None:
        return (_graphkiln.OutOfRangeError,)
    if (
        not isinstance(types, tuple)
        or not types
        or not all(issubclass(t, _graphkiln.OpError) for t in types)
    ):
        raise TypeError(
            "queue_closed_exception_types, when provided, must be a tuple of tf.error "
            f"types, but saw: {types}"
        )
    return types


class QueueRunner:
    """Operations that threads run again and again, to fill a queue.

    Each operation has a thread of its own. When the last of them learns that there
    is nothing more to come, the queue is closed.

    Args:
      queue: what is filled.
      enqueue_ops: run until one of `queue_closed_exception_types` is raised.
      close_op: run then; closes the queue unless given.
      cancel_op: run when a coordinator asks to stop; closes the queue and cancels
        those who wait unless given.
      queue_closed_exception_types: a tuple of errors which say that work is done;
        OutOfRangeError unless given.
      queue_runner_def: a QueueRunnerDef in place of all of these.
      import_scope: where its names are.

    >>> with tf.Graph().as_default():
    ...     q = tf.queue.FIFOQueue(2, tf.int32, shapes=[()])
    ...     tf.compat.v1.train.add_queue_runner(
    ...         tf.compat.v1.train.QueueRunner(q, [q.enqueue(7)]))
    ...     x = q.dequeue()
    ...     with tf.compat.v1.Session() as session:
    ...         coord = tf.train.Coordinator()
    ...         threads = tf.compat.v1.train.start_queue_runners(session, coord)
    ...         print(session.run(x).item(), session.run(x).item())
    ...         coord.request_stop()
    ...         coord.join(threads)
    7 7
    """

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Sequence[Any] | None = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: tuple[type[BaseException], ...] | None = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if _graphkiln.executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. "
                "Instead, please use tf.data to get data into your model."
            )
        if queue_runner_def is not None:
            if queue or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, import_scope)
        else:
            if not queue or not enqueue_ops:
                raise ValueError("Must provide queue and enqueue_ops.")
            self._closed = _checked_types(queue_closed_exception_types)
            self._queue = queue
            self._enqueue_ops = enqueue_ops
            self._close_op = queue.close() if close_op is None else close_op
            self._cancel_op = (
                queue.close(cancel_pending_enqueues=True)
                if cancel_op is None
                else cancel_op
            )
        self._lock = threading.Lock()
        # How many threads run, by the session.
        self._running: Any = weakref.WeakKeyDictionary()
        self._raised: list[BaseException] = []

    def _read(self, message: Any, scope: str | None) -> None:
        graph = _graphkiln.get_default_graph()

        def found(name: str) -> Any:
            return graph.as_graph_element(scoped_name(name, scope))

        self._queue = found(message.queue_name)
        self._enqueue_ops = [found(name) for name in message.enqueue_op_name]
        self._close_op = found(message.close_op_name)
        self._cancel_op = found(message.cancel_op_name)
        self._closed = tuple(
            _graphkiln.exception_type_from_error_code(code)
            for code in message.queue_closed_exception_types
        ) or (_graphkiln.OutOfRangeError,)

    @property
    def queue(self) -> Any:
        """What is filled."""
        return self._queue

    @property
    def enqueue_ops(self) -> Sequence[Any]:
        """What threads run."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """Run when nothing more comes."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """Run when a coordinator asks to stop."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type[BaseException], ...]:
        """The errors which say that work is done."""
        return self._closed

    @property
    def exceptions_raised(self) -> list[BaseException]:
        """What ended threads that have no coordinator to tell."""
        return self._raised

    @property
    def name(self) -> str:
        """The queue's name."""
        return self._queue.name

    def create_threads(
        self,
        sess: BaseSession,
        coord: Any = None,
        daemon: bool = False,
        start: bool = False,
    ) -> list[threading.Thread]:
        """Threads, one for each operation, and one that cancels when `coord` asks to
        stop. None if those of an earlier call still run.

        Args:
          sess: runs the operations.
          coord: a Coordinator, which is told of errors.
          daemon: may the program end while they run?
          start: are they started here?
        """
        with self._lock:
            if self._running.get(sess, 0) > 0:
                return []
            self._running[sess] = len(self._enqueue_ops)
            self._raised = []
        prefix = f"QueueRunnerThread-{self.name}-"
        threads = [
            threading.Thread(
                target=self._run, args=(sess, op, coord), name=f"{prefix}{op.name}"
            )
            for op in self._enqueue_ops
        ]
        if coord:
            threads.append(
                threading.Thread(
                    target=self._cancel_on_stop,
                    args=(sess, coord),
                    name=f"{prefix}close_on_stop",
                )
            )
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if daemon:
                thread.daemon = True
            if start:
                thread.start()
        return threads

    def _run(self, session: BaseSession, op: Any, coord: Any) -> None:
        try:
            step = session.make_callable(op)
            while not (coord and coord.should_stop()):
                step()
        except self._closed:
            self._leave(session, close=True)
            return
        except Exception as error:
            self._leave(session)
            if coord:
                coord.request_stop(error)
                return
            _graphkiln.error("Exception in QueueRunner: %s", str(error))
            with self._lock:
                self._raised.append(error)
            raise
        self._leave(session)

    def _leave(self, session: BaseSession, close: bool = False) -> None:
        with self._lock:
            self._running[session] -= 1
            last = self._running[session] == 0
        if close and last:
            self._run_quietly(session, self._close_op)

    def _cancel_on_stop(self, session: BaseSession, coord: Any) -> None:
        coord.wait_for_stop()
        self._run_quietly(session, self._cancel_op)

    @staticmethod
    def _run_quietly(session: BaseSession, op: Any) -> None:
        # The session may be closed by now, the queue too.
        try:
            session.run(op)
        except Exception as error:  # noqa: BLE001, nobody waits for this thread
            vlog(1, "Ignored exception: %s", str(error))

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A QueueRunnerDef; None if the queue is not in `export_scope`.

        Args:
          export_scope: taken from the names.
        """
        if export_scope is not None and not self.name.startswith(export_scope):
            return None

        def name(element: Any) -> str:
            return name_in_scope(element.name, export_scope)

        return _proto.QueueRunnerDef(
            queue_name=name(self._queue),
            enqueue_op_name=[name(op) for op in self._enqueue_ops],
            close_op_name=name(self._close_op),
            cancel_op_name=name(self._cancel_op),
            queue_closed_exception_types=[
                _graphkiln.error_code_from_exception_type(t) for t in self._closed
            ],
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> Any:
        """The runner that a QueueRunnerDef describes, in the default graph.

        Args:
          queue_runner_def: the message.
          import_scope: where its names are.
        """
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)


def add_queue_runner(
    qr: QueueRunner, collection: str = GraphKeys.QUEUE_RUNNERS
) -> None:
    """Keeps a runner with the default graph, for `start_queue_runners`.

    Args:
      qr: the runner.
      collection: under which name.

    >>> with tf.Graph().as_default():
    ...     q = tf.queue.FIFOQueue(2, tf.int32)
    ...     qr = tf.compat.v1.train.QueueRunner(q, [q.enqueue(1)])
    ...     tf.compat.v1.train.add_queue_runner(qr)
    """
    _graphkiln.get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Starts the threads of all runners that the session's graph keeps.

    Args:
      sess: a Session; the default one unless given. One with hooks starts its
        runners itself, and nothing happens here.
      coord: a Coordinator, which is told of errors.
      daemon: may the program end while they run?
      start: are they started, or only made?
      collection: under which name the graph keeps them.

    Returns:
      The threads.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session():
    ...     tf.compat.v1.train.start_queue_runners()
    []
    """
    if sess is None:
        sess = get_default_session()
        if not sess:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session to "
                "tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, BaseSession):
        if hasattr(sess, "run_step_fn"):  # a session with hooks
            return []
        raise TypeError(
            f"sess must be a `tf.Session` object. Given class: {type(sess)}"
        )
    runners = sess.graph.get_collection(collection)
    if not runners:
        _graphkiln.warning(
            "`tf.train.start_queue_runners()` was called when no queue runners were "
            "defined. You can safely remove the call to this deprecated function."
        )
    with sess.graph.as_default():
        threads: list[threading.Thread] = []
        for runner in runners:
            threads += runner.create_threads(sess, coord, daemon, start)
    return threads
