"""Programs that call functions of JAX from TensorFlow: each prints lines of JSON."""

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
from jax.experimental import jax2tf

RANDOM = np.random.RandomState(3)
ROWS = RANDOM.randn(3, 4).astype(np.float32)
WEIGHTS = RANDOM.randn(4, 2).astype(np.float32)


def tell(*values):
    for value in tf.nest.flatten(values):
        array = np.asarray(value)
        kind = array.dtype.name
        numbers = (
            array.astype(np.float64).tolist()
            if array.dtype != bool
            else (array.tolist())
        )
        print(json.dumps([kind, list(array.shape), numbers]))


def layer(x, w):
    return {"y": jnp.tanh(x @ w), "norm": jnp.sum(x * x, axis=-1)}


def values():
    called = jax2tf.convert(layer)
    tell(called(ROWS, WEIGHTS), tf.function(called)(ROWS, WEIGHTS))
    rows = tf.constant(ROWS)
    tell(jax2tf.convert(lambda x: x.astype(jnp.bfloat16) * 2)(rows))
    tell(jax2tf.convert(lambda x: (x > 0, jnp.argmax(x, -1)))(rows))
    tell(jax2tf.convert(lambda x: jax.lax.complex(x, -x))(rows)[0, 0].numpy().imag)
    tell(
        jax2tf.convert(lambda k: jax.random.normal(k, (3,)))(
            tf.constant([1, 2], tf.uint32)
        )
    )
    tell(jax2tf.convert(lambda x: jnp.zeros((0, 2)))(rows))
    tell(tf.Variable(ROWS), jax2tf.convert(jnp.sin)(tf.Variable(ROWS)))
    print(json.dumps(jax2tf.convert(lambda x: ())(rows)))


def shapes():
    called = tf.function(
        jax2tf.convert(
            lambda x, y: (jnp.concatenate([x, x]), x.shape[0] * y),
            polymorphic_shapes=["(b, _)", None],
        ),
        autograph=False,
        input_signature=[
            tf.TensorSpec([None, 4], tf.float32),
            tf.TensorSpec([], tf.float32),
        ],
    )
    made = called.get_concrete_function()
    print(json.dumps([s.as_list() for s in made.output_shapes]))
    for n in (1, 3, 5, 3):
        tell(called(np.ones([n, 4], np.float32), 2.0))
    try:
        called(np.ones([0, 4], np.float32), 2.0)
    except tf.errors.InvalidArgumentError as error:
        print(
            json.dumps("Expected value >= 1 for dimension variable 'b'" in str(error))
        )
    two = jax2tf.convert(jnp.cos, native_serialization_platforms=("cuda", "cpu"))
    tell(two(ROWS), tf.function(two)(ROWS))


def gradients():
    w = tf.Variable(WEIGHTS)
    for staged in (False, True):
        called = jax2tf.convert(layer)
        called = tf.function(called, autograph=False) if staged else called
        with tf.GradientTape(persistent=True) as outer:
            x = tf.constant(ROWS)
            outer.watch(x)
            with tf.GradientTape() as tape:
                y = called(x, w)["y"]
                loss = tf.reduce_sum(y * y)
            first = tape.gradient(loss, w)
            again = tf.reduce_sum(first * first)
        tell(first, outer.gradient(again, [x, w]))
    plain = jax2tf.convert(jnp.sin, with_gradient=False)
    with tf.GradientTape() as tape:
        y = plain(w)
        try:
            tape.gradient(y, w)
        except LookupError as error:
            print(json.dumps("does not support gradients" in str(error)))


def trained():
    """A regression whose model is JAX's and whose optimizer is written out."""
    w = tf.Variable(WEIGHTS)
    predict = jax2tf.convert(
        lambda w, x: jnp.tanh(x @ w), polymorphic_shapes=[None, "b, _"]
    )

    @tf.function(autograph=False, input_signature=[tf.TensorSpec([None, 4])])
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((predict(w, x) - 0.5) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    for n in (3, 2, 3, 1):
        tell(step(ROWS[:n]))
    tell(w)


def write(folder):
    module = tf.Module()
    module.w = tf.Variable(WEIGHTS)
    called = jax2tf.convert(layer, polymorphic_shapes=["b, _", None])
    module.call = tf.function(
        lambda x: called(x, module.w),
        autograph=False,
        input_signature=[tf.TensorSpec([None, 4], tf.float32)],
    )
    tf.saved_model.save(module, folder)


def read(folder):
    module = tf.saved_model.load(folder)
    for n in (3, 1):
        tell(module.call(tf.constant(ROWS[:n])))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(module.call(tf.constant(ROWS))["y"])
    tell(tape.gradient(loss, module.w))


def write_keras(folder):
    import keras
    from keras.layers import JaxLayer

    keras.utils.set_random_seed(1)
    net = JaxLayer(
        call_fn=lambda params, inputs: jnp.tanh(inputs @ params["w"] + params["b"]),
        init_fn=lambda rng, inputs: {
            "w": jax.random.normal(rng, (inputs.shape[-1], 2)),
            "b": jnp.zeros((2,)),
        },
    )
    model = keras.Sequential([keras.Input((4,)), net, keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.set_weights(
        [np.linspace(-1, 1, np.prod(w.shape)).reshape(w.shape) for w in model.weights]
    )
    history = model.fit(
        ROWS, ROWS[:, :1], epochs=3, batch_size=2, verbose=0, shuffle=False
    )
    print(json.dumps(history.history["loss"]))
    tell(model.predict(ROWS, verbose=0))
    model.export(folder, verbose=False)
    read_keras(folder)


def read_keras(folder):
    model = tf.saved_model.load(folder)
    tell(model.serve(tf.constant(ROWS)))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
