"""Keras' second version, the package tf_keras, on graphkiln and on TensorFlow: the same
numbers."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from keras_children import assert_close

PROGRAM = Path(__file__).with_name("keras2_programs.py")
MODELS = Path(__file__).with_name("keras2_models.py")
# Their losses are of half precision.
ROUGH = {"mixed_precision": 1e-3}

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("tf_keras") is None, reason="tf_keras is not installed"
)


def _answers(module: str, *args: str, program: Path = PROGRAM) -> dict[str, dict]:
    result = subprocess.run(
        [sys.executable, str(program), module, *args],
        capture_output=True,
        text=True,
        timeout=600,
        env={
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "TF_USE_LEGACY_KERAS": "1",
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
    )
    assert result.returncode == 0, result.stderr[-3000:]
    # Keras tells of itself on the same way.
    lines = [
        json.loads(line) for line in result.stdout.splitlines() if line[:1] == "{"
    ]
    return {line["program"]: line for line in lines}


def test_programs():
    theirs, ours = _answers("tensorflow"), _answers("graphkiln")
    assert len(theirs) > 15 and list(ours) == list(theirs)
    for name, told in theirs.items():
        assert "error" not in told, (name, told)
        assert "error" not in ours[name], (name, ours[name])
        assert_close(ours[name]["numbers"], told["numbers"], ROUGH.get(name, 2e-5))


def test_saved_models(tmp_path):
    """Each loads the other's as models, which go on learning."""
    told = []
    for module, other in (("tensorflow", "graphkiln"), ("graphkiln", "tensorflow")):
        folder = str(tmp_path / module)
        told.append(_answers(module, "save", folder, program=MODELS))
        told.append(_answers(other, "load", folder, program=MODELS))
    assert len(told[0]) == 5
    # A step of Adam's divides by gradients that are almost nothing; and what goes on
    # learning in TensorFlow's own program differs from what was loaded.
    for theirs, ours in ((told[0], told[2]), (told[3], told[1])):
        assert list(ours) == list(theirs)
        for name, model in theirs.items():
            assert_close(ours[name]["numbers"], model["numbers"], rel=1e-3)


# What a program finds under these names where TF_USE_LEGACY_KERAS is set.
NAMES = """
import sys
if sys.argv[1] == "graphkiln":
    import graphkiln
    graphkiln.as_tensorflow()
import tensorflow as tf
import tensorflow.keras.backend as of_import
from tensorflow.compat.v1 import keras as of_version_one
from tensorflow.keras.layers import Dense
print(of_import.set_learning_phase.__module__)
for cls in (
    tf.compat.v1.keras.layers.LSTM, of_version_one.layers.LSTM, tf.keras.layers.LSTM,
    tf.losses.MeanSquaredError, tf.metrics.Mean, tf.optimizers.Adam, Dense,
):
    print(cls.__module__, cls.__name__)
assert Dense is tf.keras.layers.Dense is tf.compat.v2.keras.layers.Dense
layer = tf.compat.v1.layers.Dense(2)
print(type(layer).__module__, tf.compat.v1.nn.rnn_cell.BasicLSTMCell.__module__)
print(layer(tf.ones([1, 3])).shape)
"""


def test_name_that_the_environment_gives():
    def told(module: str, **environment: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", NAMES, module],
            capture_output=True,
            text=True,
            timeout=300,
            env={
                **os.environ,
                "TF_CPP_MIN_LOG_LEVEL": "3",
                "PYTHONPATH": os.pathsep.join(sys.path),
                **environment,
            },
        )
        return done.stdout.splitlines() or done.stderr.splitlines()[-1:]

    theirs = told("tensorflow", TF_USE_LEGACY_KERAS="1")
    assert told("graphkiln", TF_USE_LEGACY_KERAS="1") == theirs
    assert len(theirs) == 10

