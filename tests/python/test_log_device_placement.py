"""tf.debugging.set_log_device_placement: what is written, and that it ends."""

import os
import re
import subprocess
import sys

DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"

PROGRAM = """
import graphkiln as tf
one = tf.constant(1.0)
tf.debugging.set_log_device_placement(True)
assert tf.debugging.get_log_device_placement()
one + one
-one
tf.reduce_sum(one)
v = tf.Variable(1.0)
v.assign_add(1.0)

@tf.function
def f(x):
    return x * 2.0 + v

f(one)
f(one)
tf.debugging.set_log_device_placement(False)
one + one
f(one)
"""


def _run(**env):
    child = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True,
        env={**_environment(), **env}, timeout=120,
    )
    assert child.returncode == 0, child.stderr
    return child


def _environment():
    # Checked functions have more plans than one.
    unwanted = ("TF_CPP_MIN_LOG_LEVEL", "GK_CHECK_PLANS")
    return {k: v for k, v in os.environ.items() if k not in unwanted}


def test_eager_ops_and_calls_are_logged():
    found = re.findall(r"Executing op (\S+) in device (\S+)", _run().stderr)
    assert {device for _, device in found} == {DEVICE}
    ops = [re.sub(r"_\d+$", "", op) for op, _ in found]
    assert ops == [
        "AddV2", "Neg", "Sum", "VarHandleOp", "AssignVariableOp",
        "AssignAddVariableOp", "__inference_f", "__inference_f",
    ]


def test_nodes_are_told_once():
    lines = _run().stdout.splitlines()
    assert f"mul: (Mul): {DEVICE}" in lines
    assert f"add: (AddV2): {DEVICE}" in lines
    assert lines.count(f"mul: (Mul): {DEVICE}") == 1


def test_the_log_can_be_silenced():
    child = _run(TF_CPP_MIN_LOG_LEVEL="1")
    assert "Executing" not in child.stderr
    assert f"mul: (Mul): {DEVICE}" in child.stdout
