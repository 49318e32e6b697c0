"""What api/ and docs/reference/ show is what the package has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import graphkiln as tf

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
DUMP = ROOT / "tools" / "api_dump"


def test_dumps_are_fresh():
    pytest.importorskip("keras")  # the pages count the names that it brings
    package = str(Path(tf.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, str(DUMP), "--check"],
        env={**os.environ, "PYTHONPATH": package},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "line",
    [
        "tf.map_fn(",
        "tf.Variable(",
        "tf.function(func=None, input_signature=None, autograph=True,",
    ],
)
def test_public_names_are_listed(line):
    text = (ROOT / "api" / "python.txt").read_text(encoding="utf-8")
    assert f"\n{line}" in text


def test_each_public_name_is_in_one_place():
    import public_api

    text = (ROOT / "api" / "python.txt").read_text(encoding="utf-8")
    python = {
        x[3:].partition("(")[0].partition(" ")[0]
        for x in text.splitlines()
        if x.startswith("tf.")
    }
    own = {name.name for name in public_api.public_names() if name.kind == "python"}
    assert own <= python
    records = {
        name.name for name in public_api.public_names() if name.kind != "python"
    }
    assert len(records) > 350 and not records & python


def test_op_definitions_are_whole():
    from graphkiln import _graphkiln

    text = (ROOT / "api" / "ops.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    ops = [x[3 : x.index("(")] for x in lines if x.startswith("op ")]
    assert ops == sorted(_graphkiln.op_names())
    functions = {
        name
        for x in lines
        if x.startswith("function ")
        for name in x[9 : x.index("(")].split("|")
    }
    assert functions == set(_graphkiln.composition_names())
    start = lines.index("op MatMul(a: T; b: T) -> (product: T)")
    assert "  attr transpose_a: bool = False" in lines[start : start + 4]


@pytest.mark.parametrize(
    "line",
    [
        "control: while", "special: 2 -> Square", "combine: AddV2",
        "shape_value: yes", "ragged: segments", "ragged: gather", "maps: 2",
        "keeps_zero: yes", "slices: 2", "eager_op: AddV2", "op: Reshape",
    ],
)
def test_facts_of_records_are_shown(line):
    text = (ROOT / "api" / "ops.txt").read_text(encoding="utf-8")
    assert f"\n  {line}\n" in text


def test_reference_pages_show_every_op(tmp_path):
    from graphkiln import _graphkiln

    package = str(Path(tf.__file__).parent.parent)
    subprocess.run(
        [sys.executable, str(DUMP), "--pages", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": package},
        check=True,
    )
    text = "".join(
        page.read_text(encoding="utf-8") for page in tmp_path.glob("*.md")
    )
    missing = [n for n in _graphkiln.op_names() if f"\n## {n}\n" not in text]
    assert missing == []
    assert "Python: `tf.math.acos`, `tf.acos`" in text or (
        "Python: `tf.acos`, `tf.math.acos`" in text
    )
