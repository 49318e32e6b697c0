"""The examples in the docstrings of public functions run."""

from __future__ import annotations

import doctest
import importlib
import inspect

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


def _public_functions() -> dict[str, object]:
    """Functions and classes by public name."""
    found: dict[str, object] = {}
    for name in (
        *_namespaces._python_names(),
        *_namespaces.op_names(),
        *_graphkiln.composite_names(),
    ):
        value: object = tf
        for part in name.split("."):
            value = getattr(value, part)
        if isinstance(value, type) or inspect.isroutine(value):
            found[name] = value
    return found


def test_public_names_are_documented():
    documents = {
        name: inspect.getdoc(value) or ""
        for name, value in _public_functions().items()
    }
    assert [name for name, text in documents.items() if not text.strip()] == []
    without = [name for name, text in documents.items() if ">>>" not in text]
    assert len(without) <= 0.05 * len(documents), sorted(without)


@pytest.mark.parametrize("name", sorted(_namespaces.op_names()))
def test_op(name):
    value: object = tf
    for part in name.split("."):
        value = getattr(value, part)
    text = inspect.getdoc(value) or ""
    parser = doctest.DocTestParser()
    _run(parser.get_doctest(text, {"tf": tf}, name, None, 0))


@pytest.mark.parametrize("name", ["Tensor", "Graph", "DType", "TensorShape"])
def test_class_of_the_extension(name):
    text = inspect.getdoc(getattr(tf, name)) or ""
    assert text
    parser = doctest.DocTestParser()
    _run(parser.get_doctest(text, {"tf": tf}, name, None, 0))


def _member_examples() -> list[doctest.DocTest]:
    """Examples of methods and attributes of the extension's classes."""
    parser = doctest.DocTestParser()
    tests = []
    for cls in (getattr(_graphkiln, n) for n in dir(_graphkiln)):
        if isinstance(cls, type):
            for name, member in vars(cls).items():
                if inspect.isfunction(member) or isinstance(member, property):
                    continue  # of a module, with its examples
                text = getattr(member, "__doc__", None)
                if isinstance(text, str) and ">>>" in text and name != "__doc__":
                    tests.append(parser.get_doctest(
                        text, {"tf": tf}, f"{cls.__name__}.{name}", None, 0
                    ))
    return tests


@pytest.mark.parametrize("test", _member_examples(), ids=lambda t: t.name)
def test_member_of_the_extension(test):
    _run(test)
