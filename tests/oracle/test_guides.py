"""The runner of TensorFlow's guides (guides/run.py), on a notebook of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "guides"))

import cells  # noqa: E402
import compare  # noqa: E402
import run  # noqa: E402

CELLS = [
    "# A comment alone.",
    "import tensorflow as tf\n!pip install something",
    "x = tf.constant([1.0, 2.0])\nprint(x)\nx * 2",
    "@tf.function\ndef f(a):\n  if tf.reduce_sum(a) > 0:\n    return a\n  return -a",
    "tf.print(f(x))\nf(-x)",
    "tf.random.normal([2])",
    "tf.random.Generator.from_non_deterministic_state().normal([2])",
    "tf.matmul(x, x)",
    "model = tf.keras.Sequential([tf.keras.layers.Dense(2)])",
    "model(x[None])",
    "import absent_package as k",
    "k.value(x)",
    "tf.keras.layers.Dense(3)(x[None]).shape",
    "import time\ntime.time()",
    "tf.__name__[:3]",
]


def _notebook(folder: Path, sources: list[str]) -> Path:
    path = folder / "small.ipynb"
    made = [{"cell_type": "code", "source": [text]} for text in sources]
    made.append({"cell_type": "markdown", "source": ["words"]})
    path.write_text(json.dumps({"cells": made}))
    return path


def _outcome(**parts) -> dict:
    return {"text": "", "value": None, "error": None, "figures": [], **parts}


@pytest.mark.slow
def test_a_notebook(tmp_path):
    guide = run.Guide(_notebook(tmp_path, CELLS), tmp_path, told=False)
    assert [number for number, _ in guide.different] == [14]
    assert guide.ran() == 12 and guide.agree == 11 and guide.failing == 1
    assert guide.waiting() == {"absent_package": 2}
    assert "2 for absent_package" in guide.row()
    # Two lines of the same words where every time is another.
    assert guide.theirs[2]["text"] and guide.ours[4]["value"]


def test_cells_that_wait(tmp_path):
    sources = [
        "import absent\nk = 1", "m = tf.keras.Model()", "n = m(k)", "n + 1", "n = m",
        "n + 1", "import tensorflow_datasets as tfds", "from . import absent",
        "tf.keras.Input?", "def f():\n  k = 1",
    ]
    found = [cell.waits_for for cell in cells.read(_notebook(tmp_path, sources))]
    assert found == ["absent", None, "absent", "absent", *[None] * 6]


def test_trainings_are_cut_short(tmp_path):
    sources = ["m.fit(x, epochs=50)", "EPOCHS = 10", "epochs=2", "epochs = 20 * n"]
    found = [cell.source for cell in cells.read(_notebook(tmp_path, sources))]
    assert found == ["m.fit(x, epochs=3)", "EPOCHS = 3", "epochs=2", "epochs = 20 * n"]


@pytest.mark.parametrize(
    "ours, theirs, agree",
    [
        ("tf.Tensor([1.0000001], shape=(1,))", "tf.Tensor([1.], shape=(1,))", True),
        ("[1.001]", "[1.0]", False),
        ("<class 'graphkiln.Tensor'>",
         "<class 'tensorflow.python.framework.ops.Tensor'>", True),
        ("E: bad [Op:Add]\n\tArguments of Add: x: int32 []",
         "E: {{function_node __wrapped__Add}} bad [Op:Add] name: ", True),
        ("<f at 0x7f12>", "<f at 0x9911>", True),
        ("a 1", "b 1", False),
    ],
)
def test_texts(ours, theirs, agree):
    pair = _outcome(text=ours), _outcome(text=theirs)
    assert (compare.differences(*pair, pair[1]) == []) == agree


def test_what_tensorflow_repeats_otherwise_is_compared_by_its_words():
    ours, theirs, again = (
        _outcome(text=f"took {t} s") for t in ("3.5", "1.25", "1.5")
    )
    assert compare.differences(ours, theirs, again) == []
    assert compare.differences(_outcome(text="lasted 3 s"), theirs, again) != []
    assert compare.differences(_outcome(error=["A", ""]), _outcome(), _outcome())
