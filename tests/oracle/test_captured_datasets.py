"""Datasets that functions of saved models capture: each module's models in the
other, with every source and transformation; what makes them anew in a file."""

from __future__ import annotations

import pytest
from test_dataset_table import OF_CHANCE, TABLE, UNSEEDED, outcomes

# TensorFlow does not save what keeps a state outside, its own shuffles within
# functions among that.
NOT_SAVED_THERE = {
    "copy_to_device", "flat_map_shuffled", "ignore_errors", "ignored",
    "interleave_parallel_shuffled", "interleave_shuffled", "prefetch_to_device",
    "rejection_resample", "single_of_many",
}  # fmt: skip
# The second file is another one; files of caches are each module's own.
OF_FILES = {"list_files", "cache_file", "cache_file_of_shuffle"}
# A generator is in its own process and module alone.
OF_PROCESSES = {"from_generator"}
NAMES = [n for n in TABLE if n not in OF_FILES | OF_PROCESSES]


def model(tf, name, folder):
    folder.mkdir()
    made = tf.Module()
    made.data = TABLE[name](tf, folder)
    made.get = tf.function(
        lambda: tf.data.experimental.to_variant(made.data), input_signature=[]
    )
    return made


def elements(tf, path, spec):
    data = tf.data.experimental.from_variant(tf.saved_model.load(path).get(), spec)
    return outcomes(tf, data)


def comparable(name, found):
    found = sorted(found) if name in UNSEEDED else found
    return len(found) if name in OF_CHANCE else found


@pytest.mark.parametrize("name", NAMES)
def test_what_is_saved_here(both, name, tmp_path):
    made = model(both.ours, name, tmp_path / "ours")
    path = str(tmp_path / "model")
    both.ours.saved_model.save(made, path)
    there = model(both.theirs, name, tmp_path / "theirs").data.element_spec
    first, second = (
        elements(both.ours, path, made.data.element_spec),
        elements(both.theirs, path, there),
    )
    assert comparable(name, first) == comparable(name, outcomes(both.ours, made.data))
    assert comparable(name, first) == comparable(name, second)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in NOT_SAVED_THERE])
def test_what_is_saved_there(both, name, tmp_path):
    made = model(both.theirs, name, tmp_path / "theirs")
    path = str(tmp_path / "model")
    both.theirs.saved_model.save(made, path)
    here = model(both.ours, name, tmp_path / "ours").data.element_spec
    found = elements(both.ours, path, here)
    assert comparable(name, found) == comparable(name, outcomes(both.theirs, made.data))
    # And once more, from here.
    again = str(tmp_path / "again")
    both.ours.saved_model.save(both.ours.saved_model.load(path), again)
    assert comparable(name, elements(both.ours, again, here)) == comparable(name, found)
