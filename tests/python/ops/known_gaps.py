"""What does not hold yet, by test: {op: reason}.

Tests check it both ways: an op listed here that passes fails the test until
its line is deleted, so the table can only shrink.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

REFERENCE: dict[str, str] = {}
GRAPH: dict[str, str] = {}
SHAPES: dict[str, str] = {}
GRADIENT: dict[str, str] = {}
GRADIENT_IN_GRAPH: dict[str, str] = {}
SECOND_ORDER: dict[str, str] = {
    "SoftmaxCrossEntropyWithLogits": "what backprop owes to the labels is left out, "
    "as in TensorFlow",
}
BAD_INPUT: dict[str, str] = {}
ORACLE_VALUES: dict[str, str] = {}
RAW_ARGUMENTS: dict[str, str] = {}


@contextlib.contextmanager
def gaps(table: dict[str, str], op: str) -> Iterator[None]:
    """The block must fail if `op` is in the table, and only then."""
    if op not in table:
        yield
        return
    try:
        yield
    except Exception as error:
        pytest.xfail(f"{table[op]}: {error!r}"[:300])
    pytest.fail(f"{op} passes: delete its line from known_gaps.py")
