"""tf.linalg on both: values, dtypes, static shapes, gradients, errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

A = np.array([[4.0, 1.5, 0.5], [-1.0, 3.0, -1.0], [0.25, 2.0, 6.0]])
P = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]])
TALL = np.array([[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]])
B = np.array([[1.0, 2.0], [-1.0, 0.5], [2.0, 3.0]])
H = P + 1j * np.array([[0, 0.5, -1], [-0.5, 0, 0.25], [1, -0.25, 0]])
C = A + 1j * P[::-1]
DIAGONALS = np.array([[1, 2, -1, 0.5], [5, 4, 6, 5], [0.3, 1, 2, -1.5]])
FOUR = np.arange(8.0).reshape(4, 2) - 2

NAMES = {
    "A": A, "P": P, "T": TALL, "W": TALL.T, "B": B, "H": H, "C": C,
    "D": DIAGONALS, "R": FOUR, "AA": np.stack([A, A.T]), "BB": np.stack([B, -B]),
    "PP": np.stack([P, 2 * P]), "L": np.tril(A), "V": np.array([1.0, 2.0, 3.0]),
    "Z": np.zeros([3, 3]), "NAN": np.full([3, 3], np.nan), "np": np,
    "X": np.arange(24.0).reshape(2, 3, 4) - 7,
    "N": np.array([[0.0, 1e4, 3.0], [0.0, -1e3, 1.0], [0.0, 0.0, 2.0]]),
    "F": A.astype(np.float32), "I": np.array([[1, 2], [3, 4]]),
}  # fmt: skip

CALLS = """
tf.linalg.cholesky(P)
tf.linalg.cholesky(PP)
tf.linalg.cholesky(H)
tf.linalg.band_part(tf.linalg.cholesky(Z), -1, 0)
tf.linalg.cholesky_solve(tf.linalg.cholesky(P), B)
tf.linalg.cholesky_solve(tf.linalg.cholesky(PP), B)
tf.linalg.cholesky_solve(tf.linalg.cholesky(H), H)
tf.linalg.cross(V, [3., 0., 1.])
tf.linalg.cross(P, A)
tf.linalg.det(A)
tf.linalg.det(C)
tf.linalg.det(tf.zeros([2, 0, 0]))
tf.linalg.logdet(P)
tf.linalg.logdet(H)
tf.linalg.slogdet(A)
tf.linalg.slogdet(-AA)
tf.linalg.slogdet(C)
tf.linalg.slogdet(Z)
tf.linalg.inv(A)
tf.linalg.inv(C, adjoint=True)
tf.linalg.inv(Z)
tf.linalg.inv(NAN)
tf.linalg.solve(A, B)
tf.linalg.solve(AA, BB, adjoint=True)
tf.linalg.solve(C, H)
tf.linalg.solve(Z, B)
tf.linalg.solve(A, V)
tf.linalg.lstsq(T, B)
tf.linalg.lstsq(T, B, l2_regularizer=0.5)
tf.linalg.lstsq(W, R[:2])
tf.linalg.lstsq(W, R[:2], l2_regularizer=0.5)
tf.linalg.lstsq(T, B, fast=False)
tf.linalg.lstsq(W, R[:2], fast=False)
tf.linalg.lstsq(np.ones([3, 2]), B, fast=False)
tf.linalg.lstsq(H, C)
tf.linalg.lu(A)
tf.linalg.lu(AA, output_idx_type=tf.int64)
tf.linalg.lu(C)
tf.linalg.lu(Z)
tf.linalg.lu_solve(*tf.linalg.lu(A), B)
tf.linalg.lu_solve(*tf.linalg.lu(AA), B)
tf.linalg.lu_solve(*tf.linalg.lu(AA), BB)
tf.linalg.lu_solve(*tf.linalg.lu(A), BB)
tf.linalg.lu_solve(*tf.linalg.lu(A), V)
tf.linalg.lu_solve(*tf.linalg.lu(A), R)
tf.linalg.lu_matrix_inverse(*tf.linalg.lu(A))
tf.linalg.lu_matrix_inverse(*tf.linalg.lu(AA))
tf.linalg.lu_reconstruct(*tf.linalg.lu(A))
tf.linalg.lu_reconstruct(*tf.linalg.lu(AA))
tf.linalg.lu_reconstruct(A, [[0, 1, 2]])
tf.linalg.lu_reconstruct(T, [0, 1])
tf.linalg.lu_reconstruct(V, 0)
tf.linalg.qr(A)
tf.linalg.qr(T)
tf.linalg.qr(W)
tf.linalg.qr(T, full_matrices=True)
tf.linalg.qr(C)
tf.linalg.qr(AA)
tf.linalg.qr(V)
tf.linalg.qr(tf.zeros([0, 3]))
tf.linalg.eigh(P)[0]
tf.abs(tf.linalg.eigh(P)[1])
tf.linalg.eigh(PP)[0]
tf.linalg.eigh(H)[0]
tf.linalg.eigvalsh(H)
tf.linalg.eigvalsh(A)
tf.linalg.eigvalsh(NAN)
tf.abs(tf.linalg.eig(A)[1])
tf.linalg.eig(A)[0]
tf.eig(F)[0]
tf.linalg.eigvals(C)
tf.sort(tf.math.imag(tf.eigvals(AA)))
tf.sort(tf.math.real(tf.eigvals(AA)))
tf.linalg.svd(A)[0]
tf.abs(tf.linalg.svd(A)[1])
tf.abs(tf.linalg.svd(T)[2])
tf.abs(tf.linalg.svd(T, full_matrices=True)[1])
tf.linalg.svd(C)[0]
tf.linalg.svd(AA, compute_uv=False)
tf.linalg.svd(NAN)
tf.linalg.svd(Z)
tf.linalg.svd(tf.zeros([3, 0]), full_matrices=True)
tf.linalg.sqrtm(A)
tf.linalg.sqrtm(C)
tf.linalg.sqrtm(-P)
tf.matrix_square_root(AA)
tf.linalg.logm(tf.cast(P, tf.complex128))
tf.linalg.logm(tf.cast(-P, tf.complex64))
tf.linalg.logm(P)
tf.linalg.expm(A)
tf.linalg.expm(AA * 1e-3)
tf.linalg.expm(F * 5.)
tf.linalg.expm(C)
tf.linalg.expm(N)
tf.linalg.expm(NAN)
tf.linalg.expm(tf.zeros([0, 0]))
tf.linalg.expm(I)
tf.linalg.matrix_rank(A)
tf.linalg.matrix_rank(np.ones([3, 4]))
tf.linalg.matrix_rank(AA, tol=3.5)
tf.linalg.matrix_rank(V)
tf.linalg.matrix_rank(I)
tf.linalg.pinv(A)
tf.linalg.pinv(T)
tf.linalg.pinv(np.ones([3, 4]))
tf.linalg.pinv(AA, rcond=0.6)
tf.linalg.pinv(C)
tf.linalg.triangular_solve(L, B)
tf.linalg.triangular_solve(A, B, lower=False)
tf.linalg.triangular_solve(A, BB, adjoint=True)
tf.linalg.triangular_solve(C, H, lower=False, adjoint=True)
tf.linalg.triangular_solve(L, V)
tf.linalg.triangular_solve(T, V)
tf.linalg.banded_triangular_solve(D, R)
tf.linalg.banded_triangular_solve(D, R, lower=False)
tf.linalg.banded_triangular_solve(D[:2], R, lower=False, adjoint=True)
tf.linalg.banded_triangular_solve(D[:2], np.stack([R, R]), adjoint=True)
tf.linalg.banded_triangular_solve(D * 0, R)
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(R))
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(R[:, 0]))
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(R.T), transpose_rhs=True)
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(R), partial_pivoting=False)
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(R), perturb_singular=True)
tf.linalg.tridiagonal_solve([tf.constant(d) for d in D], tf.constant(R), 'sequence')
tf.linalg.tridiagonal_solve([tf.constant(D[0, :3]), tf.constant(D[1]), tf.constant(D[2, 1:])], tf.constant(R), 'sequence')
tf.linalg.tridiagonal_solve([tf.constant(D[0, :2]), tf.constant(D[1]), tf.constant(D[2, 1:])], tf.constant(R), 'sequence')
tf.linalg.tridiagonal_solve(tf.constant(A), tf.constant(B), diagonals_format='matrix')
tf.linalg.tridiagonal_solve(tf.constant(D[:2]), tf.constant(R))
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(B))
tf.linalg.tridiagonal_solve(tf.constant(D), tf.constant(B), 'x')
tf.linalg.tridiagonal_solve(tf.constant(D * 0), tf.constant(R))
tf.linalg.tridiagonal_matmul(tf.constant(D), tf.constant(R))
tf.linalg.tridiagonal_matmul([tf.constant(d) for d in D], tf.constant(R), diagonals_format='sequence')
tf.linalg.tridiagonal_matmul(tf.constant(A), tf.constant(B), diagonals_format='matrix')
tf.linalg.tridiagonal_matmul(tf.constant(D), tf.constant(B))
tf.linalg.eigh_tridiagonal(D[1], D[0, :3])
tf.linalg.eigh_tridiagonal(D[1], D[0, :3], select='i', select_range=(1, 2))
tf.linalg.eigh_tridiagonal(D[1], D[0, :3], select='v', select_range=(3., 6.))
tf.linalg.eigh_tridiagonal(D[1] + 0j, D[0, :3] + 1j)
tf.linalg.eigh_tridiagonal(D[1], D[0, :3], select='x')
tf.linalg.eigh_tridiagonal(D[1], np.float32(D[0, :3]))
tf.norm(A, ord=2, axis=[0, 1])
tf.norm(X, ord=2, axis=(0, 2))
tf.norm(X, ord=2, axis=(-1, 1), keepdims=True)
tf.norm(C, ord=2, axis=[0, 1])
tf.norm(X, ord='fro', axis=[0, 1])
tf.norm(X, ord=1, axis=[2, 0])
tf.norm(X, ord=np.inf, axis=[2, 0], keepdims=True)
tf.norm(X, ord=3, axis=1)
tf.norm(X, ord='fro')
tf.norm(C)
tf.norm(C, ord=1)
tf.linalg.normalize(A)
tf.linalg.normalize(X, ord=1, axis=1)
tf.linalg.normalize(X, ord=2, axis=[1, 2])
tf.linalg.normalize(C, axis=0)
"""

# Of floats alone, differentiated with respect to x, which is the named value.
GRADIENTS = """
P: tf.linalg.cholesky((x + tf.transpose(x)) / 2)
P: tf.linalg.cholesky(x)
H: tf.linalg.cholesky(x)
A: tf.linalg.inv(x)
C: tf.linalg.inv(x, adjoint=True)
AA: tf.linalg.det(x)
C: tf.linalg.det(x)
C: tf.linalg.slogdet(x)[1]
P: tf.linalg.logdet(x)
A: tf.linalg.solve(x, B)
C: tf.linalg.solve(x, H)
C: tf.linalg.solve(x, H, adjoint=True)
A: tf.linalg.triangular_solve(x, BB)
C: tf.linalg.triangular_solve(x, H, lower=False, adjoint=True)
T: tf.linalg.lstsq(x, B, l2_regularizer=0.25)
W: tf.linalg.lstsq(x, R[:2])
T: tf.raw_ops.MatrixSolveLs(matrix=x, rhs=B, l2_regularizer=.5)
W: tf.raw_ops.MatrixSolveLs(matrix=x, rhs=R[:2], l2_regularizer=.5)
A: tf.linalg.qr(x)
T: tf.linalg.qr(x)
W: tf.linalg.qr(x)
C: tf.linalg.qr(x)
P: tf.linalg.eigh(x)[0]
P: tf.square(tf.linalg.eigh(x)[1])
H: tf.linalg.eigvalsh(x)
A: tf.linalg.eigvals(x)
A: tf.abs(tf.linalg.eig(x)[1])
C: tf.abs(tf.linalg.eig(x)[1])
A: tf.linalg.svd(x)[0]
T: tf.square(tf.linalg.svd(x)[1])
T: tf.square(tf.linalg.svd(x)[2])
W: tf.square(tf.linalg.svd(x)[2])
W: tf.square(tf.linalg.svd(x, full_matrices=True)[2])
C: tf.abs(tf.linalg.svd(x)[2])
A: tf.linalg.svd(x, compute_uv=False)
A: tf.linalg.sqrtm(x)
AA: tf.linalg.sqrtm(x)
A: tf.linalg.expm(x)
A: tf.linalg.pinv(x)
T: tf.linalg.pinv(x)
D: tf.linalg.tridiagonal_solve(x, tf.constant(R))
D: tf.linalg.tridiagonal_matmul(x, tf.constant(R))
D: tf.linalg.banded_triangular_solve(x, R)
D: tf.linalg.banded_triangular_solve(x, np.stack([R, R]), lower=False, adjoint=True)
A: tf.norm(x, ord=2, axis=[0, 1])
A: tf.linalg.normalize(x)[0]
A: tf.linalg.lu_solve(*tf.linalg.lu(P), x)
"""

SHAPED = """
tf.linalg.cholesky(x)
tf.linalg.qr(x)
tf.linalg.qr(x, full_matrices=True)
tf.linalg.lu(x)
tf.linalg.svd(x)
tf.linalg.svd(x, full_matrices=True)
tf.linalg.svd(x, compute_uv=False)
tf.linalg.eigh(x)
tf.linalg.eigvalsh(x)
tf.linalg.eig(x)
tf.linalg.eigvals(x)
tf.linalg.det(x)
tf.linalg.slogdet(x)
tf.linalg.inv(x)
tf.linalg.solve(x, x)
tf.linalg.triangular_solve(x, x)
tf.linalg.lstsq(x, x, fast=False)
tf.linalg.pinv(x)
tf.linalg.matrix_rank(x)
tf.linalg.sqrtm(x)
tf.linalg.logdet(x)
"""
SHAPES = [None, [None, None], [None, 3], [3, 3], [2, None, 3], [5, 4, 4]]



def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [t for part in value for t in flat(part)]
    return [value]


def outcome(tf: Any, text: str, **more: Any) -> Any:
    try:
        return flat(eval(text, {**NAMES, "tf": tf, **more})), None
    except Exception as error:
        return None, error


def same(ours: list[Any], theirs: list[Any]) -> None:
    assert len(ours) == len(theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine.dtype.name == expected.dtype.name
        assert mine.shape.as_list() == expected.shape.as_list()
        a, b = mine.numpy(), expected.numpy()
        rtol = 1e-4 if a.dtype.itemsize == 4 or a.dtype == np.complex64 else 1e-9
        scale = np.nanmax(np.abs(b), initial=1.0)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol * scale)


@pytest.mark.parametrize("text", lines(CALLS))
def test_calls(both, text: str):
    ours, error = outcome(both.ours, text)
    theirs, refused = outcome(both.theirs, text)
    assert type(error).__name__ == type(refused).__name__, (error, refused)
    if refused is None:
        same(ours, theirs)


@pytest.mark.parametrize("row", lines(GRADIENTS))
def test_gradients(both, row: str):
    name, text = re.fullmatch(r"(\w+): (.*)", row).groups()
    results = []
    for tf in (both.ours, both.theirs):
        x = tf.constant(NAMES[name])
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = flat(eval(text, {**NAMES, "tf": tf, "x": x}))
            total = tf.constant(0.0, tf.float64)
            for i, t in enumerate(parts):
                weights = np.cos(np.arange(np.prod(t.shape)) + i)
                weighted = tf.reshape(t, [-1]) * weights.astype(t.dtype.as_numpy_dtype)
                if t.dtype.is_complex:
                    weighted = tf.math.real(weighted) + 2 * tf.math.imag(weighted)
                total += tf.reduce_sum(weighted)
        results.append([tf.convert_to_tensor(tape.gradient(total, x))])
    same(*results)


@pytest.mark.parametrize("text", lines(SHAPED))
def test_static_shapes(both, text: str):
    for shape in SHAPES:
        found = []
        for tf in (both.ours, both.theirs):
            spec = tf.TensorSpec(shape, tf.float64)
            seen: list[Any] = []

            def call(x: Any, tf: Any = tf, seen: list[Any] = seen) -> Any:
                out = flat(eval(text, {**NAMES, "tf": tf, "x": x}))
                seen.append([str(t.shape) for t in out])
                return out[0]

            try:
                tf.function(call, autograph=False).get_concrete_function(spec)
                found.append(seen[0])
            except Exception as error:
                found.append(type(error).__name__)
        assert found[0] == found[1], shape


@pytest.mark.parametrize("kind", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(20, 20), (33, 17), (17, 33), (2, 5, 5), (70, 70)])
def test_factors_multiply_to_the_matrix(both, kind: str, shape: tuple[int, ...]):
    tf = both.ours
    rng = np.random.default_rng(3)
    x = rng.normal(size=shape)
    if "complex" in kind:
        x = x + 1j * rng.normal(size=shape)
    x = x.astype(kind)
    tolerance = 2e-4 if kind in ("float32", "complex64") else 1e-11
    near = {"rtol": tolerance, "atol": tolerance * 10}
    for full in (False, True):
        s, u, v = (t.numpy() for t in tf.linalg.svd(x, full_matrices=full))
        p = s.shape[-1]
        adjoint = np.conj(np.swapaxes(v, -1, -2))
        np.testing.assert_allclose(
            (u[..., :p] * s[..., None, :]) @ adjoint[..., :p, :], x, **near
        )
        for unitary in (u, v):
            square = np.conj(np.swapaxes(unitary, -1, -2)) @ unitary
            eye = np.broadcast_to(np.eye(square.shape[-1]), square.shape)
            np.testing.assert_allclose(square, eye, **near)
        np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), **near)
        q, r = (t.numpy() for t in tf.linalg.qr(x, full_matrices=full))
        np.testing.assert_allclose(q @ r, x, **near)
    if shape[-1] != shape[-2]:
        return
    e, v = (t.numpy() for t in tf.linalg.eig(x))
    np.testing.assert_allclose(x @ v, v * e[..., None, :], rtol=1e-3, atol=1e-3)
    hermitian = x + np.conj(np.swapaxes(x, -1, -2))
    e, v = (t.numpy() for t in tf.linalg.eigh(hermitian))
    np.testing.assert_allclose(
        hermitian @ v, v * e[..., None, :], rtol=tolerance, atol=tolerance * 50
    )
    inverse = tf.linalg.inv(x).numpy()
    eye = np.broadcast_to(np.eye(shape[-1]), x.shape)
    np.testing.assert_allclose(inverse @ x, eye, atol=tolerance * 100)
    lu, p = (t.numpy() for t in tf.linalg.lu(x))
    lower = np.tril(lu, -1) + np.eye(shape[-1], dtype=x.dtype)
    rows = np.take_along_axis(x, p[..., None], -2)
    np.testing.assert_allclose(lower @ np.triu(lu), rows, **near)
