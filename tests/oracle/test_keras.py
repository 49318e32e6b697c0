"""The real Keras on graphkiln, and on TensorFlow: the same numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from keras_children import START, answers, assert_close


def shown(module: str, name: str, folder: Path) -> Any:
    return answers(module, "keras_programs.py", name, str(folder))[-1]


@pytest.mark.parametrize(
    "name",
    [
        "sequential",
        "several_steps",
        "functional",
        "recurrent",
        "convolutional",
        "own_step",
        "checkpointed",
    ],
)
def test_training(name: str, tmp_path: Path) -> None:
    told = []
    for module in START:
        folder = tmp_path / module
        folder.mkdir()
        told.append(shown(module, name, folder))
    assert_close(told[1], told[0])


@pytest.mark.parametrize("writer", START)
def test_exports(writer: str, tmp_path: Path) -> None:
    (difference,) = shown(writer, "exported", tmp_path)
    assert difference < 1e-5
    assert_close(*(shown(module, "load", tmp_path) for module in START))
