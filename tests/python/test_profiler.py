"""Profiles: what is recorded, the files, one function's table, its memory."""

import collections
import gzip
import inspect
import json
import pathlib
import sys
import threading
import time

import pytest

import graphkiln as tf

profiler = tf.profiler.experimental
HERE = pathlib.Path(__file__).name


def line_here() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def files(logdir) -> list[pathlib.Path]:
    return sorted(pathlib.Path(logdir).glob("plugins/profile/*/*"))


def events(logdir) -> list[dict]:
    """The events of the one Chrome trace, with the names of their threads."""
    (path,) = (f for f in files(logdir) if f.name.endswith(".trace.json.gz"))
    with gzip.open(path) as file:
        trace = json.load(file)
    assert trace["displayTimeUnit"] == "ns"
    told = [e for e in trace["traceEvents"] if e]
    threads = {
        e["tid"]: e["args"]["name"]
        for e in told
        if e["ph"] == "M" and e["name"] == "thread_name"
    }
    return [
        {"thread": threads[e["tid"]], "args": {}, **e} for e in told if e["ph"] == "X"
    ]


def named(recorded: list[dict], name: str) -> list[dict]:
    return [e for e in recorded if e["name"] == name]


def inside(inner: dict, outer: dict) -> bool:
    # Times are rounded to nanoseconds.
    return (
        inner["tid"] == outer["tid"]
        and inner["ts"] >= outer["ts"] - 0.0015
        and inner["ts"] + inner["dur"] <= outer["ts"] + outer["dur"] + 0.0015
    )


@pytest.fixture(autouse=True)
def ended():
    yield
    try:
        profiler.stop(save=False)
    except tf.errors.UnavailableError:
        pass


def test_ops_functions_and_traces(tmp_path):
    @tf.function
    def layer(x):
        y = x @ x
        return tf.nn.relu(y * 2.0 + 1.0)

    x = tf.ones([16, 16])
    layer(x)
    profiler.start(str(tmp_path))
    for step in range(3):
        with profiler.Trace("train", step_num=step, _r=1, rate=0.5, mode="fast") as t:
            layer(x)
            t.set_metadata(done=True)
    eager_line = line_here() + 1
    product = x @ x
    profiler.stop()
    assert product.shape == [16, 16]

    recorded = events(tmp_path)
    trains = named(recorded, "train")
    assert [t["args"]["step_num"] for t in trains] == [0, 1, 2]
    assert trains[0]["args"] == {
        "step_num": 0,
        "_r": 1,
        "rate": 0.5,
        "mode": "fast",
        "done": 1,
    }
    functions = [e for e in recorded if e["name"].startswith("__inference_layer_")]
    assert len(functions) == 3
    products = named(recorded, "MatMul")
    assert len(products) == 4
    for train, function, product in zip(trains, functions, products, strict=False):
        assert inside(function, train) and inside(product, function)
    traced, eager = products[0]["args"], products[3]["args"]
    assert not inside(products[3], trains[-1])
    for args in (traced, eager):
        assert args["flops"] == 2 * 16**3
        assert args["bytes_accessed"] == 3 * 16 * 16 * 4
        assert (
            args["tensor_shapes"]
            == "(float32[16,16], float32[16,16]) -> float32[16,16]"
        )
    first = layer.__wrapped__.__code__.co_firstlineno
    assert traced["source_info"].endswith(f"{HERE}:{first + 2}")
    assert traced["function"] == functions[0]["name"]
    assert traced["kind"] == "kernel"
    assert eager["source_info"].endswith(f"{HERE}:{eager_line}")
    (fused,) = {e["name"] for e in recorded if e["args"].get("kind") == "cluster"}
    assert fused.split("+")[-1] == "Relu"


@pytest.mark.parametrize("level", [1, 2, 3])
def test_some_runs_of_short_functions_stand_for_all(tmp_path, level):
    @tf.function
    def short(x):
        for _ in range(12):
            x = x @ x
        return x

    x = tf.eye(2)
    for _ in range(2):
        short(x)
    options = profiler.ProfilerOptions(host_tracer_level=level)
    with profiler.Profile(tmp_path, options=options):
        for _ in range(2000):
            short(x)
    recorded = events(tmp_path)
    runs = [e for e in recorded if e["name"].startswith("__inference_short_")]
    products = named(recorded, "MatMul")
    assert len(products) == (12 * len(runs) if level > 1 else 0)
    for each, times in ((runs, 1), (products, 12 * (level > 1))):
        assert sum(e["args"].get("runs", 1) for e in each) == 2000 * times
    (path,) = (f for f in files(tmp_path) if f.name.endswith(".trace.json.gz"))
    with gzip.open(path) as file:
        said = json.load(file)["metadata"]["sampled"]
    if level == 3:
        assert len(runs) == 2000 and not said
    elif level == 2:
        assert len(runs) < 1000
        assert f"{len(runs)} of 2000 runs are recorded" in said[0]


def test_tracing_and_planning_are_seen(tmp_path):
    f = tf.function(lambda x: tf.linalg.inv(x) + x)
    with profiler.Profile(tmp_path):
        f(tf.eye(4))
    names = [e["name"] for e in events(tmp_path)]
    assert sum(n.startswith("trace ") for n in names) == 1
    assert any(n.startswith("plan __inference_") for n in names)


def test_stages_of_datasets(tmp_path):
    dataset = tf.data.Dataset.range(6).map(lambda x: x * 2).batch(2)
    iterator = iter(dataset)
    next(iterator)
    with profiler.Profile(tmp_path):
        # Of an iterator that was there before, too.
        assert len(list(iterator)) == 2
    recorded = events(tmp_path)
    batches = [e for e in recorded if e["name"].startswith("Iterator::Batch")]
    maps = named(recorded, "Iterator::Map")
    ranges = named(recorded, "Iterator::Range")
    # The last one finds the end.
    assert len(batches) == 3 and len(maps) == len(ranges) == 5
    assert batches[0]["args"]["tensor_shapes"] == "int64[?]"
    assert all(any(inside(m, b) for b in batches) for m in maps)
    assert all(any(inside(r, m) for m in maps) for r in ranges)


def test_threads_of_a_prefetch(tmp_path):
    dataset = tf.data.Dataset.range(8).map(lambda x: x + 1).prefetch(2)
    with profiler.Profile(tmp_path):
        for _ in dataset:
            time.sleep(0.01)
    recorded = events(tmp_path)
    # Who waits for an element that nobody is making makes it.
    maps = {e["thread"] for e in named(recorded, "Iterator::Map")}
    (prefetches,) = {e["thread"] for e in named(recorded, "Iterator::Prefetch")}
    assert any(thread.startswith("gk_data/") for thread in maps)
    assert not prefetches.startswith("gk_data/")


def test_threads_of_the_program(tmp_path):
    f = tf.function(lambda x: x @ x)
    f(tf.eye(4))
    with profiler.Profile(tmp_path):
        threads = [
            threading.Thread(target=lambda: [f(tf.eye(4)) for _ in range(50)])
            for _ in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        f(tf.eye(4))
    products = named(events(tmp_path), "MatMul")
    by_thread = collections.Counter()
    for e in products:
        by_thread[e["tid"]] += e["args"].get("runs", 1)
    assert sorted(by_thread.values()) == [1, 50, 50, 50]


def test_one_profile_at_a_time(tmp_path):
    with pytest.raises(tf.errors.UnavailableError) as raised:
        profiler.stop()
    assert raised.value.message == (
        "Cannot export profiling results. No profiler is running."
    )
    profiler.start(str(tmp_path))
    with pytest.raises(tf.errors.AlreadyExistsError) as raised:
        profiler.start(str(tmp_path))
    assert raised.value.message == "Another profiler is running."
    f = tf.function(lambda x: x + 1)
    with pytest.raises(tf.errors.AlreadyExistsError):
        f.profile(tf.constant(1.0))
    profiler.stop(save=False)
    assert not files(tmp_path)
    with pytest.raises(TypeError):
        profiler.start(5)
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()


def test_a_block_that_fails_is_profiled(tmp_path):
    with pytest.raises(ZeroDivisionError), profiler.Profile(tmp_path):
        with profiler.Trace("inside"):
            raise ZeroDivisionError
    assert named(events(tmp_path), "inside")
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()


def test_profiles_that_cannot_be_written():
    profiler.start("/proc/there/is/no/such/folder")
    with pytest.raises(tf.errors.OpError, match="/proc/there"):
        profiler.stop()
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()


@pytest.mark.parametrize("level", [0, 1, 2])
def test_levels(tmp_path, level):
    f = tf.function(lambda x: x @ x)
    f(tf.eye(4))
    options = profiler.ProfilerOptions(host_tracer_level=level)
    with profiler.Profile(tmp_path, options), profiler.Trace("inside"):
        f(tf.eye(4))
    recorded = events(tmp_path)
    assert len(named(recorded, "inside")) == min(level, 1)
    assert len(named(recorded, "MatMul")) == (1 if level == 2 else 0)


def test_what_begins_too_early_is_left_out(tmp_path):
    with profiler.Profile(tmp_path, profiler.ProfilerOptions(delay_ms=60)):
        with profiler.Trace("early"):
            pass
        time.sleep(0.1)
        with profiler.Trace("late"):
            pass
    recorded = events(tmp_path)
    assert named(recorded, "late") and not named(recorded, "early")


def test_calls_of_python(tmp_path):
    def inner():
        return tf.eye(2)

    def outer():
        return inner()

    with profiler.Profile(tmp_path, profiler.ProfilerOptions(python_tracer_level=1)):
        outer()
        thread = threading.Thread(target=outer)
        thread.start()
        thread.join()
    outer()
    calls = [e for e in events(tmp_path) if e["name"].startswith("$" + HERE)]
    outers = [e for e in calls if e["name"].endswith("outer")]
    inners = [e for e in calls if e["name"].endswith("inner")]
    assert len(outers) == len(inners) == 2
    assert all(inside(i, o) for i, o in zip(inners, outers, strict=True))
    assert outers[0]["tid"] != outers[1]["tid"]
    first = outer.__code__.co_firstlineno
    assert outers[0]["name"].startswith(f"${HERE}:{first} ")


def test_options_are_those_of_tensorflow():
    options = profiler.ProfilerOptions()
    assert options == (2, 0, 1, None)
    assert options._asdict() == {
        "host_tracer_level": 2,
        "python_tracer_level": 0,
        "device_tracer_level": 1,
        "delay_ms": None,
    }


def test_servers_need_a_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "grpc", None)
    for call in (
        lambda: profiler.server.start(6009),
        lambda: profiler.client.trace("grpc://localhost:1", "/tmp/logs", 10),
        lambda: profiler.client.monitor("grpc://localhost:1", 10),
    ):
        with pytest.raises(ImportError, match=r"pip install graphkiln\[profile-server"):
            call()


def test_profile_of_a_function():
    traced = []

    @tf.function
    def layer(x, w):
        traced.append(1)
        y = x @ w
        z = tf.nn.softmax(y)
        return tf.reduce_sum(z * 2.0)

    first = layer.__wrapped__.__code__.co_firstlineno
    x, w = tf.ones([32, 64]), tf.ones([64, 16])
    profile = layer.profile(x, w=w)
    assert traced == [1]
    assert profile.seconds > 0 and profile.tracing_seconds == 0
    rows = {row.name: row for row in profile.rows}
    product = rows["MatMul"]
    assert product.calls == 1
    assert product.lines == f"{HERE}:{first + 3}"
    assert rows["Softmax"].lines == f"{HERE}:{first + 4}"
    assert product.flops == 2 * 32 * 64 * 16
    assert product.bytes == 4 * (32 * 64 + 64 * 16 + 32 * 16)
    assert product.memory == 4 * 32 * 16
    assert 0 < product.attained <= 1
    assert product.function == profile.name
    assert sum(row.share for row in profile.rows) <= 1 + 1e-6
    assert [r.seconds for r in profile.rows] == sorted(
        (r.seconds for r in profile.rows), reverse=True
    )
    assert profile.peak_flops > 1e8 and profile.peak_bandwidth > 1e8
    text = str(profile)
    assert text.startswith(profile.name) and f"{HERE}:{first + 3}" in text
    assert repr(profile) == text
    html = profile._repr_html_()
    assert "<table" in html and "MatMul" in html

    again = layer.get_concrete_function(x, w).profile(x, w)
    assert again.planning_seconds == 0 and traced == [1]


def test_functions_with_effects_are_profiled_once():
    counter = tf.Variable(0)

    @tf.function
    def count():
        return counter.assign_add(1)

    profile = count.profile()
    assert profile.runs == 1 and counter.numpy() == 1
    square = tf.function(lambda x: x @ x)
    profile = square.profile(tf.eye(16))
    assert profile.runs > 1
    (row,) = profile.rows
    assert row.calls == 1 and row.flops == 2 * 16**3
    assert "the mean of" in str(profile)


def test_profile_of_a_function_that_fails():
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError):
        f.profile(tf.constant(-1.0))
    with pytest.raises(tf.errors.UnavailableError):
        profiler.stop()


def test_profile_of_a_loop():
    @tf.function
    def f(x):
        for _ in tf.range(10):
            x = x @ x
        return x

    profile = f.profile(tf.eye(16))
    (product,) = (row for row in profile.rows if row.name == "MatMul")
    assert product.calls == 10
    assert product.flops == 10 * 2 * 16**3


def test_memory_of_a_function():
    @tf.function
    def f(x):
        y = x @ x
        z = tf.nn.softmax(y)
        return z @ x

    with pytest.raises(ValueError, match="has not been traced"):
        f.memory_report()
    f(tf.eye(32))
    report = f.memory_report()
    (plan,) = report.plans
    assert plan.function == report.name
    size = 32 * 32 * 4
    assert [b.bytes for b in plan.buffers] == [size] * 3
    assert report.peak_bytes == plan.peak_bytes == plan.arena_bytes + size
    assert sum(b.bytes for b in plan.buffers if b.at_peak) == 2 * size
    first = f.__wrapped__.__code__.co_firstlineno
    assert {b.lines for b in plan.buffers} == {f"{HERE}:{first + i}" for i in (2, 3, 4)}
    assert plan.peak_lines in {b.lines for b in plan.buffers}
    assert "float32[32,32]" in str(report) and "<table" in report._repr_html_()
    concrete = f.get_concrete_function(tf.eye(32))
    assert concrete.memory_report().peak_bytes == report.peak_bytes


def test_profile_of_a_trace_of_summaries(tmp_path, caplog):
    f = tf.function(lambda x: x @ x)
    events_dir, profile_dir = tmp_path / "events", tmp_path / "profile"
    tf.summary.trace_on(profiler=True, profiler_outdir=str(profile_dir))
    f(tf.eye(4))
    with tf.summary.create_file_writer(str(events_dir)).as_default():
        tf.summary.trace_export("f", step=0)
    assert named(events(profile_dir), "MatMul")
    (path,) = events_dir.iterdir()
    plugins = [
        value.metadata.plugin_data.plugin_name
        for event in tf.compat.v1.train.summary_iterator(str(path))
        for value in event.summary.value
    ]
    assert plugins == ["graph_run_metadata"]
    # What is not exported is written, too.
    tf.summary.trace_on(profiler=True, profiler_outdir=str(tmp_path / "off"))
    tf.summary.trace_off()
    assert len(files(tmp_path / "off")) == 2


def test_profiles_of_summaries_need_a_folder(tmp_path):
    tf.summary.trace_on(profiler=True)
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(tf.errors.UnavailableError):
            tf.summary.trace_export("f", step=0)
    tf.summary.trace_off()
