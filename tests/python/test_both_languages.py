"""The programs of tests/both_languages show in Python what the original showed.

That C++ shows the same bits is compared where both are built: ctest's
both_languages.
"""

import sys
from pathlib import Path

import pytest

import graphkiln

sys.path.insert(0, str(Path(__file__).parents[1] / "both_languages"))

import table  # noqa: E402


@pytest.mark.parametrize("program", table.all_programs(), ids=lambda p: p.name)
def test_program(program):
    ours = table.run_python(program, graphkiln)
    assert not table.differences(
        program.name, ours, program.recorded, table.is_close)


def test_there_are_enough():
    names = [p.name for p in table.all_programs()]
    assert len(names) == len(set(names)) >= 60
    heads = sum(path.read_text().count("\n## ") for path in table.tables())
    assert len(names) == heads  # no program was skipped for its form
    assert all(p.recorded for p in table.all_programs())
