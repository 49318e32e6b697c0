"""Every op that a public function is made of is there. What composites make is
asked of them themselves (src/function/composition_functions_test.cc)."""

from __future__ import annotations

import ast
import pathlib

import pytest

from graphkiln import _graphkiln
from graphkiln import _namespaces

ROOT = pathlib.Path(__file__).parents[2]
MODULES = sorted((ROOT / "python/graphkiln").rglob("*.py"))


def names_in(path: pathlib.Path) -> set[str]:
    """The X of `raw_ops.X`."""
    return {
        node.attr
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "raw_ops"
    }


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.name)
def test_ops_are_there(path: pathlib.Path):
    assert names_in(path) <= set(_graphkiln.op_names())


def test_names_are_found():
    # AutoGraph's last ones, of lists that a program made by raw ops.
    found = set().union(*(names_in(path) for path in MODULES))
    assert {"TensorListLength", "TensorListStack"} <= found


def test_public_names_resolve():
    import graphkiln as tf

    for names in (
        _namespaces.op_names(), _namespaces.composition_names(),
        _namespaces._python_names(),
    ):
        for name in names:
            value: object = tf
            for part in name.split("."):
                value = getattr(value, part)
