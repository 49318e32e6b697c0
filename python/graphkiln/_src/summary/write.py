"""tf.summary: values that are written to event files, and how TensorBoard shows
them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from graphkiln import _graphkiln, raw_ops
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.summary.state import (
    checked_step,
    recording,
    required_step,
    state,
)

_NO_SCOPE = re.compile(r"[^-_/.A-Za-z0-9]")
# The collection of a graph with the summaries that are written in it.
SUMMARIES_V2 = "_SUMMARY_V2"


@contextlib.contextmanager
def summary_scope(
    name: str | None,
    default_name: str = "summary",
    values: Sequence[Any] | None = None,
) -> Iterator[tuple[str, str]]:
    """A scope of names for what makes a summary, and its tag.

    Args:
      name: the summary's; None: `default_name`.
      default_name: of the scope, if nothing of the name can be part of one.
      values: takes no effect.

    Yields:
      The tag, which is the name behind the scopes around it, and the scope.

    >>> with tf.name_scope("model"):
    ...     with tf.summary.experimental.summary_scope("loss (mean)") as (tag, _):
    ...         tag
    'model/loss (mean)'
    """
    del values
    name = name or default_name
    around = _graphkiln.get_current_name_scope()
    tag = f"{around}/{name}" if around else name
    with _graphkiln.name_scope(_NO_SCOPE.sub("", name) or default_name) as scope:
        yield tag, scope


def _written_if_recording(record: Callable[[], Tensor]) -> Tensor:
    condition = recording()
    if condition is True:
        op = record()
    elif condition is False:
        op = _graphkiln.constant(False)
    else:
        op = _graphkiln.cond(
            condition, record, lambda: _graphkiln.constant(False), name="summary_cond"
        )
    if not _graphkiln.executing_eagerly():
        _graphkiln.get_default_graph().add_to_collection(SUMMARIES_V2, op)
    return op


def _true_after(operation) -> Tensor:
    after = [] if operation is None else [operation]
    with _graphkiln.control_dependencies(after):
        return _graphkiln.constant(True)


def _serialized(metadata) -> bytes:
    if metadata is None:
        return b""
    serialize = getattr(metadata, "SerializeToString", None)
    return metadata if serialize is None else serialize()


def write(
    tag: str,
    tensor: Any,
    step: Any = None,
    metadata: Any = None,
    name: str | None = None,
) -> Tensor:
    """Writes a tensor as a summary: what the functions for numbers, pictures and
    the like are made of.

    Args:
      tag: names the summary; `tf.summary.experimental.summary_scope` makes one.
      tensor: its value, or a function that gives it, which is only called if the
        summary is written.
      step: an integer, or an int64 scalar; this thread's unless given.
      metadata: a SummaryMetadata, a message or its bytes, which says what shows
        the value.
      name: of the operation in a graph.

    Returns:
      A bool scalar: was it written?

    Raises:
      ValueError: there is a writer, but no step.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.write("sizes", [3, 4], step=0).numpy().item()
    True
    """
    if step is not None:
        step = checked_step(step)
    with _graphkiln.name_scope(name or "write_summary") as scope:
        if state.writer is None:
            return _graphkiln.constant(False)
        if step is None:
            step = state.step

        def record():
            at = required_step(step)
            value = tensor() if callable(tensor) else tensor
            return _true_after(
                raw_ops.WriteSummary(
                    writer=state.writer._resource,
                    step=at,
                    tensor=value,
                    tag=tag,
                    summary_metadata=_serialized(metadata),
                    name=scope,
                )
            )

        return _written_if_recording(record)


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Writes serialized Summary messages, as `tf.compat.v1.Summary` makes them.

    Args:
      tensor: strings, each a message.
      step: an integer, or an int64 scalar; this thread's unless given.
      name: of the operation in a graph.

    Returns:
      A bool scalar: were they written?

    Raises:
      ValueError: there is a writer, but no step.
      DataLossError: a string is no such message.

    >>> import tempfile
    >>> message = tf.compat.v1.Summary()
    >>> _ = message.value.add(tag="loss", simple_value=0.5)
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.experimental.write_raw_pb(
    ...         message.SerializeToString(), step=0).numpy().item()
    True
    """
    if step is not None:
        step = checked_step(step)
    with _graphkiln.name_scope(name or "write_raw_pb") as scope:
        if state.writer is None:
            return _graphkiln.constant(False)
        at = required_step(step)

        def record():
            return _true_after(
                raw_ops.WriteRawProtoSummary(
                    writer=state.writer._resource, step=at, tensor=tensor, name=scope
                )
            )

        return _written_if_recording(record)


def _shown(
    plugin, name, default_name, value, step, description, always=False
) -> Tensor:
    """Writes the tensor that `value` gives for one of TensorBoard's pages;
    `always`: it is made, and checked, even if nothing is written."""
    with summary_scope(name, default_name) as (tag, _):
        return write(
            tag,
            value() if always else value,
            step=step,
            metadata=_graphkiln._summary_metadata(plugin, description or ""),
        )


def _encoded(kind, *arguments):
    return _graphkiln.composition_function("_summary." + kind)(*arguments)


def scalar(
    name: str, data: Any, step: Any = None, description: str | None = None
) -> Tensor:
    """Writes a number.

    Args:
      name: the summary's; its tag has the scopes of names around it in front.
      data: a real scalar, written as float32.
      step: an integer, or an int64 scalar; this thread's unless given.
      description: a longer text, which may be Markdown.

    Returns:
      A bool scalar: was it written? Not without a writer (`as_default`), nor
      where `tf.summary.record_if` forbids it.

    Raises:
      ValueError: there is a writer, but no step; `data` is no scalar.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.scalar("loss", 0.25, step=1).numpy().item()
    True
    """
    return _shown(
        "scalars",
        name,
        "scalar_summary",
        lambda: _encoded("scalar", data),
        step,
        description,
        always=True,
    )


def text(
    name: str, data: Any, step: Any = None, description: str | None = None
) -> Tensor:
    """Writes texts, which may be Markdown.

    Args:
      name: the summary's; its tag has the scopes of names around it in front.
      data: strings of any shape; a matrix becomes a table.
      step: an integer, or an int64 scalar; this thread's unless given.
      description: a longer text, which may be Markdown.

    Returns:
      A bool scalar: was it written?

    Raises:
      ValueError: there is a writer, but no step.
      TypeError: `data` is no string tensor.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.text("note", "the *third* run", step=0).numpy().item()
    True
    """
    return _shown(
        "text",
        name,
        "text_summary",
        lambda: _encoded("text", data),
        step,
        description,
        always=True,
    )


def image(
    name: str,
    data: Any,
    step: Any = None,
    max_outputs: Any = 3,
    description: str | None = None,
) -> Tensor:
    """Writes pictures as PNG files.

    Args:
      name: the summary's; its tag has the scopes of names around it in front.
      data: pictures [batch, height, width, channels] of 1 to 4 channels, floats
        in [0, 1] or integers whose greatest number stands for 1.
      step: an integer, or an int64 scalar; this thread's unless given.
      max_outputs: how many of them at most.
      description: a longer text, which may be Markdown.

    Returns:
      A bool scalar: was it written? The event holds a string vector: width,
      height and the files.

    Raises:
      ValueError: there is a writer, but no step; `data` is not of rank 4.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.image("grey", tf.fill([1, 2, 3, 1], 0.5), step=0).numpy().item()
    True
    """
    return _shown(
        "images",
        name,
        "image_summary",
        lambda: _encoded("image", data, max_outputs),
        step,
        description,
    )


def histogram(
    name: str,
    data: Any,
    step: Any = None,
    buckets: Any = None,
    description: str | None = None,
) -> Tensor:
    """Writes how numbers are spread.

    Args:
      name: the summary's; its tag has the scopes of names around it in front.
      data: numbers of any shape.
      step: an integer, or an int64 scalar; this thread's unless given.
      buckets: how many buckets of equal width, 30 unless given. If all numbers
        are equal the last bucket has them.
      description: a longer text, which may be Markdown.

    Returns:
      A bool scalar: was it written? The event holds a float64 matrix with a row
      for each bucket: its ends and how many numbers it has.

    Raises:
      ValueError: there is a writer, but no step.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.histogram("weights", [1., 2., 2.], step=0).numpy().item()
    True
    """
    return _shown(
        "histograms",
        name,
        "histogram_summary",
        lambda: _encoded("histogram", data, 30 if buckets is None else buckets),
        step,
        description,
    )


def audio(
    name: str,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: Any = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Writes sounds as WAV files.

    Args:
      name: the summary's; its tag has the scopes of names around it in front.
      data: float32 samples [batch, frames, channels] in [-1, 1].
      sample_rate: how many frames a second has, an integer.
      step: an integer, or an int64 scalar; this thread's unless given.
      max_outputs: how many of them at most.
      encoding: "wav" or None.
      description: a longer text, which may be Markdown.

    Returns:
      A bool scalar: was it written? The event holds a string matrix with a row
      for each sound: the file and an empty label.

    Raises:
      ValueError: there is a writer, but no step; `data` is not of rank 3; there
        is no such encoding.

    >>> import tempfile
    >>> with tf.summary.create_file_writer(tempfile.mkdtemp()).as_default():
    ...     tf.summary.audio("tone", tf.zeros([1, 80, 1]), 8000, step=0).numpy().item()
    True
    """
    if encoding is None:
        encoding = "wav"
    if encoding != "wav":
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def sounds():
        ops.debugging.assert_rank(data, 3)
        ops.debugging.assert_non_negative(max_outputs)
        files = _graphkiln.map_fn(
            lambda sound: ops.audio.encode_wav(sound, sample_rate),
            _graphkiln.convert_to_tensor(data)[:max_outputs],
            fn_output_signature=_graphkiln.string,
        )
        return ops.stack([files, ops.fill(ops.shape(files), "")], axis=1)

    return _shown("audio", name, "audio_summary", sounds, step, description)
