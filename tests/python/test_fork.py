"""A process may fork after it has used tensors, functions and threads."""

import os
import signal

import numpy as np
import pytest

import graphkiln as tf


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_computes_after_parallel_work():
    x = tf.constant(np.ones((600, 600), np.float32))

    @tf.function
    def f(a):
        return tf.reduce_sum(tf.matmul(a, a) + tf.tanh(a))

    want = float(f(x))
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        same = float(f(x)) == want
        traced_anew = float(f(x[:300, :300])) > 0
        os._exit(0 if same and traced_anew else 1)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert float(f(x)) == want
