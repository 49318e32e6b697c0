"""Checkpoints of several data files, and what a callback may not do."""

import os

import numpy as np
import pytest

import graphkiln as tf


class Callback(tf.train.experimental.ShardingCallback):
    def __init__(self, decide):
        self.decide = decide

    @property
    def description(self):
        return "The test's."

    def __call__(self, shardable_tensors):
        return self.decide(shardable_tensors)


def together(tensors):
    return {t.checkpoint_key: {t.slice_spec: t.tensor} for t in tensors}


def checkpoint_of(**values):
    return tf.train.Checkpoint(**{k: tf.Variable(v) for k, v in values.items()})


def options_of(callback, **others):
    return tf.train.CheckpointOptions(experimental_sharding_callback=callback, **others)


@pytest.mark.parametrize("most", [1, 3, 4, 7, 12, 40, 64, 1 << 40])
def test_no_shard_is_larger(tmp_path, most):
    values = {
        "a": np.arange(60, dtype=np.int32).reshape(3, 4, 5),
        "b": np.array(["", "x" * 30, "yy"]),
        "none": np.zeros([0, 3], np.float32),
        "c": np.float64(2.5),
        "d": np.arange(6, dtype=np.int8),
    }
    checkpoint = checkpoint_of(**values)
    policy = tf.train.experimental.MaxShardSizePolicy(most)
    path = checkpoint.write(tmp_path / "c", options_of(policy))
    shards = [x for x in os.listdir(tmp_path) if ".data-" in x]
    assert len(shards) == int(shards[0][-5:]) and all(
        os.path.getsize(tmp_path / x) for x in shards
    )
    reader = tf.train.load_checkpoint(path)
    for name, value in values.items():
        found = reader.get_tensor(f"{name}/.ATTRIBUTES/VARIABLE_VALUE")
        want = value.astype(object) if value.dtype.kind == "U" else value
        assert np.array_equal(
            found, np.vectorize(str.encode)(want) if value.dtype.kind == "U" else want
        )
    restored = checkpoint_of(**{k: np.zeros_like(v) for k, v in values.items()})
    restored.read(path).assert_consumed()
    assert np.array_equal(restored.a.numpy(), values["a"])


def test_parts_of_the_policy_are_the_tensor():
    class Shardable:
        checkpoint_key, slice_spec = "k", ""
        tensor = tf.reshape(tf.range(35), [5, 7])

    shards = tf.train.experimental.MaxShardSizePolicy(60)([Shardable])
    whole = np.full([5, 7], -1)
    for shard in shards:
        (parts,) = shard.values()
        assert sum(p.numpy().nbytes for p in parts.values()) <= 60
        for spec, part in parts.items():
            rows, columns = (
                tuple(map(int, x.split(","))) for x in spec.split()[2].split(":")
            )
            box = (
                slice(rows[0], sum(rows)),
                slice(columns[0], sum(columns)),
            )
            assert (whole[box] == -1).all()
            whole[box] = part.numpy()
    assert np.array_equal(whole, Shardable.tensor.numpy())


def test_a_callback_cuts_tensors(tmp_path):
    def halves(tensors):
        first, *others = tensors
        assert first.trackable is checkpoint.v and first.name == first.checkpoint_key
        assert first.device.device_type == "CPU" and first.shape == [4, 3]
        return [
            {first.checkpoint_key: {"4 3 2,2:-": first.tensor[2:]}},
            {first.checkpoint_key: {"4 3 0,2:-": first.tensor[:2]}, **together(others)},
        ]

    checkpoint = checkpoint_of(v=np.arange(12.0).reshape(4, 3))
    path = checkpoint.save(tmp_path / "c", options_of(Callback(halves)))
    checkpoint.v.assign(tf.zeros([4, 3], tf.float64))
    checkpoint.restore(path).assert_consumed()
    assert checkpoint.v.numpy()[3, 2] == 11.0


def altered(change):
    def decide(tensors):
        shard = together(tensors)
        change(shard, tensors[0])
        return [shard]

    return decide


@pytest.mark.parametrize(
    "decide, words",
    [
        (lambda tensors: [], "is in no shard"),
        (lambda tensors: [together(tensors[1:])], "v.*is in no shard|is in no shard"),
        (lambda tensors: [together(tensors)] * 2, "same checkpoint key"),
        (altered(lambda s, t: s.update(q={"": t.tensor})), "not originally"),
        (altered(lambda s, t: s.update({t.checkpoint_key: {"": t.tensor[1:]}})),
         "altered shape"),
        (altered(lambda s, t: s.update(
            {t.checkpoint_key: {"": tf.cast(t.tensor, tf.float32)}})),
         "altered dtype"),
        (altered(lambda s, t: s.update(
            {t.checkpoint_key: {"4 3 0,2:-": t.tensor[:2]}})),
         "parts of a tensor are in no shard"),
        (altered(lambda s, t: s.update({t.checkpoint_key: {
            "4 3 0,3:-": t.tensor[:3], "4 3 2,2:-": t.tensor[2:]}})),
         "same checkpoint key"),
    ],
)  # fmt: skip
def test_what_a_callback_may_not_do(tmp_path, decide, words):
    checkpoint = checkpoint_of(v=np.arange(12.0).reshape(4, 3))
    path = checkpoint.write(tmp_path / "c")
    before = sorted(os.listdir(tmp_path))
    checkpoint.v.assign_add(tf.ones([4, 3], tf.float64))
    with pytest.raises(RuntimeError, match=f"(?s)sharding callback, .*({words})"):
        checkpoint.write(tmp_path / "c", options_of(Callback(decide)))
    assert sorted(os.listdir(tmp_path)) == before
    checkpoint.read(path).assert_consumed()
    assert checkpoint.v.numpy()[0, 0] == 0.0


@pytest.mark.parametrize(
    "decide, error",
    [
        (lambda tensors: 3, TypeError),
        (lambda tensors: [3], AttributeError),
        (lambda tensors: [{3: {"": tensors[0].tensor}}], TypeError),
        (lambda tensors: [{"v": {None: tensors[0].tensor}}], TypeError),
        (lambda tensors: [{"v": {"4 x": tensors[0].tensor}}], tf.errors.OpError),
        (lambda tensors: 1 // 0, ZeroDivisionError),
    ],
)
@pytest.mark.parametrize("other_thread", [False, True])
def test_errors_of_callbacks(tmp_path, decide, error, other_thread):
    checkpoint = checkpoint_of(v=1)
    options = options_of(Callback(decide), enable_async=other_thread)
    with pytest.raises(error):
        checkpoint.write(tmp_path / "c", options)
        checkpoint.sync()
    assert not [x for x in os.listdir(tmp_path) if ".index" in x]


@pytest.mark.parametrize("size, error", [(2.5, TypeError), ("x", TypeError)])
def test_sizes_are_whole_numbers(size, error):
    with pytest.raises(error):
        tf.train.experimental.MaxShardSizePolicy(size)


@pytest.mark.parametrize("size", [0, -1])
def test_sizes_are_positive(tmp_path, size):
    policy = tf.train.experimental.MaxShardSizePolicy(size)
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_shard_size"):
        checkpoint_of(v=1).write(tmp_path / "c", options_of(policy))


def test_older_files_go_when_the_number_changes(tmp_path):
    checkpoint = checkpoint_of(v=np.arange(100))
    for most in (80, 200, 200, 10_000, 80):
        checkpoint.v.assign_add(np.ones(100, np.int64))
        policy = tf.train.experimental.MaxShardSizePolicy(most)
        path = checkpoint.write(tmp_path / "c", options_of(policy))
        names = [x for x in os.listdir(tmp_path) if ".data-" in x]
        assert len(names) == -(-800 // most)
        assert len({x[-8:] for x in names}) == 1
        assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE")[0] == int(
            checkpoint.v[0]
        )


def test_hashes_tell_callbacks_apart():
    policy = tf.train.experimental.MaxShardSizePolicy
    assert hash(policy(3)) == hash(policy(3)) != hash(policy(4))
