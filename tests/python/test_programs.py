"""The programs of tests/programs do what the original was seen to do."""

import pathlib
import sys

import pytest

import graphkiln

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "programs"))

import outcomes  # noqa: E402


# What Python 3.12 shows otherwise than 3.11, with which the texts were recorded.
ORDERED = "an OrderedDict is shown as one of a dict"
OTHER_SINCE_3_12 = {
    "nesting-flatten": ORDERED,
    "nesting-pack": ORDERED,
    "nesting-same": ORDERED,
    "printing-structures": ORDERED,
    "semantics-unhashable_arguments": "slices have hashes",
    "semantics-what_may_not_be_returned": "comprehensions are no functions",
    "unconvertible-as_tensors": "slices have hashes",
}


@pytest.mark.parametrize("program", outcomes.programs(), ids=outcomes.name_of)
def test_program(program):
    reason = OTHER_SINCE_3_12.get(outcomes.name_of(program))
    if reason and sys.version_info >= (3, 12):
        pytest.skip(reason)
    outcomes.compare(
        program,
        outcomes.outcome(program, graphkiln),
        outcomes.recorded(program),
    )
