"""Linear operators as values of programs: variables, functions, loops, data,
classes that users write. What they compute is compared with TensorFlow in
tests/oracle/test_linear_operator.py."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import graphkiln as tf

linalg = tf.linalg


class Rotation(linalg.LinearOperator):
    """As users write one: it defines what must be, and one thing it knows."""

    def __init__(self, angle, name=None):
        self.angle = angle
        super().__init__(
            tf.float32, is_non_singular=True, parameters=dict(angle=angle),
            name=name,
        )

    def _shape(self):
        return tf.TensorShape([2, 2])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = linalg.adjoint(x) if adjoint_arg else x
        c, s = tf.cos(self.angle), tf.sin(self.angle)
        s = -s if adjoint else s
        return tf.stack(
            [c * x[..., 0, :] - s * x[..., 1, :],
             s * x[..., 0, :] + c * x[..., 1, :]],
            axis=-2,
        )

    def _determinant(self):
        return tf.constant(1.0)


def test_users_operator_inside_others():
    turn = Rotation(np.pi / 2)
    double = linalg.LinearOperatorDiag([2.0, 3.0])
    both = linalg.LinearOperatorComposition([turn, double])
    np.testing.assert_allclose(both.matvec([1.0, 1.0]), [-3, 2], atol=1e-6)
    np.testing.assert_allclose((turn @ turn).to_dense(), -np.eye(2), atol=1e-6)
    np.testing.assert_allclose(both.determinant(), 6.0, rtol=1e-6)
    blocks = linalg.LinearOperatorBlockDiag([turn, double])
    np.testing.assert_allclose(
        blocks.solvevec([0.0, 1.0, 2.0, 3.0]), [1, 0, 1, 1], atol=1e-6
    )
    np.testing.assert_allclose(
        tf.function(lambda x: both.solvevec(x))([-3.0, 2.0]), [1, 1], atol=1e-6
    )


def test_abstract():
    with pytest.raises(TypeError, match="abstract"):
        linalg.LinearOperator(tf.float32)


def test_variables_are_read_at_each_use():
    v = tf.Variable([1.0, 2.0])
    op = linalg.LinearOperatorDiag(v)
    whole = linalg.LinearOperatorComposition([op, op])
    f = tf.function(lambda x: whole.matvec(x))
    assert f([1.0, 1.0]).numpy().tolist() == [1.0, 4.0]
    v.assign([3.0, 4.0])
    assert f([1.0, 1.0]).numpy().tolist() == [9.0, 16.0]
    assert whole.trainable_variables == (v,)
    assert [type(m) for m in whole.submodules] == [linalg.LinearOperatorDiag]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(whole.matvec([1.0, 1.0]))
    assert tape.gradient(y, v).numpy().tolist() == [6.0, 8.0]


def test_arguments_and_results_of_functions():
    f = tf.function(lambda op, x: (op.inverse(), op.matvec(x)))
    op = linalg.LinearOperatorDiag([1.0, 2.0])
    inverse, product = f(op, tf.ones([2]))
    assert isinstance(inverse, linalg.LinearOperatorDiag)
    assert inverse.diag.numpy().tolist() == [1.0, 0.5]
    assert product.numpy().tolist() == [1.0, 2.0]
    f(linalg.LinearOperatorDiag([3.0, 4.0]), tf.ones([2]))
    assert f.experimental_get_tracing_count() == 1
    f(linalg.LinearOperatorDiag([3.0, 4.0], is_non_singular=True), tf.ones([2]))
    assert f.experimental_get_tracing_count() == 2


def test_control_flow_and_nests():
    op = linalg.LinearOperatorDiag([2.0])
    _, power = tf.while_loop(
        lambda i, o: i < 3, lambda i, o: (i + 1, o @ o), [0, op]
    )
    assert power.diag.numpy().tolist() == [256.0]
    chosen = tf.function(
        lambda c: tf.cond(c, lambda: op, lambda: op.inverse())
    )(tf.constant(False))
    assert chosen.diag.numpy().tolist() == [0.5]
    nested = linalg.LinearOperatorKronecker([op, linalg.LinearOperatorIdentity(2)])
    flat = tf.nest.flatten(nested, expand_composites=True)
    assert [t.numpy().tolist() for t in flat] == [[2.0]]
    again = tf.nest.pack_sequence_as(nested, flat, expand_composites=True)
    np.testing.assert_array_equal(again.to_dense(), nested.to_dense())


def test_datasets():
    ops = tf.data.Dataset.from_tensors(linalg.LinearOperatorDiag([1.0, 2.0]))
    (op,) = ops.map(lambda o: o.inverse())
    assert op.diag.numpy().tolist() == [1.0, 0.5]


@pytest.mark.parametrize("name", ["Circulant", "FullMatrix", "LowerTriangular"])
def test_specs(name):
    cls = getattr(linalg, "LinearOperator" + name)
    op = cls(tf.eye(3))
    spec = op._type_spec
    assert isinstance(spec, tf.TypeSpec)
    assert spec.is_compatible_with(op)
    assert spec == cls(tf.zeros([3, 3]))._type_spec
    assert type(spec._from_components(spec._to_components(op))) is cls


def test_hermitian_spectra():
    linalg.LinearOperatorCirculant([1.0, 2.0, 2.0]).assert_hermitian_spectrum()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not Hermitian"):
        linalg.LinearOperatorCirculant(
            [1.0, 2.0, 5.0]
        ).assert_hermitian_spectrum()


def test_second_derivatives():
    with tf.GradientTape() as outer:
        x = tf.constant([1.0, 2.0])
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = linalg.LinearOperatorDiag(x).log_abs_determinant()
        first = inner.gradient(y, x)
    assert outer.gradient(first, x).numpy().tolist() == [-1.0, -0.25]


def test_gradients_of_whole_operators():
    with tf.GradientTape(persistent=True) as tape:
        a = linalg.LinearOperatorDiag(tf.Variable([1.0, 2.0]))
        b = linalg.LinearOperatorFullMatrix(tf.eye(2))
        both = linalg.LinearOperatorComposition([a, b])
        tape.watch(both)
        y = tf.reduce_sum(both.matvec([3.0, 4.0]))
        z = tf.reduce_sum(a.matvec([3.0, 4.0]))
    found = tape.gradient(y, both)
    assert isinstance(found, linalg.LinearOperatorComposition)
    assert found.operators[0].diag.numpy().tolist() == [3.0, 4.0]
    assert found.operators[1].matrix.numpy().tolist() == [[3.0, 4.0], [6.0, 8.0]]
    # What does not depend on it has zeros, and where nothing does there is none.
    found = tape.gradient(z, both)
    assert found.operators[1].matrix.numpy().tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert tape.gradient(z, b) is None
    first, second = tape.gradient(y, [a, b.matrix])
    assert first.diag.numpy().tolist() == [3.0, 4.0]
    assert second.numpy().tolist() == [[3.0, 4.0], [6.0, 8.0]]


def test_batches_of_diagonals():
    tril = linalg.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 1.0]])
    diags = linalg.LinearOperatorDiag([[1.0, 2.0], [3.0, 4.0]])
    for product in (tril @ diags, diags @ tril):
        assert isinstance(product, linalg.LinearOperatorLowerTriangular)
    np.testing.assert_array_equal(
        (tril @ diags).to_dense(), [[[1, 0], [2, 2]], [[3, 0], [6, 4]]]
    )
    scaled = linalg.LinearOperatorScaledIdentity(2, [10.0, 100.0])
    np.testing.assert_array_equal(
        (scaled @ diags).diag, [[10, 20], [300, 400]]
    )
    np.testing.assert_array_equal(
        (diags @ scaled).diag, [[10, 20], [300, 400]]
    )
    np.testing.assert_allclose(
        scaled.solve(diags).diag, [[0.1, 0.2], [0.03, 0.04]], rtol=1e-6
    )


def test_conjugate_gradient_in_a_function():
    op = linalg.LinearOperatorFullMatrix(
        [[4.0, 1.0], [1.0, 3.0]], is_self_adjoint=True, is_positive_definite=True
    )

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def solve(rhs):
        return linalg.experimental.conjugate_gradient(op, rhs)

    found = solve([1.0, 2.0])
    np.testing.assert_allclose(op.matvec(found.x), [1, 2], rtol=1e-5)
    assert found.i.numpy() == 2


def test_they_are_loaded_when_asked_for():
    program = (
        "import sys, graphkiln as tf; tf.linalg.matmul([[1.]], [[1.]]); "
        "assert not [m for m in sys.modules if '_src.linalg' in m]; "
        "tf.linalg.LinearOperatorDiag"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
