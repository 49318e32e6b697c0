"""Names that TensorFlow alone has say so; what is nobody's business is not shown."""

from __future__ import annotations

import pydoc
import re

import pytest

import graphkiln as tf
from graphkiln import _namespaces


def test_names_that_only_tensorflow_has_say_so():
    with pytest.raises(AttributeError) as missing:
        tf.linalg.cholesky_solve
    assert str(missing.value).startswith(
        "module 'graphkiln.linalg' has no attribute 'cholesky_solve': "
        "tf.linalg.cholesky_solve is TensorFlow's, graphkiln has none yet."
    )
    with pytest.raises(AttributeError, match="tf.keras is TensorFlow's"):
        tf.keras
    with pytest.raises(AttributeError) as missing:
        tf.linalg.nonsense
    assert str(missing.value) == (
        "module 'graphkiln.linalg' has no attribute 'nonsense'"
    )
    assert not hasattr(tf, "keras")


@pytest.mark.parametrize(
    "expression, name",
    [
        ("tf.image", "image"),
        ("tf.image.resize", "image"),
        ("tf.io.gfile.exists", "io.gfile"),
        ("tf.keras.layers.Dense", "keras"),
        ("tf.raw_ops.Abort", "raw_ops.Abort"),
        ("tf.compat.v1.Session", "compat.v1.Session"),
        ("tf.compat.v1.train.Saver", "compat.v1.train"),
        ("tf.compat.v2.image", "compat.v2.image"),
    ],
)
def test_missing_names_of_every_kind_say_so(expression, name):
    with pytest.raises(AttributeError, match=f": tf.{re.escape(name)} is Tens"):
        eval(expression)


@pytest.mark.parametrize(
    "statement, name",
    [
        ("import graphkiln.image", "image"),
        ("import graphkiln.keras.layers", "keras"),
        ("from graphkiln import image", "image"),
        ("from graphkiln.image import resize", "image"),
        ("from graphkiln.linalg import cholesky_solve", "linalg.cholesky_solve"),
        ("from graphkiln.raw_ops import Abort", "raw_ops.Abort"),
        ("from graphkiln.keras import layers", "keras"),
        ("from graphkiln import add, lookup", "lookup"),
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
    shown = [line.split()[0] for line in contents.splitlines() if line[:1] == " "]
    assert [n for n in shown if n.startswith("_") and n != "__internal__"] == []
    if module == "graphkiln":
        assert {"autograph", "math", "tensorflow_pickle"} <= set(shown)
        assert "image" not in shown
    private = [n for n in dir(tf) if n.startswith("_") and not n.startswith("__")]
    assert private == []
