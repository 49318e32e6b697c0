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


JIT_COMPILED = """
import graphkiln as tf
a = tf.function(lambda x: x + 1, autograph=False, jit_compile=True)
b = tf.function(autograph=False, jit_compile=True)(lambda x: x + 2)
c = tf.function(lambda x: x, autograph=False, experimental_compile=True)
print(int(a(1)), int(b(1)), int(c(5)))
"""


def test_jit_compile_says_once_that_it_has_no_effect():
    done = subprocess.run(
        [sys.executable, "-c", JIT_COMPILED], capture_output=True, text=True,
        check=True,
    )
    assert done.stdout == "2 3 5\n"
    assert done.stderr == (
        "WARNING:tensorflow:jit_compile=True has no effect yet: graphkiln plans "
        "every function ahead of its runs but makes no machine code of it. "
        "(Said once.)\n"
    )
