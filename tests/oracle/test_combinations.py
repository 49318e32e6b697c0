"""Tests that run once for each combination of their parameters, beside TensorFlow's."""

from __future__ import annotations

import functools
import unittest

import pytest
from absl.testing import parameterized

import graphkiln

tensorflow = pytest.importorskip("tensorflow")


def _outcome(case):
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    skipped = sorted((test.id().split(".")[-1], why) for test, why in result.skipped)
    failed = sorted(
        (test.id().split(".")[-1], text.strip().splitlines()[-1])
        for test, text in result.failures + result.errors
    )
    return result.testsRun, [s for s in skipped if s[0] != "test_session"], failed


def _functions(tf, told):
    made = tf.__internal__.test.combinations

    class Case(parameterized.TestCase):
        @made.generate(made.combine(mode=["graph", "eager"], k=[1, 2]))
        def test_modes(self, k):
            told.append(("modes", k, tf.executing_eagerly()))

        @made.generate(
            made.times(
                made.combine(mode="eager", tf_api_version=[1, 2]),
                made.combine(of=[made.NamedObject("two", 2), "a b", None]),
            )
        )
        def test_versions(self, mode, of):
            told.append(("versions", mode, str(of)))

        @made.generate(made.combine(unknown=[1]))
        def test_without(self):
            told.append("never")

        @made.generate(made.combine(mode=["later"]))
        def test_wrong_modes(self):
            told.append("never")

    return Case


def _classes(tf, told):
    made = tf.__internal__.test.combinations

    @made.generate(made.combine(mode=["graph", "eager"], name=["x", "y"]))
    class Case(parameterized.TestCase):
        def test_one(self, name):
            told.append((name, tf.executing_eagerly()))

        def helper(self):
            told.append("never")

    return Case


def _keywords(tf, told):
    made = tf.__internal__.test.combinations

    class Doubled(made.ParameterModifier):
        def modified_arguments(self, kwargs, requested_parameters):
            told.append(("asked for", sorted(requested_parameters)))
            name = self._parameter_name
            return {name: 2 * kwargs[name]} if name in kwargs else {}

    class Special(made.TestCombination):
        def should_execute_combination(self, kwargs):
            return kwargs.get("k") != 3, "three\nis left out"

        def parameter_modifiers(self):
            return [Doubled("k"), made.OptionalParameter("extra")]

        def context_managers(self, kwargs):
            told.append(("contexts", sorted(kwargs)))
            return []

    usual = made.generate.keywords["test_combinations"]
    told.append([type(one).__name__ for one in usual])
    more = functools.partial(made.generate, test_combinations=(*usual, Special()))

    class Case(parameterized.TestCase):
        @more(made.combine(mode=["graph", "eager"], k=[1, 3], extra=[None]))
        def test_more(self, k):
            told.append(("more", k, tf.executing_eagerly()))

        @made.generate(made.combine(mode=["graph"]), test_combinations=())
        def test_none(self, mode):
            told.append(("none", mode, tf.executing_eagerly()))

        @made.generate(made.combine(k=[5]), test_combinations=(Special(),))
        def test_only(self, k):
            told.append(("only", k))

    return Case


def _result(make, tf):
    told = []
    case = make(tf, told)
    names = [name for name in dir(case) if name.startswith("test")]
    return names, _outcome(case), told


@pytest.mark.parametrize("make", [_functions, _classes, _keywords])
def test_combinations(make):
    theirs = _result(make, tensorflow)
    assert _result(make, graphkiln) == theirs
    assert len(theirs[2]) > 2


@pytest.mark.parametrize(
    "wrong",
    [
        lambda made: made.times(made.combine(a=1), made.combine(a=2)),
        lambda made: made.generate([3])(lambda self: None),
        lambda made: made.generate([{"a": 1}], 3, 4),
    ],
)
def test_wrong_combinations(wrong):
    for tf in (tensorflow, graphkiln):
        with pytest.raises((TypeError, ValueError, AssertionError)):
            wrong(tf.__internal__.test.combinations)
