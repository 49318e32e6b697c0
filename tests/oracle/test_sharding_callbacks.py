"""Checkpoints of several data files: the same files as TensorFlow's, which reads
ours, and the other way round."""

import os

import numpy as np
import pytest
import tensorflow as tf

import graphkiln as gk

LIBRARIES = [gk, tf]
# Sizes of which TensorFlow finds an end: it looks for a shard that one row of a
# tensor fits into, forever where there is none.
SIZES = [50, 90, 100, 150, 200, 333, 1000, 5000]


def variables_of(t):
    module = t.Module()
    module.b = t.Variable(np.arange(60, dtype=np.float32).reshape(5, 12), name="b")
    module.a = t.Variable([1.0, 2.0, 3.0], name="a")
    module.s = t.Variable(["xx", "a longer text"], name="s")
    module.c = t.Variable(3, name="c")
    module.big = t.Variable(np.arange(42.0).reshape(2, 3, 7), name="big")
    module.text = t.Variable("one text", name="text")
    return module


def written(t, prefix, callback):
    checkpoint = t.train.Checkpoint(module=variables_of(t))
    options = t.train.CheckpointOptions(experimental_sharding_callback=callback)
    return checkpoint.write(str(prefix), options)


def sizes(folder):
    """Of data files that are not empty, in their order."""
    names = sorted(name for name in os.listdir(folder) if ".data-" in name)
    found = [os.path.getsize(folder / name) for name in names]
    return [size for size in found if size > 0]


@pytest.mark.parametrize("most", SIZES)
def test_files_are_tensorflows(tmp_path, most):
    found = {}
    for t in LIBRARIES:
        folder = tmp_path / t.__name__
        policy = t.train.experimental.MaxShardSizePolicy(most)
        path = written(t, folder / "c", policy)
        found[t] = sizes(folder)
        for reader in LIBRARIES:
            fresh = variables_of(reader)
            for v in fresh.variables:
                v.assign(reader.zeros_like(v))
            reader.train.Checkpoint(module=fresh).read(path).assert_consumed()
            for v, want in zip(
                fresh.variables, variables_of(reader).variables, strict=True
            ):
                np.testing.assert_array_equal(v.numpy(), want.numpy())
    assert found[gk] == found[tf]


def by_type(t):
    class ByType(t.train.experimental.ShardingCallback):
        @property
        def description(self):
            return "A file for each type."

        def __call__(self, shardable_tensors):
            shards = {}
            for value in shardable_tensors:
                shard = shards.setdefault(str(value.dtype), {})
                shard.setdefault(value.checkpoint_key, {})[value.slice_spec] = (
                    value.tensor
                )
            return list(shards.values())

    return ByType()


def test_callbacks_of_the_program(tmp_path):
    found = {}
    for t in LIBRARIES:
        folder = tmp_path / t.__name__
        path = written(t, folder / "c", by_type(t))
        found[t] = sizes(folder)
        assert len(found[t]) == 4
        for reader in LIBRARIES:
            values = reader.train.load_checkpoint(path)
            assert values.get_tensor("module/a/.ATTRIBUTES/VARIABLE_VALUE")[2] == 3.0
    assert found[gk] == found[tf]


@pytest.mark.parametrize(
    "options", ["train.CheckpointOptions", "saved_model.SaveOptions"]
)
def test_what_is_no_callback_is_refused(options):
    said = []
    for t in LIBRARIES:
        space, name = options.split(".")
        make = getattr(getattr(t, space), name)
        for callback in (3, print, t.train.experimental.ShardByTaskPolicy):
            with pytest.raises(ValueError) as error:
                make(experimental_sharding_callback=callback)
            said.append(str(error.value))
    assert said[:3] == said[3:]


def test_descriptions():
    for name, arguments in {
        "ShardByTaskPolicy": (),
        "MaxShardSizePolicy": (3,),
    }.items():
        ours, theirs = (
            getattr(t.train.experimental, name)(*arguments).description
            for t in LIBRARIES
        )
        assert ours == theirs


def test_saved_models(tmp_path):
    for t in LIBRARIES:
        folder = tmp_path / t.__name__
        module = variables_of(t)
        t.saved_model.save(
            module,
            str(folder),
            options=t.saved_model.SaveOptions(
                experimental_sharding_callback=(
                    t.train.experimental.MaxShardSizePolicy(100)
                )
            ),
        )
        for reader in LIBRARIES:
            loaded = reader.saved_model.load(str(folder))
            np.testing.assert_array_equal(loaded.big.numpy(), module.big.numpy())
    ours, theirs = (sizes(tmp_path / t.__name__ / "variables") for t in LIBRARIES)
    # The last file has the graph of objects, which names a function or two else.
    assert ours[:-1] == theirs[:-1] and len(ours) == len(theirs) > 5
