"""Random programs by fixed seeds: eager, traced, without graph passes, without
lowered control flow and with gradients they come to the same. `python -m
fuzz.programs` runs more of them (fuzz/README.md)."""

from __future__ import annotations

import ast
import logging
import os
import pathlib
import subprocess
import sys

import pytest

import graphkiln as tf

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from fuzz.programs.check import Checker  # noqa: E402
from fuzz.programs.program import Program, program  # noqa: E402
from fuzz.programs.running import EAGER, TRACED, Runner  # noqa: E402
from fuzz.programs.shrinking import shrink  # noqa: E402

COUNT = int(os.environ.get("RANDOM_PROGRAMS", "300"))
FIRST = int(os.environ.get("RANDOM_PROGRAMS_SEED", "1000000"))
BLOCK = 20


@pytest.fixture(scope="module")
def checker():
    return Checker(Runner(tf))


@pytest.mark.parametrize("first", range(FIRST, FIRST + COUNT, BLOCK))
def test_all_ways_agree(checker, first, caplog):
    ran = 0
    with caplog.at_level(logging.CRITICAL):
        for seed in range(first, min(first + BLOCK, FIRST + COUNT)):
            made = program(seed)
            verdict = checker.check(made)
            assert verdict.mode is None, (
                f"seed {seed}, {verdict.mode.name}: {verdict.said}\n"
                f"{made.source}"
            )
            ran += verdict.ended == "ran"
    # What fails or cannot be staged says little.
    assert ran >= BLOCK * 3 // 4


def test_a_seed_determines_its_program():
    assert program(7).source == program(7).source
    assert program(7).source != program(8).source


WRONG = """
import collections

def program(tf, out):
    w = tf.Variable(1.0)

    def f(x, n):
        y = tf.sin(x) + 1.0
        for i in tf.range(n):
            y = tf.tanh(y) * 2.0
        if not tf.inside_function():
            w.assign_add(y)
        z = y * 3.0
        return z
    calls = [(tf.constant(0.5), tf.constant(2))]
    return f, {}, calls, [w]
"""


def test_a_difference_is_found_and_made_small(checker):
    def difference(source: str) -> bool:
        verdict = checker.check(Program(0, source, unknown=False), (TRACED,))
        return "variable 0" in verdict.said

    assert difference(WRONG)
    small = shrink(WRONG, difference, seconds=60)
    assert difference(small)
    left = ast.unparse(ast.parse(small))
    assert not [part for part in ("tf.sin", "* 3.0", "0.5") if part in left]
    assert "tanh" not in small and "for " not in small


PRINTS = """
def program(tf, out):
    def f(x):
        if {order}:
            tf.print(1, output_stream=out)
            tf.print(2, output_stream=out)
        else:
            tf.print(2, output_stream=out)
            tf.print(1, output_stream=out)
        return x
    return f, {{}}, [(tf.constant(1.0),)], []
"""


def test_the_order_of_prints_and_classes_of_errors_count(checker):
    def said(source: str) -> str:
        return checker.check(Program(0, source, unknown=False)).said

    assert "printed" in said(PRINTS.format(order="tf.inside_function()"))
    assert said(PRINTS.format(order="True")) == ""
    failing = PRINTS.replace("        return x", "        return x + None")
    outcome = checker.check(
        Program(0, failing.format(order="True"), unknown=False))
    assert outcome.ended == "failed" and outcome.said == ""


def test_values_are_compared_to_the_bit(checker):
    source = PRINTS.format(order="True").replace(
        "return x", "return x if tf.inside_function() else x * 1.0000001")
    assert "value 0" in checker.check(
        Program(0, source, unknown=False), (TRACED,)).said
    assert EAGER.traced is False


SLOPES = """
def program(tf, out):
    def f(x):
        for _ in range({turns}):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.sin({rate} * x)
            x = tape.gradient(y, x)
        if tf.inside_function():
            x = x + {error}
        return x
    return f, {{}}, [(tf.constant(0.3),)], []
"""


@pytest.mark.parametrize("turns, rate, error, differs", (
    (1, 2.0, 0.0, False),
    (1, 2.0, 0.1, True),
    # Another digit at the end grows to another value.
    (6, 40.0, 3.0, False),
    (6, 0.5, 0.1, True),
))
def test_gradients_are_as_near_as_their_digits(
        checker, turns, rate, error, differs):
    source = SLOPES.format(turns=turns, rate=rate, error=error)
    said = checker.check(Program(0, source, unknown=False)).said
    assert ("value 0" in said) is differs


def test_a_loop_that_carries_slices_is_refused(checker):
    source = """
def program(tf, out):
    def f(x, n):
        d = tf.zeros([2])
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.gather(x, [1, 0])
            d = tape.gradient(y, x)
        return d
    return f, {}, [(tf.constant([0.3, 0.5]), tf.constant(2))], []
"""
    verdict = checker.check(Program(0, source, unknown=False))
    assert verdict.said == "" and verdict.ended == "refused"


@pytest.mark.slow
def test_the_command_reports_and_ends():
    done = subprocess.run(
        [sys.executable, "-m", "fuzz.programs", "--count", "12", "--seed",
         "40"],
        capture_output=True, text=True, cwd=ROOT, timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 programs, 0 differences" in done.stdout
