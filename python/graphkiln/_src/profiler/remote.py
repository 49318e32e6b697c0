"""Profiles that another process asks for, by gRPC, as TensorFlow's programs and
TensorBoard do."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from graphkiln import _graphkiln
from graphkiln._src.profiler.session import ProfilerOptions

_SERVICE = "/tensorflow.ProfilerService/"
# Profiles are of any size.
_ANY_SIZE = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
]
# For what is beside the recording itself.
_SPARE_SECONDS = 60

# Servers last as long as the process.
_servers: list[Any] = []


def _grpc(name: str) -> Any:
    """The package grpc."""
    try:
        return importlib.import_module("grpc")
    except ImportError as error:
        raise ImportError(
            f"tf.profiler.experimental.{name} speaks gRPC, for which the package "
            "grpcio is needed: pip install graphkiln[profile-server]"
        ) from error


def _handlers(grpc: Any) -> Any:
    """What answers calls of the service."""
    codes = {code.value[0]: code for code in grpc.StatusCode}

    def answering(method: str) -> Callable:
        def answer(request: bytes, context: Any) -> bytes:
            try:
                return _graphkiln._answer_profiler(method, request, context.is_active)
            except _graphkiln.OpError as error:
                context.abort(codes[error.error_code], error.message)

        return answer

    class Handlers(grpc.GenericRpcHandler):
        def service(self, call: Any) -> Any:
            if not call.method.startswith(_SERVICE):
                return None
            method = call.method.removeprefix(_SERVICE)
            return grpc.unary_unary_rpc_method_handler(answering(method))

    return Handlers()


def start_server(port: int) -> None:
    """Serves profiles of this process to who asks for them by gRPC:
    `tf.profiler.experimental.client.trace`, TensorFlow's and TensorBoard's page of
    profiles. The server lasts as long as the process.

    It takes the package grpcio: `pip install graphkiln[profile-server]`. Whoever
    reaches the port may ask, and names the folder that files are written to.
    Profiles that are asked for hold no calls of Python's functions.

    Args:
      port: that it listens at, on all addresses of the machine.

    Raises:
      ImportError: there is no grpcio.
      RuntimeError: the port cannot be had.

    >>> try:
    ...     tf.profiler.experimental.server.start(0)
    ... except ImportError:
    ...     pass
    """
    grpc = _grpc("server.start")
    server = grpc.server(
        ThreadPoolExecutor(4), options=[*_ANY_SIZE, ("grpc.so_reuseport", 0)]
    )
    server.add_generic_rpc_handlers((_handlers(grpc),))
    server.add_insecure_port(f"[::]:{int(port)}")
    server.start()
    _servers.append(server)


def _address(text: str) -> str:
    """Host and port of an address."""
    address = text.removeprefix("grpc://")
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isdigit()) or "/" in address:
        raise RuntimeError(
            f'INVALID_ARGUMENT: Could not interpret "{address}" as a host-port pair.'
        )
    return address


def _call(
    grpc: Any, address: str, method: str, request: bytes, seconds: float
) -> bytes:
    with grpc.insecure_channel(address, options=_ANY_SIZE) as channel:
        call = channel.unary_unary(_SERVICE + method)
        try:
            return call(request, timeout=seconds + _SPARE_SECONDS)
        except grpc.RpcError as error:
            raise RuntimeError(f"{error.code().name}: {error.details()}") from None


def trace(
    service_addr: str,
    logdir: str,
    duration_ms: int,
    worker_list: str = "",
    num_tracing_attempts: int = 3,
    options: ProfilerOptions | None = None,
) -> None:
    """Has servers of profiles, ours or TensorFlow's, profile their processes, and
    puts the profiles into a log folder, for TensorBoard.

    It takes the package grpcio: `pip install graphkiln[profile-server]`. Servers
    that cannot write to the folder send what they recorded.

    Args:
      service_addr: of one or several servers, `grpc://HOST:PORT`, with commas.
      logdir: the folder that TensorBoard looks at.
      duration_ms: how long they record.
      worker_list: addresses in the place of `service_addr`.
      num_tracing_attempts: how often they are asked until one recorded something.
      options: what they record.

    Raises:
      InvalidArgumentError: `duration_ms` is not positive.
      RuntimeError: no server recorded anything.
      ImportError: there is no grpcio.

    >>> try:
    ...     tf.profiler.experimental.client.trace("grpc://localhost:6009", "/tmp/tb", 0)
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(error.message)
    duration_ms must be greater than zero.
    """
    if duration_ms <= 0:
        raise _graphkiln.InvalidArgumentError(
            None, None, "duration_ms must be greater than zero."
        )
    grpc = _grpc("client.trace")
    chosen = ProfilerOptions() if options is None else options
    addresses = [_address(a) for a in (worker_list or service_addr).split(",")]
    seconds = (duration_ms + (chosen.delay_ms or 0)) / 1000
    failures: list[str] = []
    for left in reversed(range(num_tracing_attempts)):
        print(
            f"Starting to trace for {duration_ms} ms. Remaining attempt(s): {left}",
            flush=True,
        )
        remote = _graphkiln._RemoteProfile(logdir, duration_ms, *chosen)

        def ask(address: str, remote: Any = remote) -> bool:
            request = remote.request_to(address)
            try:
                response = _call(grpc, address, "Profile", request, seconds)
            except RuntimeError as error:
                failures.append(f"{address}: {error}")
                return False
            return remote.keep(address, response)

        failures.clear()
        with ThreadPoolExecutor(len(addresses)) as threads:
            if any(list(threads.map(ask, addresses))):
                return
        if left > 0:
            print("No trace event is collected. Automatically retrying.\n", flush=True)
    raise RuntimeError(
        "UNAVAILABLE: No trace event was collected because there were no responses "
        "from clients or the responses did not have trace data."
        + "".join(f"\n{failure}" for failure in failures)
    )


def monitor(service_addr: str, duration_ms: int, level: int = 1) -> str:
    """Has a server of profiles say how busy its process is: which part of the time
    it ran no function, and at level 2 how long its steps took, which are
    `tf.profiler.experimental.Trace` with `step_num`.

    It takes the package grpcio: `pip install graphkiln[profile-server]`. Of
    TensorFlow's servers only those of TPUs answer.

    Args:
      service_addr: of the server, `grpc://HOST:PORT`.
      duration_ms: how long it looks.
      level: 1 or 2.

    Raises:
      RuntimeError: what the server says, or that there is none.
      ImportError: there is no grpcio.

    >>> try:
    ...     tf.profiler.experimental.client.monitor("localhost", 1000)
    ... except (RuntimeError, ImportError) as error:
    ...     print("no server")
    no server
    """
    grpc = _grpc("client.monitor")
    request = _graphkiln._monitor_request(duration_ms, level)
    address = _address(service_addr)
    response = _call(grpc, address, "Monitor", request, duration_ms / 1000)
    return _graphkiln._monitor_text(response)
