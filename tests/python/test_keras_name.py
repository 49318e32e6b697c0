"""tf.keras is the package keras, which comes when somebody asks for it."""

from __future__ import annotations

import importlib.util
import operator
import os
import subprocess
import sys

import pytest

import graphkiln as gk

needs_keras = pytest.mark.skipif(
    importlib.util.find_spec("keras") is None, reason="keras is not installed"
)


def _run(code: str, **environment: str) -> subprocess.CompletedProcess:
    keras_home = {"KERAS_BACKEND": "tensorflow", **environment}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **keras_home},
    )


def _prints(code: str, *lines: str, **environment: str) -> None:
    done = _run(code, **environment)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.splitlines() == list(lines)


def test_nobody_loads_it_by_looking():
    code = """
import inspect, pkgutil, pydoc, sys
import graphkiln as tf
from graphkiln import *
dir(tf), pydoc.render_doc(tf), inspect.getmembers(tf), dir(tf.compat.v2)
names = ("keras", "losses", "metrics", "optimizers")
assert not [n for n in names if n in dir(tf) or n in tf.__all__]
assert not [m for m in sys.modules if m.partition(".")[0] in ("keras", "tensorflow")]
"""
    _prints(code)


@needs_keras
def test_one_module_under_all_names():
    code = """
import sys
import graphkiln as tf
from graphkiln.keras.layers import Dense
import keras, keras._tf_keras.keras as real
import graphkiln.keras as k
from graphkiln import keras as k2, losses
import tensorflow as also
import tensorflow.keras
from tensorflow import keras as k3
from tensorflow.keras import layers
import tensorflow.keras.preprocessing.image as image
assert also is tf and tensorflow.keras is real
assert tf.keras is k is k2 is k3 is tf.compat.v1.keras is tf.compat.v2.keras is real
assert layers is tf.keras.layers is real.layers and Dense is keras.layers.Dense
assert image is real.preprocessing.image
for module in (real, layers, image):
    assert module.__spec__.name == module.__name__, module.__spec__
    assert sys.modules[module.__name__] is module
assert losses is tf.losses is tf.compat.v2.losses is real.losses
assert tf.metrics is real.metrics and tf.optimizers is real.optimizers
assert tf.initializers.Orthogonal is keras.initializers.Orthogonal
assert tf.initializers.GlorotUniform is not keras.initializers.GlorotUniform
assert not hasattr(tf.compat.v1, "optimizers")
assert tf.compat.v1.losses is not real.losses
assert tf.compat.v1.metrics is not real.metrics
model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
print(model(tf.ones([1, 2])).shape)
"""
    _prints(code, "(1, 3)")


@needs_keras
@pytest.mark.parametrize(
    "statement, words",
    [
        ("import graphkiln.keras.nonsense", "No module named 'graphkiln.keras.nons"),
        ("import tensorflow.keras.nonsense", "No module named 'graphkiln.keras.nons"),
        ("from graphkiln.keras import nonsense", "cannot import name 'nonsense'"),
        ("graphkiln.keras.nonsense", "has no attribute 'nonsense'"),
    ],
)
def test_names_that_keras_lacks(statement, words):
    code = f"import graphkiln; graphkiln.keras\ntry: {statement}\n"
    code += "except (ImportError, AttributeError) as error: print(error)"
    done = _run(code)
    assert done.stderr == "" and words in done.stdout


_REASONS = """
import sys, types
import graphkiln as tf
{prepare}
from graphkiln import _exports
for name in _exports.FROM_KERAS:
    assert name == "compat.v1.keras" or not hasattr(tf, name)
    assert getattr(tf, name, None) is None
shown = set()
for statement in (
    "tf.keras", "tf.losses", "tf.compat.v2.keras", "tf.compat.v1.keras",
    "tf.initializers.Orthogonal",
):
    try: exec(statement)
    except AttributeError as error: shown.add(str(error))
for statement in (
    "import graphkiln.keras", "from graphkiln import keras",
    "from graphkiln.keras import layers", "import graphkiln.losses",
):
    try: exec(statement)
    except ImportError as error: shown.add(str(error))
print(*shown)
print(types.ModuleType("tensorflow") if {taken} else "tensorflow" in sys.modules)
"""


def _reason(prepare: str, taken: bool = False, **environment: str) -> str:
    done = _run(_REASONS.format(prepare=prepare, taken=taken), **environment)
    assert (done.returncode, done.stderr) == (0, "")
    reason, last = done.stdout.splitlines()
    assert taken or last == "False"
    return reason


def test_keras_is_not_installed():
    reason = _reason("sys.path[:] = [p for p in sys.path if 'packages' not in p]")
    assert reason == (
        "tf.keras is the package keras, which is not installed: "
        "pip install graphkiln[keras]"
    )


def test_keras_is_too_old():
    old = (
        "keras = sys.modules['keras'] = types.ModuleType('keras')\n"
        "keras.__version__, keras.__path__ = '2.15.0', []\n"
    )
    reason = _reason(old)
    assert "tf.keras is Keras 3, and version 2.15.0 of the package keras" in reason


@needs_keras
def test_the_real_tensorflow_is_there():
    reason = _reason("sys.modules['tensorflow'] = types.ModuleType('tensorflow')", True)
    assert reason.startswith("tf.keras cannot run on graphkiln: 'tensorflow' of the")
    assert "one process cannot have two" in reason


def test_keras_runs_on_something_else():
    other = (
        "keras = sys.modules['keras'] = types.ModuleType('keras')\n"
        "keras.config = types.SimpleNamespace(backend=lambda: 'jax')\n"
    )
    words = "tf.keras cannot run on graphkiln: Keras runs on 'jax' in this process"
    assert words in _reason(other)


@needs_keras
def test_keras_that_is_imported_already():
    code = """
import graphkiln as tf
with tf.as_tensorflow():
    import keras
    assert tf.keras.layers.Dense is keras.layers.Dense
# Keras imports its parts when they are needed: the name stays.
import tensorflow
assert tensorflow is tf
"""
    _prints(code)


def test_variables_that_are_arguments_are_known_by_the_callers():
    # Keras' optimizers find their slots by it.
    v, w = gk.Variable(1.0), gk.Variable(2.0)
    seen = []

    @gk.function
    def inner(x):
        seen.append(x._unique_id)
        return x + 1.0

    @gk.function
    def outer(x, y):
        seen.append((x._unique_id, y._unique_id))
        return inner(x) + y

    outer(v, w)
    assert seen == [(v._unique_id, w._unique_id), v._unique_id]
    assert v._unique_id != w._unique_id
    outer(w, v)
    assert len(seen) == 2


@pytest.mark.skipif(
    importlib.util.find_spec("tf_keras") is not None, reason="tf_keras is installed"
)
def test_second_version_that_is_not_installed():
    code = """
import graphkiln as tf
for name in ("keras", "losses"):
    try:
        getattr(tf, name)
    except AttributeError as error:
        print(error)
"""
    text = "tf.keras is the package tf_keras, which is not installed: "
    text += "pip install tf_keras"
    _prints(code, text, text, TF_USE_LEGACY_KERAS="1")


def test_layers_of_version_one_are_not_in_keras_3():
    for name in ("layers", "nn.rnn_cell"):
        with pytest.raises(AttributeError, match=f"tf.compat.v1.{name} is not avail"):
            operator.attrgetter(name)(gk.compat.v1)
