"""tf.profiler beside TensorFlow's: what programs see of it, and our files read by the
messages that TensorFlow has for them."""

import pathlib

import tensorflow as real
from tensorflow.tsl.profiler.protobuf import xplane_pb2

import graphkiln as tf


def outcome(call):
    try:
        return call()
    except Exception as error:  # any error is compared
        return type(error).__name__, getattr(error, "message", None)


def program(package, logdir):
    """What a program sees of the calls."""
    experimental = package.profiler.experimental
    seen = [
        outcome(experimental.stop),
        outcome(lambda: experimental.stop(save=False)),
        outcome(lambda: experimental.start(logdir)),
        outcome(lambda: experimental.start(logdir)),
    ]
    with experimental.Trace("train", step_num=1) as trace:
        trace.set_metadata(more=2)
    seen += [outcome(lambda: experimental.stop(False)), outcome(experimental.stop)]

    def failing():
        with experimental.Profile(logdir):
            raise ValueError("within")

    seen += [outcome(failing), outcome(experimental.stop)]

    def twice():
        with experimental.Profile(logdir), experimental.Profile(logdir):
            pass

    seen += [outcome(twice), outcome(experimental.stop)]
    return seen


def test_the_same_answers(tmp_path):
    ours = program(tf, str(tmp_path / "ours"))
    assert ours == program(real, str(tmp_path / "theirs"))
    assert ours[0] == (
        "UnavailableError",
        "Cannot export profiling results. No profiler is running.",
    )


def recorded(package, logdir):
    """The messages of a profile of a function, an op and a dataset."""
    f = package.function(lambda x: package.nn.relu(package.matmul(x, x)))
    x = package.ones([8, 8])
    f(x)
    with package.profiler.experimental.Profile(str(logdir)):
        for step in range(2):
            with package.profiler.experimental.Trace("train", step_num=step, _r=1):
                f(x)
        for _ in package.data.Dataset.range(4).map(lambda x: x + 1).batch(2):
            pass
    (path,) = pathlib.Path(logdir).glob("plugins/profile/*/*.xplane.pb")
    space = xplane_pb2.XSpace()
    space.ParseFromString(path.read_bytes())
    return path, space


def events(space):
    """(name, stats) of all events of the host."""
    (plane,) = (p for p in space.planes if p.name == "/host:CPU")

    def value(stat):
        kind = stat.WhichOneof("value")
        if kind == "ref_value":
            return plane.stat_metadata[stat.ref_value].name
        return getattr(stat, kind)

    for line in plane.lines:
        for event in line.events:
            kind = plane.event_metadata[event.metadata_id]
            yield (
                kind.name,
                {
                    plane.stat_metadata[s.metadata_id].name: value(s)
                    for s in [*kind.stats, *event.stats]
                },
            )


def test_files(tmp_path):
    our_path, ours = recorded(tf, tmp_path / "ours")
    their_path, theirs = recorded(real, tmp_path / "theirs")
    assert our_path.name == their_path.name
    assert ours.hostnames == theirs.hostnames
    assert [p.name for p in ours.planes] == [p.name for p in theirs.planes]
    trains = [stats for name, stats in events(ours) if name == "train"]
    assert trains == [stats for name, stats in events(theirs) if name == "train"]
    assert trains == [{"step_num": i, "_r": 1} for i in range(2)]

    # Ops are told as "node:Type", which TensorBoard takes apart.
    def types(space):
        return {name.rpartition(":")[2] for name, _ in events(space)}

    assert "MatMul" in types(ours)
    assert any("MatMul" in kind for kind in types(theirs))
    stages = {name for name, _ in events(ours) if name.startswith("Iterator::")}
    assert stages == {"Iterator::BatchV2", "Iterator::Map", "Iterator::Range"}
    before = ours.SerializeToString()
    ours.DiscardUnknownFields()
    assert ours.SerializeToString() == before, "fields that TensorFlow does not know"
    (ours_task,) = (p for p in ours.planes if p.name == "Task Environment")
    names = {m.name for m in ours_task.stat_metadata.values()}
    assert names == {"profile_start_time", "profile_stop_time"}
