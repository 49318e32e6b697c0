"""tf.compat.v1.nn: cells over sequences, against TensorFlow, in graphs with sessions and
eagerly; with gradients and names of variables."""

import numpy as np
import pytest

INPUT = np.sin(np.arange(2 * 5 * 3, dtype=np.float32)).reshape(2, 5, 3)


def cells(tf):
    """A plain cell, and one whose state is a tuple of two sizes."""
    v = tf.compat.v1

    class Plain:
        state_size = output_size = 4

        def zero_state(self, batch_size, dtype):
            return v.zeros([batch_size, 4], dtype)

        def __call__(self, x, state, scope=None):
            with v.variable_scope("plain", reuse=v.AUTO_REUSE, use_resource=True):
                w = v.get_variable("w", [3, 4], initializer=filled)
                u = v.get_variable("u", [4, 4], initializer=filled)
            state = v.tanh(v.matmul(x, w) + v.matmul(state, u))
            return state, state

    class Gated:
        state_size = (4, tf.TensorShape([2, 2]))
        output_size = (4, 1)

        def zero_state(self, batch_size, dtype):
            return (
                v.zeros([batch_size, 4], dtype), v.zeros([batch_size, 2, 2], dtype)
            )

        def __call__(self, x, state, scope=None):
            with v.variable_scope("gated", reuse=v.AUTO_REUSE, use_resource=True):
                w = v.get_variable("w", [7, 4], initializer=filled)
            c, square = state
            new = v.sigmoid(v.matmul(v.concat([x, c], 1), w))
            square = square + v.reshape(new, [-1, 2, 2])
            return (new, v.reduce_sum(square, [1, 2])[:, None]), (new, square)

    def filled(shape, dtype=None, partition_info=None):
        count = int(np.prod(shape))
        return v.constant(
            np.cos(np.arange(count)).reshape(shape).astype(np.float32) / 2
        )

    return {"plain": Plain, "gated": Gated}


def dynamic(v, cell, x, **how):
    return v.nn.dynamic_rnn(cell(), x, dtype=v.float32, **how)


def steps(v, x):
    return v.unstack(x, axis=1)


class Saver:
    def __init__(self, v, names):
        self.v, self.names, self.saved = v, names, []

    def state(self, name):
        return self.v.ones([2, *self.names[name]]) / 2.0

    def save_state(self, name, value):
        self.saved.append(name)
        return self.v.identity(value)


def counted(v, cell):
    """raw_rnn over the steps of the input, of 3 and 5."""

    def run(x):
        rows = v.TensorArray("float32", 5, clear_after_read=False).unstack(
            v.transpose(x, [1, 0, 2])
        )

        def loop(time, output, state, loop_state):
            first = cell().zero_state(2, v.float32) if output is None else state
            done = time >= v.constant([3, 5])
            following = v.cond(
                v.reduce_all(done), lambda: v.zeros([2, 3]), lambda: rows.read(time)
            )
            count = v.constant(0) if loop_state is None else loop_state + 2
            return done, following, first, output, count

        arrays, state, count = v.nn.raw_rnn(cell(), loop)
        stacked = [a.stack() for a in (arrays if isinstance(arrays, tuple) else [arrays])]
        return stacked, state, count

    return run


RUNS = {
    "dynamic": lambda v, c, x: dynamic(v, c, x),
    "dynamic lengths": lambda v, c, x: dynamic(v, c, x, sequence_length=[2, 4]),
    "dynamic whole lengths": lambda v, c, x: dynamic(
        v, c, x, sequence_length=np.int64([5, 1]), parallel_iterations=2
    ),
    "dynamic no lengths": lambda v, c, x: dynamic(v, c, x, sequence_length=[0, 0]),
    "dynamic time major": lambda v, c, x: dynamic(
        v, c, v.transpose(x, [1, 0, 2]), time_major=True, swap_memory=True, scope="s"
    ),
    "both ways": lambda v, c, x: v.nn.bidirectional_dynamic_rnn(
        c(), c(), x, dtype=v.float32
    ),
    "both ways lengths": lambda v, c, x: v.nn.bidirectional_dynamic_rnn(
        c(), c(), x, [3, 5], dtype=v.float32, scope="b"
    ),
    "static": lambda v, c, x: v.nn.static_rnn(c(), steps(v, x), dtype=v.float32),
    "static lengths": lambda v, c, x: v.nn.static_rnn(
        c(), steps(v, x), dtype=v.float32, sequence_length=[2, 4], scope="s"
    ),
    "raw": lambda v, c, x: counted(v, c)(x),
}


def in_graph(tf, name, kind, dynamic_shape=False):
    v = tf.compat.v1
    with tf.Graph().as_default(), v.Session() as session:
        x = v.placeholder(tf.float32, [None, None, 3] if dynamic_shape else [2, 5, 3])
        made = tf.nest.flatten(RUNS[name](v, cells(tf)[kind], x))
        total = v.add_n([v.reduce_sum(m) for m in made if m.dtype == tf.float32])
        grads = v.gradients(total, [x, *v.trainable_variables()])
        session.run(v.global_variables_initializer())
        return (
            [str(m.shape) for m in made], [t.name for t in v.global_variables()],
            session.run([made, grads], {x: INPUT}),
        )


@pytest.mark.parametrize("kind", ["plain", "gated"])
@pytest.mark.parametrize("name", RUNS)
def test_graphs_agree(both, name, kind):
    if name.startswith("both ways") and kind == "gated":
        pytest.skip("TensorFlow turns one output only, no structure of them")
    theirs, ours = in_graph(both.theirs, name, kind), in_graph(both.ours, name, kind)
    assert ours[:2] == theirs[:2]
    for our, their in zip(
        both.ours.nest.flatten(ours[2]), both.ours.nest.flatten(theirs[2]), strict=True
    ):
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["dynamic", "dynamic lengths", "both ways lengths"])
def test_unknown_sizes(both, name):
    theirs = in_graph(both.theirs, name, "plain", True)
    ours = in_graph(both.ours, name, "plain", True)
    assert ours[1] == theirs[1]  # of shapes ours may know more, from the lengths'
    for our, their in zip(
        both.ours.nest.flatten(ours[2]), both.ours.nest.flatten(theirs[2]), strict=True
    ):
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", RUNS)
def test_eager_runs_agree(both, name):
    def program(tf):
        v = tf.compat.v1

        class Sum:
            state_size = output_size = 3

            def zero_state(self, batch_size, dtype):
                return v.ones([batch_size, 3], dtype)

            def __call__(self, x, state):
                return x * state, x + state

        return RUNS[name](v, Sum, v.constant(INPUT))

    both.agree(program, rtol=1e-5, atol=1e-6)


def test_both_ways_in_lists(both):
    def program(tf):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            x, plain = v.constant(INPUT), cells(tf)["plain"]
            made = [
                v.nn.static_bidirectional_rnn(
                    plain(), plain(), steps(v, x), dtype=v.float32,
                    sequence_length=lengths, scope=scope,
                )
                for lengths, scope in ((None, None), ([2, 4], "s"))
            ]
            session.run(v.global_variables_initializer())
            return [t.name for t in v.global_variables()], session.run(made)

    theirs, ours = program(both.theirs), program(both.ours)
    assert ours[0] == theirs[0]
    flatten = both.ours.nest.flatten
    for our, their in zip(flatten(ours[1]), flatten(theirs[1]), strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-6)


def test_states_are_saved(both):
    def program(tf):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            x = v.constant(INPUT)
            plain, gated = Saver(v, {"p": [4]}), Saver(v, {"c": [4], "s": [2, 2]})
            made = [
                v.nn.static_state_saving_rnn(
                    cells(tf)["plain"](), steps(v, x), plain, "p"
                ),
                v.nn.static_state_saving_rnn(
                    cells(tf)["gated"](), steps(v, x), gated, ("c", "s"), [1, 3], "g"
                ),
            ]
            session.run(v.global_variables_initializer())
            return plain.saved + gated.saved, session.run(made)

    theirs, ours = program(both.theirs), program(both.ours)
    assert ours[0] == theirs[0]
    flatten = both.ours.nest.flatten
    for our, their in zip(flatten(ours[1]), flatten(theirs[1]), strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-5, atol=1e-6)


class NoCell:
    state_size = 3


MISTAKES = {
    "no cell": lambda v, c: v.nn.dynamic_rnn(NoCell(), INPUT, dtype=v.float32),
    "no dtype": lambda v, c: v.nn.dynamic_rnn(c(), INPUT),
    "a matrix": lambda v, c: v.nn.dynamic_rnn(c(), INPUT[0], dtype=v.float32),
    "unknown depth": lambda v, c: v.nn.dynamic_rnn(
        c(), v.placeholder("float32", [2, 5, None]), dtype=v.float32
    ),
    "lengths of rank 2": lambda v, c: v.nn.dynamic_rnn(
        c(), INPUT, [[1, 2]], dtype=v.float32
    ),
    "no list": lambda v, c: v.nn.static_rnn(c(), v.constant(INPUT), dtype=v.float32),
    "empty list": lambda v, c: v.nn.static_rnn(c(), [], dtype=v.float32),
    "list without dtype": lambda v, c: v.nn.static_rnn(c(), [v.constant(INPUT[0])]),
    "raw without function": lambda v, c: v.nn.raw_rnn(c(), 3),
    "names of states": lambda v, c: v.nn.static_state_saving_rnn(
        c(), [v.constant(INPUT[0])], None, ("a", "b")
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_have_the_same_class(both, name):
    def program(tf):
        with tf.Graph().as_default():
            MISTAKES[name](tf.compat.v1, cells(tf)["plain"])

    both.agree_on_error(program)


def test_lengths_of_another_number(both):
    def program(tf):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            lengths = v.placeholder("int32", [None])
            made = v.nn.dynamic_rnn(
                cells(tf)["plain"](), v.constant(INPUT), lengths, dtype=v.float32
            )
            session.run(v.global_variables_initializer())
            session.run(made, {lengths: [1, 2, 3]})

    both.agree_on_error(program)
