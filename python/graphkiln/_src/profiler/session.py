"""Profiles of what a program does, written as TensorBoard and Perfetto read them."""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any, NamedTuple

from graphkiln import _graphkiln


class ProfilerOptions(NamedTuple):
    """What a profile records.

    Attributes:
      host_tracer_level: 0: nothing; 1: functions, stages of datasets and traces;
        2: each op and fused group, too; 3: also what the threads that help them
        do. Below 3, of functions that are so short that it would take 3 % of their
        time, some runs are recorded, which say by `runs` for how many they stand.
      python_tracer_level: 1: calls of Python's functions, of the thread that begins
        the profile and of those that the program starts later, at about a
        microsecond a call. Takes the place of a profiler of `sys.setprofile`.
      device_tracer_level: takes no effect: there are no devices but the CPU.
      delay_ms: what begins earlier than so many milliseconds is left out.

    >>> tf.profiler.experimental.ProfilerOptions(host_tracer_level=3)
    ProfilerOptions(host_tracer_level=3, python_tracer_level=0, \
device_tracer_level=1, delay_ms=None)
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


def start(
    logdir: str | os.PathLike[str], options: ProfilerOptions | None = None
) -> None:
    """Begins a profile of all threads of the process, until
    `tf.profiler.experimental.stop`.

    Args:
      logdir: the folder that TensorBoard looks at. It is made when the profile is
        written.
      options: a `ProfilerOptions`; its defaults unless given.

    Raises:
      AlreadyExistsError: a profile is being made.
      TypeError: `logdir` is no path.

    >>> import tempfile
    >>> tf.profiler.experimental.start(tempfile.mkdtemp())
    >>> product = tf.ones([64, 64]) @ tf.ones([64, 64])
    >>> tf.profiler.experimental.stop()
    """
    chosen = ProfilerOptions() if options is None else options
    _graphkiln._start_profiler(
        os.fspath(logdir),
        int(chosen.host_tracer_level),
        int(chosen.python_tracer_level),
        int(chosen.device_tracer_level),
        chosen.delay_ms,
    )


def stop(save: bool = True) -> None:
    """Ends the profile that `tf.profiler.experimental.start` began, and writes
    `LOGDIR/plugins/profile/TIME/HOST.xplane.pb`, for TensorBoard's page of profiles,
    and `HOST.trace.json.gz`, which https://ui.perfetto.dev opens.

    Args:
      save: False: nothing is written.

    Raises:
      UnavailableError: no profile is being made.
      OpError: what keeps the files from being written, as `PermissionDeniedError`;
        the profile has ended then, too.

    >>> import pathlib, tempfile
    >>> logdir = pathlib.Path(tempfile.mkdtemp())
    >>> tf.profiler.experimental.start(logdir)
    >>> tf.profiler.experimental.stop()
    >>> sorted("".join(p.suffixes[-3:]) for p in logdir.glob("plugins/profile/*/*"))
    ['.trace.json.gz', '.xplane.pb']
    """
    _graphkiln._stop_profiler(save)


class Profile:
    """A profile from where a `with` block begins to where it ends, whatever ends it.

    Args:
      logdir, options: as `tf.profiler.experimental.start` takes them.

    Raises:
      AlreadyExistsError: a profile is being made.

    >>> import tempfile
    >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()):
    ...     product = tf.ones([64, 64]) @ tf.ones([64, 64])
    """

    def __init__(
        self, logdir: str | os.PathLike[str], options: ProfilerOptions | None = None
    ) -> None:
        self._logdir = logdir
        self._options = options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        stop()


class Trace:
    """An event of the program's own in a profile, from where it is made to where its
    `with` block ends. While no profile is made it costs next to nothing.

    Args:
      name: of the event.
      **kwargs: what it is told with, numbers and texts. TensorBoard takes events
        with `step_num` and `_r=1` for the steps of a training.

    >>> import tempfile
    >>> with tf.profiler.experimental.Profile(tempfile.mkdtemp()):
    ...     for step in range(3):
    ...         with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
    ...             product = tf.ones([64, 64]) @ tf.ones([64, 64])
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._event = (
            _graphkiln._TraceEvent(name, kwargs) if _graphkiln._is_profiling() else None
        )

    def __enter__(self) -> Trace:
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Tells more of the event, which has not ended.

        >>> with tf.profiler.experimental.Trace("load") as trace:
        ...     trace.set_metadata(found_in_cache=True)
        """
        if self._event is not None:
            self._event.add(kwargs)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._event is not None:
            self._event.end()
