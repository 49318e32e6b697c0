"""A fixed sample of the oracle's table, and what the table's tools promise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conformance import comparing, questions, report, variants
from conformance.answers import Answer
from conformance.questions import Question

# One question of so many: some four thousand.
SAMPLE = 20
# Per cent that agree by the page; it only grows, to 99.7.
FLOOR = 99.6
EXP = Question("Exp", "float32", variants.PLAIN, questions.VALUE)
SHAPE = Question("Exp", "float32", variants.PLAIN, questions.SHAPES[1])


@pytest.mark.slow
def test_sample():
    pytest.importorskip("tensorflow")
    done = subprocess.run(
        [sys.executable, "-m", "conformance", "--sample", str(SAMPLE)],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_the_page_states_the_agreement():
    assert report.total_of(report.PAGE) >= FLOOR
    assert "None ended the process" in report.PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "mine, theirs, verdict",
    [
        ([1.0, 2.0], [1.0, 2.0], comparing.AGREE),
        ([1.0, np.nan], [1.0, np.nan], comparing.AGREE),
        ([1.0, 2.0], [1.0, 2.000001], comparing.AGREE),
        ([1.0, 2.0], [1.0, 2.1], comparing.DIFFER),
        ([1.0, np.inf], [1.0, -np.inf], comparing.DIFFER),
        ([1.0], [1.0, 2.0], comparing.DIFFER),
    ],
)
def test_values_are_compared(mine, theirs, verdict):
    answers = [Answer(values=[np.array(v, np.float32)]) for v in (mine, theirs)]
    assert comparing.compare(EXP, *answers)[0] == verdict


def test_dtypes_and_errors_are_compared():
    a, b = (Answer(values=[np.array([1.0], t)]) for t in ("float32", "float64"))
    assert comparing.compare(EXP, a, b)[0] == comparing.DIFFER
    assert comparing.compare(EXP, Answer(error="TypeError"), a)[0] == comparing.DIFFER
    wrong, other = (Answer(error=e) for e in ("TypeError", "ValueError"))
    assert comparing.compare(EXP, wrong, other)[0] == comparing.DIFFER
    assert comparing.compare(EXP, wrong, wrong)[0] == comparing.AGREE
    none = Answer(error="NotFoundError", text="Could not find device for node: ...")
    assert comparing.compare(EXP, wrong, none)[0] == comparing.UNASKED


@pytest.mark.parametrize(
    "mine, theirs, verdict",
    [
        ((2, 3), (2, 3), comparing.AGREE),
        ((2, None), (None, None), comparing.AGREE),
        ((2, 3), None, comparing.AGREE),
        (None, (2, 3), comparing.DIFFER),
        ((2, 4), (2, 3), comparing.DIFFER),
    ],
)
def test_shapes_are_compared(mine, theirs, verdict):
    answers = [Answer(shapes=[("float32", s)]) for s in (mine, theirs)]
    assert comparing.compare(SHAPE, *answers)[0] == verdict


def test_every_op_is_asked_or_listed():
    asked = set(questions.asked_ops())
    assert len(asked) > 500 and not asked & set(questions.NOT_ASKED)
    for op in ("Add", "MatMul", "Conv2D"):
        of_op = questions.of_op(op)
        assert {q.aspect for q in of_op} == set(questions.ASPECTS)
        assert len(set(of_op)) == len(of_op)


def test_variants_are_what_they_say():
    strided = variants.make("MatMul", "float32", "strided").inputs["a"]
    plain = variants.make("MatMul", "float32", variants.PLAIN).inputs["a"]
    assert not strided.flags["C_CONTIGUOUS"]
    np.testing.assert_array_equal(strided, plain)
    assert variants.make("Exp", "float32", "large").inputs["x"].size >= 100_000
    assert variants.make("AddV2", "int32", "empty [0,3]").inputs["y"].shape == (0, 3)
    case = variants.make("AddV2", "float32", "broadcast")
    assert {case.inputs[n].shape for n in "xy"} == {(7, 1, 3), (5, 1)}


def test_verdicts_are_kept(tmp_path):
    from conformance.workers import Verdict

    verdicts = [Verdict(EXP, comparing.DIFFER, "why", ("", ""), ("E", "text"))]
    report.write(tmp_path / "answers", verdicts)
    assert report.read(tmp_path / "answers") == verdicts
    assert report.read(tmp_path / "none") == []


def test_what_kills_is_listed(tmp_path):
    from conformance import deadly

    other = Question("Exp", "", "x[0] flat", questions.ERRORS[0])
    dead = {EXP: deadly.ALL, other: deadly.ONEDNN}
    deadly.write(dead, tmp_path / "list")
    assert deadly.read(tmp_path / "list") == dead
    assert deadly.of([EXP, other], [EXP]) == dead
    known = {q.op for q in deadly.read()}
    assert known <= set(questions.asked_ops())


def test_a_page_keeps_what_it_says_of_other_ops():
    from conformance import earlier
    from conformance.workers import Verdict

    differs = Verdict(EXP, comparing.DIFFER, "why", ("", ""), ("E", "text"))
    page = report.Report([differs]).page()
    kept = earlier.read(page, ())
    assert kept.ops == {"Exp": (1, 0)}
    assert kept.count(earlier.DIFFER) == 1
    again = report.Report([], kept).page()
    assert "`Exp` float32 plain: value" in again
    assert earlier.read(page, {"Exp"}).ops == {}
