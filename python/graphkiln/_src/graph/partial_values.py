"""What is known of tensors whose value is known in part."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphkiln import _graphkiln


def partial_value(tensor: Any) -> Any:
    """The value of a symbolic tensor: whole if it is known, else, of one that is
    stacked of others, an array of objects in which those unknown are None."""
    known = _graphkiln.get_static_value(tensor)
    if known is not None:
        return known
    op = tensor.op
    if op.type == "Pack" and op.get_attr("axis") == 0 and len(op.inputs):
        parts = [partial_value(x) for x in op.inputs]
        try:
            return np.array(parts)
        except ValueError:  # of several shapes
            found = np.empty(len(parts), dtype=object)
            found[:] = parts
            return found
    if op.type == "Unpack" and op.get_attr("axis") == 0:
        whole = partial_value(op.inputs[0])
        return None if whole is None else whole[tensor.value_index]
    if op.type == "Split":
        axis = _graphkiln.get_static_value(op.inputs[0])
        whole = partial_value(op.inputs[1])
        if axis is None or whole is None:
            return None
        return np.split(whole, len(op.outputs), axis)[tensor.value_index]
    return None
