"""Names that TensorFlow alone has say so; what is nobody's business is not shown."""

from __future__ import annotations

import pydoc
import re
import subprocess
import sys

import pytest

import graphkiln as tf
from graphkiln import _namespaces


def test_names_that_only_tensorflow_has_say_so():
    with pytest.raises(AttributeError) as missing:
        tf.compat.v1.train.SyncReplicasOptimizer
    assert str(missing.value).startswith(
        "module 'graphkiln.compat.v1.train' has no attribute 'SyncReplicasOptimizer': "
        "tf.compat.v1.train.SyncReplicasOptimizer is TensorFlow's, graphkiln has none yet."
    )
    with pytest.raises(AttributeError, match="tf.lite is TensorFlow's"):
        tf.lite
    with pytest.raises(AttributeError) as missing:
        tf.linalg.nonsense
    assert str(missing.value) == (
        "module 'graphkiln.linalg' has no attribute 'nonsense'"
    )
    assert not hasattr(tf, "lite")


def test_layers_of_the_first_version_are_those_of_keras_2():
    with pytest.raises(AttributeError, match="install tf_keras and set TF_USE_LEGACY"):
        _ = tf.compat.v1.layers


def test_the_words_end_as_python_goes_on():
    """It says ". Did you mean: ...?" behind them."""
    code = "import graphkiln as tf\ntf.lite"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    last = done.stderr.strip().splitlines()[-1]
    assert "tf.lite is TensorFlow's" in last
    assert "another compiler's. Did you mean: '" in last


@pytest.mark.parametrize(
    "expression, name",
    [
        ("tf.compat.v1.profiler.advise", "compat.v1.profiler.advise"),
        ("tf.raw_ops.Abort", "raw_ops.Abort"),
        ("tf.compat.v1.train.Server", "compat.v1.train.Server"),
        ("tf.compat.v1.train.SyncReplicasOptimizer", "compat.v1.train.SyncReplicasOptimizer"),
        ("tf.distribute.Server", "distribute.Server"),
    ],
)
def test_missing_names_of_every_kind_say_so(expression, name):
    with pytest.raises(AttributeError, match=f": tf.{re.escape(name)} is Tens"):
        eval(expression)


def test_messages_say_what_to_use_and_what_is_left_out():
    with pytest.raises(AttributeError, match="TensorFlow's; use unittest.mock instead"):
        tf.compat.v1.test.mock
    with pytest.raises(AttributeError, match="left out: it is of machines that"):
        tf.distribute.Server
    with pytest.raises(ImportError, match="left out: it is another compiler's"):
        import graphkiln.lite  # noqa: F401
    with pytest.raises(AttributeError, match="left out: it is no longer develop"):
        tf.compat.v2.feature_column


def test_missing_members_of_datasets_say_so(monkeypatch):
    # All that TensorFlow's have are here: one that they do not have yet.
    def word(public: str) -> str:
        return "TensorFlow's" if public == "data.Dataset.later" else ""

    monkeypatch.setattr(_namespaces._loading.load("graphkiln._tensorflow_names"),
                        "word", word)
    dataset = tf.data.Dataset.range(3).map(lambda x: x)
    for owner, told in [(tf.data.Dataset, "type object 'Dataset'"),
                        (dataset, f"{type(dataset).__name__!r} object")]:
        with pytest.raises(AttributeError) as missing:
            owner.later
        assert str(missing.value) == f"{told} has no attribute 'later': TensorFlow's"
    for owner, told in [(tf.data.Dataset, "type object 'Dataset'"),
                        (dataset, f"{type(dataset).__name__!r} object")]:
        with pytest.raises(AttributeError) as missing:
            owner.nonsense
        assert str(missing.value) == f"{told} has no attribute 'nonsense'"


def test_errors_of_properties_are_told_as_they_are():
    class Own(tf.data.Dataset):
        @property
        def broken(self):
            raise AttributeError("what it raised")

    with pytest.raises(AttributeError, match="^what it raised$"):
        object.__new__(Own).broken


@pytest.mark.parametrize(
    "statement, name",
    [
        ("from graphkiln.compat.v1.profiler import advise",
         "compat.v1.profiler.advise"),
        ("from graphkiln.raw_ops import Abort", "raw_ops.Abort"),
        ("from graphkiln.compat.v1.train import Saver, SyncReplicasOptimizer",
         "compat.v1.train.SyncReplicasOptimizer"),
    ],
)
def test_imports_of_missing_names_say_so(statement, name):
    with pytest.raises(ImportError) as missing:
        exec(statement)
    assert str(missing.value).startswith(
        f"cannot import 'graphkiln.{name}': tf.{name} is TensorFlow's, "
        "graphkiln has none yet."
    )


@pytest.mark.parametrize(
    "statement, words",
    [
        ("import graphkiln.nonsense", "No module named 'graphkiln.nonsense'"),
        ("from graphkiln import nonsense", "cannot import name 'nonsense'"),
        # A function that is there is no module.
        ("import graphkiln.math.add", "No module named 'graphkiln.math.add'"),
        ("import graphkiln.raw_ops.AddV2", "No module named 'graphkiln.raw_ops.A"),
    ],
)
def test_imports_of_nobodys_names_are_as_ever(statement, words):
    with pytest.raises(ImportError, match=words) as missing:
        exec(statement)
    assert "TensorFlow" not in str(missing.value)


def test_namespaces_are_not_empty():
    empty = [
        space for space in _namespaces.namespaces()
        if not _namespaces.names_below(space + ".") and space != "raw_ops"
    ]
    assert empty == []


@pytest.mark.parametrize("module", ["graphkiln", "graphkiln.data"])
def test_help_shows_public_names_alone(module):
    text = pydoc.render_doc(module, renderer=pydoc.plaintext)
    contents = text.partition("\nPACKAGE CONTENTS\n")[2].partition("\nCLASSES")[0]
    own = "__internal__", "__operators__"
    shown = [line.split()[0] for line in contents.splitlines() if line[:1] == " "]
    assert [n for n in shown if n[:1] == "_" and n not in own] == []
    if module == "graphkiln":
        assert {"autograph", "math", "tensorflow_pickle"} <= set(shown)
        assert "keras" not in shown
    private = [n for n in dir(tf) if n.startswith("_") and not n.startswith("__")]
    assert private == []


@pytest.mark.parametrize(
    "module, shown",
    [
        ("graphkiln.nn", "relu(features, name=None)"),
        ("graphkiln.math", "reduce_sum(input_tensor, axis=None,"),
        ("graphkiln.strings", "join(inputs, separator="),
        ("graphkiln.raw_ops", "AddV2 = add_v2(*, x, y, name=None)"),
        ("graphkiln.autograph", "to_code("),
        ("graphkiln.data", "class Dataset("),
        ("graphkiln.tensorflow_pickle", "loads("),
    ],
)
def test_help_shows_functions(module, shown):
    text = pydoc.render_doc(module, renderer=pydoc.plaintext)
    assert f"\n    {shown}" in text


@pytest.mark.parametrize("space", ["nn", "math", "raw_ops", "data", "autograph"])
def test_import_of_all_takes_the_public_names(space):
    taken: dict[str, object] = {}
    exec(f"from graphkiln.{space} import *", taken)
    del taken["__builtins__"]
    module = getattr(tf, space)
    assert sorted(taken) == [n for n in dir(module) if not n.startswith("_")]
    assert len(taken) > 1 and all(taken[n] is getattr(module, n) for n in taken)


def test_import_of_all_of_the_package():
    code = "from graphkiln import *; assert add(1, 2) == 3 and math.add is add"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_module_needs_is_not_shown():
    assert dir(tf.tensorflow_pickle) == ["Unpickler", "load", "loads"]
