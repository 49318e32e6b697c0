"""What api/ and docs/reference/ show is what the package has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import graphkiln as tf

ROOT = Path(__file__).resolve().parent.parent.parent
DUMP = ROOT / "tools" / "api_dump"


def test_dumps_are_fresh():
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
        "tf.abs(x, name=None)",
        "tf.Variable(",
        "tf.function(func=None, input_signature=None, autograph=True,",
    ],
)
def test_public_names_are_listed(line):
    text = (ROOT / "api" / "python.txt").read_text(encoding="utf-8")
    assert f"\n{line}" in text


def test_op_definitions_read_back():
    from google.protobuf import text_format

    from graphkiln import _graphkiln
    from graphkiln import _proto

    text = (ROOT / "api" / "ops.pbtxt").read_text(encoding="utf-8")
    ops = text_format.Parse(text, _proto.OpList())
    assert [op.name for op in ops.op] == sorted(_graphkiln.op_names())
    matmul = next(op for op in ops.op if op.name == "MatMul")
    assert matmul == _proto.OpDef.FromString(_graphkiln.op_def("MatMul"))
