"""Graphs in event files: one graph, or those of the functions that are called
while a trace is on."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Graph, Tensor
from graphkiln._src.host.logging import get_logger
from graphkiln._src.profiler.session import start, stop
from graphkiln._src.summary.state import checked_step, recording, state
from graphkiln._src.summary.write import summary_scope, write

_lock = threading.Lock()


class _Trace(NamedTuple):
    """What the trace that is on collects."""

    graph: bool
    profiler: bool


_trace: _Trace | None = None


def graph_bytes(graph_data: Any) -> bytes | None:
    """A graph or a GraphDef as the bytes of one; None of anything else."""
    if isinstance(graph_data, Graph):
        return graph_data.as_graph_def(add_shapes=True).SerializeToString()
    descriptor = getattr(graph_data, "DESCRIPTOR", None)
    if getattr(descriptor, "full_name", None) == "tensorflow.GraphDef":
        return graph_data.SerializeToString()
    return None


def graph(graph_data: Any) -> Tensor:
    """Writes a graph, which TensorBoard draws.

    Args:
      graph_data: a tf.Graph or a GraphDef. Of a tf.function:
        `f.get_concrete_function(...).graph`.

    Returns:
      A bool scalar: was it written?

    Raises:
      ValueError: called while a graph is built; `graph_data` is neither.

    >>> import tempfile
    >>> f = tf.function(lambda x: x * x)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.graph(f.get_concrete_function(2.0).graph).numpy().item()
    True
    """
    if not _graphkiln.executing_eagerly():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    if state.writer is None or not recording():
        return _graphkiln.constant(False)
    message = graph_bytes(graph_data)
    if message is None:
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. "
            f"Received graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    raw_ops.WriteGraphSummary(writer=state.writer._resource, step=0, tensor=message)
    return _graphkiln.constant(True)


def trace_on(
    graph: bool = True, profiler: bool = False, profiler_outdir: Any = None
) -> None:
    """Collects the graphs of all functions that are called from now on, by any
    thread, until `tf.summary.trace_export` writes them.

    Args:
      graph: collect graphs?
      profiler: make a profile, too (`tf.profiler.experimental.start`)?
      profiler_outdir: the log folder of the profile. Without one a warning says
        that there will be none, and `tf.summary.trace_export` raises.

    Raises:
      AlreadyExistsError: there is to be a profile, and one is being made.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    global _trace
    if _graphkiln.inside_function():
        get_logger().warning("Cannot enable trace inside a tf.function.")
        return
    if not _graphkiln.executing_eagerly():
        get_logger().warning("Must enable trace in eager mode.")
        return
    with _lock:
        if _trace is not None:
            get_logger().warning("Trace already enabled")
            return
        if profiler and profiler_outdir is None:
            get_logger().warning(
                "No `profiler_outdir` passed to trace_on(). Profiler won't be enabled."
            )
        elif profiler:
            start(profiler_outdir)
        if graph or profiler:
            _graphkiln._collect_graphs(True)
        _trace = _Trace(graph, profiler)


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """Writes what was collected since `tf.summary.trace_on` and ends that.

    Args:
      name: the summary's, by which TensorBoard lists the graphs.
      step: an integer, or an int64 scalar; this thread's unless given.
      profiler_outdir: takes no effect; `tf.summary.trace_on` takes it.

    Raises:
      ValueError: no trace is on; there is a writer, but no step.
      UnavailableError: the trace was to make a profile, but none is being made.
      OpError: what keeps the profile from being written.

    >>> import tempfile
    >>> f = tf.function(lambda x: x * x)
    >>> tf.summary.trace_on()
    >>> y = f(tf.constant(2.0))
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.trace_export("square", step=0)
    """
    if step is not None:
        step = checked_step(step)
    if _graphkiln.inside_function():
        get_logger().warning("Cannot export trace inside a tf.function.")
        return
    if not _graphkiln.executing_eagerly():
        get_logger().warning("Can only export trace while executing eagerly.")
        return
    with _lock:
        if _trace is None:
            raise ValueError(
                "Must enable trace before export through tf.summary.trace_on."
            )
        graph, profiler = _trace
    plugin = "graph_run_metadata" + ("_graph" if graph and not profiler else "")
    collected = _graphkiln._collected_graphs()
    with summary_scope(name, plugin + "_summary") as (tag, _):
        write(
            tag,
            _graphkiln.constant(collected),
            step=step,
            metadata=_graphkiln._summary_metadata(plugin, ""),
        )
    if profiler:
        if profiler_outdir:
            get_logger().warning(
                "Ignoring `profiler_outdir` passed to trace_export(). Please pass it "
                "to trace_on() instead."
            )
        stop()
    _end(profiler=False)


def trace_off() -> None:
    """Ends what `tf.summary.trace_on` began, and forgets what graphs were collected;
    a profile is written.

    >>> tf.summary.trace_off()
    """
    _end(profiler=True)


def _end(profiler: bool) -> None:
    global _trace
    with _lock:
        if _trace is None:
            return
        profiler &= _trace.profiler
        _trace = None
        _graphkiln._collect_graphs(False)
    if profiler:
        try:
            stop()
        except _graphkiln.OpError as error:
            get_logger().warning("Error while stopping profiler: %s", error)
