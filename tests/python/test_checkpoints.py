"""tf.train.Checkpoint and what is around it."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import graphkiln as tf


class Dense(tf.Module):
    def __init__(self, value: float) -> None:
        super().__init__()
        self.w = tf.Variable([value, value], name="w")


class Late(tf.Module):
    """Makes its variables when it is called first."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = []
        self.named = {}

    def build(self) -> None:
        self.layers.append(Dense(0.0))
        self.layers += [tf.Variable(0.0)]
        self.named["x"] = tf.Variable(0.0)
        self.b = tf.Variable(0.0)


def saved_late(folder: Path) -> str:
    late = Late()
    late.build()
    late.layers[0].w.assign([1.0, 2.0])
    late.layers[1].assign(3.0)
    late.named["x"].assign(4.0)
    late.b.assign(5.0)
    return tf.train.Checkpoint(late=late).save(folder / "ckpt")


def test_values_come_back(tmp_path: Path) -> None:
    dense = Dense(1.0)
    checkpoint = tf.train.Checkpoint(dense=dense, step=tf.Variable(3))
    path = checkpoint.save(tmp_path / "ckpt")
    assert path == str(tmp_path / "ckpt-1")
    dense.w.assign([7.0, 7.0])
    status = checkpoint.restore(path)
    assert dense.w.numpy().tolist() == [1.0, 1.0]
    status.assert_consumed().assert_existing_objects_matched()
    assert int(checkpoint.save_counter) == 1
    assert tf.train.latest_checkpoint(tmp_path) == path


def test_what_comes_later_is_restored(tmp_path: Path) -> None:
    path = saved_late(tmp_path)
    late = Late()
    status = tf.train.Checkpoint(late=late).restore(path)
    with pytest.raises(AssertionError, match="Unresolved object in checkpoint"):
        status.assert_consumed()
    late.build()
    assert late.layers[0].w.numpy().tolist() == [1.0, 2.0]
    assert [float(late.layers[1]), float(late.named["x"]), float(late.b)] == [3, 4, 5]
    status.assert_consumed()


def test_an_older_value_that_waited_does_not_win(tmp_path: Path) -> None:
    holder = tf.Module()
    v = tf.Variable(1.0)
    holder.v = v
    old = tf.train.Checkpoint(holder=holder).write(tmp_path / "old")
    v.assign(2.0)
    new = tf.train.Checkpoint(v=v).write(tmp_path / "new")
    empty = tf.Module()
    tf.train.Checkpoint(holder=empty).read(old).expect_partial()
    tf.train.Checkpoint(v=v).read(new)
    empty.v = v
    assert float(v) == 2.0


def test_root_keeps_its_own_names(tmp_path: Path) -> None:
    dense = Dense(2.0)
    path = tf.train.Checkpoint(dense, extra=tf.Variable(1)).save(tmp_path / "c")
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "extra/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
        "w/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    other = Dense(0.0)
    restored = tf.train.Checkpoint(other, extra=tf.Variable(0))
    restored.restore(path).assert_consumed()
    assert other.w.numpy().tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match=r"root\.w already exists"):
        tf.train.Checkpoint(dense, w=tf.Variable(1))


def test_statuses_say_what_is_missing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(
        tmp_path / "c"
    )
    status = tf.train.Checkpoint(a=tf.Variable(0.0)).read(path)
    status.assert_existing_objects_matched()
    with pytest.raises(
        AssertionError, match=r"Unresolved object in checkpoint \(root\)\.b: "
    ):
        status.assert_consumed()
    status = tf.train.Checkpoint(a=tf.Variable(0.0), c=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not"):
        status.assert_existing_objects_matched()
    status.assert_nontrivial_match().expect_partial()
    status = tf.train.Checkpoint(z=tf.Variable(0.0)).read(path)
    with pytest.raises(AssertionError, match="Nothing except the root object"):
        status.assert_nontrivial_match()
    status.expect_partial()
    nothing = tf.train.Checkpoint(a=tf.Variable(0.0)).restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        nothing.assert_consumed()


def test_values_that_nobody_asked_for_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = saved_late(tmp_path)

    def restore(partial: bool) -> str:
        gc.collect()
        caplog.clear()
        with caplog.at_level(logging.WARNING, logger="tensorflow"):
            status = tf.train.Checkpoint(late=Late()).restore(path)
            if partial:
                status.expect_partial()
            del status
            gc.collect()
        return caplog.text

    tf.get_logger().propagate = True
    assert restore(partial=True) == ""
    told = restore(partial=False)
    assert "is being deleted with unrestored values" in told
    assert "could not be found in the restored object: (root).late.b" in told


def test_nothing_is_kept_alive(tmp_path: Path) -> None:
    import weakref

    path = saved_late(tmp_path)
    late = Late()
    tf.train.Checkpoint(late=late).restore(path).expect_partial()
    gone = weakref.ref(late)
    del late
    gc.collect()
    assert gone() is None


def test_a_value_of_another_shape_changes_nothing(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "c")
    v = tf.Variable([5.0], name="short")
    with pytest.raises(
        ValueError,
        match=re.escape(
            "Received incompatible tensor with shape (2,) when attempting to "
            "restore variable with shape (1,) and name short:0."
        ),
    ):
        tf.train.Checkpoint(v=v).read(path)
    assert v.numpy().tolist() == [5.0]


def test_errors_name_the_cure(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(tf.errors.NotFoundError, match="missing the checkpoint suffix"):
        checkpoint.restore(tmp_path / "none")
    with pytest.raises(ValueError, match="expecting x to be a trackable object"):
        tf.train.Checkpoint(x=3)
    path = checkpoint.write(tmp_path / "c")
    reader = tf.train.load_checkpoint(path)
    with pytest.raises(tf.errors.NotFoundError, match="Key q not found in checkpoint"):
        reader.get_tensor("q")
    data = tmp_path / "c.data-00000-of-00001"
    damaged = bytearray(data.read_bytes())
    damaged[0] ^= 1
    data.write_bytes(damaged)
    with pytest.raises(tf.errors.DataLossError, match="v/.ATTRIBUTES.*data-00000"):
        tf.train.Checkpoint(v=tf.Variable(0.0)).read(path)


def test_names_of_version_one_are_found(tmp_path: Path) -> None:
    prefix = str(tmp_path / "v1")
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=["a", "scope/b"],
        shape_and_slices=["", ""],
        tensors=[tf.constant(1.0), tf.constant([2, 3])],
    )
    a = tf.Variable(0.0, name="a")
    b = tf.Variable([0, 0], name="scope/b")
    status = tf.train.Checkpoint(a=a, b=b).restore(prefix)
    assert (float(a), b.numpy().tolist()) == (1.0, [2, 3])
    status.assert_consumed()
    status = tf.train.Checkpoint(c=tf.Variable(0.0, name="c")).restore(prefix)
    with pytest.raises(AssertionError, match="Object not restored"):
        status.assert_consumed()


def test_the_first_format(tmp_path: Path) -> None:
    for how in ({}, {"sharded": True}):
        v = tf.Variable([[1.5, 2.5]], name="v")
        n = tf.Variable(3, name="scope/n")
        saver = tf.compat.v1.train.Saver([v, n], write_version=1, **how)
        path = saver.save(None, tmp_path / "m", global_step=4)
        assert tf.train.latest_checkpoint(tmp_path) == path
        assert tf.train.list_variables(path) == [("scope/n", []), ("v", [1, 2])]
        v.assign([[0.0, 0.0]])
        tf.train.Checkpoint(v=v, n=n).restore(path).assert_consumed()
        assert v.numpy().tolist() == [[1.5, 2.5]]
        file = tmp_path / ("m-4-00000-of-00001" if how else "m-4")
        damaged = bytearray(file.read_bytes())
        damaged[20] ^= 1
        file.write_bytes(damaged)
        with pytest.raises(tf.errors.DataLossError, match=f"{file}: .*checksum"):
            saver.restore(None, path)
    with pytest.raises(RuntimeError, match="Unexpected write_version: 7"):
        tf.compat.v1.train.Saver([v], write_version=7)


def test_a_damaged_checkpoint_by_names_is_restored_not_at_all(tmp_path: Path) -> None:
    prefix = tmp_path / "names"
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable([3.0, 4.0], name="b")
    tf.compat.v1.train.Saver([a, b]).save(None, prefix)
    data = tmp_path / "names.data-00000-of-00001"
    damaged = bytearray(data.read_bytes())
    damaged[-1] ^= 1
    data.write_bytes(damaged)
    for v in (a, b):
        v.assign([0.0, 0.0])
    with pytest.raises(tf.errors.DataLossError, match='tensor "b" in .*data-00000'):
        tf.train.Checkpoint(a=a, b=b).read(prefix)
    assert a.numpy().tolist() == b.numpy().tolist() == [0.0, 0.0]


def test_a_written_checkpoint_replaces_an_older_one(tmp_path: Path) -> None:
    v = tf.Variable(0.0)
    checkpoint = tf.train.Checkpoint(v=v)
    for i in range(4):
        v.assign(float(i))
        path = checkpoint.write(tmp_path / "c")
        assert len(os.listdir(tmp_path)) == 2
    v.assign(9.0)
    checkpoint.read(path).assert_consumed()
    assert float(v) == 3.0


def test_writing_by_another_thread(tmp_path: Path) -> None:
    v = tf.Variable(tf.ones([256, 1024]))
    checkpoint = tf.train.Checkpoint(v=v)
    written = []
    options = tf.train.CheckpointOptions(
        enable_async=True, experimental_write_callbacks=[written.append]
    )
    path = checkpoint.save(tmp_path / "c", options)
    # The values are those of the call.
    v.assign(tf.zeros([256, 1024]))
    checkpoint.sync()
    assert written == [path]
    other = tf.Variable(tf.zeros([256, 1024]))
    tf.train.Checkpoint(v=other).restore(path).expect_partial()
    assert float(tf.reduce_min(other)) == 1.0
    file = tmp_path / "file"
    file.write_text("")
    checkpoint.write(file / "c", tf.train.CheckpointOptions(enable_async=True))
    with pytest.raises(tf.errors.OpError):
        checkpoint.sync()


def test_a_manager_keeps_the_newest(tmp_path: Path) -> None:
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path, 2, step_counter=step, checkpoint_interval=5
    )
    saved = []
    for _ in range(21):
        saved.append(manager.save())
        step.assign_add(1)
    assert [bool(path) for path in saved] == [i % 5 == 0 for i in range(21)]
    assert [path[-1] for path in manager.checkpoints] == ["4", "5"]
    assert len(list(tmp_path.glob("*.index"))) == 2
    again = tf.train.CheckpointManager(checkpoint, tmp_path, 2)
    assert again.checkpoints == manager.checkpoints
    step.assign(0)
    assert again.restore_or_initialize() == manager.latest_checkpoint
    assert int(step) == 20
    called = []
    fresh = tf.train.CheckpointManager(
        checkpoint, tmp_path / "new", 1, init_fn=lambda: called.append(1)
    )
    assert fresh.restore_or_initialize() is None
    assert called == [1]
    for bad in ({"max_to_keep": 0}, {"max_to_keep": 1, "checkpoint_interval": 1}):
        with pytest.raises(ValueError):
            tf.train.CheckpointManager(checkpoint, tmp_path, **bad)


def test_one_in_hours_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    manager = tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(1.0)),
        tmp_path,
        max_to_keep=1,
        keep_checkpoint_every_n_hours=1,
    )
    for _ in range(6):
        now[0] += 1800.0
        manager.save()
    left = sorted(path.stem for path in tmp_path.glob("*.index"))
    assert left == ["ckpt-2", "ckpt-4", "ckpt-6"]


def test_views(tmp_path: Path) -> None:
    dense = Dense(1.0)
    checkpoint = tf.train.Checkpoint(dense=dense)
    path = checkpoint.write(tmp_path / "c")
    view = tf.train.CheckpointView(path)
    assert view.children(0) == {"dense": 1}
    assert view.descendants() == [0, 1, 2]
    assert tf.train.TrackableView(checkpoint).descendants()[1:] == [dense, dense.w] or (
        tf.train.TrackableView(checkpoint).descendants()[1] is dense
    )
    matched, ours, theirs = view.diff(tf.train.Checkpoint(other=tf.Variable(1.0)))
    assert (list(matched), ours, len(theirs)) == ([0], [1, 2], 1)


def test_states_of_python(tmp_path: Path) -> None:
    class Numbers(tf.train.experimental.PythonState):
        def __init__(self, numbers: list[int]) -> None:
            self.numbers = np.array(numbers, np.int8)

        def serialize(self) -> bytes:
            return self.numbers.tobytes()

        def deserialize(self, string_value: bytes) -> None:
            self.numbers = np.frombuffer(string_value, np.int8)

    path = tf.train.Checkpoint(n=Numbers([1, 2])).write(tmp_path / "c")
    numbers = Numbers([])
    tf.train.Checkpoint(n=numbers).read(path).assert_consumed()
    assert numbers.numbers.tolist() == [1, 2]


def test_iterating_over_checkpoints(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    first = checkpoint.save(tmp_path / "c")
    seen = []
    for path in tf.train.checkpoints_iterator(tmp_path, timeout=0):
        seen.append(path)
        if path == first:
            checkpoint.save(tmp_path / "c")
    assert seen == [first, str(tmp_path / "c-2")]


WRITER = """
import sys
import graphkiln as tf
v = tf.Variable(tf.zeros([64, 1024]))
checkpoint = tf.train.Checkpoint(v=v)
print("ready", flush=True)
while True:
    v.assign_add(tf.ones([64, 1024]))
    checkpoint.write(sys.argv[1])
"""


def test_a_killed_writer_leaves_a_whole_checkpoint(tmp_path: Path) -> None:
    """GK_KILLS: how often, 3 by default."""
    rng = np.random.default_rng(1)
    prefix = str(tmp_path / "c")
    tf.train.Checkpoint(v=tf.Variable(tf.zeros([64, 1024]))).write(prefix)
    for _ in range(int(os.environ.get("GK_KILLS", "3"))):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, prefix], stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.2))
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        v = tf.Variable(tf.fill([64, 1024], -1.0))
        tf.train.Checkpoint(v=v).read(prefix).assert_consumed()
        value = v.numpy()
        assert value.min() == value.max() >= 0
    assert len(os.listdir(tmp_path)) <= 4


def passed_on() -> tf.data.Dataset:
    numbers = tf.data.Dataset.range(20).shuffle(7, seed=3).map(lambda x: x * 2)
    return numbers.repeat(3).batch(4).prefetch(2)


def test_iterators_go_on_where_they_were(tmp_path: Path) -> None:
    iterator = iter(passed_on())
    for _ in range(7):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "ckpt")
    rest = [x.numpy().tolist() for x in iterator]
    other = iter(passed_on())
    tf.train.Checkpoint(iterator=other).restore(path).assert_consumed()
    assert [x.numpy().tolist() for x in other] == rest
    assert len(rest) == 8


def test_iterators_with_effects_are_not_saved(tmp_path: Path) -> None:
    turns = tf.Variable(0)
    counted = tf.data.Dataset.range(3).map(lambda x: turns.assign_add(1))
    iterator = iter(counted)
    next(iterator)
    with pytest.raises(tf.errors.FailedPreconditionError, match="is stateful"):
        tf.train.Checkpoint(iterator=iterator).save(tmp_path / "ckpt")


LARGE = 1 << 19  # elements: what is restored without being copied first


def test_large_values_are_their_owners(tmp_path: Path) -> None:
    values = np.arange(LARGE, dtype=np.float32)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(values))
    path = checkpoint.write(tmp_path / "c")
    data = Path(f"{path}.data-00000-of-00001")
    written = data.read_bytes()
    checkpoint.read(path)
    checkpoint.v.assign_add(tf.ones([LARGE]))
    checkpoint.v[3].assign(-1.0)
    assert data.read_bytes() == written
    expected = values + 1
    expected[3] = -1
    np.testing.assert_array_equal(checkpoint.v.numpy(), expected)


# By another program, and by this one, which waits for itself.
@pytest.mark.parametrize("change", ["write", "truncate", "delete", "checkpoint"])
def test_restored_values_outlive_their_file(change: str, tmp_path: Path) -> None:
    values = np.arange(LARGE, dtype=np.float32)
    checkpoint = tf.train.Checkpoint(v=tf.Variable(values))
    path = checkpoint.write(tmp_path / "c")
    data = Path(f"{path}.data-00000-of-00001")
    arrays = []
    for _ in range(3):
        checkpoint.v.assign(tf.zeros([LARGE]))
        checkpoint.read(path)
        arrays.append(tf.train.load_checkpoint(path).get_tensor(
            "v/.ATTRIBUTES/VARIABLE_VALUE"))
    if change == "write":
        command = "import sys; open(sys.argv[1], 'r+b').write(b'x' * 1000000)"
        subprocess.run([sys.executable, "-c", command, data], check=True)
    elif change == "truncate":
        os.truncate(data, 5)
    elif change == "delete":
        data.unlink()
    else:
        tf.train.Checkpoint(v=tf.Variable(values * 0)).write(path)
    for array in [*arrays, checkpoint.v.numpy()]:
        np.testing.assert_array_equal(array, values)
