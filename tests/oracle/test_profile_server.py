"""Profiles that another process asks for: TensorFlow's clients and our servers, our
clients and TensorFlow's servers."""

from __future__ import annotations

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import textwrap
import threading
import time

import pytest
import tensorflow

import graphkiln

pytest.importorskip("grpc")

SERVER = """
    import sys
    import MODULE as tf

    tf.profiler.experimental.server.start(int(sys.argv[1]))

    @tf.function
    def train_step(x):
        return tf.linalg.matmul(x, x) * 0.01

    x = tf.ones([32, 32])
    if sys.argv[2] == "idle":
        print("ready", flush=True)
        sys.stdin.read()
        sys.exit()
    step = 0
    while True:
        with tf.profiler.experimental.Trace("train", step_num=step, _r=1):
            x = train_step(x)
        step += 1
        if step == 10:
            print("ready", flush=True)
"""


def _free_port():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def _served(module, what="busy"):
    """The address of a server in a process of its own."""
    port = _free_port()
    program = textwrap.dedent(SERVER).replace("MODULE", module)
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(port), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    try:
        assert child.stdout.readline() == b"ready\n"
        yield f"localhost:{port}"
    finally:
        child.kill()
        child.communicate()


@pytest.fixture(scope="module")
def ours():
    with _served("graphkiln") as address:
        yield address


@pytest.fixture(scope="module")
def theirs():
    with _served("tensorflow") as address:
        yield address


def _names(logdir):
    """The events of the one profile in a log folder, by TensorFlow's message."""
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    [path] = pathlib.Path(logdir).glob("plugins/profile/*/*.xplane.pb")
    space = xplane_pb2.XSpace.FromString(path.read_bytes())
    [plane] = [p for p in space.planes if p.name == "/host:CPU"]
    used = {e.metadata_id for line in plane.lines for e in line.events}
    return path.name, {plane.event_metadata[i].name for i in used}


def test_their_client_traces_our_server(ours, tmp_path):
    client = tensorflow.profiler.experimental.client
    client.trace(f"grpc://{ours}", str(tmp_path), 200, num_tracing_attempts=1)
    file, names = _names(tmp_path)
    assert file == ours.replace(":", "_") + ".xplane.pb"
    assert "train" in names and any("MatMul" in name for name in names)


def test_our_client_traces_their_server(theirs, tmp_path):
    client = graphkiln.profiler.experimental.client
    client.trace(f"grpc://{theirs}", str(tmp_path), 200, num_tracing_attempts=1)
    file, names = _names(tmp_path)
    assert file == theirs.replace(":", "_") + ".xplane.pb"
    assert "train" in names and any("MatMul" in name for name in names)


def test_our_client_traces_several_servers(ours, theirs, tmp_path):
    client = graphkiln.profiler.experimental.client
    client.trace(f"{ours},grpc://{theirs}", str(tmp_path), 100)
    found = sorted(p.name for p in tmp_path.glob("plugins/profile/*/*.xplane.pb"))
    assert found == sorted(a.replace(":", "_") + ".xplane.pb" for a in (ours, theirs))


def test_what_a_server_cannot_write_it_sends(tmp_path):
    """As where it runs on another machine."""
    remote = graphkiln._graphkiln._RemoteProfile(
        str(tmp_path), 50, *graphkiln.profiler.experimental.ProfilerOptions()
    )
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    space = xplane_pb2.XSpace(hostnames=["far"])
    sent = space.SerializeToString()
    response = b"\x42" + bytes([len(sent)]) + sent  # ProfileResponse.xspace
    assert remote.keep("far:1", response) is True
    [path] = tmp_path.glob("plugins/profile/*/far_1.xplane.pb")
    assert xplane_pb2.XSpace.FromString(path.read_bytes()) == space
    assert remote.keep("far:2", b"\x38\x01") is False  # empty_trace


def test_monitor_tells_how_busy_a_process_is(ours):
    for tf in (tensorflow, graphkiln):
        client = tf.profiler.experimental.client
        text = client.monitor(f"grpc://{ours}", 200, 2)
        lines = dict(line.split(": ", 1) for line in text.splitlines())
        assert 0 <= float(lines["Device idle time"].rstrip("%")) < 100
        assert float(lines["Step time (avg)"].split("ms")[0]) > 0
        assert "Step time" not in client.monitor(ours, 50, 1)


def _outcome(call):
    try:
        return call()
    except Exception as error:
        text = error.message if hasattr(error, "message") else str(error)
        return type(error).__name__, text.split(" because")[0].split(": unimpl")[0]


def test_errors_agree(theirs, tmp_path):
    nobody = f"localhost:{_free_port()}"
    folder = str(tmp_path)

    def program(tf):
        client = tf.profiler.experimental.client
        return [
            _outcome(lambda: client.trace(theirs, folder, 0)),
            _outcome(lambda: client.trace("nonsense", folder, 5)),
            _outcome(lambda: client.trace("http://localhost:5", folder, 5)),
            _outcome(lambda: client.trace(nobody, folder, 5, num_tracing_attempts=2)),
            _outcome(lambda: client.monitor(theirs, 10)),
            _outcome(lambda: client.monitor(nobody, 10))[1].split(":")[0],
        ]

    assert program(graphkiln) == program(tensorflow)


def test_a_process_that_does_nothing_has_no_trace(tmp_path, capfd):
    with _served("graphkiln", "idle") as address:
        for tf in (tensorflow, graphkiln):
            client = tf.profiler.experimental.client
            with pytest.raises(RuntimeError, match="UNAVAILABLE: No trace event"):
                client.trace(address, str(tmp_path), 10, num_tracing_attempts=2)
    said = capfd.readouterr().out
    assert said.count("No trace event is collected. Automatically retrying.") == 2
    assert not list(tmp_path.glob("plugins/profile/*/*"))


def test_a_profile_of_another_session_is_refused_and_ended(ours):
    import grpc

    with grpc.insecure_channel(ours) as channel:

        def call(method, request):
            return channel.unary_unary("/tensorflow.ProfilerService/" + method)(
                request, timeout=30
            )

        def code(method, request):
            with pytest.raises(grpc.RpcError) as error:
                call(method, request)
            return error.value.code().name

        long = b"\x08\xc0\xcf\x24" + b"\x32\x01s"  # ten minutes, session "s"
        answers = []
        running = threading.Thread(target=lambda: answers.append(call("Profile", long)))
        running.start()
        stop = b"\x0a\x01s"
        time.sleep(1)
        assert code("Profile", b"\x08\x01\x32\x01t") == "ALREADY_EXISTS"
        assert code("Profile", long) == "ALREADY_EXISTS"
        assert call("Terminate", stop) == b""
        running.join()
        assert len(answers) == 1
        assert code("Terminate", stop) == "NOT_FOUND"
        assert code("Profile", b"") == "INVALID_ARGUMENT"
        assert code("Profile", b"\xff") == "INVALID_ARGUMENT"
        assert code("GetSnapshot", b"") == "UNIMPLEMENTED"


def test_a_port_in_use_is_an_error(ours):
    with pytest.raises(RuntimeError, match="bind"):
        graphkiln.profiler.experimental.server.start(int(ours.split(":")[1]))
