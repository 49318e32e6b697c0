"""docs/reference/support.md, which tools/support.py makes."""

from __future__ import annotations

import sys
from pathlib import Path

import graphkiln as tf
import pytest
from graphkiln import _graphkiln

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

import support  # noqa: E402


@pytest.fixture(scope="module")
def rows() -> dict[str, list[str]]:
    lines = support.op_rows()[2:]
    cells = [[c.strip() for c in line.strip("|").split(" | ")] for line in lines]
    return {row[0].strip("` "): row[1:] for row in cells}


def test_every_op_has_a_row(rows):
    assert set(rows) == set(_graphkiln.op_names())


@pytest.mark.parametrize(
    "op, dtypes, orders",
    [
        ("Exp", "T: any float, any complex", "any"),
        ("Igamma", "T: any float", "first"),
        ("Floor", "T: any float", "none to have"),
        ("StringLength", "string", "none to have"),
    ],
)
def test_rows(rows, op, dtypes, orders):
    assert rows[op][1:] == [dtypes, orders, support.version()]


def test_groups_of_dtypes_are_words():
    names = [t.name for t in _graphkiln.op_record("Exp")["attrs"][0]["allowed_types"]]
    assert support.dtypes_text(names) == "any float, any complex"
    assert support.dtypes_text(["int32", "int64"]) == "int32, int64"


def test_every_public_name_is_in_the_page():
    text = support.page()
    for name in ("tf.math.exp", "tf.nn.dropout", "tf.RaggedTensor", "tf.Variable"):
        assert f"`{name}`" in text


def test_missing_names_are_missing():
    groups = support.grouped(support.missing_names())
    assert "compat.v1.layers" in groups["Later: step 8, Keras and its optimisers."]
    assert any("compat.v1.app.run" in names for names in groups.values())
    assert not hasattr(tf.compat.v1, "layers")


def test_every_reason_is_needed():
    groups = support.grouped_ops(support.missing_ops())
    assert {f"Left out: {why}" for why in support.REFUSED_OPS} <= set(groups)
    planned = set(groups) | set(support.grouped(support.missing_names()))
    assert {f"Later: {step}." for step in support.PLANNED} <= planned


def test_versions_are_kept(monkeypatch):
    monkeypatch.setattr(support, "since", lambda: {"Exp": "0.0.9"})
    assert support.first_version("Exp") == "0.0.9"
    assert support.first_version("Log") == support.version()
