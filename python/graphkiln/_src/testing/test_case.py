"""tf.test.TestCase."""

from __future__ import annotations

import atexit
import contextlib
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from google.protobuf import text_format

from graphkiln import _graphkiln, nest
from graphkiln._graphkiln import IndexedSlices, RaggedTensor, SparseTensor
from graphkiln._graphkiln import SparseTensorValue, Tensor
from graphkiln._src.session import eager_switch
from graphkiln._src.session.default_session import get_default_session
from graphkiln._src.session.session import Session
from graphkiln._src.session.values import IndexedSlicesValue, RaggedTensorValue
from graphkiln._src.testing.array_asserts import ArrayAsserts
from graphkiln._src.testing.base_case import base_case
from graphkiln._src.testing.checked_thread import CheckedThread
from graphkiln._src.testing.in_functions import checked_in_calls
from graphkiln._src.testing.proto_asserts import message_texts

# What random numbers start from in each test.
_SEED = 87654321


class CapturedWrites:
    """What was written to a stream."""

    def __init__(self, capture_location: str) -> None:
        self.capture_location = capture_location

    def contents(self) -> str:
        """The text so far."""
        with open(self.capture_location, encoding="utf-8") as file:
            return file.read()


class EagerSession:
    """What stands for a session where there is none: values are there."""

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of the tensors."""
        if kwargs.pop("feed_dict", {}):
            raise RuntimeError(
                "feed_dict is not supported when eager execution is enabled (in "
                "this case, sess.run(t) is shorthand for t.numpy()"
            )
        if args or kwargs:
            raise RuntimeError(
                "Optional args are not supported when eager execution is enabled "
                "(in this case, sess.run(t) is shorthand for t.numpy()"
            )
        return self._case.evaluate(fetches)


class NoSession:
    """What `TestCase.session` gives eagerly."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "Trying to access properties or call methods on the result of "
            "self.session(), self.cached_session(), etc while eager execution is "
            "enabled. If you're porting this test case to TF 2.0, either adapt "
            "the test to work with eager execution or insert a call to "
            "tf.disable_eager_execution() in the main() function of this test "
            "file."
        )


_directory = ""


def temporary_directory() -> str:
    """The folder of this process' tests, removed at its end."""
    global _directory
    if not _directory:
        given = os.environ.get("TEST_TMPDIR")
        name = os.path.basename(sys.argv[0] or "test").removesuffix(".py")
        _directory = tempfile.mkdtemp(
            prefix=given or os.path.join(tempfile.gettempdir(), name)
        )
        atexit.register(shutil.rmtree, _directory, ignore_errors=True)
    return _directory


class TestCase(ArrayAsserts, base_case()):
    """unittest.TestCase for programs with tensors.

    Each test starts from the same random seeds. Assertions take tensors and
    arrays; while a function is traced they become a part of it.

    >>> class SumTest(tf.test.TestCase):
    ...     def test_sum(self):
    ...         self.assertAllClose(tf.reduce_sum([1.0, 2.0]), 3.0)
    >>> SumTest("test_sum").run().wasSuccessful()
    True
    """

    # Not a test of pytest's.
    __test__ = True

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        _graphkiln.disable_traceback_filtering()
        self._threads: list[CheckedThread] = []
        self._tempdir: str | None = None
        self._cached_session: Session | None = None
        self._cached_options: tuple = ()

    def setUp(self) -> None:
        """Sets all random seeds and starts the default graph anew."""
        super().setUp()
        self._ClearCachedSession()
        random.seed(_SEED)
        np.random.seed(_SEED)
        eager_switch.start_anew()
        _graphkiln.set_seed(_SEED)
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    @classmethod
    def setUpClass(cls) -> None:
        """What comes before the tests of a class."""
        super().setUpClass()

    def tearDown(self) -> None:
        """Fails if a checked thread was not joined; closes the session."""
        for thread in self._threads:
            thread.check_termination()
        self._ClearCachedSession()
        super().tearDown()

    def _ClearCachedSession(self) -> None:
        if self._cached_session is not None:
            self._cached_session.close()
            self._cached_session = None

    def get_temp_dir(self) -> str:
        """A folder for this test, which is removed at the end of the process."""
        if not self._tempdir:
            self._tempdir = tempfile.mkdtemp(dir=temporary_directory())
        return self._tempdir

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A `with` statement that keeps what is written to a stream such as
        sys.stderr, by Python or by the library.

        Args:
          stream: what has a file descriptor and can be flushed.
        """
        stream.flush()
        number = stream.fileno()
        file, path = tempfile.mkstemp(dir=self.get_temp_dir())
        before = os.dup(number)
        os.dup2(file, number)
        try:
            yield CapturedWrites(path)
        finally:
            stream.flush()
            os.close(file)
            os.dup2(before, number)
            os.close(before)

    def checkedThread(
        self,
        target: Callable[..., Any],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> CheckedThread:
        """A thread whose error fails the test, which must join it.

        >>> thread = tf.test.TestCase().checkedThread(print, ("here",))
        >>> thread.start(), thread.join()
        here
        (None, None)
        """
        thread = CheckedThread(self, target, args, kwargs)
        self._threads.append(thread)
        return thread

    # ---- Values and sessions ----

    def _eval_tensor(self, tensor: Any) -> Any:
        if tensor is None:
            return None
        if callable(tensor):
            return self._eval_helper(tensor())
        try:
            if isinstance(tensor, SparseTensor):
                return SparseTensorValue(
                    tensor.indices.numpy(), tensor.values.numpy(),
                    tensor.dense_shape.numpy(),
                )
            if isinstance(tensor, RaggedTensor):
                return RaggedTensorValue(
                    self._eval_tensor(tensor.values), tensor.row_splits.numpy()
                )
            if isinstance(tensor, IndexedSlices):
                shape = tensor.dense_shape
                return IndexedSlicesValue(
                    tensor.values.numpy(), tensor.indices.numpy(),
                    None if shape is None else shape.numpy(),
                )
            if callable(getattr(tensor, "numpy", None)):
                return tensor.numpy()
            return nest.map_structure(
                lambda t: t.numpy(), tensor, expand_composites=True
            )
        except AttributeError as e:
            raise ValueError(f"Unsupported type {type(tensor).__name__!r}.") from e

    def _eval_helper(self, tensors: Any) -> Any:
        if tensors is None:
            return None
        return nest.map_structure(self._eval_tensor, tensors)

    def evaluate(self, tensors: Any) -> Any:
        """The values of a structure of tensors, variables or functions of no
        argument: eagerly what they are, in a graph what a session gives.

        >>> tf.test.TestCase().evaluate({"x": tf.constant([1, 2])})["x"].tolist()
        [1, 2]
        """
        if _graphkiln.executing_eagerly():
            return self._eval_helper(tensors)
        flat = nest.flatten(tensors)
        session = get_default_session()
        if session is not None:
            return nest.pack_sequence_as(tensors, session.run(flat))
        with self.test_session() as session:
            return nest.pack_sequence_as(tensors, session.run(flat))

    @contextlib.contextmanager
    def session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """A `with` statement with a session, the default one, for what builds
        graphs.

        Args:
          graph: what is run; the default graph unless given.
          config: of the session.
          use_gpu: accepted for compatibility.
          force_gpu: runs everything on a GPU.
        """
        if _graphkiln.executing_eagerly():
            yield NoSession()
            return
        with Session(graph=graph, config=config) as session:
            with self._placed(session, use_gpu, force_gpu):
                yield session

    @contextlib.contextmanager
    def cached_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """The same session each time in one test.

        Args:
          graph: what is run; the default graph unless given.
          config: of the session.
          use_gpu: accepted for compatibility.
          force_gpu: runs everything on a GPU.
        """
        if _graphkiln.executing_eagerly():
            yield EagerSession(self)
            return
        session = self._get_cached_session(graph, config, force_gpu, True)
        with self._placed(session, use_gpu, force_gpu):
            yield session

    @contextlib.contextmanager
    def test_session(
        self,
        graph: Any = None,
        config: Any = None,
        use_gpu: bool = True,
        force_gpu: bool = False,
    ) -> Iterator[Any]:
        """The older way of `cached_session`, and with a graph of `session`."""
        if self.id().endswith(".test_session"):
            self.skipTest(
                'Tests that have the name "test_session" are automatically '
                "skipped by TensorFlow test fixture, as the name is reserved for "
                "creating sessions within tests. Please rename your test if you "
                "have a test with this name."
            )
        if _graphkiln.executing_eagerly():
            yield None
        elif graph is not None:
            with self.session(graph, config, use_gpu, force_gpu) as session:
                yield session
        else:
            session = self._get_cached_session(graph, config, force_gpu, False)
            with self._placed(session, use_gpu, force_gpu):
                yield session

    def _get_cached_session(
        self, graph: Any, config: Any, force_gpu: bool, must_agree: bool
    ) -> Session:
        options = (graph, config, force_gpu)
        if self._cached_session is None:
            self._cached_session = Session(graph=graph, config=config)
            self._cached_options = options
        elif must_agree:
            names = ("graph", "config", "force_gpu value")
            for name, given, before in zip(names, options, self._cached_options):
                if given is not before:
                    raise ValueError(
                        f"The {name} used to get the cached session is different "
                        "than the one that was used to create the session. Maybe "
                        "create a new session with self.session()"
                    )
        return self._cached_session

    @contextlib.contextmanager
    def _placed(
        self, session: Session, use_gpu: bool, force_gpu: bool
    ) -> Iterator[None]:
        with contextlib.ExitStack() as scopes:
            scopes.enter_context(eager_switch.within_session(session.graph))
            scopes.enter_context(session.as_default())
            if force_gpu or not use_gpu:
                kind = "GPU" if force_gpu else "CPU"
                scopes.enter_context(session.graph.device(f"/device:{kind}:0"))
            yield

    # ---- Assertions of other things ----

    def assertStartsWith(
        self, actual: str, expected_start: str, msg: object = None
    ) -> None:
        """Fails unless the text starts so.

        >>> tf.test.TestCase().assertStartsWith("tensor", "ten")
        """
        if not actual.startswith(expected_start):
            end = f" : {msg!r}" if msg else ""
            self.fail(f"{actual!r} does not start with {expected_start!r}{end}")

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: object = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """Fails unless two messages are equal; the expected one may be a text.

        Args:
          expected_message_maybe_ascii: a message or its text.
          validate_message: a message.
          msg: said on failure.
          relative_tolerance: how far numbers may be from one another.
        """
        kind = type(validate_message)
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            expected = text_format.Parse(expected, kind())
        elif not isinstance(expected, kind):
            raise AssertionError(
                f"Can't compare protos of type {type(expected)} and {kind}."
            )
        if expected != validate_message:
            texts = message_texts(expected, validate_message, relative_tolerance)
            self.assertMultiLineEqual(*texts, msg=msg)

    def assertProtoEqualsVersion(
        self,
        expected: str,
        actual: Any,
        producer: int = _graphkiln.GRAPH_DEF_VERSION,
        min_consumer: int = 0,
        msg: object = None,
    ) -> None:
        """assertProtoEquals of a graph's text without its versions."""
        self.assertProtoEquals(
            f"versions {{ producer: {producer} min_consumer: {min_consumer} }};\n"
            f"{expected}",
            actual, msg=msg,
        )

    @checked_in_calls
    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fails unless the elements have that NumPy dtype.

        >>> tf.test.TestCase().assertDTypeEqual(tf.constant(1), "int32")
        """
        self.assertEqual(self._GetNdArray(target).dtype, expected_dtype)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: type, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """A `with` statement that fails unless an error is raised that the
        predicate is true of, or in whose text the expression is found.

        >>> case = tf.test.TestCase()
        >>> with case.assertRaisesWithPredicateMatch(ValueError, "b"):
        ...     raise ValueError("abc")
        """
        matches = expected_err_re_or_predicate
        if not callable(matches):
            pattern = expected_err_re_or_predicate

            def matches(e: Exception) -> Any:
                text = str(e)
                if isinstance(e, _graphkiln.OpError):
                    text = e.message
                    if e.op is not None:
                        text += f"\nCaused by: {e.op.name}"
                return re.search(pattern, text)

        try:
            yield
            self.fail(exception_type.__name__ + " not raised")
        except Exception as e:
            if not isinstance(e, exception_type) or not matches(e):
                raise AssertionError(
                    f"Exception of type {type(e)}: {e}"
                ) from e

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """assertRaisesWithPredicateMatch of errors that ops raise."""
        return self.assertRaisesWithPredicateMatch(
            _graphkiln.OpError, expected_err_re_or_predicate
        )

    def assertRaisesIncompatibleShapesError(
        self, exception_type: type = _graphkiln.InvalidArgumentError
    ) -> Any:
        """assertRaisesWithPredicateMatch of errors about shapes."""
        return self.assertRaisesWithPredicateMatch(
            exception_type,
            "Incompatible shapes|Dimensions must be equal|"
            "required broadcastable shapes",
        )

    def assertRaisesRegexp(
        self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """The older name of assertRaisesRegex."""
        return self.assertRaisesRegex(
            expected_exception, expected_regex, *args, **kwargs
        )

    def assertItemsEqual(
        self, first: Any, second: Any, msg: object = None
    ) -> None:
        """The older name of assertCountEqual.

        >>> tf.test.TestCase().assertItemsEqual([1, 2], [2, 1])
        """
        self.assertCountEqual(first, second, msg)

    def assertShapeEqual(
        self, input_a: Any, input_b: Any, msg: object = None
    ) -> None:
        """Fails unless two arrays or tensors have the same static shape."""
        shapes = []
        for name, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, (np.ndarray, np.generic, Tensor)):
                raise TypeError(
                    f"{name} must be a Numpy ndarray, Numpy scalar, or a Tensor."
                    f"Instead received {type(value)}"
                )
            is_tensor = isinstance(value, Tensor)
            shapes.append(value.shape.as_list() if is_tensor else value.shape)
        self.assertAllEqual(*shapes, msg=msg)

    def assertDeviceEqual(
        self, device1: Any, device2: Any, msg: object = None
    ) -> None:
        """Fails unless two names of devices, or DeviceSpecs, say the same.

        >>> tf.test.TestCase().assertDeviceEqual("/cpu:0", "/device:CPU:0")
        """
        device1, device2 = _device_name(device1), _device_name(device2)
        self.assertEqual(
            device1, device2,
            f"Devices {device1} and {device2} are not equal. {msg}",
        )

    @checked_in_calls
    def assertDictEqual(self, a: Any, b: Any, msg: object = None) -> None:
        """Fails unless two dictionaries of arrays or tensors are the same."""
        try:
            super().assertDictEqual(a, b, msg)
        except Exception:
            self.assertEqual(set(a), set(b), msg)
            for key, value in a.items():
                first, _ = self._both(value, b[key])
                if np.issubdtype(first.dtype, np.floating):
                    self.assertAllClose(value, b[key], msg=key)
                else:
                    self.assertAllEqual(value, b[key], msg=key)


def _device_name(device: Any) -> str:
    if device is None:
        return ""
    if hasattr(device, "to_string"):
        return device.to_string()
    return _graphkiln.DeviceSpec.from_string(
        device.decode() if isinstance(device, bytes) else device
    ).to_string()
