"""tf.compat.v1.train: learning rates that change with the step."""

import numpy as np
import pytest

RATES = {
    "exponential": lambda t, s: t.exponential_decay(0.5, s, 10, 0.9),
    "exponential stairs": lambda t, s: t.exponential_decay(0.5, s, 10, 0.9, True, "n"),
    "natural": lambda t, s: t.natural_exp_decay(0.5, s, 10, 0.3),
    "natural stairs": lambda t, s: t.natural_exp_decay(0.5, s, 7, 0.3, staircase=True),
    "inverse": lambda t, s: t.inverse_time_decay(0.5, s, 10, 0.9),
    "inverse stairs": lambda t, s: t.inverse_time_decay(0.5, s, 10, 0.9, True),
    "polynomial": lambda t, s: t.polynomial_decay(0.5, s, 10, 0.01, 2.0),
    "polynomial cycle": lambda t, s: t.polynomial_decay(0.5, s, 10, cycle=True),
    "cosine": lambda t, s: t.cosine_decay(0.5, s, 15, 0.1),
    "restarts": lambda t, s: t.cosine_decay_restarts(0.5, s, 4),
    "restarts multiplied": lambda t, s: t.cosine_decay_restarts(0.5, s, 4, 1.5, 0.7, 0.1),
    "restarts of one length": lambda t, s: t.cosine_decay_restarts(0.5, s, 7, 1.0, 0.5),
    "linear cosine": lambda t, s: t.linear_cosine_decay(0.5, s, 20, 2.0, 0.1, 0.01),
    "constants": lambda t, s: t.piecewise_constant(s, [3, 10, 20], [1.0, 0.5, 0.2, 0.1]),
    "constants named": lambda t, s: t.piecewise_constant_decay(
        x=s, boundaries=[7], values=[1, 2], name="n"
    ),
}  # fmt: skip
STEPS = (0, 1, 3, 4, 7, 10, 11, 20, 33)


@pytest.mark.parametrize("name", RATES)
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_rates(both, name, dtype):
    def in_graph(tf):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            step = v.placeholder(dtype, [], name="step")
            rate = RATES[name](v.train, step)
            told = [rate.dtype.name, rate.shape.as_list()]
            return told, [session.run(rate, {step: s}) for s in STEPS]

    def eager(tf):
        step = tf.Variable(0, dtype=dtype)
        rate = RATES[name](tf.compat.v1.train, step)
        assert callable(rate)
        found = []
        for s in STEPS:
            step.assign(s)
            found.append(rate().numpy())
        return found

    (ours, values), (theirs, expected) = in_graph(both.ours), in_graph(both.theirs)
    assert ours == theirs
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(eager(both.ours), eager(both.theirs), rtol=1e-5, atol=1e-7)


def test_noise(both):
    """Which numbers are drawn no one promises; how many and around what."""

    def program(tf, variance):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            step = v.placeholder(tf.int32, [])
            rate = v.train.noisy_linear_cosine_decay(1.0, step, 20, variance, 0.5, 0.25)
            return np.array([session.run(rate, {step: 5}) for _ in range(400)])

    np.testing.assert_allclose(
        program(both.ours, 0.0), program(both.theirs, 0.0), rtol=1e-5
    )
    ours, theirs = program(both.ours, 0.1), program(both.theirs, 0.1)
    assert abs(ours.mean() - theirs.mean()) < 0.1
    assert 0.8 < ours.std() / theirs.std() < 1.25


MISTAKES = {
    "no step": lambda t: t.exponential_decay(0.5, None, 10, 0.9),
    "no step of a cosine": lambda t: t.cosine_decay(0.5, None, 10),
    "too few values": lambda t: t.piecewise_constant(1, [1, 2], [0.5, 0.25]),
    "boundaries of floats": lambda t: t.piecewise_constant(1, [1.0], [0.5, 0.25]),
    "values of two dtypes": lambda t: t.piecewise_constant(1, [1], [0.5, 3]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_have_the_same_class(both, name):
    def program(tf):
        with tf.Graph().as_default():
            MISTAKES[name](tf.compat.v1.train)

    both.agree_on_error(program)


def test_optimizers_take_rates(both):
    def program(tf):
        v = tf.compat.v1
        with tf.Graph().as_default(), v.Session() as session:
            x = v.get_variable("x", initializer=3.0, use_resource=True)
            step = v.train.get_or_create_global_step()
            rate = v.train.exponential_decay(0.1, step, 1, 0.5)
            train = v.train.GradientDescentOptimizer(rate).minimize(x * x, step)
            session.run(v.global_variables_initializer())
            found = []
            for _ in range(4):
                session.run(train)
                found.append(session.run([x, rate]))
            return np.array(found)

    np.testing.assert_allclose(program(both.ours), program(both.theirs), rtol=1e-6)
