"""What becomes of Python's and NumPy's values, lists of several kinds, tensors and
variables where a tensor of some dtype is wanted, and beside a tensor: dtype, shape,
values and class of error, eagerly and while a graph is made."""

from __future__ import annotations

import re

import operand_conversions as table
import operand_outcomes as outcomes
import pytest

pytest.importorskip("tensorflow")

# (mode, call, operand): patterns; and why the answers differ.
KNOWN: tuple[tuple[str, str, str, str], ...] = (
    ("eager|graph", ".*", r"range\(2\)", "a range converts as a list of its numbers"),
    ("eager|graph", "hint .*", r"-1|2\*\*40|2\*\*70|\[1, 2\*\*40\]",
     "a wish is no reason to cut digits"),
    ("eager|graph", "constant.*", r".*(int32|int64|float32|float64|variable|string)\b.*",
     "tf.constant takes tensors in lists, too"),
    ("graph", ".*", r"\[np.(float32\()?(array\()?\[.*|2\*\*70|-1",
     "arrays in lists are taken in graphs as outside them"),
    ("graph", r"x \+ (bool|string)", ".*", "the class of the error alone"),
    ("eager", ".*", "TensorShape.*", "shapes convert to every dtype"),
    ("eager|graph", "zeros.*", "sparse", "zeros like sparse tensors: their values'"),
    ("eager|graph", r"x \+ .*", "ragged.*", "open: a vector beside ragged rows"),
    ("eager|graph", ".*", r"\[1, int64\]", "a wish of 32 bits for a tensor of 64"),
    ("graph", ".*", "np.array.*object.*|np.datetime64|TensorShape.*|slices|.*np.str_.*|"
     "np.array..'a'.*|np.array..b'a'.*|{}|.*1, 2., .3.*", "the class of the error alone"),
)


def is_known(mode: str, call: str, operand: str) -> bool:
    return any(
        re.fullmatch(m, mode) and re.fullmatch(c, call) and re.fullmatch(o, operand)
        for m, c, o, _ in KNOWN
    )


@pytest.mark.parametrize("mode", ["eager", "graph"])
@pytest.mark.parametrize("operand", table.VALUES)
def test_conversions(both, operand, mode):
    calls = {n: c for n, c in table.CALLS.items() if not is_known(mode, n, operand)}
    found = list(
        outcomes.differences(
            both.ours, both.theirs, calls, (operand,), traced=mode == "graph"
        )
    )
    assert not found, "\n".join(
        f"{name}: {mine}\n    against {theirs}" for name, mine, theirs in found
    )
