"""Staging areas, accumulators and sparse tensors under numbers."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import graphkiln as tf

r, v1 = tf.raw_ops, tf.compat.v1
TYPES = [tf.float32, tf.int32]


def lists(values):
    return [np.asarray(v).tolist() for v in values]


def waits(waiting, then):
    """What `waiting` gives, which goes on once `then` was called."""
    found = []
    thread = threading.Thread(target=lambda: found.append(waiting()))
    thread.start()
    time.sleep(0.1)
    assert not found
    then()
    thread.join(10)
    assert not thread.is_alive()
    return found[0]


def stage(values, name, **limits):
    r.Stage(values=values, shared_name=name, **limits)


def unstage(name, dtypes=TYPES):
    return lists(r.Unstage(dtypes=dtypes, shared_name=name))


def test_a_staging_area_gives_tuples_in_their_order():
    stage([[1.0, 2.0], 3], "order")
    stage([[4.0], 5], "order")
    size = r.StageSize(dtypes=TYPES, shared_name="order")
    assert size.numpy() == 2
    peeked = r.StagePeek(index=1, dtypes=TYPES, shared_name="order")
    assert lists(peeked) == [[4.0], 5]
    assert unstage("order") == [[1.0, 2.0], 3]
    r.StageClear(dtypes=TYPES, shared_name="order")
    assert r.StageSize(dtypes=TYPES, shared_name="order").numpy() == 0


def test_whoever_unstages_waits_for_a_tuple():
    found = waits(lambda: unstage("empty"), lambda: stage([1.0, 2], "empty"))
    assert found == [1.0, 2]


def test_whoever_stages_waits_for_room():
    stage([1.0, 2], "full", capacity=1)
    taken = []
    waits(
        lambda: stage([3.0, 4], "full", capacity=1),
        lambda: taken.append(unstage("full")),
    )
    assert taken == [[1.0, 2]]
    assert unstage("full") == [3.0, 4]


def test_functions_stage():
    @tf.function
    def put(x):
        stage([x, tf.cast(x, tf.int32)], "function")
        stage([x + 1.0, 0], "function")

    put(tf.constant(2.0))
    assert unstage("function") == [2.0, 2]
    assert unstage("function") == [3.0, 0]


def test_what_staging_areas_refuse():
    with pytest.raises(tf.errors.ResourceExhaustedError, match="limit of '20'"):
        stage([[1.0] * 10, 3], "small", memory_limit=20)
    stage([1.0, 3], "types")
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 vs. 1"):
        unstage("types", [tf.float32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        unstage("types", [tf.int32, tf.int32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="index"):
        r.StagePeek(index=-1, dtypes=TYPES, shared_name="types")
    assert unstage("types") == [1.0, 3]


@pytest.fixture(params=["Map", "OrderedMap"])
def staged(request):
    return StagedMap(request.param, request.function.__name__)


class StagedMap:
    def __init__(self, kind, name):
        self.kind, self.name = kind, name

    def op(self, name, **arguments):
        arguments.setdefault("dtypes", TYPES)
        return getattr(r, self.kind + name)(shared_name=self.name, **arguments)

    def put(self, key, indices, values):
        self.op(
            "Stage",
            key=tf.constant(key, tf.int64),
            indices=tf.constant(indices, tf.int32),
            values=values,
        )

    def get(self, key, indices, dtypes=TYPES, op="Unstage"):
        return lists(
            self.op(op, key=tf.constant(key, tf.int64), indices=indices, dtypes=dtypes)
        )

    def sizes(self):
        return self.op("Size").numpy(), self.op("IncompleteSize").numpy()


def test_staging_maps_give_tuples_by_their_keys(staged):
    staged.put(5, [0, 1], [1.0, 2])
    staged.put(3, [0, 1], [3.0, 4])
    assert staged.sizes() == (2, 0)
    assert staged.get(5, [0, 1], op="Peek") == [1.0, 2]
    assert staged.get(5, [0, 1]) == [1.0, 2]
    key, values = staged.op("UnstageNoKey", indices=[0, 1])
    assert (key.numpy(), lists(values)) == (3, [3.0, 4])
    assert staged.sizes() == (0, 0)


def test_components_of_staging_maps_come_and_go_one_by_one(staged):
    staged.put(1, [1], [7])
    assert staged.sizes() == (0, 1)
    staged.put(1, [0], [8.0])
    assert staged.sizes() == (1, 0)
    assert staged.get(1, [1], [tf.int32]) == [7]
    assert staged.sizes() == (1, 0)
    assert staged.get(1, [0], [tf.float32]) == [8.0]
    staged.put(1, [0], [8.0])
    staged.op("Clear")
    assert staged.sizes() == (0, 0)


def test_whoever_unstages_a_key_waits_for_it(staged):
    found = waits(
        lambda: staged.get(9, [0, 1]), lambda: staged.put(9, [0, 1], [1.0, 2])
    )
    assert found == [1.0, 2]


def test_what_staging_maps_refuse(staged):
    for indices, values, words in [
        ([1, 0], [7, 1.0], "not strictly ordered"),
        ([2], [7], "out of bounds"),
        ([-1], [7], "out of bounds"),
        ([0], [7.0, 1], "as many indices"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            staged.put(1, indices, values)
    staged.put(1, [1], [7])
    with pytest.raises(tf.errors.InvalidArgumentError, match="already initialized"):
        staged.put(1, [1], [7])
    staged.put(1, [0], [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        staged.get(1, [0], [tf.int32])
    staged.get(1, [0], [tf.float32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="been removed"):
        staged.get(1, [0], [tf.float32])


def test_an_accumulator_gives_means_and_counts_no_old_gradients():
    a = v1.ConditionalAccumulator(tf.float32, shape=[2])
    a.apply_grad([1.0, 2.0])
    a.apply_grad([3.0, 2.0], local_step=4)
    assert a.num_accumulated().numpy() == 2
    assert a.take_grad(1).numpy().tolist() == [2.0, 2.0]
    a.apply_grad([9.0, 9.0], local_step=0)
    assert a.num_accumulated().numpy() == 0
    a.apply_grad([1.0, 1.0], local_step=1)
    a.set_global_step(7)
    a.apply_grad([1.0, 5.0], local_step=6)
    assert a.take_grad(1).numpy().tolist() == [1.0, 1.0]


def test_whoever_takes_a_gradient_waits_for_it():
    a = v1.ConditionalAccumulator(tf.float64, shape=[], reduction_type="SUM")
    a.apply_grad(1.0)
    assert waits(lambda: a.take_grad(2).numpy(), lambda: a.apply_grad(2.0)) == 3.0


def test_what_accumulators_refuse():
    a = v1.ConditionalAccumulator(tf.float32, shape=[None])
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        a.take_grad(0)
    a.apply_grad([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected .2., got .1."):
        a.apply_grad([1.0])
    with pytest.raises(ValueError):
        a.apply_grad(1.0)
    handle = a.accumulator_ref
    with pytest.raises(tf.errors.InvalidArgumentError, match="type float, got int32"):
        r.ResourceAccumulatorApplyGradient(
            handle=handle, local_step=tf.constant(0, tf.int64), gradient=[1, 2]
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="not int32"):
        r.ResourceAccumulatorTakeGradient(handle=handle, num_required=1, dtype=tf.int32)
    with pytest.raises((tf.errors.NotFoundError, tf.errors.InvalidArgumentError)):
        v1.ConditionalAccumulator(tf.int32, shape=[2])


def test_rows_of_gradients_are_averaged_each_by_itself():
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.SparseConditionalAccumulator(tf.float32, shape=[3, 2])
        session.run(a.apply_grad([0, 2], [[1.0, 1.0], [2.0, 2.0]], [3, 2]))
        slices = tf.IndexedSlices(
            tf.constant([[5.0, 5.0]]),
            tf.constant([2], tf.int64),
            tf.constant([3, 2], tf.int64),
        )
        session.run(a.apply_indexed_slices_grad(slices))
        indices, values, shape = session.run(a.take_grad(2))
        assert indices.tolist() == [0, 2]
        assert values.tolist() == [[1.0, 1.0], [3.5, 3.5]]
        assert shape.tolist() == [3, 2]
        for indices, values, words in [
            ([2, 0], [[1.0, 1.0]], "Expected 2"),
            ([2], [[1.0]], "Shape mismatch"),
            ([5], [[1.0, 1.0]], "exceeded"),
            ([0], 1.0, "0-dimensional|non-empty|must be"),
        ]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                session.run(a.apply_grad(indices, values, local_step=9))


def add_sparse(indices, values, shape, many=False, name="map"):
    op = r.AddManySparseToTensorsMap if many else r.AddSparseToTensorsMap
    return op(
        sparse_indices=tf.constant(indices, tf.int64),
        sparse_values=values,
        sparse_shape=tf.constant(shape, tf.int64),
        shared_name=name,
    )


def take_sparse(handles, dtype=tf.float32, name="map"):
    return lists(
        r.TakeManySparseFromTensorsMap(
            sparse_handles=handles, dtype=dtype, shared_name=name
        )
    )


def test_sparse_tensors_are_kept_under_numbers():
    a = add_sparse([[0], [2]], [1.0, 2.0], [3])
    b = add_sparse([[4]], [5.0], [6])
    assert take_sparse([b, a]) == [[[0, 4], [1, 0], [1, 2]], [5.0, 1.0, 2.0], [2, 6]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find"):
        take_sparse([a])


def test_rows_of_sparse_tensors_are_kept_under_numbers():
    handles = add_sparse([[0, 1], [2, 0], [2, 1]], [1.0, 2.0, 3.0], [3, 2], many=True)
    assert take_sparse(handles) == [
        [[0, 1], [2, 0], [2, 1]],
        [1.0, 2.0, 3.0],
        [3, 2],
    ]


def test_what_maps_of_sparse_tensors_refuse():
    kept = add_sparse([[0]], [1.0], [3])
    for call in (
        lambda: add_sparse([[0]], [1.0], [3], many=True),
        lambda: add_sparse([0], [1.0], [3]),
        lambda: add_sparse([[0]], [1.0, 2.0], [3]),
        lambda: add_sparse([[7, 0]], [1.0], [3, 2], many=True),
        lambda: take_sparse([[1]]),
        lambda: take_sparse(tf.constant([], tf.int64)),
        lambda: take_sparse([kept, 10**6]),
        lambda: take_sparse([kept], tf.int32),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            call()
