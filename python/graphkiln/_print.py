"""tf.print: prints tensors whenever the program, traced or not, runs."""

import sys

import graphkiln as tf
from graphkiln import nest
from graphkiln import raw_ops as ops

__all__ = ["format", "print"]

# No text of a user holds it.
_PLACEHOLDER = "\x01{}\x02"
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
            templates.append(_template(value, tensors))
        # Between inputs only; braces in texts are values of their own.
        text = _format(
            sep.join(templates), tensors, _PLACEHOLDER, summarize
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
        isinstance(value, tf.Tensor)
        and value.dtype == tf.string
        and value.shape.rank == 0
    )


def _is_value(value: object) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable))


def _template(value: object, tensors: list) -> str:
    """A text of the input with a placeholder for each tensor."""
    if _is_value(value):
        tensors.append(value)
        return _PLACEHOLDER
    if not nest.is_nested(value):
        return str(value)
    return _nested(value, tensors)


def _nested(value: object, tensors: list) -> str:
    if _is_value(value):
        tensors.append(value)
        return _PLACEHOLDER
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
