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
GRADIENT_IN_GRAPH: dict[str, str] = {
    "Prod": "its gradient needs a known rank and constant axes",
}
SECOND_ORDER: dict[str, str] = {}
BAD_INPUT: dict[str, str] = {}
ORACLE_VALUES: dict[str, str] = {
    "PopulationCount": "gives the input's dtype, not uint8",
    "ClipByValue": "no complex kernels",
    "Round": "TensorFlow's raw op gives zeros for int32; ours the numbers",
    "TanhGrad": "complex values take another conjugate",
    "SigmoidGrad": "complex values take another conjugate",
    "ResourceScatterNdAdd": "no bool kernel",
    "ResourceScatterNdSub": "no bool kernel",
}
AXIS = "takes the definition's reduction_indices, not axis"
RAW_ARGUMENTS: dict[str, str] = {
    **dict.fromkeys(
        ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm", "All", "Any"), AXIS
    ),
    "Split": "split_dim, not axis",
    "SplitV": "split_dim, not axis",
    "Where": "input, not condition",
    "ExpandDims": "dim, not axis",
    "Squeeze": "squeeze_dims, not axis",
    "EnsureShape": "x, the public function's name, not input",
    "Slice": "input_, the public function's name, not input",
    "Select": "t and e, not x and y",
    "StringToNumber": "input, the public function's name, not string_tensor",
}


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
