"""A model is saved with functions that are traced for it: with what they see of the
program then."""

from __future__ import annotations

import numpy as np
import pytest

import graphkiln

tensorflow = pytest.importorskip("tensorflow")


def _model(tf):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale, self.traced = 2.0, 0

        @tf.function
        def outer(self, x):
            self.traced += 1
            return x * self.scale + self.inner(x)

        @tf.function
        def inner(self, x):
            return x * 0.0 + self.scale * 100.0

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def serve(self, x):
            return x * self.scale

        @tf.function
        def chosen(self, x, training=False):
            return x * self.scale if training else -x * self.scale

        @tf.function
        def making(self, x):
            if not hasattr(self, "weight"):
                self.weight = tf.Variable(7.0)
            return self.weight * x * self.scale

    return Model()


def _program(tf, folder):
    model, one = _model(tf), tf.constant(1.0)
    model.outer(one), model.serve(one), model.making(one)
    model.chosen(one, training=True), model.chosen(tf.constant([1.0]))
    concrete = model.outer.get_concrete_function(tf.TensorSpec([], tf.float32))

    def saved():
        path = f"{folder}/{model.scale}"
        signatures = {"serve": model.serve, "concrete": concrete}
        tf.saved_model.save(model, path, signatures)
        found = tf.saved_model.load(path)
        told = [found.outer(one), found.serve(one), found.making(one)]
        told += [found.chosen(one, training=True), found.chosen(tf.constant([1.0]))]
        for name in signatures:
            told += found.signatures[name](x=one).values()
        counts = [
            f.experimental_get_tracing_count() for f in (model.outer, model.chosen)
        ]
        return [np.ravel(t).item() for t in told], counts, model.traced

    yield saved()
    # Once for each signature: the second model has what the first had.
    for model.scale in (3.0, 4.0):
        yield saved()
        yield model.outer(one).numpy().item(), model.traced
    # What was not saved before is traced now.
    model.scale = 5.0
    model.outer(tf.constant([2.0]))
    model.scale = 6.0
    yield saved()
    found = tf.saved_model.load(f"{folder}/6.0")
    yield found.outer(tf.constant([2.0])).numpy().tolist(), found.outer(one).numpy()


def test_functions_are_traced_for_the_model(tmp_path):
    ours = list(_program(graphkiln, str(tmp_path / "ours")))
    assert ours == list(_program(tensorflow, str(tmp_path / "theirs")))


def test_the_first_save_sees_the_program_as_it_is(tmp_path):
    def program(tf, folder):
        model = _model(tf)
        model.serve(1.0)
        model.scale = 3.0
        tf.saved_model.save(model, folder)
        return tf.saved_model.load(folder).serve(1.0).numpy().item()

    assert program(graphkiln, str(tmp_path / "ours")) == 3.0
    assert program(tensorflow, str(tmp_path / "theirs")) == 3.0


def test_eager_calls_have_their_own_traces(tmp_path):
    """What is traced for a model runs in no call of the program."""
    model = _model(graphkiln)
    before = model.serve(1.0).numpy()
    model.scale = 3.0
    graphkiln.saved_model.save(model, str(tmp_path / "model"))
    assert model.serve(1.0).numpy() == before
    place = model.serve.explain_retraces()
    assert "graph" in str(place)
