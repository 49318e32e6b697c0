"""More of TensorFlow's private test_util: what asks for other devices, other
precisions or another compiler changes nothing here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from graphkiln import _graphkiln, graph_util
from graphkiln._src import ops


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
matmul_without_tf32 = _same


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
