"""The examples in the docstrings of tf.data run."""

from __future__ import annotations

import doctest
import importlib
import pathlib

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import _graphkiln

FOLDER = pathlib.Path(tf.__file__).parent / "data"


def _examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    tests = []
    for file in sorted(FOLDER.glob("_*.py")):
        if file.stem == "__init__":
            continue
        module = importlib.import_module(f"graphkiln.data.{file.stem}")
        tests += finder.find(module, extraglobs={"tf": tf, "np": np})
    for thing in (
        _graphkiln.DatasetBase, tf.data.DatasetSpec, tf.data.Iterator, tf.data.IteratorSpec,
        tf.data.NumpyIterator, tf.experimental.Optional, tf.OptionalSpec,
    ):
        found = finder.find(thing, module=False, globs={"tf": tf, "np": np})
        assert any(test.examples for test in found), thing
        tests += found
    return [test for test in tests if test.examples]


@pytest.mark.parametrize("test", _examples(), ids=lambda t: t.name)
def test_example(test):
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append)
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize(
    "name", [n for n in dir(tf.data.Dataset) if not n.startswith("_")]
)
def test_every_method_has_an_example(name):
    text = getattr(tf.data.Dataset, name).__doc__ or ""
    assert ">>> " in text or name == "register"
