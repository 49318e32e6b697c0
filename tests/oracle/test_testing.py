"""tf.test: assertions pass and fail where TensorFlow's do, with the same words,
and whole programs of tests run."""

import subprocess
import sys

import numpy as np
import pytest

ASSERTIONS = {
    "close": lambda t, tf: t.assertAllClose([1.0, 2.0], tf.constant([1.0, 2.0])),
    "structures": lambda t, tf: t.assertAllClose(
        {"a": (1.0, [2.0, 3.0])}, {"a": (tf.constant(1.0), [2.0, 3.0])}
    ),
    "lists of vectors": lambda t, tf: t.assertAllClose(
        [[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]]
    ),
    "lists of other vectors": lambda t, tf: t.assertAllClose(
        [[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.5]]
    ),
    "far": lambda t, tf: t.assertAllClose([1.0, 2.0], [1.0, 2.1]),
    "far number": lambda t, tf: t.assertAllClose(1.0, 2.0, msg="why"),
    "other shape": lambda t, tf: t.assertAllClose([1.0, 2.0], [1.0]),
    "no dict": lambda t, tf: t.assertAllClose({"a": 1}, [1]),
    "other keys": lambda t, tf: t.assertAllClose({"a": 1}, {"b": 1}),
    "other length": lambda t, tf: t.assertAllClose([[1.0], "x"], [[1.0]]),
    "no number": lambda t, tf: t.assertAllClose(np.nan, np.nan),
    "not close": lambda t, tf: t.assertNotAllClose([1.0], [2.0]),
    "close though": lambda t, tf: t.assertNotAllClose([1.0], [1.0]),
    "half": lambda t, tf: t.assertAllCloseAccordingToType(
        tf.constant(1.0, tf.float16), 1.0005
    ),
    "bfloat16": lambda t, tf: t.assertAllCloseAccordingToType(
        tf.constant(1.0, tf.bfloat16), 1.005
    ),
    "float": lambda t, tf: t.assertAllCloseAccordingToType(
        tf.constant(1.0), 1.005
    ),
    "equal": lambda t, tf: t.assertAllEqual(tf.constant(["a", "b"]), [b"a", b"b"]),
    "equal texts": lambda t, tf: t.assertAllEqual(tf.constant(["a"]), ["a"]),
    "other texts": lambda t, tf: t.assertAllEqual(tf.constant(["a"]), ["b"]),
    "rows": lambda t, tf: t.assertAllEqual(
        tf.ragged.constant([[1], [2, 3]]), [[1], [2, 3]]
    ),
    "other rows": lambda t, tf: t.assertAllEqual(
        tf.ragged.constant([[1], [2, 3]]), [[1], [2, 4]]
    ),
    "close rows": lambda t, tf: t.assertAllClose(
        tf.ragged.constant([[1.0], [2, 3]]), [[1.0], [2.0, 3.0]]
    ),
    "unequal": lambda t, tf: t.assertAllEqual([1, 2], [1, 3]),
    "unequal number": lambda t, tf: t.assertAllEqual(1, 2),
    "unequal shape": lambda t, tf: t.assertAllEqual([1, 2], [1], "why"),
    "nan": lambda t, tf: t.assertAllEqual([np.nan], [np.nan]),
    "not equal": lambda t, tf: t.assertNotAllEqual([1], [2]),
    "equal though": lambda t, tf: t.assertNotAllEqual([1], [1], msg="why"),
    "variable": lambda t, tf: t.assertAllEqual(tf.Variable([1, 2]), [1, 2]),
    "in range": lambda t, tf: t.assertAllInRange([1, 2], 1, 2),
    "out of range": lambda t, tf: t.assertAllInRange([1, 2, 3], 1, 3, False, True),
    "nan in range": lambda t, tf: t.assertAllInRange([1.0, np.nan], 1, 2),
    "number out of range": lambda t, tf: t.assertAllInRange(5.0, 1, 2),
    "texts in range": lambda t, tf: t.assertAllInRange(["a"], 1, 2),
    "in set": lambda t, tf: t.assertAllInSet([1, 2], {1, 2, 3}),
    "not in set": lambda t, tf: t.assertAllInSet([1, 4], {1}),
    "greater": lambda t, tf: t.assertAllGreater([1, 4], 1),
    "greater equal": lambda t, tf: t.assertAllGreaterEqual(tf.constant([1, 4]), 1),
    "less": lambda t, tf: t.assertAllLess([1, 4], 4),
    "less equal": lambda t, tf: t.assertAllLessEqual([1, 4], 4),
    "near": lambda t, tf: t.assertNear(1.0, 1.05, 0.1),
    "not near": lambda t, tf: t.assertNear(1.0, 1.5, 0.1, "why"),
    "near vectors": lambda t, tf: t.assertArrayNear([1.0], [1.05], 0.1),
    "near arrays": lambda t, tf: t.assertNDArrayNear(
        np.ones(3), np.ones(3) * 1.5, 0.1
    ),
    "dtype": lambda t, tf: t.assertDTypeEqual(tf.constant(1.0), np.float32),
    "other dtype": lambda t, tf: t.assertDTypeEqual(tf.constant(1.0), np.int32),
    "device": lambda t, tf: t.assertDeviceEqual("/cpu:0", "/device:CPU:0"),
    "other device": lambda t, tf: t.assertDeviceEqual("/cpu:0", "/cpu:1", "why"),
    "dictionaries": lambda t, tf: t.assertDictEqual(
        {"a": tf.constant([1.0])}, {"a": np.array([1.0], np.float32)}
    ),
    "static shape": lambda t, tf: t.assertShapeEqual(
        tf.ones([2, 3]), np.ones([2, 3])
    ),
    "shape of a list": lambda t, tf: t.assertShapeEqual([1], np.ones([2, 3])),
    "start": lambda t, tf: t.assertStartsWith("abc", "ab"),
    "other start": lambda t, tf: t.assertStartsWith("abc", "b", "why"),
    "items": lambda t, tf: t.assertItemsEqual([1, 2], [2, 1]),
    "unknown type": lambda t, tf: t.evaluate("text"),
}


def _case(tf):
    class Case(tf.test.TestCase):
        def runTest(self):
            pass

    return Case()


def _outcome(tf, assertion):
    try:
        assertion(_case(tf), tf)
    except Exception as e:
        return type(e).__name__, str(e).replace("graphkiln", "tensorflow")[:200]
    return "passes"


@pytest.mark.parametrize("name", ASSERTIONS)
def test_assertions_agree(both, name):
    ours, theirs = (
        _outcome(tf, ASSERTIONS[name]) for tf in (both.ours, both.theirs)
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "name, f, x",
    [
        ("product", lambda tf, x, y: tf.matmul(x, y), ([[1.0, 2.0]], [[1.0], [3.0]])),
        ("square", lambda tf, x: x * x, ([3.0, 4.0],)),
        ("gather", lambda tf, x: tf.gather(x, [0, 0, 1]), (np.ones([3, 2]),)),
        (
            "complex",
            lambda tf, x: x * x * tf.constant(1 + 2j, tf.complex128),
            (np.array([1 + 1j, 2.0]),),
        ),
        ("to complex", lambda tf, x: tf.complex(x, x), (np.array([1.0, 2.0]),)),
        ("empty", lambda tf, x: x * 2.0, (np.zeros([0, 2], np.float32),)),
        ("independent", lambda tf, x: tf.zeros([2]), ([1.0],)),
    ],
)
def test_jacobians_agree(both, name, f, x):
    pairs = [
        tf.test.compute_gradient(lambda *a, tf=tf: f(tf, *a), list(x), 2**-8)
        for tf in (both.ours, both.theirs)
    ]
    for ours, theirs in zip(*pairs):
        assert len(ours) == len(theirs) == len(x)
        for a, b in zip(ours, theirs):
            assert a.dtype == b.dtype and a.shape == b.shape
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "call",
    [
        lambda tf: tf.test.compute_gradient(lambda x: x, 3.0),
        lambda tf: tf.test.compute_gradient(lambda x: x, [3]),
        lambda tf: tf.test.compute_gradient(lambda x: tf.cast(x, "int32"), [3.0]),
    ],
)
def test_gradients_that_cannot_be_checked(both, call):
    both.agree_on_error(call)


PROGRAM = '''
import random, sys
import numpy as np
import {module} as tf

class ProgramTest(tf.test.TestCase):
    def test_functions(self):
        @tf.function
        def f(x):
            self.assertAllEqual(x, [1, 2])
            return x + 1
        self.assertAllEqual(f(tf.constant([1, 2])), [2, 3])
        with self.assertRaises(Exception):
            f(tf.constant([1, 3]))

    def test_graphs(self):
        with tf.Graph().as_default():
            v = tf.Variable(2.0)
            with self.cached_session():
                self.evaluate(tf.compat.v1.global_variables_initializer())
                self.assertEqual(self.evaluate(v * 3), 6)
                self.assertAllEqual(v + 1, 3)
            with self.session(graph=tf.Graph()) as session:
                y = tf.constant(5)
                self.assertEqual(session.run(y), 5)
                self.assertAllClose(y, 5)

    def test_seeds(self):
        got = [random.random(), np.random.rand(), float(tf.random.uniform([]))]
        self.assertAllClose(got, [0.3499765, 0.1846343, 0.5836375])

    def test_threads(self):
        self.checkedThread(lambda: 1).start()
        self._threads[0].join()
        failing = self.checkedThread(lambda: 1 / 0)
        failing.start()
        with self.assertRaises(AssertionError):
            failing.join()

    def test_streams(self):
        with self.captureWritesToStream(sys.stderr) as captured:
            tf.print("told")
        self.assertIn("told", captured.contents())

    def test_values(self):
        value = self.evaluate([tf.constant(1), None, lambda: tf.constant(3)])
        self.assertEqual(value, [1, None, 3])

    def test_eager_sessions(self):
        with self.session() as session:
            with self.assertRaisesRegex(AttributeError, "disable_eager"):
                session.run
        with self.cached_session() as session:
            self.assertEqual(session.run(tf.constant(3)), 3)
            with self.assertRaises(RuntimeError):
                session.run(tf.constant(3), feed_dict={{1: 2}})

    def test_messages(self):
        with self.assertRaisesOpError("ncompatible"):
            tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        with self.assertRaisesIncompatibleShapesError():
            tf.ones([2]) + tf.ones([3])

    def test_that_fails(self):
        self.assertAllEqual([1], [2])

    @tf.test.disable_with_predicate(lambda: True, "never")
    def test_that_is_skipped(self):
        self.fail()

if __name__ == "__main__":
    tf.test.main()
'''


@pytest.mark.slow
@pytest.mark.parametrize("module", ["graphkiln", "tensorflow"])
def test_programs_of_tests_run(tmp_path, module):
    path = tmp_path / "program_test.py"
    path.write_text(PROGRAM.format(module=module))
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "Ran 11 tests" in done.stderr
    assert "FAILED (failures=1, skipped=2)" in done.stderr
