"""tf.test without TensorFlow; tests/oracle/test_testing.py compares with it."""

from __future__ import annotations

import subprocess
import sys

import pytest

import graphkiln as tf

PROGRAM = """
import graphkiln as tf

class SomeTest(tf.test.TestCase):
    def test_value(self):
        self.assertAllClose(tf.ones([2]), [1.0, 1.0])

    def test_structure(self):
        self.assertLen([1], 1)
        self.assertEmpty([])
        self.assertBetween(2, 1, 3)
        self.assertSameElements([1, 2], [2, 1, 1])
        self.assertContainsSubset([1], [1, 2])
        with self.assertRaisesWithLiteralMatch(ValueError, "x"):
            raise ValueError("x")

    def test_failure(self):
        self.assertAllClose(tf.ones([2]), [1.0, 2.0])

class SomeBenchmark(tf.test.Benchmark):
    def benchmark_sum(self):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            told = self.run_op_benchmark(session, tf.reduce_sum(tf.ones([9])))
        assert told["iters"] == 10

if __name__ == "__main__":
    tf.test.main()
"""


def _run(tmp_path, *args):
    path = tmp_path / "some_test.py"
    path.write_text(PROGRAM)
    return subprocess.run(
        [sys.executable, str(path), *args], capture_output=True, text=True
    )


def test_a_program_of_tests_runs(tmp_path):
    done = _run(tmp_path)
    assert done.returncode == 1
    assert "FAILED (failures=1, skipped=1)" in done.stderr
    assert "not close where = (array([1]),)" in done.stderr


def test_benchmarks_run(tmp_path):
    done = _run(tmp_path, "--benchmark_filter=sum")
    assert done.returncode == 0, done.stderr
    assert 'name: "SomeBenchmark.benchmark_sum"' in done.stdout
    assert "No benchmarks" in _run(tmp_path, "--benchmark_filter=none").stderr


def test_messages_are_compared():
    case = tf.test.TestCase()
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(1.0, name="c")
    message = graph.as_graph_def()
    case.assertProtoEquals(message, message)
    case.assertProtoEquals(str(message), message)
    other = type(message)()
    other.CopyFrom(message)
    other.node[0].name = "d"
    with pytest.raises(AssertionError, match='name: "d"'):
        case.assertProtoEquals(message, other)
    del other.node[:]
    versions = other.versions
    case.assertProtoEqualsVersion(
        "", other, producer=versions.producer, min_consumer=versions.min_consumer
    )


def test_results_of_benchmarks_are_written(tmp_path, monkeypatch):
    class Some(tf.test.Benchmark):
        def benchmark_it(self):
            self.report_benchmark(iters=3, extras={"a": 1, "b": "c"})

    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path) + "/")
    Some().benchmark_it()
    assert b"Some.benchmark_it" in (tmp_path / "Some.benchmark_it").read_bytes()
    with pytest.raises(OSError, match="already exists"):
        Some().benchmark_it()
