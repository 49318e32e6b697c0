"""Saved models go from one framework to the other, and back, with equal values and
gradients."""

import functools

import numpy as np
import pytest
import saved_model_gradient_programs  # noqa: F401
import saved_model_op_programs  # noqa: F401
import tensorflow as original
from saved_model_programs import MODELS
from ulps import assert_within

import graphkiln as own

WAYS = {"own_to_original": (own, original), "original_to_own": (original, own)}


def at(value, path):
    for name in path.split("."):
        if isinstance(value, dict):
            value = value[name]
        elif name.isdigit():
            value = value[int(name)]
        elif name == "__call__":
            return value
        else:
            value = getattr(value, name)
    return value


def tensors(tf, value):
    if isinstance(value, tuple) and isinstance(value[0], str):
        dtype, numbers = value
        return tf.cast(numbers, getattr(tf, dtype))
    if isinstance(value, np.ndarray | np.generic):
        return tf.constant(value)
    if isinstance(value, dict):
        return {key: tensors(tf, part) for key, part in value.items()}
    if isinstance(value, list):
        return [tensors(tf, part) for part in value]
    return value


def arrays(tf, value):
    """Flat, without None."""
    found = []
    for leaf in tf.nest.flatten(value, expand_composites=True):
        if leaf is not None:
            a = np.asarray(
                tf.cast(leaf, tf.float32) if leaf.dtype == tf.bfloat16 else leaf
            )
            found.append(a)
    return found


def outcomes(tf, obj, model):
    """What all calls give, and gradients of the sum of the first."""
    found = []
    for path, arguments in model.calls:
        found += arrays(tf, at(obj, path)(*tensors(tf, list(arguments))))
    if model.trained:
        path, arguments = model.calls[0]
        variables = [at(obj, name) for name in model.trained]
        with tf.GradientTape() as tape:
            result = at(obj, path)(*tensors(tf, list(arguments)))
            loss = sum(tf.reduce_sum(r * r) for r in tf.nest.flatten(result))
        for gradient in tape.gradient(loss, variables):
            found.append(np.asarray(tf.convert_to_tensor(gradient)))
    return found


# Gradients and sums go in other orders.
ULPS = 32


def compare(found, expected, exact):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert_within(a, b, 0 if exact else ULPS)


def signatures_of(model, obj):
    if model.signatures is None:
        return None
    return {name: getattr(obj, name) for name in model.signatures}


@functools.cache
def expected_of(name):
    model = MODELS[name]
    return outcomes(original, model.build(original), model)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MODELS)
def test_the_other_framework_loads_what_one_saves(name, way, tmp_path):
    saver, loader = WAYS[way]
    model = MODELS[name]
    obj = model.build(saver)
    saver.saved_model.save(obj, str(tmp_path), signatures=signatures_of(model, obj))
    loaded = loader.saved_model.load(str(tmp_path))
    compare(outcomes(loader, loaded, model), expected_of(name), model.exact)


@pytest.mark.parametrize("name", MODELS)
def test_what_was_loaded_is_saved_again(name, tmp_path):
    model = MODELS[name]
    obj = model.build(own)
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    own.saved_model.save(obj, first, signatures=signatures_of(model, obj))
    loaded = original.saved_model.load(first)
    original.saved_model.save(
        loaded,
        second,
        signatures=None if model.signatures is None else loaded.signatures,
    )
    again = own.saved_model.load(second)
    third = str(tmp_path / "third")
    compare(outcomes(own, again, model), expected_of(name), model.exact)
    own.saved_model.save(own.saved_model.load(second), third)
    compare(
        outcomes(original, original.saved_model.load(third), model),
        expected_of(name),
        model.exact,
    )


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [n for n in MODELS if MODELS[n].signatures])
def test_signatures_give_tensors_by_name(name, way, tmp_path):
    saver, loader = WAYS[way]
    model = MODELS[name]
    obj = model.build(saver)
    saver.saved_model.save(obj, str(tmp_path), signatures=signatures_of(model, obj))
    loaded = loader.saved_model.load(str(tmp_path)).signatures
    theirs = original.saved_model.load(str(tmp_path)).signatures
    assert sorted(loaded) == sorted(theirs) == sorted(model.signatures)
    for key in model.signatures:
        arguments = next(a for path, a in model.calls if path == key)
        _, specs = theirs[key].structured_input_signature
        named = dict(zip(sorted(specs), arguments, strict=False))
        got = loaded[key](**{k: loader.constant(v) for k, v in named.items()})
        want = theirs[key](**{k: original.constant(v) for k, v in named.items()})
        assert sorted(got) == sorted(want)
        for output in got:
            np.testing.assert_allclose(
                np.asarray(got[output]), np.asarray(want[output])
            )
