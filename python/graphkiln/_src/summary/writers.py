"""tf.summary's writers of event files."""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterator
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Operation
from graphkiln._src import ops
from graphkiln._src.saved_model.resources import TrackableResource
from graphkiln._src.summary.state import state

# The collection of a graph with what opens its writers.
INITIALIZERS = "_SUMMARY_WRITER_V2"
# Who ends without closing a writer loses nothing. Files that Python serves are
# written while there is still a Python.
atexit.register(_graphkiln._flush_event_writers)


class _AsDefault:
    """A writer, and a step, for the summaries of a `with` block."""

    def __init__(self, writer, step):
        self._writer = writer
        self._step = step
        self._before = None

    def __enter__(self):
        self._before = state.writer, state.step
        state.writer = self._writer
        if self._step is not None:
            state.step = self._step
        return self._writer

    def __exit__(self, *exc):
        state.writer.flush()
        state.writer, step = self._before
        if self._step is not None:
            state.step = step
        return False


class SummaryWriter:
    """Base of writers of summaries. `tf.summary.create_file_writer` makes one.

    >>> import tempfile
    >>> writer = tf.summary.create_file_writer(tempfile.mkdtemp())
    >>> isinstance(writer, tf.summary.SummaryWriter)
    True
    """

    def set_as_default(self, step: Any = None) -> None:
        """Summaries of this thread go to this writer from now on.

        Args:
          step: the step that they have unless they are given one: an integer, an
            int64 tensor or a variable. None leaves it as it is.
        """
        self.as_default(step).__enter__()

    def as_default(self, step: Any = None) -> contextlib.AbstractContextManager:
        """Summaries of a `with` block go to this writer, which is flushed at its
        end.

        Args:
          step: the step that they have unless they are given one: an integer, an
            int64 tensor or a variable. None leaves it as it is.
        """
        return _AsDefault(self, step)

    def init(self) -> Operation | None:
        """Opens the file; of a graph, the operation that does."""
        raise NotImplementedError()

    def flush(self) -> Operation | None:
        """Writes what waits to the file."""
        raise NotImplementedError()

    def close(self) -> Operation | None:
        """Writes what waits and closes the file."""
        raise NotImplementedError()


class ResourceSummaryWriter(SummaryWriter):
    """A writer whose file is behind a handle."""

    def __init__(self, create_fn, init_op_fn):
        self._resource = create_fn()
        self._init_op = init_op_fn(self._resource)
        self._closed = False
        if not _graphkiln.executing_eagerly():
            graph = _graphkiln.get_default_graph()
            graph.add_to_collection(INITIALIZERS, self._init_op)

    def _check_open(self):
        if _graphkiln.executing_eagerly() and self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def set_as_default(self, step=None):
        self._check_open()
        super().set_as_default(step)

    def as_default(self, step=None):
        self._check_open()
        return super().as_default(step)

    def init(self):
        self._check_open()
        return self._init_op

    def flush(self):
        if _graphkiln.executing_eagerly() and self._closed:
            return None
        return raw_ops.FlushSummaryWriter(writer=self._resource)

    def close(self):
        eager = _graphkiln.executing_eagerly()
        if eager and self._closed:
            return None
        try:
            flushed = self.flush()
            with _graphkiln.control_dependencies([] if eager else [flushed]):
                return raw_ops.CloseSummaryWriter(writer=self._resource)
        finally:
            if eager:
                self._closed = True


class _TrackableWriter(ResourceSummaryWriter, TrackableResource):
    """One that saved models make anew."""

    def __init__(self, create_fn, init_op_fn):
        TrackableResource.__init__(self)
        self._create_fn = create_fn
        self._init_op_fn = init_op_fn
        ResourceSummaryWriter.__init__(self, lambda: self.resource_handle, init_op_fn)

    def _create_resource(self):
        return self._create_fn()

    def _initialize(self):
        return self._init_op_fn(self.resource_handle)


class _NoopSummaryWriter(SummaryWriter):
    """One that does nothing and is no thread's writer."""

    def set_as_default(self, step=None):
        pass

    @contextlib.contextmanager
    def as_default(self, step=None) -> Iterator[None]:
        yield

    def init(self):
        pass

    def flush(self):
        pass

    def close(self):
        pass


def create_noop_writer() -> SummaryWriter:
    """A writer that does nothing, where one is expected.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 0.5, step=1).numpy().item()
    False
    """
    return _NoopSummaryWriter()


def _check_arguments(inside_function, **arguments):
    for name, value in arguments.items():
        if not _graphkiln.is_symbolic_tensor(value):
            continue
        if inside_function:
            raise ValueError(
                f"Invalid graph Tensor argument '{name}={value}' to "
                "create_file_writer() inside an @tf.function. The create call will "
                "be lifted into the outer eager execution context, so it cannot "
                "consume graph tensors defined inside the function body."
            )
        if _graphkiln.executing_eagerly():
            raise ValueError(
                f"Invalid graph Tensor argument '{name}={value}' to eagerly "
                "executed create_file_writer()."
            )


def create_file_writer(
    logdir: Any,
    max_queue: Any = None,
    flush_millis: Any = None,
    filename_suffix: Any = None,
    name: str | None = None,
    experimental_trackable: bool = False,
    experimental_mesh: Any = None,
) -> SummaryWriter:
    """A writer of an event file in a folder.

    Args:
      logdir: the folder, which is made if it is not there.
      max_queue: so many summaries may wait before they are written, 10 unless
        given.
      flush_millis: so long they may wait, 120000 unless given.
      filename_suffix: of the file's name, ".v2" unless given.
      name: of the handle in a graph.
      experimental_trackable: is it to be saved with models that hold it?
      experimental_mesh: must be None.

    Returns:
      A SummaryWriter. A function that makes one while it is traced makes it once,
      eagerly. In a graph the operation `init()` opens the file.

    Raises:
      ValueError: an argument is a tensor of a graph where the file is opened
        eagerly.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> writer = tf.summary.create_file_writer(folder)
    >>> with writer.as_default():
    ...     for step in range(3):
    ...         _ = tf.summary.scalar("loss", 1 / (step + 1), step=step)
    >>> [file[:19] for file in os.listdir(folder)]
    ['events.out.tfevents']
    """
    if experimental_mesh is not None:
        raise ValueError(
            "create_file_writer: experimental_mesh is for tensors that lie on a "
            f"mesh of devices, which there are none of; got {experimental_mesh!r}. "
            "Leave it out."
        )
    if isinstance(logdir, os.PathLike):
        logdir = os.fspath(logdir)
    inside_function = _graphkiln.inside_function()
    scope = name or "create_file_writer"
    with _graphkiln.init_scope(), _graphkiln.name_scope(scope) as scope:
        _check_arguments(
            inside_function,
            logdir=logdir,
            max_queue=max_queue,
            flush_millis=flush_millis,
            filename_suffix=filename_suffix,
        )
        logdir = _graphkiln.convert_to_tensor(logdir, dtype=_graphkiln.string)
        max_queue = _graphkiln.constant(10) if max_queue is None else max_queue
        if flush_millis is None:
            flush_millis = _graphkiln.constant(2 * 60 * 1000)
        if filename_suffix is None:
            filename_suffix = _graphkiln.constant(".v2")

        def create():
            eager = _graphkiln.executing_eagerly()
            shared_name = "" if eager else scope.rstrip("/")
            return raw_ops.SummaryWriter(shared_name=shared_name, name=name)

        def open_file(resource):
            return raw_ops.CreateSummaryFileWriter(
                writer=resource,
                logdir=logdir,
                max_queue=max_queue,
                flush_millis=flush_millis,
                filename_suffix=filename_suffix,
            )

        made = _TrackableWriter if experimental_trackable else ResourceSummaryWriter
        return made(create, open_file)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Any:
    """Writes the summaries that wait to the file.

    Args:
      writer: whose summaries; None: this thread's writer.
      name: takes no effect.

    Raises:
      ValueError: `writer` is no SummaryWriter.

    >>> tf.summary.flush()
    """
    del name
    if writer is None:
        writer = state.writer
        if writer is None:
            return ops.no_op()
    if isinstance(writer, SummaryWriter):
        return writer.flush()
    raise ValueError(f"Invalid argument to flush(): {writer!r}")
