"""tf.print: prints tensors whenever the program, traced or not, runs."""

import collections
import collections.abc
import pprint
import sys

from graphkiln import _graphkiln, nest
from graphkiln import raw_ops as ops
from graphkiln._graphkiln import Tensor
from graphkiln._src.host import logging as _logging
from graphkiln._src.types import dtypes
from graphkiln._src.types.type_spec import CompositeTensor
from graphkiln._src.variables.variable import Variable

__all__ = ["format", "print"]

# No text of a user holds it.
_PLACEHOLDER = "\x01{}\x02"
_RAW = "\x00raw\x00"


def _stream_name(output_stream: object) -> str:
    if output_stream in (sys.stdout, sys.__stdout__):
        return "stdout"
    if output_stream in (sys.stderr, sys.__stderr__):
        return "stderr"
    if output_stream in (_logging.info, _logging.warning, _logging.error):
        return f"log({output_stream.__name__})"
    if isinstance(output_stream, str) and output_stream.startswith("file://"):
        return output_stream
    raise ValueError(
        "Unsupported output stream, logging level, or file."
        f"{output_stream}. Supported streams are sys.stdout, sys.stderr, "
        "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to "
        "be in the form of 'file://<filepath>'."
    )


def print(*inputs, **kwargs):
    """Prints the inputs, tensors by their values.

    In a function the printing becomes part of the graph. Texts are printed as
    they are, all else as Python's `repr`, structures as `pprint` would.

    Args:
      *inputs: values and structures of values, printed one after another.
      output_stream: sys.stderr (the default), sys.stdout, one of the functions
        info, warning and error of tf.compat.v1.logging, or "file://<path>" to
        append to.
      summarize: how many elements of each dimension's ends are shown; 3
        unless given, -1: all.
      sep: between the inputs; a blank unless given.
      end: after them; a line break unless given.
      name: of the op.

    Returns None when eager, else the operation. Raises ValueError for another
    keyword or stream, NotFoundError if a file cannot be opened.

    >>> tf.print("x:", tf.constant([1, 2]), output_stream="file:///dev/null")
    """
    output_stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(
            f"Unrecognized keyword arguments for tf.print: {kwargs}"
        )
    stream = _stream_name(output_stream)
    if len(inputs) == 1 and _is_string_scalar(inputs[0]):
        text = inputs[0]
    else:
        templates, tensors = [], []
        for value in inputs:
            value = _without_ragged(value, summarize)
            templates.append(_template(value, tensors))
        # Between inputs only; braces in texts are values of their own.
        text = _whole(
            sep.join(templates), tensors, summarize, name and f"{name}_format"
        )
    operation = ops.PrintV2(
        input=text, output_stream=stream, end=end, name=name
    )
    # Eager output and Python's own stay in order.
    if operation is None and stream in ("stdout", "stderr"):
        getattr(sys, stream).flush()
    return operation


def _is_string_scalar(value: object) -> bool:
    return (
        isinstance(value, Tensor)
        and value.dtype == dtypes.string
        and value.shape.rank == 0
    )


def _is_value(value: object) -> bool:
    return isinstance(value, (Tensor, Variable))


def _whole(
    template: str, tensors: list, summarize: int, name: str | None
) -> Tensor:
    """The template with the texts of tensors; texts that stand for
    themselves are joined with the rest, which would quote them."""
    rest = iter(tensors)
    parts = []
    for i, piece in enumerate(template.split(_RAW)):
        if i > 0:
            parts.append(next(rest).tensor)
        values = [next(rest) for _ in range(piece.count(_PLACEHOLDER))]
        if piece or not i:
            parts.append(
                _format(piece, values, _PLACEHOLDER, summarize, name)
            )
    return parts[0] if len(parts) == 1 else ops.StringJoin(inputs=parts)


def _without_ragged(value: object, summarize: int) -> object:
    """`value` with the texts of ragged tensors in place of those."""

    def is_ragged(leaf: object) -> bool:
        return hasattr(type(leaf), "nested_row_splits")

    if not any(map(is_ragged, nest.flatten(value))):
        return value
    return nest.map_structure(
        lambda leaf: _Raw(_graphkiln._ragged.text(leaf, summarize))
        if is_ragged(leaf) else leaf,
        value,
    )


class _Raw:
    """A text that stands for itself in structures as well."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor


class _Shown:
    """Stands in a structure for what has a text of its own."""

    def __init__(self, text: str = _PLACEHOLDER):
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _template(value: object, tensors: list) -> str:
    """A text of the input with a placeholder for each tensor."""
    if isinstance(value, str):
        return value
    return pprint.pformat(_shown(value, tensors))


def _composite(value: object, tensors: list) -> str | None:
    """The template of a value that is made of tensors."""
    if isinstance(value, _Raw):
        tensors.append(value)
        return _RAW
    kind = type(value).__name__
    if isinstance(value, CompositeTensor) and kind == "IndexedSlices":
        tensors.append(_graphkiln.convert_to_tensor(value))
        return _PLACEHOLDER
    if isinstance(value, CompositeTensor) and kind == "SparseTensor":
        parts = {
            "indices": value.indices, "values": value.values,
            "shape": value.dense_shape,
        }
        tensors += parts.values()
        shown = ", ".join(f"{name}={_PLACEHOLDER}" for name in parts)
        # TensorFlow prints this text as a value: in quotes.
        return f"'{kind}({shown})'"
    return None


def _shown(value: object, tensors: list) -> object:
    """`value` with placeholders for its tensors, which are appended."""
    if _is_value(value):
        tensors.append(value)
        return _Shown()
    composite = _composite(value, tensors)
    if composite is not None:
        return _Shown(composite)
    if isinstance(value, range):
        return list(value)
    if not nest.is_nested(value):
        # As Python shows it on one line, however long.
        return value if isinstance(value, str) else _Shown(repr(value))
    cls = type(value)
    if isinstance(value, tuple):
        items = [_shown(item, tensors) for item in value]
        return cls(*items) if hasattr(value, "_fields") else tuple(items)
    if not isinstance(value, collections.abc.Mapping):
        parts = [
            _shown(part, tensors) for _, part in _graphkiln.nest_items(value)
        ]
        if isinstance(value, collections.deque):
            return collections.deque(parts, value.maxlen)
        if isinstance(value, collections.abc.Collection):
            return parts
        return _Shown(f"{cls.__name__}({', '.join(map(repr, parts))})")
    items = {
        key: _shown(part, tensors) for key, part in _graphkiln.nest_items(value)
    }
    items = {key: items[key] for key in value}
    if cls is collections.OrderedDict:
        return collections.OrderedDict(items)
    if cls is collections.defaultdict:
        return collections.defaultdict(value.default_factory, items)
    return items


def _format(template, inputs, placeholder, summarize, name=None):
    return ops.StringFormat(
        inputs=[_graphkiln.convert_to_tensor(value) for value in inputs],
        template=template,
        placeholder=placeholder,
        summarize=summarize,
        name=name,
    )


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    """A string tensor: `template` with tensors in place of `placeholder`.

    Raises ValueError if the numbers of placeholders and inputs differ.

    >>> tf.strings.format("x: {}", tf.constant([1, 2])).numpy()
    b'x: [1 2]'
    """
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    if template.count(placeholder) != len(inputs):
        raise ValueError(
            f"The template expects {template.count(placeholder)} tensors, but "
            f"the inputs only has {len(inputs)}. Please ensure the number of "
            "placeholders in template matches inputs length."
        )
    return _format(template, inputs, placeholder, summarize, name)
