"""What the real Keras exports runs here: equal values and gradients, also of what
was loaded and saved again."""

import numpy as np
import pytest
import tensorflow as original
from keras_exports import EXPORTS, written
from ulps import assert_within

import graphkiln as own


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return str(tmp_path_factory.mktemp("keras_exports"))


def call_of(loaded):
    """Exports have their endpoint; what TensorFlow saved has a signature."""
    if hasattr(loaded, "serve"):
        return loaded.serve
    serve = loaded.signatures["serving_default"]
    _, named = serve.structured_input_signature
    (name,) = named
    return lambda x: serve(**{name: x})


def tensors(tf, value):
    if isinstance(value, list):
        return [tensors(tf, part) for part in value]
    return tf.constant(value)


def weighted(tf, y):
    """A sum that no normalization makes a constant."""
    weights = tf.cos(tf.cast(tf.range(tf.size(y)), y.dtype))
    return tf.reduce_sum(y * tf.reshape(weights, tf.shape(y)))


def outcomes(tf, folder, export):
    """Values, and gradients: None where there is none."""
    loaded = tf.saved_model.load(folder)
    inputs = [tensors(tf, x) for x in export.inputs]
    values = [np.asarray(v) for v in tf.nest.flatten(call_of(loaded)(*inputs))]
    if not export.trained:
        return values, []
    with tf.GradientTape() as tape:
        out = tf.nest.flatten(call_of(loaded)(*inputs))
        loss = sum(weighted(tf, y) for y in out if y.dtype.is_floating)
    gradients = tape.gradient(loss, list(loaded.trainable_variables))
    return values, [
        None if g is None else np.asarray(tf.convert_to_tensor(g)) for g in gradients
    ]


def compare(found, expected, ulps):
    for a, b in zip(found[0], expected[0], strict=True):
        assert_within(a, b, ulps)
    # Some are zero but for rounding: the largest of them says what that is.
    largest = max((np.abs(g).max() for g in expected[1] if g is not None), default=0)
    for a, b in zip(found[1], expected[1], strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            assert_within(a, b, ulps, largest)


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_of_keras(name, root, tmp_path):
    export, folder = EXPORTS[name], written(name, root)
    expected = outcomes(original, folder, export)
    compare(outcomes(own, folder, export), expected, export.ulps)
    again = str(tmp_path / "again")
    own.saved_model.save(own.saved_model.load(folder), again)
    compare(outcomes(original, again, export), expected, export.ulps)
