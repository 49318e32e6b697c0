"""What a module makes of the operands in `operand_conversions`, eagerly and while
it traces."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import operand_conversions as table
from bad_call_outcomes import said

# (kind of the result, dtype, shape, values), or (class of the error, its words).
Outcome = tuple


def _shape(value: Any) -> Any:
    rank = value.shape.rank
    return None if rank is None else tuple(value.shape.as_list())


def _described(tf: Any, value: Any) -> Outcome:
    if isinstance(value, (list, tuple)) and not hasattr(value, "dtype"):
        return ("list", *(_described(tf, v) for v in value))
    if isinstance(value, tf.RaggedTensor):
        if not tf.executing_eagerly():
            return ("ragged", value.dtype.name, _shape(value))
        return ("ragged", value.dtype.name, repr(value.to_list()))
    if isinstance(value, tf.SparseTensor):
        return ("sparse", value.dtype.name, *(_described(tf, t) for t in (
            value.indices, value.values, value.dense_shape)))
    if isinstance(value, tf.IndexedSlices):
        return ("slices", value.dtype.name, _described(tf, value.values))
    if not tf.is_tensor(value):
        return ("plain", type(value).__name__, repr(value)[:80])
    shape = _shape(value)
    if hasattr(value, "numpy") and tf.executing_eagerly():
        return ("tensor", value.dtype.name, shape, value.numpy())
    return ("tensor", value.dtype.name, shape)


def _one(tf: Any, made: Callable[[], Any]) -> Outcome:
    try:
        return _described(tf, made())
    except Exception as error:
        return ("error", type(error).__name__, said(error))


def _outcomes(tf: Any, calls: dict[str, Any], operands: list[Any]) -> dict[str, Outcome]:
    """The answers of all calls, whose operands are made anew for each."""
    return {
        name: _one(tf, lambda call=call: call(tf, *(o(tf) for o in operands)))
        for name, call in calls.items()
    }


def ask(
    tf: Any, calls: dict[str, Any], operands: tuple[str, ...], traced: bool
) -> dict[str, Outcome]:
    made = [table.VALUES[name] for name in operands]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if not traced:
            return _outcomes(tf, calls, made)
        found: dict[str, Outcome] = {}
        with tf.Graph().as_default():
            found.update(_outcomes(tf, calls, made))
        return found


def words(text: str) -> str:
    """The first words of an error, with all that depends on the call gone."""
    text = re.sub(r"\{\{[^}]*\}\}|0x[0-9a-f]+", " ", text)
    text = re.sub(r"'[^']*'|\"[^\"]*\"|<[^>]*>|\[[^\]]*\]?|\([^)]*\)?", " ", text)
    text = re.sub(r"graphkiln|tensorflow|keras", "tf", text)
    return " ".join(re.findall(r"[A-Za-z_]+", text)[:4]).lower()


def same(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, np.ndarray) or isinstance(theirs, np.ndarray):
        if not np.shape(mine) == np.shape(theirs):
            return False
        if getattr(mine, "dtype", None) == object:
            return bool(np.array_equal(mine, theirs))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a, b = (np.asarray(v) for v in (mine, theirs))
            if a.dtype.kind not in "biufc":
                a, b = a.astype(np.float32), b.astype(np.float32)
            return bool(np.allclose(a, b, 1e-5, 1e-6, equal_nan=True))
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        if mine[:1] == theirs[:1] == ("error",):
            return mine[1] == theirs[1]
        return len(mine) == len(theirs) and all(map(same, mine, theirs))
    if isinstance(mine, (float, np.generic)) or isinstance(theirs, (float, np.generic)):
        return same(np.asarray(mine), np.asarray(theirs))
    return bool(mine == theirs)


def differences(
    ours: Any, theirs: Any, calls: dict[str, Any], operands: tuple[str, ...], traced: bool
) -> Iterator[tuple[str, Outcome, Outcome]]:
    mine = ask(ours, calls, operands, traced)
    expected = ask(theirs, calls, operands, traced)
    for name in calls:
        if not same(mine[name], expected[name]):
            yield name, mine[name], expected[name]
