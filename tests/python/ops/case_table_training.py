"""Steps of optimizers: variables and their slots, numbers, gradients."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
from case_values import F, V

from graphkiln import _graphkiln, raw_ops

_NUMBERS = {
    "lr": 0.1, "alpha": 0.1, "l1": 0.02, "l2": 0.03, "rho": 0.9, "epsilon": 1e-3,
    "momentum": 0.8, "beta1": 0.9, "beta2": 0.95, "beta1_power": 0.81,
    "beta2_power": 0.9025, "sign_decay": 0.7, "logbase": 1.0, "beta": 0.9,
    "l2_shrinkage": 0.01, "lr_power": -0.5,
}  # fmt: skip
# Not inputs.
_OTHERS = {
    "name", "use_locking", "use_nesterov", "update_slots", "multiply_linear_by_lr",
}  # fmt: skip
# Kernels of TensorFlow's.
_TYPES = ("float32", "float64", "float16")
_NARROW = re.compile("AdagradDA|Proximal")


def _row(op: str) -> dict[str, Any]:
    row: dict[str, Any] = {"main": "T"}
    rows = "Sparse" in op
    for argument in inspect.signature(getattr(raw_ops, op)).parameters:
        if argument in _OTHERS:
            continue
        if argument in _NUMBERS:
            row[argument] = _NUMBERS[argument]
        elif argument == "global_step":
            row[argument] = np.int64(7)
        elif argument == "indices":
            row[argument] = [2, 0]
        elif argument in ("grad", "delta"):
            row[argument] = F(2, 3) if rows else F(4, 3)
        else:
            row[argument] = V(4, 3)
    row["dtypes"] = _TYPES[:2] if _NARROW.search(op) else _TYPES
    return row


TABLE = {
    op: _row(op)
    for op in _graphkiln.op_names()
    if re.match("Resource(Sparse)?Apply", op)
}
