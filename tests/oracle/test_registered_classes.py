"""Classes that a program registered with TensorFlow: where a model with them is loaded
and saved again here, that program still finds them."""

import logging
import os
import subprocess
import sys
from pathlib import Path

import graphkiln as gk

PROGRAM = Path(__file__).with_name("registered_classes.py")


def run(task, folder):
    result = subprocess.run(
        [sys.executable, PROGRAM, task, folder],
        capture_output=True,
        text=True,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""},
        timeout=120,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return result.stdout.splitlines()


def test_saved_again(tmp_path, caplog):
    folder, again = str(tmp_path / "first"), str(tmp_path / "again")
    run("save", folder)
    loaded = gk.saved_model.load(folder)
    assert loaded.f(2.0).numpy() == 14.0
    loaded.scales[1].factor.assign(9.0)
    with caplog.at_level(logging.WARNING, logger=gk.get_logger().name):
        gk.saved_model.save(loaded, again)
    assert "registered saver (shop.CounterSaver)" in caplog.text
    assert run("show", again) == ["Scale lb 7.0", "Scale kg 9.0", "14.0"]
    twice = gk.saved_model.load(again)
    assert [s.factor.numpy() for s in twice.scales] == [7.0, 9.0]
