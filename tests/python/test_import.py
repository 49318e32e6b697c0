"""What `import graphkiln` costs and brings in."""

import subprocess
import sys

PROBE = """
import sys, threading, time
start = time.perf_counter()
import graphkiln as tf
seconds = time.perf_counter() - start
assert "numpy" not in sys.modules, "numpy was imported"
assert threading.active_count() == 1
import os
assert len(os.listdir("/proc/self/task")) == 1, "a thread was started"
import graphkiln.math
assert graphkiln.math is tf.math
assert tf.math.subtract is tf.math.subtract
assert "subtract" in dir(tf.math) and "AddV2" in dir(tf.raw_ops)
print(seconds)
"""


def test_import_is_light_and_silent():
    result = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert float(result.stdout) < 2.0


def test_conversion_needs_no_numpy():
    code = (
        "import sys, graphkiln as tf\n"
        "x = tf.constant([1.0, 2.0]) + 1\n"
        "assert float(x[0]) == 2.0 and 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
