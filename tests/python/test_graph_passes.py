"""The switch of the optimizer takes effect, and results stay the same."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import graphkiln as tf

# What the plan of a function says with GK_PLAN_PROFILE shows which ops ran.
PROGRAM = """
import graphkiln as tf
import sys
if sys.argv[1] == "options":
    tf.config.optimizer.set_experimental_options(
        {"disable_meta_optimizer": True})
inner = tf.function(lambda v: v * 2.0 + 0.5)
f = tf.function(lambda x: inner(x) + inner(x))
print(float(f(tf.constant(3.0))))
"""


@pytest.mark.parametrize("way", ["options", "environment", "on"])
def test_calls_stay_calls_without_passes(way, tmp_path):
    profile = tmp_path / "profile.txt"
    # Checks run the graph as it was, too.
    environment = {
        **os.environ, "GK_PLAN_PROFILE": str(profile), "GK_CHECK_PLANS": "0"
    }
    if way == "environment":
        environment["GK_GRAPH_PASSES"] = "0"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, way],
        capture_output=True, text=True, env=environment, check=True,
    )
    assert done.stdout == "13.0\n"
    assert ("PartitionedCall_1:" in profile.read_text()) == (way != "on")


def test_option_is_kept_and_taken_back():
    optimizer = tf.config.optimizer
    try:
        optimizer.set_experimental_options({"disable_meta_optimizer": True})
        options = optimizer.get_experimental_options()
        assert options["disable_meta_optimizer"] is True
        f = tf.function(lambda x: x + tf.constant(1.0) * 2.0)
        assert float(f(tf.constant(1.0))) == 3.0
    finally:
        optimizer.set_experimental_options({"disable_meta_optimizer": False})
