"""What TensorFlow's own tests of tf.data showed: the same programs on both modules."""

from __future__ import annotations

import os

import pytest
import tensorflow

import graphkiln


def both(program, *args):
    """What a program gives on both, which is the same."""
    theirs, ours = (program(tf, *args) for tf in (tensorflow, graphkiln))
    assert ours == theirs
    return ours


def _run_all(tf, session, element):
    made = []
    while True:
        try:
            made.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return made


def _twice(tf):
    """Two elements of one iterator, in one run and in runs of their own."""
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        dataset = tf.data.Dataset.range(6).map(lambda x: x * 2)
        iterator = v1.data.make_one_shot_iterator(dataset)
        element = iterator.get_next()
        kind = iterator._iterator_resource.op.type
        first = [int(session.run(element)), int(session.run(element))]
        with v1.Session() as other:
            first.append(int(other.run(element)))
        return kind, first, [int(x) for x in _run_all(tf, session, element)]


def _nested(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        start = tf.constant([1.5, 2.5])
        dataset = tf.data.Dataset.from_tensor_slices({"a": start, "b": ["x", "y"]})
        element = v1.data.make_one_shot_iterator(dataset.cache().repeat(2)).get_next()
        return [(float(e["a"]), bytes(e["b"])) for e in _run_all(tf, session, element)]


def _error(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__, str(error).split("(")[0].split("\n")[0][:60]


def _one_shot_errors(tf):
    v1 = tf.compat.v1
    made = []
    with tf.Graph().as_default():
        fed = tf.data.Dataset.range(v1.placeholder(tf.int64, []))
        made.append(_error(lambda: v1.data.make_one_shot_iterator(fed)))
        variable = v1.get_variable("v", initializer=tf.constant(3, tf.int64))
        held = tf.data.Dataset.range(variable)
        made.append(_error(lambda: v1.data.make_one_shot_iterator(held)))
    with tf.Graph().as_default():
        made.append(_error(lambda: v1.data.make_one_shot_iterator(held))[0])
        made.append(_error(lambda: v1.data.make_initializable_iterator(held))[0])
    return made


def _at(tf):
    dataset = tf.data.Dataset.range(5, 9).map(lambda x: (x, x + 1))
    at = tf.data.experimental.at
    eager = [[int(x) for x in at(dataset, i)] for i in (3, 0)]
    traced = tf.function(lambda d, i: at(d, i))(dataset, tf.constant(1, tf.int64))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        d = tf.data.Dataset.range(3)
        kept = int(session.run(at(d, 2)))
        outside = _error(lambda: session.run(at(d, 3)))[0]
    return eager, [int(x) for x in traced], kept, outside


def _names_of_saveable(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
        made = tf.data.experimental.make_saveable_from_iterator(iterator)
        return made.name, [(s.name, s.slice_spec) for s in made.specs]


def _saved(tf, folder, policy):
    """Goes on where a saver saved an iterator, in a graph made anew."""
    v1 = tf.compat.v1
    path = os.path.join(folder, "ckpt")

    def pipeline():
        made = tf.data.Dataset.range(20).shuffle(5, seed=7).map(lambda x: x * x)
        iterator = v1.data.make_initializable_iterator(made.batch(3))
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator, policy)
        saver = v1.train.Saver([saveable])
        return iterator.initializer, iterator.get_next(), saver

    given = []
    for restores in (False, True):
        with tf.Graph().as_default(), v1.Session() as session:
            v1.set_random_seed(3)
            begin, element, saver = pipeline()
            session.run(begin)
            if restores:
                saver.restore(session, path)
                given += [x.tolist() for x in _run_all(tf, session, element)]
            else:
                given += [session.run(element).tolist() for _ in range(2)]
                saver.save(session, path)
    return given


def _graph_save(tf, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        done = tf.data.Dataset.range(4).save(folder)
        made = done.type, session.run(done)
        loaded = tf.data.Dataset.load(folder, tf.TensorSpec([], tf.int64))
        element = v1.data.make_one_shot_iterator(loaded).get_next()
        return made, [int(x) for x in _run_all(tf, session, element)]


def _cardinalities(tf):
    endless = tf.data.Dataset.range(1).repeat()
    grouped = endless.group_by_window(
        lambda x: x, lambda key, window: window.batch(2), window_size=2
    )
    sized = endless.bucket_by_sequence_length(
        lambda x: tf.cast(x, "int32"), [2], [3, 4]
    )
    return int(grouped.cardinality()), int(sized.cardinality())


def _choices(tf):
    two = [tf.data.Dataset.range(2), tf.data.Dataset.range(3)]
    choose, sample = (
        tf.data.Dataset.choose_from_datasets,
        tf.data.Dataset.sample_from_datasets,
    )
    return [
        _error(lambda: choose(two, choice_dataset=None)),
        _error(lambda: sample(two, weights=[1, 1]))[0],
    ]


def _string_handles(tf):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        iterator = v1.data.make_initializable_iterator(tf.data.Dataset.range(3))
        handle = iterator.string_handle()
        named = iterator.string_handle(name="own")
        return handle is iterator.string_handle(), named is handle, named.op.name


@pytest.mark.parametrize(
    "program",
    [
        _twice,
        _nested,
        _one_shot_errors,
        _at,
        _names_of_saveable,
        _cardinalities,
        _choices,
        _string_handles,
    ],
)
def test_programs_agree(program):
    both(program)


@pytest.mark.parametrize("policy", [None, "WARN"])
def test_savers_save_where_iterators_are(tmp_path, policy):
    def program(tf):
        chosen = policy and getattr(tf.data.experimental.ExternalStatePolicy, policy)
        folder = tmp_path / tf.__name__
        folder.mkdir()
        return _saved(tf, str(folder), chosen)

    both(program)


def test_datasets_are_saved_by_runs_of_graphs(tmp_path):
    both(lambda tf: _graph_save(tf, str(tmp_path / tf.__name__)))


def test_datasets_of_programs_own_ops():
    """Packages derive from what TensorFlow's own datasets derive from."""
    from graphkiln._src.host import private_datasets

    class Doubled(private_datasets.UnaryUnchangedStructureDataset):
        def __init__(self, dataset):
            tf = graphkiln
            variant = tf.raw_ops.ConcatenateDataset(
                input_dataset=dataset._variant_tensor,
                another_dataset=dataset._variant_tensor,
                **self._of(dataset)._flat_structure,
            )
            super().__init__(dataset, variant)

        def _of(self, dataset):
            self._input_dataset = dataset
            return self

    class Ones(private_datasets.DatasetSource):
        element_spec = graphkiln.TensorSpec([], graphkiln.int64)

        def __init__(self):
            made = graphkiln.data.Dataset.from_tensors(
                graphkiln.constant(1, graphkiln.int64)
            )
            self._made = made
            super().__init__(made._variant_tensor)

    ones = Doubled(Doubled(Ones()))
    assert [int(x) for x in ones] == [1] * 4
    assert [int(x) for x in ones.map(lambda x: x + 1).take(2)] == [2, 2]
    assert ones._common_args["metadata"] == b""
