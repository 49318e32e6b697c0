"""Every op that a public function is made of is there."""

from __future__ import annotations

import pathlib
import re

import pytest

from graphkiln import _graphkiln
from graphkiln import _namespaces

ROOT = pathlib.Path(__file__).parents[2]
COMPOSITES = sorted((ROOT / "src/ops/composite").glob("*.cc"))
MODULES = sorted((ROOT / "python/graphkiln").rglob("*.py"))
EXTENSION = sorted((ROOT / "python/src").rglob("*.[ch]*"))
# MakeOp("X", ...), MakeOp1(condition ? "X" : "Y", ...); what is kept apart:
# constexpr char kX[] = "X", op = condition ? "X" : "Y".
MADE = re.compile(r"MakeOp1?\(([^,{]*),|\bop\s*=([^;]*);")
KEPT = re.compile(r"\bk\w+\[\]\s*=\s*\"(\w+)\"")
NAME = re.compile(r'"([A-Z]\w+)"')
RAW = re.compile(r'\bCallOp\("(\w+)')
USED = re.compile(r"(?<!\.)\b(?:raw_ops|ops)\.([A-Z]\w+)")


def names_in(path: pathlib.Path) -> set[str]:
    text = re.sub(r'==\s*"\w+"', "", path.read_text())
    if path.suffix == ".py":
        if "raw_ops" not in text:
            return set()
        return set(USED.findall(text))
    if path in EXTENSION:
        found = set(RAW.findall(text))
        return found | (set(KEPT.findall(text)) if path.stem.endswith("_ops") else set())
    found = set(KEPT.findall(text))
    for made in MADE.findall(text):
        found |= set(NAME.findall("".join(made)))
    return found


@pytest.mark.parametrize("path", COMPOSITES + MODULES + EXTENSION, ids=lambda p: p.name)
def test_ops_are_there(path: pathlib.Path):
    assert names_in(path) <= set(_graphkiln.op_names())


def test_names_are_found():
    assert "AddV2" in names_in(ROOT / "src/ops/composite/composite_math.cc")
    # Most are made by functions, which the compiler finds.
    known = set(_graphkiln.op_names())
    typed = sum(
        len(known & set(re.findall(r"\bops::([A-Z]\w+)\(", path.read_text())))
        for path in COMPOSITES
    )
    named = sum(len(names_in(path)) for path in COMPOSITES)
    assert named > 40 and typed > 200
    assert sum(len(names_in(path)) for path in MODULES) > 15
    assert sum(len(names_in(path)) for path in EXTENSION) > 10


def test_public_names_resolve():
    import graphkiln as tf

    for names in (
        _namespaces.op_names(), _namespaces.composite_names(),
        _namespaces._python_names(),
    ):
        for name in names:
            value: object = tf
            for part in name.split("."):
                value = getattr(value, part)
