"""More of TensorFlow's private test_util: what asks for other devices, other
precisions or another compiler changes nothing here."""

from __future__ import annotations

import contextlib
import functools
import gc
import socket
import sys
import unittest
from collections.abc import Callable, Iterator

from graphkiln import _graphkiln, graph_util
from graphkiln._src import ops
from graphkiln._src.host.both_modes import eager_mode


def _same(test: Callable) -> Callable:
    return test


disable_cudnn_autotune = _same
enable_control_flow_v2 = _same
with_control_flow_v2 = _same
enable_output_all_intermediates = _same
assert_no_garbage_created = _same
run_in_async_and_sync_mode = _same
disable_mlir_bridge = _same
enable_eager_op_as_function = _same
enable_nested_function_shape_inference = _same


def matmul_without_tf32(a: object, b: object, *args: object, **kwargs: object):
    """The product, all of whose bits count in any case."""
    return ops.matmul(a, b, *args, **kwargs)


def GpuSupportsHalfMatMulAndConv() -> bool:  # noqa: N802
    return False


def pick_unused_port() -> int:
    """A number of a port of this machine that nobody listened to."""
    with socket.socket() as found:
        found.bind(("localhost", 0))
        return found.getsockname()[1]


def run_without_tensor_float_32(description: str) -> Callable:
    """A test that wants all bits of products, which it has."""
    return _same


def run_all_without_tensor_float_32(description: str) -> Callable:
    """A class of tests that want all bits of products, which they have."""
    return _same


def xla_allow_fallback(description: str) -> Callable:
    return _same


def disable_xla_with_reason(description: str) -> Callable:
    return _same


def is_xla_enabled() -> bool:
    return False


def IsMklEnabled() -> bool:  # noqa: N802
    return False


def IsGoogleCudaEnabled() -> bool:  # noqa: N802
    return False


def IsBuiltWithROCm() -> bool:  # noqa: N802
    return False


def gpu_device_name() -> str:
    return ""


@contextlib.contextmanager
def device(use_gpu: bool) -> Iterator[None]:
    """The device that a test wants, of which there is the processor alone."""
    with _graphkiln.device("/device:CPU:0"):
        yield


def force_cpu() -> contextlib.AbstractContextManager:
    return device(use_gpu=False)


@contextlib.contextmanager
def force_gpu() -> Iterator[None]:
    """Runs on the processor where there is no GPU, as TensorFlow's does."""
    yield


@contextlib.contextmanager
def deterministic_ops() -> Iterator[None]:
    """Ops give the same from run to run in any case."""
    yield


def set_producer_version(graph: object, producer_version: int) -> None:
    """Gives a graph the version of who made it."""
    graph_def = graph.as_graph_def()
    graph_def.versions.producer = producer_version
    with graph.as_default():
        graph_util.import_graph_def(graph_def)


def NHWCToNCHW(input_tensor: object) -> object:  # noqa: N802
    """Moves channels before the dimensions of space, of tensors and of shapes."""
    orders = {4: [0, 3, 1, 2], 5: [0, 4, 1, 2, 3]}
    return _moved(input_tensor, orders)


def NCHWToNHWC(input_tensor: object) -> object:  # noqa: N802
    """Moves channels behind the dimensions of space, of tensors and of shapes."""
    orders = {4: [0, 2, 3, 1], 5: [0, 2, 3, 4, 1]}
    return _moved(input_tensor, orders)


def _moved(value: object, orders: dict[int, list[int]]) -> object:
    if _graphkiln.is_tensor(value):
        return ops.transpose(value, orders[value.shape.rank])
    return [value[i] for i in orders[len(value)]]


def _false() -> bool:
    return False


is_asan_enabled = is_msan_enabled = is_tsan_enabled = is_ubsan_enabled = _false
disable_asan = disable_msan = disable_tsan = disable_ubsan = disable_xla_with_reason


@contextlib.contextmanager
def run_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    """A context in which tf.functions run eagerly, or do not."""
    config = sys.modules["graphkiln"].config
    before = config.functions_run_eagerly()
    try:
        config.run_functions_eagerly(run_eagerly)
        yield
    finally:
        config.run_functions_eagerly(before)


def for_all_test_methods(
    decorator: Callable, *args: object, **kwargs: object
) -> object:
    """Decorates all methods of a class whose names begin with "test"."""

    def decorate(cls: type) -> type:
        for name in dir(cls):
            method = getattr(cls, name)
            if callable(method) and name.startswith("test") and name != "test_session":
                setattr(cls, name, decorator(*args, **kwargs)(method))
        return cls

    return decorate


def also_run_as_tf_function(f: Callable) -> Callable:
    """A test that runs eagerly, and again as a tf.function."""

    @functools.wraps(f)
    def decorated(*args: object, **kwargs: object) -> None:
        def run() -> None:
            f(*args, **kwargs)

        with eager_mode():
            run()
            sys.modules["graphkiln"].function(run, autograph=False)()

    return decorated


def skip_if(condition: object) -> Callable:
    """A test that does not run if a condition, or what a function gives, holds."""

    def decorate(test: Callable) -> Callable:
        @functools.wraps(test)
        def decorated(*args: object, **kwargs: object) -> None:
            if not (condition() if callable(condition) else condition):
                test(*args, **kwargs)

        return decorated

    return decorate


@contextlib.contextmanager
def skip_if_error(
    test_obj: unittest.TestCase, error_type: type, messages: object = None
) -> Iterator[None]:
    """A context whose errors of a class, with one of the messages, skip the test."""
    wanted = [messages] if isinstance(messages, str) else messages
    try:
        yield
    except error_type as error:
        if wanted and not any(message in str(error) for message in wanted):
            raise
        test_obj.skipTest(f"Skipping error: {type(error)}: {error}")


def assert_ops_in_graph(expected_ops: dict, graph: object) -> dict:
    """Checks that a graph has operations of these names and types; gives its nodes."""
    found = {
        node.name: node
        for node in graph.as_graph_def().node
        if node.name in expected_ops
    }
    for name, node in found.items():
        if expected_ops[name] != node.op:
            raise ValueError(
                f"Expected op for node {name} is different. {expected_ops[name]} vs "
                f"{node.op}"
            )
    if set(found) != set(expected_ops):
        raise ValueError(
            "Not all expected ops are present. "
            f"Expected {expected_ops.keys()}, found {found.keys()}"
        )
    return found


def assert_no_new_tensors(f: Callable) -> Callable:
    """A test that leaves no tensor behind."""

    def tensors() -> list:
        gc.collect()
        return [t for t in gc.get_objects() if isinstance(t, _graphkiln.Tensor)]

    @functools.wraps(f)
    def decorated(self: object, *args: object, **kwargs: object) -> object:
        before = {id(t) for t in tensors()}
        eager = _graphkiln.executing_eagerly()
        with _graphkiln.Graph().as_default():
            with eager_mode() if eager else contextlib.nullcontext():
                result = f(self, *args, **kwargs)
        new = [t for t in tensors() if id(t) not in before]
        if new:
            raise AssertionError(
                f"{len(new)} Tensors not deallocated after test: {new}"
            )
        return result

    return decorated


class AbstractGradientTape:
    """Gradients by a tape, or those of the graph."""

    def __init__(self, use_tape: bool, persistent: bool = False) -> None:
        self._tape = (
            sys.modules["graphkiln"].GradientTape(persistent=persistent)
            if use_tape
            else None
        )

    def __enter__(self) -> object:
        if self._tape is None:
            return self
        return self._tape.__enter__()

    def __exit__(self, *error: object) -> None:
        if self._tape is not None:
            self._tape.__exit__(*error)

    def watch(self, x: object) -> None:
        """Nothing is to be watched in graphs."""

    def gradient(self, y: object, xs: object) -> object:
        single = not isinstance(xs, (list, tuple))
        made = sys.modules["graphkiln"].gradients(y, [xs] if single else xs)
        return made[0] if single else made
