"""The examples in the docstrings of public functions run."""

from __future__ import annotations

import doctest
import importlib

import pytest

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import _namespaces

# Whatever module public names come from.
MODULES = sorted({module for module, _ in _namespaces._python_names().values()})


def _run(test: doctest.DocTest) -> None:
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append)
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize("name", sorted(_graphkiln.composite_names()))
def test_composite(name):
    text = _graphkiln.composite_function(name).__doc__
    assert text
    parser = doctest.DocTestParser()
    _run(parser.get_doctest(text, {"tf": tf}, name, None, 0))


def _module_examples() -> list[doctest.DocTest]:
    tests = []
    for name in MODULES:
        module = importlib.import_module(name)
        finder = doctest.DocTestFinder(exclude_empty=True)
        tests += finder.find(module, extraglobs={"tf": tf})
    return [test for test in tests if test.examples]


@pytest.mark.parametrize("test", _module_examples(), ids=lambda t: t.name)
def test_module(test):
    _run(test)
