"""tf.compat.v1.summary: operations of graphs that make serialized summaries."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from graphkiln import _graphkiln, _proto, raw_ops
from graphkiln._graphkiln import Tensor
from graphkiln._src import ops
from graphkiln._src.host.logging import get_logger
from graphkiln._src.session.default_session import get_default_session
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.summary import write as eager
from graphkiln._src.summary.graphs import graph_bytes
from graphkiln._src.summary.state import state
from graphkiln._src.summary.writers import INITIALIZERS

_NO_TAG = re.compile(r"[^-/\w\.]")


def _clean(name: str | None) -> str | None:
    """A tag's letters, digits, dots, bars and slashes; else there are bars."""
    if name is None:
        return None
    cleaned = _NO_TAG.sub("_", name).lstrip("/")
    if cleaned != name:
        get_logger().info(
            "Summary name %s is illegal; using %s instead.", name, cleaned
        )
    return cleaned


@contextlib.contextmanager
def _scope(name, family) -> Iterator[tuple[str, str]]:
    """A tag, which the scope of the operation has made unique, and the scope."""
    name, family = _clean(name), _clean(family)
    inner = name if family is None else f"{family}/{name}"
    with _graphkiln.name_scope(inner or "") as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def _collect(value, collections, default):
    if _graphkiln.executing_eagerly():
        return value
    for key in default if collections is None else collections:
        _graphkiln.get_default_graph().add_to_collection(key, value)
    return value


def _summary(make, name, family, collections) -> Tensor:
    """Of the operation that `make` gives for a tag and a name."""
    with _scope(name, family) as (tag, scope):
        return _collect(make(tag, scope), collections, [GraphKeys.SUMMARIES])


def _refuse_eagerly() -> None:
    if _graphkiln.executing_eagerly():
        raise RuntimeError(
            "Merging tf.summary.* ops is not compatible with eager execution. "
            "tf.summary writes each summary by itself."
        )


def _writes_now() -> bool:
    """Does a program that runs eagerly write these at once? Only to a writer and at
    a step that the thread has."""
    if not _graphkiln.executing_eagerly() and not _graphkiln.inside_function():
        return False
    for missing, what in (
        (state.writer is None, "default summary writer not found."),
        (
            state.step is None,
            "global step not set. To set step for summary writer, use "
            "`tf.summary.SummaryWriter.as_default(step=_)` or "
            "`tf.summary.experimental.set_step()`.",
        ),
    ):
        if missing:
            warnings.warn(
                "Cannot activate TF2 compatibility support for TF1 summary ops: "
                + what,
                stacklevel=3,
            )
            return False
    return True


def _write_now(function, name, family, *arguments, **options):
    with _scope(name, family) as (tag, _), _graphkiln.name_scope(""):
        function(tag, *arguments, **options)
    return _graphkiln.constant(b"")


def scalar(
    name: str,
    tensor: Any,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """A number as a serialized Summary.

    Args:
      name: of the operation; with its scopes, the tag.
      tensor: a real scalar.
      collections: names of collections of the graph that get it, "summaries"
        unless given.
      family: comes first in the tag.

    Returns:
      A string scalar. Eagerly, with a writer and a step, the number is written at
      once as `tf.summary.scalar` does it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     loss = tf.compat.v1.summary.scalar("loss", tf.constant(0.5))
    ...     message = tf.compat.v1.Summary.FromString(session.run(loss))
    >>> message.value[0].tag, message.value[0].simple_value
    ('loss', 0.5)
    """
    if _writes_now():
        return _write_now(eager.scalar, name, family, tensor, state.step)
    return _summary(
        lambda tag, scope: raw_ops.ScalarSummary(tags=tag, values=tensor, name=scope),
        name,
        family,
        collections,
    )


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Pictures as a serialized Summary with PNG files.

    Args:
      name: of the operation; with its scopes, the beginning of the tags.
      tensor: pictures [batch, height, width, channels] of 1, 3 or 4 channels,
        uint8 or floats, which are scaled to the range of bytes.
      max_outputs: how many of them at most.
      collections: names of collections of the graph that get it, "summaries"
        unless given.
      family: comes first in the tags.

    Returns:
      A string scalar. Eagerly, with a writer and a step, the pictures are written
      at once as `tf.summary.image` does it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     grey = tf.compat.v1.summary.image("grey", tf.zeros([1, 2, 3, 1]))
    ...     message = tf.compat.v1.Summary.FromString(session.run(grey))
    >>> message.value[0].tag, message.value[0].image.width
    ('grey/image/0', 3)
    """
    if _writes_now():
        return _write_now(
            eager.image, name, family, tensor, state.step, max_outputs=max_outputs
        )
    return _summary(
        lambda tag, scope: raw_ops.ImageSummary(
            tag=tag, tensor=tensor, max_images=max_outputs, name=scope
        ),
        name,
        family,
        collections,
    )


def histogram(
    name: str,
    values: Any,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """How numbers are spread, as a serialized Summary.

    Args:
      name: of the operation; with its scopes, the tag.
      values: real numbers of any shape, none infinite or NaN.
      collections: names of collections of the graph that get it, "summaries"
        unless given.
      family: comes first in the tag.

    Returns:
      A string scalar. Eagerly, with a writer and a step, the numbers are written
      at once as `tf.summary.histogram` does it.

    Raises:
      InvalidArgumentError: when it runs, of infinities and NaNs.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     sizes = tf.compat.v1.summary.histogram("sizes", tf.constant([1., 3.]))
    ...     message = tf.compat.v1.Summary.FromString(session.run(sizes))
    >>> message.value[0].histo.sum
    4.0
    """
    if _writes_now():
        return _write_now(eager.histogram, name, family, values, state.step)
    return _summary(
        lambda tag, scope: raw_ops.HistogramSummary(tag=tag, values=values, name=scope),
        name,
        family,
        collections,
    )


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Sequence[str] | None = None,
    family: str | None = None,
) -> Tensor:
    """Sounds as a serialized Summary with WAV files.

    Args:
      name: of the operation; with its scopes, the beginning of the tags.
      tensor: float32 samples [batch, frames, channels] or [batch, frames] in
        [-1, 1].
      sample_rate: how many frames a second has.
      max_outputs: how many of them at most.
      collections: names of collections of the graph that get it, "summaries"
        unless given.
      family: comes first in the tags.

    Returns:
      A string scalar. Eagerly, with a writer and a step, the sounds are written
      at once as `tf.summary.audio` does it.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     tone = tf.compat.v1.summary.audio("tone", tf.zeros([1, 80]), 8000.0)
    ...     message = tf.compat.v1.Summary.FromString(session.run(tone))
    >>> message.value[0].audio.length_frames
    80
    """
    if _writes_now():
        if tensor.shape.rank == 2:
            tensor = ops.expand_dims(tensor, 2)
        return _write_now(
            eager.audio,
            name,
            family,
            tensor,
            sample_rate,
            state.step,
            max_outputs=max_outputs,
        )

    def make(tag: str, scope: str) -> Tensor:
        rate = _graphkiln.convert_to_tensor(
            sample_rate, dtype=_graphkiln.float32, name="sample_rate"
        )
        return raw_ops.AudioSummaryV2(
            tag=tag,
            tensor=tensor,
            sample_rate=rate,
            max_outputs=max_outputs,
            name=scope,
        )

    return _summary(make, name, family, collections)


def text(name: str, tensor: Tensor, collections: Sequence[str] | None = None) -> Tensor:
    """Texts as a serialized Summary.

    Args:
      name: of the operation; with its scopes, the tag.
      tensor: strings of any shape, which may be Markdown.
      collections: names of collections of the graph that get it, "summaries"
        unless given.

    Returns:
      A string scalar. Eagerly, with a writer and a step, the texts are written at
      once as `tf.summary.text` does it.

    Raises:
      ValueError: `tensor` is no string tensor.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     note = tf.compat.v1.summary.text("note", tf.constant("*third*"))
    ...     message = tf.compat.v1.Summary.FromString(session.run(note))
    >>> message.value[0].metadata.plugin_data.plugin_name
    'text'
    """
    if tensor.dtype != _graphkiln.string:
        raise ValueError(
            f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}"
        )
    if _writes_now():
        eager.text(name, tensor, state.step)
        return _graphkiln.constant(b"")
    metadata = _proto.SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(
        name, tensor, summary_metadata=metadata, collections=collections
    )


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Sequence[str] | None = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A tensor as a serialized Summary.

    Args:
      name: of the operation; with its scopes, the tag.
      tensor: of any type and shape.
      summary_description: a longer text, which may be Markdown.
      collections: names of collections of the graph that get it, "summaries"
        unless given.
      summary_metadata: a SummaryMetadata, which says what shows the value.
      family: comes first in the tag.
      display_name: shown in place of the tag.

    Returns:
      A string scalar.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     sizes = tf.compat.v1.summary.tensor_summary("sizes", tf.constant([3, 4]))
    ...     message = tf.compat.v1.Summary.FromString(session.run(sizes))
    >>> tf.make_ndarray(message.value[0].tensor).tolist()
    [3, 4]
    """
    metadata = _proto.SummaryMetadata()
    if summary_metadata is not None:
        metadata.ParseFromString(summary_metadata.SerializeToString())
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    return _summary(
        lambda tag, scope: raw_ops.TensorSummaryV2(
            tag=tag,
            tensor=tensor,
            serialized_summary_metadata=metadata.SerializeToString(),
            name=scope,
        ),
        name,
        family,
        collections,
    )


def merge(
    inputs: Sequence[Any],
    collections: Sequence[str] | None = None,
    name: str | None = None,
) -> Tensor:
    """The values of several serialized Summaries in one.

    Args:
      inputs: string scalars.
      collections: names of collections of the graph that get it, none unless
        given.
      name: of the operation.

    Returns:
      A string scalar.

    Raises:
      RuntimeError: called eagerly.
      InvalidArgumentError: when it runs, if two values have one tag.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     parts = [tf.compat.v1.summary.scalar(name, 0.5) for name in "ab"]
    ...     merged = tf.compat.v1.summary.merge(parts)
    ...     message = tf.compat.v1.Summary.FromString(session.run(merged))
    >>> [value.tag for value in message.value]
    ['a', 'b']
    """
    _refuse_eagerly()
    name = _clean(name)
    with _graphkiln.name_scope(name or merge.__name__.capitalize()):
        made = raw_ops.MergeSummary(inputs=list(inputs), name=name)
        return _collect(made, collections, [])


def merge_all(
    key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None
) -> Tensor | None:
    """The values of all serialized Summaries of a collection in one.

    Args:
      key: the collection's name.
      scope: only those whose names begin so.
      name: of the operation.

    Returns:
      A string scalar, or None if the collection is empty.

    Raises:
      RuntimeError: called eagerly.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.summary.merge_all() is None
    True
    """
    _refuse_eagerly()
    found = _graphkiln.get_default_graph().get_collection(key, scope=scope)
    return merge(found, name=name) if found else None


def all_v2_summary_ops() -> list[Any] | None:
    """What `tf.summary` writes in the graph that is built.

    Returns:
      Tensors and operations, or None eagerly.

    >>> tf.compat.v1.summary.all_v2_summary_ops() is None
    True
    """
    if _graphkiln.executing_eagerly():
        return None
    return _graphkiln.get_default_graph().get_collection(eager.SUMMARIES_V2)


def initialize(graph: Any = None, session: Any = None) -> None:
    """Opens the files of all writers of the graph that is built.

    Args:
      graph: a tf.Graph or a GraphDef that this thread's writer writes.
      session: runs what opens them; the default one unless given.

    Raises:
      RuntimeError: this thread has no writer (`as_default`).
      ValueError: there is no session.

    >>> tf.compat.v1.summary.initialize()
    """
    if _graphkiln.executing_eagerly():
        return
    if state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError(
                "Argument `session must be passed if no default session exists"
            )
    session.run(_graphkiln.get_default_graph().get_collection(INITIALIZERS))
    if graph is not None:
        write = raw_ops.WriteGraphSummary(
            writer=state.writer._resource, step=0, tensor=graph_bytes(graph)
        )
        session.run(write)


def get_summary_description(node_def: Any) -> Any:
    """What the node of a TensorSummary says of its values.

    Args:
      node_def: a NodeDef.

    Returns:
      A SummaryDescription.

    Raises:
      ValueError: the node is another one.

    >>> node = tf.compat.v1.NodeDef(op="TensorSummary")
    >>> node.attr["description"].s = b'{"type_hint": "sizes"}'
    >>> tf.compat.v1.summary.get_summary_description(node).type_hint
    'sizes'
    """
    if "description" not in node_def.attr:
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format

    description = _proto.SummaryDescription()
    json_format.Parse(node_def.attr["description"].s.decode(), description)
    return description
