"""Runs of sessions in steps, tensors that they keep, functions as devices, and the
first version's shapes and comparisons: the same calls on both modules."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import tensorflow

import graphkiln


def outcome(call):
    """What a call gives, or the class of its error."""
    try:
        return call()
    except Exception as e:
        return type(e).__name__


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def steps(tf):
    v = tf.compat.v1
    a, b, c = (v.placeholder(tf.float32, [], name=n) for n in "abc")
    count = v.get_variable("count", [], initializer=v.zeros_initializer())
    drawn = v.assign_add(count, 1.0)
    return v, a, b, c, count, drawn, a + b, (a + b) * c + drawn


def two_steps(tf, session):
    v, a, b, c, count, drawn, r1, r2 = steps(tf)
    session.run(v.global_variables_initializer())
    run = session.partial_run_setup([r1, r2, drawn], [a, b, c])
    first = session.partial_run(run, {"r1": r1, "n": drawn}, {a: 1.0, b: 2.0})
    second = session.partial_run(run, [r2], {c: 10.0})
    ended = outcome(lambda: session.partial_run(run, r1))
    return first, second, session.run(count), ended


def a_graph_in_many_steps(tf, session):
    x = tf.constant(2.0)
    feeds, products = [], []
    for _ in range(12):
        feeds.append(tf.compat.v1.placeholder(tf.float32, []))
        x = x * feeds[-1]
        products.append(x)
    run = session.partial_run_setup(products, feeds)
    return [session.partial_run(run, p, {f: 2.0}) for f, p in zip(feeds, products)]


def effects_in_order(tf, session):
    v = tf.compat.v1
    x = v.placeholder(tf.float32, [])
    total = v.get_variable("total", [], initializer=v.zeros_initializer())
    session.run(total.initializer)
    add = total.assign_add(1.0)
    with tf.control_dependencies([add]):
        read = x + total.read_value()
    run = session.partial_run_setup([add, read], [x])
    return (
        session.partial_run(run, add), session.partial_run(run, read, {x: 5.0}),
        session.run(total),
    )  # fmt: skip


def operations(tf, session):
    v = tf.compat.v1
    x = v.placeholder(tf.float32, [])
    total = v.get_variable("total", [], initializer=v.zeros_initializer())
    session.run(total.initializer)
    y = x * 2.0
    run = session.partial_run_setup([y, total.assign_add(1.0).op, y.op], [x])
    refused = outcome(lambda: session.partial_run(run, y.op))
    return refused, session.partial_run(run, y, {x: 2.0}), session.run(total)


def a_feed_is_fetched(tf, session):
    x = tf.constant(2.0)
    y = x * 3.0
    run = session.partial_run_setup([y], [x])
    return session.partial_run(run, y, {x: 5.0})


def without_feeds(tf, session):
    y = tf.constant([6.0])
    return session.partial_run(session.partial_run_setup([y]), y)


def an_empty_step(tf, session):
    x = tf.compat.v1.placeholder(tf.float32)
    y = x * 2.0
    run = session.partial_run_setup([y], [x])
    return session.partial_run(run, [], {x: 3.0}), session.partial_run(run, [y], {})


def refused(step):
    def case(tf, session):
        v, a, b, c, _, _, r1, r2 = steps(tf)
        session.run(v.global_variables_initializer())
        run = session.partial_run_setup([r1, r2], [a, b, c])
        session.partial_run(run, r1, {a: 1.0, b: 2.0})
        return outcome(lambda: step(session, run, a, b, c, r1, r2))

    return case


RUNS = {
    "two_steps": two_steps,
    "many": a_graph_in_many_steps,
    "effects": effects_in_order,
    "operations": operations,
    "a_feed": a_feed_is_fetched,
    "without_feeds": without_feeds,
    "an_empty_step": an_empty_step,
    "nothing": lambda tf, s: outcome(
        lambda: s.partial_run_setup([], [tf.compat.v1.placeholder(tf.float32)])
    ),
    "fed_twice": refused(lambda s, run, a, b, c, r1, r2: s.partial_run(run, r2, {a: 1})),
    "fetched_twice": refused(lambda s, run, a, b, c, r1, r2: s.partial_run(run, r1)),
    "too_early": refused(lambda s, run, a, b, c, r1, r2: s.partial_run(run, r2)),
    "other_feed": refused(
        lambda s, run, a, b, c, r1, r2: s.partial_run(run, r2, {r1: 1.0, c: 1.0})
    ),
    "other_fetch": refused(lambda s, run, a, b, c, r1, r2: s.partial_run(run, a)),
    "other_handle": refused(lambda s, run, a, b, c, r1, r2: s.partial_run("?", r2)),
}


@pytest.mark.parametrize("name", RUNS)
def test_runs_in_steps(name):
    answers = []
    for tf in (graphkiln, tensorflow):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            answers.append(plain(RUNS[name](tf, session)))
    assert answers[0] == answers[1]


def kept(tf, session, value):
    return session.run(tf.compat.v1.get_session_handle(value))


def a_kept_tensor(tf, session):
    v = tf.compat.v1
    handle = kept(tf, session, tf.constant([1, 2]) * 3)
    holder, x = v.get_session_tensor(handle.handle, tf.int32)
    return session.run(x + 1, {holder: handle.handle}), handle.eval(), x.dtype.name


def a_loop(tf, session):
    v = tf.compat.v1
    handle = kept(tf, session, tf.constant(0))
    holder, x = v.get_session_tensor(handle.handle, tf.int32)
    more = v.get_session_handle(x + 1)
    for _ in range(20):
        handle = session.run(more, {holder: handle.handle})
    return handle.eval()


def fed_for_a_tensor(tf, session):
    c = tf.constant(10.0) * 5.0
    handle = kept(tf, session, c)
    d = tf.identity(c)
    return session.run([c, d], {d: handle}), session.run(d * d, {c: handle})


def gone(tf, session):
    v = tf.compat.v1
    handle = kept(tf, session, tf.constant(1.0))
    text = handle.handle
    handle.delete()
    holder, x = v.get_session_tensor(text, tf.float32)
    return outcome(handle.eval), outcome(lambda: session.run(x, {holder: text}))


def dropped(tf, session):
    v = tf.compat.v1
    text = kept(tf, session, tf.constant(1.0)).get_raw_handle()
    gc.collect()
    holder, x = v.get_session_tensor(text, tf.float32)
    first = session.run(x, {holder: text})
    held, delete = v.delete_session_tensor(text)
    session.run(delete, {held: text})
    return first, outcome(lambda: session.run(x, {holder: text}))


def of_another_session(tf, session):
    v = tf.compat.v1
    text = kept(tf, session, tf.constant(1.0)).get_raw_handle()
    holder, x = v.get_session_tensor(text, tf.float32)
    with v.Session() as other:
        return outcome(lambda: other.run(x, {holder: text}))


def of_no_tensor(tf, session):
    return outcome(lambda: tf.compat.v1.get_session_handle(1.0))


@pytest.mark.parametrize(
    "case",
    [a_kept_tensor, a_loop, fed_for_a_tensor, gone, dropped, of_another_session,
     of_no_tensor],
)  # fmt: skip
def test_kept_tensors(case):
    answers = []
    for tf in (graphkiln, tensorflow):
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            answers.append(plain(case(tf, session)))
    assert answers[0] == answers[1]


def test_kept_tensors_end_with_their_handle():
    v = graphkiln.compat.v1
    with graphkiln.Graph().as_default(), v.Session() as session:
        handle = kept(graphkiln, session, graphkiln.constant(1.0))
        text = handle.handle
        holder, x = v.get_session_tensor(text, graphkiln.float32)
        del handle
        gc.collect()
        with pytest.raises(graphkiln.errors.InvalidArgumentError, match="not in the"):
            session.run(x, {holder: text})


def devices(tf):
    v = tf.compat.v1
    seen = []

    def place(op):
        seen.append((op.type, op.device))
        return "/job:a" if op.type == "Const" else "/device:CPU:1"

    with tf.Graph().as_default() as g:
        with v.device("/job:w/task:1"), v.device(place):
            with v.device("/cpu:0"):
                a = tf.constant(1.0)
                b = tf.identity(a)
            c = tf.add(a, b)
            with v.device(None):
                d = tf.add(a, b)
        with v.device(v.train.replica_device_setter(2, worker_device="/job:worker")):
            held = [v.get_variable(f"v{n}", [2]) for n in range(3)]
            total = held[0] + held[1]
            with v.device("/job:other"):
                other = v.get_variable("other", [2])
        cluster = {"ps": ["a:1"], "worker": ["b:1"]}
        setter = v.train.replica_device_setter(cluster=cluster, merge_devices=False)
        with g.device(setter), v.device("/job:x"):
            last = tf.constant(1.0)
    return (
        [t.device for t in (a, b, c, d, *held, total, other, last)], seen,
        v.train.replica_device_setter(), v.train.replica_device_setter(cluster={}),
        outcome(lambda: v.device(place).__enter__()),
        outcome(lambda: tf.device(place).__enter__()),
        outcome(lambda: v.train.replica_device_setter(1, ps_strategy=3)),
    )  # fmt: skip


def test_functions_as_devices():
    assert devices(graphkiln) == devices(tensorflow)


def main_ops(tf):
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        x = v.get_variable("x", [], initializer=v.ones_initializer())
        y = v.get_variable(
            "y", [], initializer=v.ones_initializer(),
            collections=[v.GraphKeys.LOCAL_VARIABLES],
        )  # fmt: skip
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a"], [3]), -1
        )
        session.run(v.saved_model.main_op.main_op())
        first = session.run([x, y, table.lookup(tf.constant("a"))])
        change = x.assign(5.0)
        session.run(v.saved_model.main_op_with_restore(change.op))
        return plain(first), plain(session.run(x))


def test_main_ops():
    assert main_ops(graphkiln) == main_ops(tensorflow)


def shapes(tf):
    s, unknown = tf.TensorShape([2, None, 3]), tf.TensorShape(None)
    return [
        repr(s), str(s), repr(s[0]), repr(s[1]), [repr(d) for d in s], repr(s[1:]),
        repr(list(s)), s.as_list(), repr(s.dims), s == [2, None, 3], s.rank,
        repr(unknown), repr(unknown[0]), repr(unknown[1:]), str(tf.TensorShape([4])),
        repr(s.concatenate([1])), repr(tf.zeros([2, 3]).shape[1]), len(s),
        tf.zeros([2, 3]).shape[1] * 2 == 6, tf.compat.dimension_value(s[0]),
    ]  # fmt: skip


def test_shapes_of_dimensions():
    answers = []
    for tf in (graphkiln, tensorflow):
        tf.compat.v1.disable_v2_tensorshape()
        try:
            first = shapes(tf)
        finally:
            tf.compat.v1.enable_v2_tensorshape()
        answers.append((first, shapes(tf)))
    assert answers[0] == answers[1]


def comparisons(tf):
    a, b, v = tf.constant([1, 2]), tf.constant([1, 2]), tf.Variable([1, 2])
    r = tf.ragged.constant([[1], [2, 3]])
    compared = [
        a == b, a == a, a != b, a != a, v == v, v != v, v == a, a == v,  # noqa: PLR0124
        r == r, r == a, r != r, a == [1, 2], hash(v) == hash(v), {v: 1}[v],  # noqa: PLR0124
    ]  # fmt: skip

    @tf.function
    def traced(x, y):
        compared.extend([x == y, x == x, x != y, {x: 1}[x], v == v])  # noqa: PLR0124
        return tf.equal(x, y)

    return compared, plain(traced(a, b).numpy())


def test_tensors_compare_by_what_they_are():
    answers = []
    for tf in (graphkiln, tensorflow):
        tf.compat.v1.disable_tensor_equality()
        try:
            answers.append(comparisons(tf))
        finally:
            tf.compat.v1.enable_tensor_equality()
        assert plain((tf.constant([1, 2]) == [1, 3]).numpy()) == [True, False]
    assert answers[0] == answers[1]
