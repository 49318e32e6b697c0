"""tf.print: prints tensors whenever the program, traced or not, runs."""

import sys

import graphkiln as tf
from graphkiln import nest
from graphkiln._type_spec import CompositeTensor
from graphkiln import raw_ops as ops

__all__ = ["format", "print"]

# No text of a user holds it.
_PLACEHOLDER = "\x01{}\x02"
_RAW = "\x00raw\x00"
_LEVELS = {
    "log(info)": "log(info)",
    "log(warning)": "log(warning)",
    "log(error)": "log(error)",
}


def _stream_name(output_stream: object) -> str:
    if output_stream in (sys.stdout, "stdout") or (
        output_stream is sys.__stdout__
    ):
        return "stdout"
    if output_stream in (sys.stderr, "stderr") or (
        output_stream is sys.__stderr__
    ):
        return "stderr"
    if isinstance(output_stream, str):
        if output_stream in _LEVELS or output_stream.startswith("file://"):
            return output_stream
    raise ValueError(
        "Unsupported output stream, logging level, or file."
        f"{output_stream}. Supported streams are sys.stdout, sys.stderr, "
        "tf.logging.info, tf.logging.warning, tf.logging.error. File needs to "
        "be in the form of 'file://<filepath>'."
    )


def print(*inputs, **kwargs):
    """Prints the inputs, tensors by their values.

    In a function the printing becomes part of the graph.

    Args:
      *inputs: values and structures of values, printed one after another.
      output_stream: sys.stderr (the default), sys.stdout, a logging level or
        "file://<path>" to append to.
      summarize: how many elements of each dimension's ends are shown; 3
        unless given, -1: all.
      sep: between the inputs; a blank unless given.
      end: after them; a line break unless given.
      name: of the op.

    >>> tf.print("x:", tf.constant([1, 2]), output_stream="file:///dev/null")
    """
    known = ("output_stream", "summarize", "sep", "end", "name")
    for key in kwargs:
        if key not in known:
            raise ValueError(
                f"`tf.print` got an unexpected keyword argument: {key!r}"
            )
    output_stream = kwargs.pop("output_stream", sys.stderr)
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep = kwargs.pop("sep", " ")
    end = kwargs.pop("end", "\n")
    stream = _stream_name(output_stream)
    if len(inputs) == 1 and _is_string_scalar(inputs[0]):
        text = inputs[0]
    else:
        templates, tensors = [], []
        for value in inputs:
            value = _without_ragged(value, summarize)
            templates.append(_template(value, tensors))
        # Between inputs only; braces in texts are values of their own.
        text = _whole(sep.join(templates), tensors, summarize)
    operation = ops.PrintV2(
        input=text, output_stream=stream, end=end, name=name
    )
    # Eager output and Python's own stay in order.
    if operation is None and stream in ("stdout", "stderr"):
        getattr(sys, stream).flush()
    return operation


def _is_string_scalar(value: object) -> bool:
    return (
        isinstance(value, tf.Tensor)
        and value.dtype == tf.string
        and value.shape.rank == 0
    )


def _is_value(value: object) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable))


def _whole(template: str, tensors: list, summarize: int) -> tf.Tensor:
    """The template with the texts of tensors; texts that stand for
    themselves are joined with the rest, which would quote them."""
    rest = iter(tensors)
    parts = []
    for i, piece in enumerate(template.split(_RAW)):
        if i > 0:
            parts.append(next(rest).tensor)
        values = [next(rest) for _ in range(piece.count(_PLACEHOLDER))]
        if piece or not i:
            parts.append(_format(piece, values, _PLACEHOLDER, summarize))
    return parts[0] if len(parts) == 1 else ops.StringJoin(inputs=parts)


def _without_ragged(value: object, summarize: int) -> object:
    """`value` with the texts of ragged tensors in place of those."""


    def is_ragged(leaf: object) -> bool:
        return hasattr(type(leaf), "nested_row_splits")

    if not any(map(is_ragged, nest.flatten(value))):
        return value
    from graphkiln import _ragged_text

    return nest.map_structure(
        lambda leaf: _Raw(_ragged_text.to_string(leaf, summarize))
        if is_ragged(leaf) else leaf,
        value,
    )


class _Raw:
    """A text that stands for itself in structures as well."""

    def __init__(self, tensor: tf.Tensor):
        self.tensor = tensor


def _template(value: object, tensors: list) -> str:
    """A text of the input with a placeholder for each tensor."""
    if _is_value(value):
        tensors.append(value)
        return _PLACEHOLDER
    composite = _composite(value, tensors)
    if composite is not None:
        return composite
    if not nest.is_nested(value):
        return str(value)
    return _nested(value, tensors)


def _composite(value: object, tensors: list) -> str | None:
    """The template of a value that is made of tensors."""
    if isinstance(value, _Raw):
        tensors.append(value)
        return _RAW
    kind = type(value).__name__
    if isinstance(value, CompositeTensor) and kind in (
        "SparseTensor", "IndexedSlices"
    ):
        parts = {"indices": value.indices, "values": value.values}
        if value.dense_shape is not None:
            name = "shape" if kind == "SparseTensor" else "dense_shape"
            parts[name] = value.dense_shape
        tensors += parts.values()
        shown = ", ".join(f"{name}={_PLACEHOLDER}" for name in parts)
        return f"{kind}({shown})"
    return None


def _nested(value: object, tensors: list) -> str:
    if _is_value(value):
        tensors.append(value)
        return _PLACEHOLDER
    composite = _composite(value, tensors)
    if composite is not None:
        return composite
    if isinstance(value, str):
        return repr(value)
    if not nest.is_nested(value):
        return str(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = [
            f"{field}={_nested(item, tensors)}"
            for field, item in zip(value._fields, value)
        ]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(_nested(item, tensors) for item in value)
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if hasattr(value, "items"):
        parts = [
            f"{key!r}: {_nested(value[key], tensors)}"
            for key in nest._sorted_keys(value)
        ]
        return "{" + ", ".join(parts) + "}"
    parts = [_nested(child, tensors) for _, child in nest._items(value, False)]
    return f"{type(value).__name__}({', '.join(parts)})"


def _format(template, inputs, placeholder, summarize, name=None):
    return ops.StringFormat(
        inputs=[tf.convert_to_tensor(value) for value in inputs],
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
