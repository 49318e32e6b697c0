"""tf.distribute of one replica, against TensorFlow."""

from __future__ import annotations

import pytest
import tensorflow

import graphkiln

CALLS = {
    "outside": lambda tf, s: (
        tf.distribute.has_strategy(),
        tf.distribute.in_cross_replica_context(),
        tf.distribute.get_replica_context().num_replicas_in_sync,
        tf.distribute.get_strategy().num_replicas_in_sync,
    ),
    "in a scope": lambda tf, s: _inside(tf, s, lambda: (
        tf.distribute.has_strategy(),
        tf.distribute.in_cross_replica_context(),
        tf.distribute.get_replica_context(),
        tf.distribute.get_strategy() is s,
    )),
    "in a replica": lambda tf, s: s.run(lambda: (
        tf.distribute.has_strategy(),
        tf.distribute.in_cross_replica_context(),
        tf.distribute.get_replica_context().replica_id_in_sync_group,
        tf.distribute.get_replica_context().strategy is s,
    )),
    "in the default replica": lambda tf, s: tf.distribute.get_strategy().run(
        lambda: (
            tf.distribute.has_strategy(),
            tf.distribute.in_cross_replica_context(),
            tf.distribute.get_replica_context().replica_id_in_sync_group,
        )
    ),
    "arguments": lambda tf, s: s.run(lambda x, y: x - y, (5.0,), {"y": 2.0}),
    "no tuple": lambda tf, s: s.run(lambda x: x, 5.0),
    "run in run": lambda tf, s: s.run(lambda: s.run(lambda: 1)),
    "reduce in run": lambda tf, s: s.run(lambda: s.reduce("SUM", 1.0, None)),
    "merge_call": lambda tf, s: s.run(
        lambda: tf.distribute.get_replica_context().merge_call(
            lambda st, x: (x, st is s, tf.distribute.in_cross_replica_context()), (3,)
        )
    ),
    "default merge_call": lambda tf, s: (
        tf.distribute.get_replica_context().merge_call(
            lambda st, x: (x, tf.distribute.in_cross_replica_context()), (3,)
        )
    ),
    "all_reduce": lambda tf, s: s.run(
        lambda: tf.distribute.get_replica_context().all_reduce(
            "mean", [tf.constant(3.0), tf.constant(4.5)]
        )
    ),
    "default all_reduce": lambda tf, s: (
        tf.distribute.get_replica_context().all_reduce(
            tf.distribute.ReduceOp.SUM, tf.constant(3.0)
        )
    ),
    "sum": lambda tf, s: s.reduce("sum", tf.constant([1.0, 2.0]), axis=0),
    "mean": lambda tf, s: s.reduce("MEAN", tf.constant([[1.0, 2.0]]), axis=1),
    "mean of the first": lambda tf, s: s.reduce(
        tf.distribute.ReduceOp.MEAN, tf.constant([[1.0, 2.0], [3.0, 9.0]]), axis=0
    ),
    "no axis": lambda tf, s: s.reduce("MEAN", {"a": tf.constant([1, 2])}, axis=None),
    "no reduction": lambda tf, s: s.reduce("XX", tf.constant([1]), axis=None),
    "gather": lambda tf, s: s.gather(tf.constant([1.0, 2.0]), axis=0),
    "local results": lambda tf, s: s.experimental_local_results(tf.constant(1)),
    "another scope": lambda tf, s: _inside(
        tf, s, lambda: _inside(tf, tf.distribute.OneDeviceStrategy("/cpu:0"), int)
    ),
    "the same scope": lambda tf, s: _inside(tf, s, lambda: _inside(tf, s, int)),
    "devices": lambda tf, s: (
        s.extended.worker_devices, s.extended.parameter_devices
    ),
    "reduce_to": lambda tf, s: s.extended.reduce_to("SUM", tf.constant(3), "/cpu:0"),
    "batch_reduce_to": lambda tf, s: s.extended.batch_reduce_to(
        "SUM", [(tf.constant(3), "/cpu:0")]
    ),
    "update": lambda tf, s: _update(tf, s, True),
    "update without group": lambda tf, s: _update(tf, s, False),
    "whose variable": lambda tf, s: _whose(tf, s),
    "dataset": lambda tf, s: list(
        s.experimental_distribute_dataset(tf.data.Dataset.range(2))
    ),
    "aggregation": lambda tf, s: tf.distribute.ReduceOp.from_variable_aggregation(
        tf.VariableAggregation.MEAN
    ).value,
    "no aggregation": lambda tf, s: (
        tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE)
    ),
    "share": lambda tf, s: tf.distribute.InputContext(
        num_replicas_in_sync=2
    ).get_per_replica_batch_size(7),
    "context": lambda tf, s: str(tf.distribute.InputContext(2, 1, 1)),
    "set in a scope": lambda tf, s: _inside(
        tf, s, lambda: tf.distribute.experimental_set_strategy(s)
    ),
    "in a function": lambda tf, s: _in_function(tf, s),
}


def _inside(tf, strategy, function):
    with strategy.scope():
        return function()


def _update(tf, strategy, group):
    with strategy.scope():
        variable = tf.Variable(1.0)
        result = strategy.extended.update(
            variable, lambda v, x: v.assign_add(x).read_value(), (2.0,), group=group
        )
    return result, variable.numpy()


def _whose(tf, strategy):
    outside = tf.Variable(1.0)
    with strategy.scope():
        inside = tf.Variable(1.0)
    default = tf.distribute.get_strategy()
    return [
        s.extended.variable_created_in_scope(v)
        for s in (strategy, default) for v in (outside, inside)
    ]


def _in_function(tf, strategy):
    v = tf.Variable(2.0)

    def step(x):
        if x > 1:  # converted
            v.assign_add(x)
        return v.read_value()

    @tf.function
    def program(x):
        return strategy.reduce("SUM", strategy.run(step, (x,)), axis=None)

    return program(tf.constant(3.0)), program(tf.constant(0.5))


def _shown(value):
    if isinstance(value, dict):
        return {key: _shown(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(_shown(part) for part in value)
    if hasattr(value, "numpy"):
        return value.dtype.name, value.numpy().tolist()
    return value


def _outcome(tf, call, make):
    strategy = make(tf)
    try:
        return _shown(call(tf, strategy))
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", ["OneDeviceStrategy", "MirroredStrategy"])
def test_as_tensorflow(name, kind):
    def make(tf):
        argument = "/cpu:0" if kind == "OneDeviceStrategy" else ["/cpu:0"]
        return getattr(tf.distribute, kind)(argument)

    theirs = _outcome(tensorflow, CALLS[name], make)
    assert _outcome(graphkiln, CALLS[name], make) == theirs
    assert not graphkiln.distribute.has_strategy()
