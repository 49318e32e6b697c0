import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from instances import BIJECTORS, c

tfb = tfp.bijectors

_CALLS = {
    "forward": lambda b, x, n: b.forward(x),
    "inverse": lambda b, x, n: b.inverse(b.forward(x) + 0.0),
    "forward_log_det": lambda b, x, n: b.forward_log_det_jacobian(x, n),
    "inverse_log_det": lambda b, x, n: b.inverse_log_det_jacobian(
        b.forward(x) + 0.0
    ),
    "shapes": lambda b, x, n: [
        b.forward_event_shape(x.shape), b.forward_event_shape_tensor(x.shape),
        b.inverse_event_shape(b.forward(x).shape), b.forward_min_event_ndims,
        b.inverse_min_event_ndims, b.name, str(b), b.is_constant_jacobian,
    ],
    "dtypes": lambda b, x, n: [b.forward_dtype(x.dtype), b.dtype],
    "parameters": lambda b, x, n: sorted(b.parameters),
    "batch_shape": lambda b, x, n: [
        b.experimental_batch_shape(n), b.experimental_batch_shape_tensor(n)
    ],
}


def _made(name):
    make, x, rank = BIJECTORS[name]
    return make(), c(x), rank


@pytest.mark.parametrize("name", BIJECTORS)
def test_calls(name, compare):
    made = _made(name)
    found = {}
    for key, call in _CALLS.items():
        try:
            found[key] = call(*made)
        except NotImplementedError as error:
            found[key] = type(error).__name__
    compare(found)


@pytest.mark.parametrize("name", BIJECTORS)
def test_gradients(name, compare):
    b, x, rank = _made(name)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = b.forward(x)
        log_det = b.forward_log_det_jacobian(x, rank)
    compare([tape.gradient(y, x), tape.gradient(log_det, x)])


@pytest.mark.parametrize("name", BIJECTORS)
def test_in_function_of_unknown_sizes(name, compare):
    b, x, rank = _made(name)

    @tf.function(input_signature=[tf.TensorSpec([None, None], x.dtype)])
    def both(x):
        y = b.forward(x)
        return y, b.inverse(tf.identity(y)), b.forward_log_det_jacobian(x, rank)

    traced = both.get_concrete_function()
    compare([[t.shape for t in traced.outputs], both(x)])


@pytest.mark.parametrize("name", BIJECTORS)
def test_transformed_distribution(name, compare):
    b, x, rank = _made(name)
    base = tfp.distributions.Sample(
        tfp.distributions.Normal(c(0.0), c(1.0)), x.shape[2 - rank:]
    )
    d = tfp.distributions.TransformedDistribution(base, b)
    compare([d.event_shape, d.batch_shape, d.log_prob(b.forward(x))])


@pytest.mark.parametrize("name", BIJECTORS)
def test_as_argument_of_function(name, compare):
    b, x, _ = _made(name)
    calls = []

    @tf.function
    def f(b, x):
        calls.append(b)
        return b.forward(x)

    compare([f(b, x), f(b, x), len(calls)])


@pytest.mark.parametrize("name", BIJECTORS)
def test_transformed_variable(name, compare):
    b, x, _ = _made(name)
    v = tfp.util.TransformedVariable(b.forward(x), b)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * 2.0)
    v.assign(b.forward(x * 0.5))
    compare([
        tf.convert_to_tensor(v), v + 1.0, tape.gradient(y, v.trainable_variables),
        v.shape, v.dtype, len(v.trainable_variables),
    ])


def test_joint_and_structured(compare):
    b = tfb.JointMap([tfb.Exp(), tfb.Scale(c(2.0))])
    r = tfb.Restructure({"a": 0, "b": 1}, [0, 1])
    x = [c([0.1, 0.2]), c([0.3, 0.4])]
    s = tfb.Split([1, 2])
    compare([
        b.forward(x), b.forward_log_det_jacobian(x, [1, 1]),
        tfb.Chain([r, b]).forward(x), r.inverse(r.forward(x)),
        s.forward(c([1.0, 2.0, 3.0])), s.inverse([c([1.0]), c([2.0, 3.0])]),
        tfb.tree_flatten({"a": 1, "b": 2}).forward({"a": c(1.0), "b": c(2.0)}),
    ])


def test_cache(compare):
    b = tfb.Softplus()
    x = c([0.1, 0.2])
    y = b.forward(x)
    compare([b.inverse(y) is x, b.inverse(tf.identity(y)) is x])
