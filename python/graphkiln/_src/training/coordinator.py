"""tf.train.Coordinator."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from graphkiln._graphkiln import OutOfRangeError


class Coordinator:
    """Tells threads to stop, and their makers why they did.

    Threads ask `should_stop`; the first that calls `request_stop` stops them all,
    and the error that it gives is raised where they are joined.

    Args:
      clean_stop_exception_types: errors that only say that work is done;
        OutOfRangeError unless said otherwise.

    >>> import threading
    >>> coord = tf.train.Coordinator()
    >>> def work():
    ...     with coord.stop_on_exception():
    ...         while not coord.should_stop():
    ...             raise tf.errors.OutOfRangeError(None, None, "all read")
    >>> thread = threading.Thread(target=work)
    >>> thread.start()
    >>> coord.join([thread])
    >>> coord.joined
    True
    """

    def __init__(
        self, clean_stop_exception_types: tuple[type[BaseException], ...] | None = None
    ) -> None:
        self._clean = (
            (OutOfRangeError,)
            if clean_stop_exception_types is None
            else tuple(clean_stop_exception_types)
        )
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._error: BaseException | None = None
        self._joined = False
        self._registered: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Stops all threads. The first error that is given is kept for `join`; one
        that comes after it raises at once.

        Args:
          ex: an error, or a tuple as sys.exc_info() gives it; None if nothing is
            wrong.
        """
        error = ex[1] if isinstance(ex, tuple) else ex
        if error is not None and not isinstance(error, BaseException):
            raise TypeError(
                "`ex` must be an error, a tuple as sys.exc_info() gives it, or None, "
                f"got {ex!r}"
            )
        if isinstance(error, self._clean):
            error = None
        with self._lock:
            if self._joined:
                if error is not None:
                    raise error
                return
            if self._stopped.is_set():
                return
            self._error = error
            self._stopped.set()

    def clear_stop(self) -> None:
        """Makes it as new: `should_stop` is False again and no error is kept."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stopped.clear()

    def should_stop(self) -> bool:
        """Has anybody asked to stop?"""
        return self._stopped.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """A context whose errors become `request_stop(error)`."""
        try:
            yield
        except BaseException:  # noqa: BLE001, kept for join()
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until somebody asks to stop, at most `timeout` seconds.

        Returns:
          Whether anybody has asked.
        """
        return self._stopped.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """`join` waits for this thread, too."""
        with self._lock:
            self._registered.add(thread)

    def join(
        self,
        threads: Iterable[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until the threads end, after a request to stop no longer than so.

        Args:
          threads: to wait for, besides those that were registered.
          stop_grace_period_secs: how long they may go on once they are to stop.
          ignore_live_threads: whether it is no error that some still run then.

        Raises:
          RuntimeError: naming the threads that still run; and what was given to
            `request_stop`.
        """
        with self._lock:
            waited_for = [*self._registered, *(threads or ())]
        while any(t.is_alive() for t in waited_for) and not self.wait_for_stop(0.01):
            pass
        end = time.monotonic() + stop_grace_period_secs
        for thread in waited_for:
            thread.join(max(0.0, end - time.monotonic()))
        running = [t.name for t in waited_for if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered = set()
            error = self._error
        if error is not None:
            raise error
        if running and not ignore_live_threads:
            raise RuntimeError(
                f"Coordinator stopped with threads still running: {' '.join(running)}"
            )

    @property
    def joined(self) -> bool:
        """Whether `join` is done."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what `request_stop` was given, if it was given something."""
        with self._lock:
            error = self._error
        if error is not None:
            raise error


class LooperThread(threading.Thread):
    """A thread that does something again and again until a coordinator stops it.

    What is raised there goes to the coordinator.

    Args:
      coord: a Coordinator.
      timer_interval_secs: between two beginnings; None: without a pause.
      target: what is called; `run_loop` of a class made from this one otherwise.
      args: its arguments.
      kwargs: its arguments with names.

    >>> coord = tf.train.Coordinator()
    >>> seen = []
    >>> def turn():
    ...     seen.append(1)
    ...     if len(seen) == 3:
    ...         coord.request_stop()
    >>> thread = tf.compat.v1.train.LooperThread.loop(coord, None, turn)
    >>> coord.join([thread])
    >>> len(seen)
    3
    """

    def __init__(
        self,
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Any = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise ValueError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        if target is None and (args or kwargs):
            raise ValueError(
                "'args' and 'kwargs' argument require that you also pass 'target'"
            )
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Coordinator,
        timer_interval_secs: float | None,
        target: Any,
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """A thread of this kind, started.

        Args:
          coord: a Coordinator.
          timer_interval_secs: between two beginnings; None: without a pause.
          target: what is called.
          args: its arguments.
          kwargs: its arguments with names.
        """
        thread = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread

    def run(self) -> None:
        """What the thread does."""
        with self._coord.stop_on_exception():
            self.start_loop()
            interval = self._timer_interval_secs
            if interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_time = time.time()
                while not self._coord.wait_for_stop(max(0.0, next_time - time.time())):
                    next_time += interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called before the first turn."""

    def stop_loop(self) -> None:
        """Called behind the last turn."""

    def run_loop(self) -> None:
        """One turn: calls the target."""
        if self._target:
            self._target(*self._args, **self._kwargs)
