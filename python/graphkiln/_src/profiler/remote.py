"""Profiles that another process asks for: there are none. TensorFlow's travel by
gRPC, which this package does without."""

from __future__ import annotations

from typing import Any, NoReturn

from graphkiln import _graphkiln
from graphkiln._src.profiler.session import ProfilerOptions


def _refuse(name: str, cure: str) -> NoReturn:
    raise _graphkiln.UnimplementedError(
        None,
        None,
        f"tf.profiler.experimental.{name}: there is no server of profiles, which "
        f"would speak gRPC. {cure}",
    )


_IN_THE_PROCESS = (
    "Make the profile in the process itself, with tf.profiler.experimental.start "
    "and stop; TensorBoard shows it from the log folder."
)


def start_server(port: int) -> NoReturn:
    """Would serve profiles to who asks for them by gRPC; there is no such server.

    Args:
      port: that it would listen at.

    Raises:
      UnimplementedError: always. Call `tf.profiler.experimental.start` and `stop` in
        the process that is profiled.

    >>> try:
    ...     tf.profiler.experimental.server.start(6009)
    ... except tf.errors.UnimplementedError:
    ...     print("no server")
    no server
    """
    _refuse("server.start", _IN_THE_PROCESS)


def trace(
    service_addr: str,
    logdir: str,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: ProfilerOptions | None = None,
) -> NoReturn:
    """Would ask a server of profiles for one; this package speaks no gRPC.

    Args:
      service_addr, logdir, duration_ms, worker_list, num_tracing_attempts, options:
        TensorFlow's.

    Raises:
      UnimplementedError: always. TensorBoard's page of profiles asks servers of
        TensorFlow's; processes of this package call
        `tf.profiler.experimental.start` and `stop`.

    >>> try:
    ...     tf.profiler.experimental.client.trace("grpc://localhost:6009", "/tmp/tb", 2000)
    ... except tf.errors.UnimplementedError:
    ...     print("no server")
    no server
    """
    _refuse("client.trace", _IN_THE_PROCESS)


def monitor(service_addr: str, duration_ms: int, level: int = 1) -> Any:
    """Would ask a server of profiles how it is; this package speaks no gRPC.

    Args:
      service_addr, duration_ms, level: TensorFlow's.

    Raises:
      UnimplementedError: always.

    >>> try:
    ...     tf.profiler.experimental.client.monitor("grpc://localhost:6009", 1000)
    ... except tf.errors.UnimplementedError:
    ...     print("no server")
    no server
    """
    _refuse("client.monitor", _IN_THE_PROCESS)
