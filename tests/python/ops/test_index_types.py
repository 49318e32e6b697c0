"""Indices, sizes and axes mean the same in each integer type that an op takes."""

from __future__ import annotations

from typing import Any

import cases
import graphkiln as tf
import numpy as np
import pytest

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
# Types that are what is computed, not what says where.
COMPUTED = {
    "Cast", "Bitcast", "BatchMatMulV3", "StatefulRandomBinomial",
    "StatelessRandomBinomial",
}  # fmt: skip


def other_types(op: str) -> list[tuple[str, str]]:
    """Attributes beside the main one that are types of inputs, with each integer type
    that they allow."""
    record = cases.record(op)
    main = cases.main_type(op)
    made_by = {a["type_attr"] for a in record["inputs"]} - {"", main}
    found = []
    for attr in record["attrs"]:
        allowed = [t.name for t in attr["allowed_types"] or ()]
        if attr["name"] in made_by:
            found += [(attr["name"], t) for t in INTEGERS if t in allowed]
    return found


CALLS = [
    (op, name, dtype)
    for op in cases.called_ops()
    if "random" not in cases.record(op)["traits"] and op not in COMPUTED
    for name, dtype in other_types(op)
    if cases.dtypes(op)
]


def values(case: cases.Case) -> list[Any]:
    out = cases.flatten(case.call(tf, case.arguments(tf)))
    return [t.numpy() for t in out if t.dtype.name not in ("variant", "resource")]


@pytest.mark.parametrize(("op", "name", "dtype"), CALLS)
def test_as_the_others(op: str, name: str, dtype: str):
    first = cases.dtypes(op)[0]
    plain = cases.make(op, first)
    given = cases.make(op, first, other_types={name: dtype})
    try:
        expected = values(plain)
    except tf.errors.OpError as error:
        pytest.skip(f"the call is refused: {error!r}"[:100])
    for mine, other in zip(values(given), expected, strict=True):
        if mine.dtype == object:
            assert np.array_equal(mine, other)
            continue
        np.testing.assert_array_equal(
            mine.astype(other.dtype) if mine.dtype.kind in "iu" else mine, other
        )
