"""tf.make_tensor_proto and tf.make_ndarray: arrays as TensorProtos, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphkiln import _graphkiln, _proto

_SMALL_INTEGERS = ("int2", "uint2", "int4", "uint4")
# Fields by dtype. More than one element stand as bytes, but for these.
_SPELT_OUT = (
    "bool", "complex64", "complex128", "string", "uint16", *_SMALL_INTEGERS
)
_FIELDS = {
    "float16": "half_val", "bfloat16": "half_val", "float32": "float_val",
    "float64": "double_val", "int8": "int_val", "int16": "int_val",
    "int32": "int_val", "uint8": "int_val", "uint16": "int_val",
    "int64": "int64_val", "uint32": "uint32_val", "uint64": "uint64_val",
    "bool": "bool_val", "complex64": "scomplex_val", "complex128": "dcomplex_val",
    "qint8": "int_val", "quint8": "int_val", "qint16": "int_val",
    "quint16": "int_val", "qint32": "int_val", "string": "string_val",
    "float8_e5m2": "float8_val", "float8_e4m3fn": "float8_val",
    "float8_e4m3fnuz": "float8_val", "float8_e4m3b11fnuz": "float8_val",
    "float8_e5m2fnuz": "float8_val", "float4_e2m1fn": "float8_val",
    **dict.fromkeys(_SMALL_INTEGERS, "int_val"),
}
_SIZE_LIMIT = 1 << 31


def _is_message(values: object) -> bool:
    return type(values).__name__ == "TensorProto" and hasattr(values, "tensor_shape")


def _array(values: Any, dtype: Any) -> tuple[np.ndarray, Any]:
    """The elements, and their dtype."""
    if values is None:
        raise ValueError("None values not supported.")
    if isinstance(values, _graphkiln.Tensor) and not hasattr(values, "numpy"):
        raise TypeError(
            f"Cannot make a TensorProto of {values}, which has no value yet."
        )
    tensor = _graphkiln.eager_value(values, dtype)
    return np.asarray(tensor.numpy()), tensor.dtype


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Sequence[int] | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """A TensorProto of an array, a number, a text or nested lists of them.

    Args:
      values: the elements; fewer than `shape` has room for if the last is to be
        repeated.
      dtype: of the elements; what the values tell unless given.
      shape: of the tensor; that of the values unless given.
      verify_shape: refuses values of another shape.
      allow_broadcast: takes values of another shape only if they are one number.

    >>> message = tf.make_tensor_proto([1.0, 2.0])
    >>> tf.make_ndarray(message).tolist()
    [1.0, 2.0]
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if _is_message(values):
        return values
    wanted = None if dtype is None else _graphkiln.as_dtype(dtype)
    array, kind = _array(values, wanted)
    size = array.size
    if shape is None:
        shape = array.shape
        fits = True
    else:
        shape = [int(d) for d in shape]
        room = int(np.prod(shape, dtype=np.int64))
        fits = room == array.size
        if allow_broadcast:
            if array.shape not in ((), (1,)) and not fits:
                raise ValueError(
                    f"Shape {list(shape)} does not fit {array.size} values."
                )
        else:
            if verify_shape and array.shape != tuple(shape):
                raise TypeError(
                    f"Expected Tensor's shape: {tuple(shape)}, but got "
                    f"{array.shape}."
                )
            if array.size > room:
                raise ValueError(
                    f"Too many elements provided. Takes at most {room:d}, but got "
                    f"{array.size:d}"
                )
        size = room
    message = _proto.TensorProto(dtype=kind.as_datatype_enum)
    message.tensor_shape.SetInParent()
    for d in shape:
        message.tensor_shape.dim.add(size=d)
    name = kind.name
    if name not in _FIELDS:
        raise TypeError(f"Unrecognized data type: {array.dtype}.")
    if name == "string":
        texts = array.ravel().tolist()
        message.string_val.extend(
            t.encode() if isinstance(t, str) else bytes(t) for t in texts
        )
        return message
    if fits and size > 1 and name not in _SPELT_OUT:
        if array.size * array.itemsize >= _SIZE_LIMIT:
            raise ValueError(
                "Cannot create a tensor proto whose content is larger than 2GB."
            )
        message.tensor_content = np.ascontiguousarray(array).tobytes()
        return message
    flat = np.ascontiguousarray(array).ravel()
    if name in ("float16", "bfloat16"):
        message.half_val.extend(flat.view(np.uint16).tolist())
    elif _FIELDS[name] == "float8_val":
        message.float8_val = flat.view(np.uint8).tobytes()
    elif flat.dtype.names:
        message.int_val.extend(flat.view(flat.dtype[0]).tolist())
    elif name.startswith("complex"):
        part = np.float32 if name == "complex64" else np.float64
        getattr(message, _FIELDS[name]).extend(flat.view(part).tolist())
    elif name in _SMALL_INTEGERS:
        message.int_val.extend(flat.astype(np.int32).tolist())
    else:
        getattr(message, _FIELDS[name]).extend(flat.tolist())
    return message


def make_ndarray(tensor: Any) -> np.ndarray:
    """The array that a TensorProto tells of; of texts, one of bytes.

    Args:
      tensor: the message.

    Raises TypeError for a dtype that arrays have not.

    >>> tf.make_ndarray(tf.make_tensor_proto(7, shape=[2])).tolist()
    [7, 7]
    """
    shape = [d.size for d in tensor.tensor_shape.dim]
    count = int(np.prod(shape, dtype=np.int64))
    kind = _graphkiln.as_dtype(tensor.dtype)
    name = kind.name
    if name not in _FIELDS:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}")
    dtype = np.dtype(kind.as_numpy_dtype)
    if dtype.names:
        dtype = dtype[0]
    if tensor.tensor_content:
        made = np.frombuffer(tensor.tensor_content, dtype=dtype).copy()
        return made.reshape(shape)
    if name == "string":
        texts = list(tensor.string_val)
        if texts:
            texts += texts[-1:] * (count - len(texts))
        return np.array(texts, dtype=object).reshape(shape)
    if _FIELDS[name] == "float8_val":
        values = np.frombuffer(tensor.float8_val, np.uint8).view(dtype)
    elif name in ("float16", "bfloat16"):
        values = np.array(tensor.half_val, np.uint16).view(dtype)
    elif name.startswith("complex"):
        part = np.float32 if name == "complex64" else np.float64
        values = np.array(getattr(tensor, _FIELDS[name]), part).view(dtype)
    else:
        values = np.array(getattr(tensor, _FIELDS[name])).astype(dtype)
    if values.size == 0:
        return np.zeros(shape, dtype)
    if values.size < count:
        values = np.concatenate([values, np.repeat(values[-1:], count - values.size)])
    return values.copy().reshape(shape)
