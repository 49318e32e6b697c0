"""What the package writes to the log, in a process of its own."""

import subprocess
import sys

PROGRAM = """
import sys
import {0} as tf
{1}
tape = tf.GradientTape()
with tape:
    for _ in range(7):
        tape.watch(tf.constant(1))
    y = tf.constant(2) * 3
    x = tf.constant(1.0)
tape.gradient(y, x)
"""


def run(setup: str = "") -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format("graphkiln", setup)],
        capture_output=True, text=True, check=True,
    )
    assert not done.stdout
    return done.stderr.splitlines()


WARNING = (
    "WARNING:tensorflow:The dtype of the watched tensor must be floating "
    "(e.g. tf.float32), got tf.int32"
)


def test_warnings_say_what_they_are():
    assert run() == [WARNING] * 5


def test_a_program_with_handlers_of_its_own():
    lines = run(
        "import logging; logging.basicConfig(format='%(name)s %(message)s')"
    )
    assert lines == [WARNING.removeprefix("WARNING:").replace(":", " ", 1)] * 5


def test_the_level_of_the_logger_counts():
    assert run("tf.get_logger().setLevel('ERROR')") == []
