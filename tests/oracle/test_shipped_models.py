"""Models that others made, which packages on PyPI ship."""

import subprocess
import sys
import zipfile

import numpy as np
import pytest
import tensorflow as original
from ulps import assert_within

import graphkiln as own

# Basic Pitch (Spotify): notes in music, a Keras model of 2022 with its optimizer,
# written by TensorFlow 2.8.
PACKAGE = "basic-pitch==0.4.0"
FOLDER = "basic_pitch/saved_models/icassp_2022/nmp"
SOUND = (np.random.RandomState(0).randn(2, 43844, 1) * 0.1).astype(np.float32)
ULPS = 64


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("shipped")
    got = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", PACKAGE],
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if got.returncode != 0:
        pytest.skip(f"{PACKAGE} cannot be had here: {got.stderr.strip()[-200:]}")
    (wheel,) = root.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(root)
    return str(root / FOLDER)


def by_the_session(folder):
    """TensorFlow without tf_keras knows no optimizer of that time: its loader of
    version one runs the signature."""
    tf1 = original.compat.v1
    with original.Graph().as_default(), tf1.Session() as session:
        graph = tf1.saved_model.load(session, ["serve"], folder)
        signature = graph.signature_def["serving_default"]
        (taken,) = signature.inputs.values()
        fetches = {name: info.name for name, info in signature.outputs.items()}
        return session.run(fetches, {taken.name: SOUND})


def by_the_signature(tf, folder):
    serve = tf.saved_model.load(folder).signatures["serving_default"]
    (name,) = serve.structured_input_signature[1]
    return {k: np.asarray(v) for k, v in serve(**{name: tf.constant(SOUND)}).items()}


def compare(found, expected):
    assert sorted(found) == sorted(expected)
    for name in expected:
        assert_within(found[name], expected[name], ULPS)


def test_a_model_that_a_package_ships(folder, tmp_path):
    expected = by_the_session(folder)
    compare(by_the_signature(own, folder), expected)
    again = str(tmp_path / "again")
    loaded = own.saved_model.load(folder)
    own.saved_model.save(loaded, again, signatures=loaded.signatures)
    compare(by_the_signature(original, again), expected)
    compare(by_the_signature(own, again), expected)
    # It can be trained on.
    with own.GradientTape() as tape:
        loss = own.reduce_sum(own.nest.flatten(loaded(SOUND[:1], training=True))[0])
    gradients = tape.gradient(loss, loaded.trainable_variables)
    assert len(gradients) == 18
    assert np.isfinite([own.reduce_sum(g) for g in gradients if g is not None]).all()
