"""The examples in the docstrings of public functions run."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator

import pytest

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import _namespaces
from public_names import is_numpys

# Whatever module public names come from.
MODULES = sorted({module for module, _ in _namespaces._python_names().values()})


def _public_functions() -> dict[str, object]:
    """Functions and classes by public name, those of the package itself first."""
    found: dict[str, object] = {}
    names = {
        *_namespaces._python_names(),
        *_namespaces.op_names(),
        *_graphkiln.composition_names(),
        *(name for name in dir(tf) if not name.startswith("_")),
    }
    for name in sorted(names, key=lambda n: (n.count("."), n)):
        value: object = tf
        for part in name.split("."):
            value = getattr(value, part)
        if is_numpys(value):
            continue
        if isinstance(value, type) or inspect.isroutine(value):
            found[name] = value
    return found


def test_top_level_imports_are_public_names():
    assert {"constant", "convert_to_tensor", "is_tensor"} <= set(_public_functions())


def test_public_names_are_documented():
    documents = {
        name: inspect.getdoc(value) or ""
        for name, value in _public_functions().items()
    }
    assert [name for name, text in documents.items() if not text.strip()] == []
    without = [name for name, text in documents.items() if ">>>" not in text]
    assert len(without) <= 0.05 * len(documents), sorted(without)


def _documents() -> Iterator[tuple[str, str]]:
    """What public functions and classes and the members of classes say, each
    once."""
    seen = set()
    for name, value in _public_functions().items():
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield name, inspect.getdoc(value) or ""
        for home in value.__mro__ if isinstance(value, type) else ():
            if not home.__module__.startswith("graphkiln"):
                continue
            for member, part in vars(home).items():
                text = getattr(part, "__doc__", None)
                if text is type(part).__doc__:
                    continue  # of a number or text
                if isinstance(text, str) and member != "__doc__":
                    if id(part) not in seen:
                        yield f"{name}.{member}", inspect.cleandoc(text)
                    seen.add(id(part))


def _public_examples() -> list[doctest.DocTest]:
    parser = doctest.DocTestParser()
    return [
        parser.get_doctest(text, {"tf": tf}, name, None, 0)
        for name, text in _documents()
        if ">>>" in text
    ]


def _member_examples() -> list[doctest.DocTest]:
    """Examples of methods and attributes of the extension's classes."""
    parser = doctest.DocTestParser()
    tests = []
    for cls in (getattr(_graphkiln, n) for n in dir(_graphkiln)):
        if isinstance(cls, type):
            for name, member in vars(cls).items():
                text = getattr(member, "__doc__", None)
                if isinstance(text, str) and ">>>" in text and name != "__doc__":
                    tests.append(parser.get_doctest(
                        inspect.cleandoc(text), {"tf": tf}, f"{cls.__name__}.{name}",
                        None, 0,
                    ))
    return tests


def _module_examples() -> list[doctest.DocTest]:
    """Those of modules, which see what is in the module."""
    tests = []
    for name in MODULES:
        module = importlib.import_module(name)
        finder = doctest.DocTestFinder(exclude_empty=True)
        tests += finder.find(module, extraglobs={"tf": tf})
    return [test for test in tests if test.examples]


def _each_once() -> list[doctest.DocTest]:
    """Some register what can be registered once."""
    found: dict[str, doctest.DocTest] = {}
    for test in (*_public_examples(), *_module_examples(), *_member_examples()):
        found.setdefault(inspect.cleandoc(test.docstring), test)
    return list(found.values())


EXAMPLES = _each_once()


@pytest.mark.parametrize("test", EXAMPLES, ids=lambda t: t.name)
def test_example(test):
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append)
    assert result.failed == 0, "".join(said)


@pytest.mark.parametrize(
    "name",
    [
        "TensorArray", "TensorArraySpec", "TensorSpec", "errors.OpError", "Tensor",
        "Graph", "DType", "TensorShape", "constant", "data.Dataset.map",
        "GradientTape.jacobian", "acos", "case", "experimental.RowPartition",
        "random.Generator", "TensorArray.read", "Module", "ConcreteFunction.baked_values",
    ],
)
def test_examples_of_every_kind_are_run(name):
    """Wherever it is defined."""
    names = {test.name for test in EXAMPLES}
    assert any(n == name or n.endswith("." + name) for n in names), names
