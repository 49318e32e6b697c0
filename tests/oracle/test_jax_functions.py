"""Functions of JAX in TensorFlow's programs: XlaCallModule, `jax2tf`, layers of Keras'
that are JAX's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as original
from keras_children import START, answers, assert_close

import graphkiln as own

jax = pytest.importorskip("jax")
PROGRAM = "jax_functions.py"
X, Y = np.ones((3, 4), np.float32), np.full((4, 2), 0.5, np.float32)


@pytest.mark.parametrize("name", ["values", "shapes", "gradients", "trained"])
def test_programs(name: str) -> None:
    theirs, ours = (answers(module, PROGRAM, name) for module in START)
    assert theirs
    assert_close(ours, theirs, rel=1e-5)


@pytest.mark.parametrize("kind", ["", "_keras"])
@pytest.mark.parametrize("writer", START)
def test_saved_models(writer: str, kind: str, tmp_path: Path) -> None:
    if kind:
        pytest.importorskip("keras")
    folder = str(tmp_path)
    written = answers(writer, PROGRAM, f"write{kind}", folder)
    theirs, ours = (answers(m, PROGRAM, f"read{kind}", folder) for m in START)
    assert theirs
    assert_close(ours, theirs, rel=1e-5)
    if kind:
        assert_close(ours[-1], written[-1], rel=1e-5)


def exported(function, *arrays, platforms=("cpu",), shapes=None) -> bytes:
    specs = tuple(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in arrays)
    if shapes is not None:
        specs = jax.export.symbolic_args_specs(specs, shapes)
    made = jax.export.export(jax.jit(function), platforms=platforms)(*specs)
    return made.mlir_module_serialized


@pytest.fixture(scope="module")
def module() -> bytes:
    import jax.export

    numpy = jax.numpy
    return exported(
        lambda x, y: (numpy.sin(x) @ y, numpy.concatenate([x, x]), numpy.sum(x)),
        X,
        Y,
        shapes=("b, _", None),
    )


def called(tf, op, staged, args, attributes):
    def run():
        return op(args=list(args), **attributes)

    return [
        np.asarray(v) for v in (tf.function(run, autograph=False) if staged else run)()
    ]


def first_line(error: Exception) -> str:
    text = str(error).split("}} ", 1)[-1].splitlines()[0]
    return text.split(" [Op:")[0].split("UNKNOWN")[0].strip()


# What differs from a call that works; what the error's first line is, if not
# TensorFlow's.
CHANGES = {
    "plain": {},
    "oldest version": {"version": 4},
    "version before assertions": {"version": 6, "args": (X[:0], Y)},
    "too new": {"version": 11},
    "too old": {"version": 3},
    "dimension arguments": {"dim_args_spec": ["0.0"]},
    "other platform": {"platforms": ["TPU"]},
    "platform unchecked": {"platforms": ["CUDA"], "disabled_checks": ["platform"]},
    "no platform": {"platforms": []},
    "platform argument": {"platforms": ["CPU", "CUDA"]},
    "no module": {"module": b"abc"},
    "empty module": {"module": b""},
    "few arguments": {"args": (X,)},
    "other type": {"args": (X.astype(np.float64), Y)},
    "other rank": {"args": (X[0], Y)},
    "other size": {"args": (X[:, :3], Y)},
    "no rows": {"args": (X[:0], Y)},
    "no rows, unchecked": {"args": (X[:0], Y), "disabled_checks": ["shape_assertions"]},
    "shapes too few": {"Sout": [[None, 2]]},
    "unknown check": {"disabled_checks": ["nonsense"]},
    "tokens that are none": {"has_token_input_output": True},
}


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", CHANGES)
def test_the_op(name: str, staged: bool, module: bytes) -> None:
    theirs = pytest.importorskip("tensorflow.compiler.tf2xla.ops.gen_xla_ops")
    outcomes = []
    for tf, op in (
        (original, theirs.xla_call_module),
        (own, own.raw_ops.XlaCallModule),
    ):
        attributes = {
            "version": 10,
            "module": module,
            "Sout": [[None, 2], [None, 4], []],
            "Tout": [tf.float32] * 3,
            "platforms": ["CPU"],
            "dim_args_spec": [],
            "function_list": [],
            "has_token_input_output": False,
            "disabled_checks": [],
            "use_shardy_partitioner": False,
            **CHANGES[name],
        }
        args = attributes.pop("args", (X, Y))
        try:
            outcomes.append(called(tf, op, staged, args, attributes))
        except tf.errors.OpError as error:
            outcomes.append((type(error).__name__, first_line(error)))
    expected, found = outcomes
    if isinstance(expected, tuple):
        assert found[0] == expected[0], found
        if name != "no module":  # the parser's words are of its version
            assert found[1].startswith(expected[1]), (found, expected)
        return
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"Tout": ["int32", "float32", "float32"]}, "Tout says int32 of output 0"),
        ({"Sout": [[5, 2], [None, 4], []]}, r"Sout says \[5,2\] of output 0"),
        ({"Tout": ["float32"], "Sout": [[None, 2]]}, "gives 3 results"),
    ],
)
def test_what_tensorflow_reads_as_garbage_is_an_error(change, text, module) -> None:
    attributes = {
        "version": 10,
        "module": module,
        "Sout": [[None, 2], [None, 4], []],
        "Tout": ["float32"] * 3,
        "platforms": ["CPU"],
        **change,
    }
    with pytest.raises(own.errors.InvalidArgumentError, match=text):
        own.raw_ops.XlaCallModule(args=[X, Y], **attributes)


WITHOUT_JAX = """
import sys
sys.modules["jax"] = None
import graphkiln as tf
try:
    tf.raw_ops.XlaCallModule(args=[1.0], version=10, module=b"", Sout=[[]],
                             Tout=[tf.float32], platforms=["CPU"])
except tf.errors.FailedPreconditionError as error:
    print(error.message)
"""


def test_without_jax_the_error_names_the_cure() -> None:
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_JAX],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    ).stdout
    assert "XlaCallModule" in told
    assert "pip install jax" in told
