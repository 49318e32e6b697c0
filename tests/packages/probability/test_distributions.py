import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from instances import DISTRIBUTIONS, WITH_PARAMETERS, distribution, parameters

tfd = tfp.distributions
_SEED = (3, 5)


def _samples(name):
    return distribution(name).sample(4, seed=_SEED)


_CALLS = {
    "facts": lambda d, x: [
        d.dtype, d.batch_shape, d.event_shape, d.batch_shape_tensor(),
        d.event_shape_tensor(), str(d), repr(d), d.name,
    ],
    "sample": lambda d, x: x,
    "log_prob": lambda d, x: d.log_prob(x),
    "prob": lambda d, x: d.prob(x),
    "cdf": lambda d, x: d.cdf(x),
    "log_cdf": lambda d, x: d.log_cdf(x),
    "survival_function": lambda d, x: d.survival_function(x),
    "quantile": lambda d, x: d.quantile(tf.constant(0.3, tf.float64)),
    "mean": lambda d, x: d.mean(),
    "mode": lambda d, x: d.mode(),
    "variance": lambda d, x: d.variance(),
    "stddev": lambda d, x: d.stddev(),
    "covariance": lambda d, x: d.covariance(),
    "entropy": lambda d, x: d.entropy(),
    "kl_divergence": lambda d, x: d.kl_divergence(d),
    "sample_and_log_prob": lambda d, x: d.experimental_sample_and_log_prob(
        2, seed=_SEED
    ),
    "unnormalized_log_prob": lambda d, x: d.unnormalized_log_prob(x),
    "default_event_space_bijector": lambda d, x:
        d.experimental_default_event_space_bijector().inverse(x),
    "sliced": lambda d, x: d[..., :1].log_prob(x[..., :1]),
}


def _outcome(call, *args):
    try:
        return call(*args)
    except Exception as error:  # the same class on both
        return type(error).__name__


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_methods(name, compare):
    d, x = distribution(name), _samples(name)
    compare({key: _outcome(call, d, x) for key, call in _CALLS.items()})


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_gradient_of_log_prob(name, compare):
    x = _samples(name)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = distribution(name).log_prob(x)
    compare([y, tape.gradient(y, x)])


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_in_function_of_unknown_sizes(name, compare):
    made = parameters(name)

    @tf.function
    def all_of_it(made, x):
        d = getattr(tfd, name)(**made, validate_args=True)
        z = d.sample(2, seed=_SEED)
        return d.log_prob(x), z, d.batch_shape_tensor(), d.event_shape_tensor()

    def unknown(t):
        return tf.TensorSpec([None] * t.shape.rank, t.dtype)

    x = _samples(name)
    specs = tf.nest.map_structure(unknown, (made, x))
    traced = all_of_it.get_concrete_function(*specs)
    compare([[t.shape for t in traced.outputs], all_of_it(made, x)])


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_as_argument_of_function(name, compare):
    d = distribution(name)
    calls = []

    @tf.function
    def twice(d, x):
        calls.append(d)
        return d.log_prob(x)

    x = _samples(name)
    compare([twice(d, x), twice(d, x), len(calls)])


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_as_value_of_loop(name, compare):
    d = distribution(name)
    x = _samples(name)
    out = tf.while_loop(
        lambda i, *_: i < 3,
        lambda i, d, s: (i + 1, d, s + tf.reduce_sum(d.log_prob(x))),
        (0, d, tf.constant(0.0, tf.float64)),
    )
    flat = tf.nest.flatten(d, expand_composites=True)
    again = tf.nest.pack_sequence_as(d, flat, expand_composites=True)
    compare([out[2], again.log_prob(x), str(tf.type_spec_from_value(d))[:40]])


@pytest.mark.parametrize("name", WITH_PARAMETERS)
def test_bad_parameters(name, compare):
    cls = getattr(tfd, name)
    texts = {}
    for key, value in parameters(name).items():
        bad = {**parameters(name), key: -10.0 * tf.ones_like(value)}
        try:
            cls(**bad, validate_args=True).log_prob(_samples(name))
            texts[key] = "accepted"
        except Exception as error:
            texts[key] = type(error).__name__
    compare(texts)
