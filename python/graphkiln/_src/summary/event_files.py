"""Event files as programs of TensorFlow 1 write and read them."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

from graphkiln import _graphkiln, _proto, raw_ops
from graphkiln._graphkiln import Graph
from graphkiln._src.host.logging import get_logger
from graphkiln._src.session.meta_graph import export_meta_graph
from graphkiln._src.summary.graphs import graph_bytes
from graphkiln._src.summary.writers import create_file_writer


class _SummaryIterator:
    def __init__(self, path):
        self._reader = _graphkiln._open_event_reader(os.fspath(path))

    def __iter__(self):
        return self

    def __next__(self):
        record = self._reader.read()
        if record is None:
            raise StopIteration
        return _proto.Event.FromString(record)

    next = __next__


def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of an event file.

    Args:
      path: of the file.

    Returns:
      An iterator over Event messages. Where it ended it goes on once the file has
      grown.

    Raises:
      NotFoundError: there is no such file.
      DataLossError: a record is damaged, or cut off.

    >>> import glob, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.summary.create_file_writer(folder).as_default(step=7):
    ...     _ = tf.summary.scalar("loss", 0.5)
    >>> for path in glob.glob(folder + "/*"):
    ...     for event in tf.compat.v1.train.summary_iterator(path):
    ...         print(event.step, [value.tag for value in event.summary.value])
    0 []
    7 ['loss']
    """
    return _SummaryIterator(path)


class _EventFile:
    """An event file that can be closed and continued in a new one."""

    def __init__(self, logdir, max_queue, flush_secs, suffix):
        self._logdir = os.fspath(logdir)
        self._options = max_queue, int(flush_secs * 1000), suffix or ""
        self._writer = None
        self.reopen()

    def get_logdir(self):
        return self._logdir

    def reopen(self):
        if self._writer is None:
            self._writer = _graphkiln._open_event_writer(self._logdir, *self._options)

    def add_event(self, event):
        if self._writer is not None:
            self._writer.write(event.SerializeToString())

    def flush(self):
        if self._writer is not None:
            self._writer.flush()

    def close(self):
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()


class _SessionEventFile:
    """The same through operations of a session's graph: all of one graph and one
    folder have one file."""

    def __init__(self, session, logdir, max_queue, flush_secs, suffix):
        self._session = session
        self._logdir = os.fspath(logdir)
        self._closed = False
        with session.graph.as_default(), _graphkiln.name_scope("filewriter"):
            writer = create_file_writer(
                self._logdir, max_queue, int(flush_secs * 1000), suffix or ""
            )
            self._event = raw_ops.PlaceholderWithDefault(input="unused", shape=[])
            self._add = raw_ops.ImportEvent(writer=writer._resource, event=self._event)
            self._open = writer.init()
            self._flush = writer.flush()
            self._close = writer.close()
        session.run(self._open)

    def get_logdir(self):
        return self._logdir

    def reopen(self):
        if self._closed:
            self._session.run(self._open)
            self._closed = False

    def add_event(self, event):
        if not self._closed:
            message = event.SerializeToString()
            self._session.run(self._add, feed_dict={self._event: message})

    def flush(self):
        self._session.run(self._flush)

    def close(self):
        if not self._closed:
            self._session.run(self._close)
            self._closed = True


class FileWriter:
    """Writes an event file, from a program of TensorFlow 1.

    Args:
      logdir: the folder, which is made if it is not there.
      graph: a graph that is written first.
      max_queue: so many events may wait before they are written.
      flush_secs: so many seconds they may wait.
      graph_def: a GraphDef in place of a graph.
      filename_suffix: of the file's name.
      session: one whose graph gets operations that write the file, None: the file is
        written at once.

    Raises:
      RuntimeError: called eagerly.

    >>> import tempfile
    >>> with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
    ...     with tf.compat.v1.summary.FileWriter(tempfile.mkdtemp(), graph) as writer:
    ...         writer.add_summary(session.run(loss), global_step=1)
    """

    def __init__(
        self,
        logdir: Any,
        graph: Any = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: Any = None,
        filename_suffix: str | None = None,
        session: Any = None,
    ) -> None:
        if _graphkiln.executing_eagerly():
            raise RuntimeError(
                "v1.summary.FileWriter is not compatible with eager execution. Use "
                "`tf.summary.create_file_writer`, or a `with "
                "v1.Graph().as_default():` context"
            )
        options = logdir, max_queue, flush_secs, filename_suffix
        if session is None:
            self.event_writer: Any = _EventFile(*options)
        else:
            self.event_writer = _SessionEventFile(session, *options)
        self._closed = False
        self._run_tags: set[str] = set()
        self._seen_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            shown = graph_def or graph
            if isinstance(shown, Graph):
                shown = shown.as_graph_def(add_shapes=True)
            self.add_meta_graph(export_meta_graph(graph_def=shown, collection_list=[]))

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self.event_writer.get_logdir()

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a Summary.

        Args:
          summary: the message or its bytes, as summary operations give them.
          global_step: the event's step.
        """
        if isinstance(summary, bytes):
            summary = _proto.Summary.FromString(summary)
        else:
            summary = _proto.Summary.FromString(summary.SerializeToString())
        # What shows a value is said with the first of its tag.
        for value in summary.value:
            if value.tag in self._seen_tags:
                value.ClearField("metadata")
            self._seen_tags.add(value.tag)
        self._add(_proto.Event(summary=summary), global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds a SessionLog.

        Args:
          session_log: the message.
          global_step: the event's step.
        """
        event = _proto.Event()
        event.session_log.ParseFromString(session_log.SerializeToString())
        self._add(event, global_step)

    def add_graph(
        self, graph: Any, global_step: Any = None, graph_def: Any = None
    ) -> None:
        """Adds a graph.

        Args:
          graph: a tf.Graph.
          global_step: the event's step.
          graph_def: a GraphDef in place of a graph.

        Raises:
          ValueError: both were given.
          TypeError: it is neither.
        """
        if graph is not None and graph_def is not None:
            raise ValueError(
                "Please pass only graph, or graph_def (deprecated), but not both."
            )
        given = graph_def if graph is None else graph
        message = graph_bytes(given)
        if message is None:
            raise TypeError(
                "The passed graph must be an instance of `Graph` or the deprecated "
                f"`GraphDef`, got {type(given).__name__}"
            )
        if not isinstance(given, Graph):
            get_logger().warning(
                "Passing a `GraphDef` to the SummaryWriter is deprecated. Pass a "
                "`Graph` object instead, such as `sess.graph`."
            )
        self._add(_proto.Event(graph_def=message), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds a MetaGraphDef.

        Args:
          meta_graph_def: the message.
          global_step: the event's step.

        Raises:
          TypeError: it is another object.
        """
        descriptor = getattr(meta_graph_def, "DESCRIPTOR", None)
        if getattr(descriptor, "full_name", None) != "tensorflow.MetaGraphDef":
            raise TypeError(
                "meta_graph_def must be type MetaGraphDef, saw type: "
                f"{type(meta_graph_def)}"
            )
        message = meta_graph_def.SerializeToString()
        self._add(_proto.Event(meta_graph_def=message), global_step)

    def add_run_metadata(
        self, run_metadata: Any, tag: str, global_step: Any = None
    ) -> None:
        """Adds what is known of a run of a session.

        Args:
          run_metadata: a RunMetadata.
          tag: names it, once.
          global_step: the event's step.

        Raises:
          ValueError: the tag was used before.
        """
        if tag in self._run_tags:
            raise ValueError("The provided tag was already used for this event type")
        self._run_tags.add(tag)
        event = _proto.Event()
        event.tagged_run_metadata.tag = tag
        event.tagged_run_metadata.run_metadata = run_metadata.SerializeToString()
        self._add(event, global_step)

    def add_event(self, event: Any) -> None:
        """Adds an Event as it is.

        Args:
          event: the message.
        """
        self._warn_if_closed()
        self.event_writer.add_event(event)

    def flush(self) -> None:
        """Writes the events that wait to the file."""
        self._warn_if_closed()
        self.event_writer.flush()

    def close(self) -> None:
        """Writes the events that wait and closes the file."""
        self.event_writer.close()
        self._closed = True

    def reopen(self) -> None:
        """Goes on after `close`, in a new file."""
        self.event_writer.reopen()
        self._closed = False

    def _add(self, event, step):
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.add_event(event)

    def _warn_if_closed(self):
        if self._closed:
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop "
                "unless the FileWriter is explicitly reopened.",
                stacklevel=3,
            )


class FileWriterCache:
    """File writers by their folder, one each.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.Graph().as_default():
    ...     writer = tf.compat.v1.summary.FileWriterCache.get(folder)
    ...     tf.compat.v1.summary.FileWriterCache.get(folder) is writer
    True
    >>> tf.compat.v1.summary.FileWriterCache.clear()
    """

    _cache: ClassVar[dict[str, FileWriter]] = {}
    _lock = threading.RLock()

    @classmethod
    def clear(cls) -> None:
        """Closes all and forgets them."""
        with cls._lock:
            for writer in cls._cache.values():
                writer.close()
            cls._cache.clear()

    @classmethod
    def get(cls, logdir: str) -> FileWriter:
        """The writer of a folder, made if there is none; it writes the graph
        that is built first.

        Args:
          logdir: the folder.
        """
        with cls._lock:
            writer = cls._cache.get(logdir)
            if writer is None:
                writer = FileWriter(logdir, graph=_graphkiln.get_default_graph())
                cls._cache[logdir] = writer
            return writer
