"""Sparse matrices in compressed rows beside TensorFlow's: values, shapes,
gradients, errors. Where TensorFlow has no kernel for CPUs, or no gradient, what
dense matrices give is the measure."""

from __future__ import annotations

import itertools
import types

import numpy as np
import pytest

PLACES = [[0, 1], [1, 0], [1, 2]]  # of [2, 3]
BATCHED = [[0, 0, 1], [0, 1, 0], [2, 1, 1]]  # of [3, 2, 2]
TYPES = ["float32", "float64", "complex64", "complex128"]


def numbers(n: int, dtype: str, first: int = 1) -> np.ndarray:
    x = np.sin(np.arange(first, first + n) * 1.7) * 3
    return (x + 1j * np.cos(x) if "complex" in dtype else x).astype(dtype)


class Calls:
    """The ops of one module, on matrices of one type."""

    def __init__(self, tf: types.ModuleType, dtype: str = "float32") -> None:
        self.tf, self.raw, self.dtype = tf, tf.raw_ops, dtype
        self.type = getattr(tf, dtype)

    def matrix(self, places=PLACES, shape=(2, 3), values=None):
        if values is None:
            values = numbers(len(places), self.dtype)
        return self.raw.SparseTensorToCSRSparseMatrix(
            indices=np.array(places, np.int64).reshape(-1, len(shape)),
            values=values, dense_shape=shape,
        )

    def random(self, rows, width, share=0.4, seed=0):
        dense = np.random.default_rng(seed).uniform(size=(rows, width)) < share
        return self.matrix(np.argwhere(dense), (rows, width))

    def definite(self, n, seed=0):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.3)
        if "complex" in self.dtype:
            x = x + 1j * rng.normal(size=(n, n)) * (x != 0)
        x = x @ x.conj().T + np.eye(n) * n
        at = np.argwhere(x)
        return self.matrix(at, (n, n), x[tuple(at.T)].astype(self.dtype))

    def dense(self, a):
        return self.raw.CSRSparseMatrixToDense(sparse_input=a, type=self.type)

    def parts(self, a, index=0):
        return list(
            self.raw.CSRSparseMatrixComponents(
                csr_sparse_matrix=a, index=index, type=self.type
            )
        )

    def sparse(self, a):
        return list(
            self.raw.CSRSparseMatrixToSparseTensor(sparse_matrix=a, type=self.type)
        )

    def transpose(self, a, conjugate=False):
        return self.raw.SparseMatrixTranspose(
            input=a, type=self.type, conjugate=conjugate
        )

    def product(self, a, b, **turns):
        return self.raw.SparseMatrixSparseMatMul(a=a, b=b, type=self.type, **turns)

    def factor(self, a, order):
        return self.raw.SparseMatrixSparseCholesky(
            input=a, permutation=order, type=self.type
        )


CALLS = """
c.parts(c.matrix())
c.dense(c.matrix())
c.sparse(c.matrix())
c.raw.SparseMatrixNNZ(sparse_matrix=c.matrix())
c.parts(c.matrix([], (2, 3)))
c.dense(c.matrix([[0, 1], [0, 1], [1, 2]]))
c.parts(c.matrix([[0, 2], [0, 1], [1, 2]]))
c.parts(c.matrix(BATCHED, (3, 2, 2)), 2)
c.parts(c.matrix(BATCHED, (3, 2, 2)), 1)
c.dense(c.matrix(BATCHED, (3, 2, 2)))
c.sparse(c.matrix(BATCHED, (3, 2, 2)))
c.raw.SparseMatrixNNZ(sparse_matrix=c.matrix(BATCHED, (3, 2, 2)))
c.parts(c.raw.DenseToCSRSparseMatrix(dense_input=numbers(6, c.dtype).reshape(2, 3), indices=PLACES))
c.dense(c.raw.DenseToCSRSparseMatrix(dense_input=numbers(12, c.dtype).reshape(3, 2, 2), indices=BATCHED))
c.parts(c.transpose(c.matrix()))
c.parts(c.transpose(c.matrix(), True))
c.dense(c.transpose(c.matrix(BATCHED, (3, 2, 2))))
c.parts(c.product(c.matrix(), c.matrix([[0, 0], [1, 1]], (3, 2))))
c.parts(c.product(c.random(9, 7), c.random(7, 8, seed=1)))
c.parts(c.product(c.matrix(), c.matrix([[0, 0]], (3, 300000))))
c.dense(c.product(c.matrix(BATCHED, (3, 2, 2)), c.matrix(BATCHED, (3, 2, 2))))
c.raw.SparseMatrixOrderingAMD(input=c.definite(7))
c.raw.SparseMatrixOrderingAMD(input=c.definite(30, 1))
c.parts(c.factor(c.definite(7), np.arange(7)))
c.parts(c.factor(c.definite(7), [6, 2, 0, 5, 4, 1, 3]))
c.dense(c.factor(c.definite(20, 2), c.raw.SparseMatrixOrderingAMD(input=c.definite(20, 2))))
"""
ERRORS = """
c.matrix([[0]], (2,))
c.matrix([[0, 1], [2, 1], [5, 2]])
c.matrix([[0, 1], [1, 7], [1, 2]])
c.matrix([[0, 1], [-1, 0], [1, 2]])
c.matrix(values=numbers(2, c.dtype))
c.matrix(shape=(-2, 3))
c.parts(c.matrix(), 1)
c.parts(c.matrix(), -1)
Calls(c.tf, 'float64').dense(c.matrix())
Calls(c.tf, 'float64').parts(c.matrix())
Calls(c.tf, 'float64').sparse(c.matrix())
Calls(c.tf, 'float64').transpose(c.matrix())
c.dense(c.raw.EmptyTensorList(element_shape=[-1], max_num_elements=-1, element_dtype=c.tf.float32))
c.dense(c.tf.stack([c.matrix(), c.matrix()]))
c.raw.DenseToCSRSparseMatrix(dense_input=[[0., 1.], [2., 0.]], indices=[[0, 1], [1, 5]])
c.raw.DenseToCSRSparseMatrix(dense_input=[0., 1.], indices=[[0], [1]])
c.raw.DenseToCSRSparseMatrix(dense_input=[[0., 1.]], indices=[0, 1])
c.raw.DenseToCSRSparseMatrix(dense_input=[[0., 1.]], indices=[[0, 1, 1]])
c.raw.SparseMatrixMatMul(a=c.matrix(), b=c.tf.ones([2, 2]))
c.raw.SparseMatrixMatMul(a=c.matrix(), b=c.tf.ones([2, 2]), transpose_a=True, adjoint_a=True)
c.raw.SparseMatrixMatMul(a=c.matrix(BATCHED, (3, 2, 2)), b=c.tf.ones([2, 1]))
c.raw.SparseMatrixMatMul(a=c.matrix(BATCHED, (3, 2, 2)), b=c.tf.ones([1, 2, 1]))
c.raw.SparseMatrixMatMul(a=c.matrix(), b=c.tf.ones([3, 2], c.tf.float64))
c.product(c.matrix(), c.matrix())
c.product(c.matrix(), c.matrix(), transpose_b=True, adjoint_b=True)
c.raw.SparseMatrixOrderingAMD(input=c.matrix())
c.factor(c.matrix(), [1, 0])
c.factor(c.definite(3), [1, 0])
c.factor(c.definite(3), [[1, 0, 2]])
c.factor(c.matrix([[0, 0], [1, 1]], (2, 2), np.float32([1, -1])), [0, 1])
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("call", lines(CALLS))
def test_values(both, call, dtype):
    both.agree(
        lambda tf: tf.nest.flatten(eval(call, globals(), {"c": Calls(tf, dtype)})),
        rtol=1e-5, atol=1e-5,
    )


@pytest.mark.parametrize("call", lines(ERRORS))
def test_errors(both, call):
    both.agree_on_error(lambda tf: eval(call, globals(), {"c": Calls(tf)}))


TURNS = ["", "transpose_", "adjoint_"]


def turns(a: str, b: str) -> dict[str, bool]:
    return {
        f"{how}{name}": True for how, name in ((a, "a"), (b, "b")) if how
    }


def turned(x, how: str):
    return x if not how else np.swapaxes(x.conj() if how[0] == "a" else x, -1, -2)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("a, b", itertools.product(TURNS, TURNS))
def test_products_with_dense_matrices(both, a, b, rank, dtype):
    places, shape = (PLACES, (2, 3)) if rank == 2 else (BATCHED, (3, 2, 2))
    inner = shape[-1] if not a else shape[-2]
    sizes = [*shape[:-2], *((4, inner) if b else (inner, 4))]
    dense = numbers(int(np.prod(sizes)), dtype, 5).reshape(sizes)
    for flags in ({}, {"transpose_output": True}, {"conjugate_output": True},
                  {"transpose_output": True, "conjugate_output": True}):

        def run(tf, flags=flags):
            c = Calls(tf, dtype)
            values, with_b = tf.constant(numbers(3, dtype)), tf.constant(dense)
            with tf.GradientTape() as tape:
                tape.watch([values, with_b])
                y = c.raw.SparseMatrixMatMul(
                    a=c.matrix(places, shape, values), b=with_b, **turns(a, b),
                    **flags,
                )
                loss = tf.reduce_sum(tf.math.real(y * y * tf.math.conj(y)))
            return [y, *tape.gradient(loss, [values, with_b])]

        def by_dense(tf, flags=flags):
            values, with_b = tf.constant(numbers(3, dtype)), tf.constant(dense)
            with tf.GradientTape() as tape:
                tape.watch([values, with_b])
                y = tf.linalg.matmul(
                    tf.scatter_nd(places, values, shape), with_b, **turns(a, b)
                )
                if flags.get("transpose_output"):
                    y = tf.linalg.matrix_transpose(y)
                if flags.get("conjugate_output"):
                    y = tf.math.conj(y)
                loss = tf.reduce_sum(tf.math.real(y * y * tf.math.conj(y)))
            return [y, *tape.gradient(loss, [values, with_b])]

        for mine, expected in zip(
            run(both.ours), by_dense(both.theirs), strict=True
        ):
            np.testing.assert_allclose(
                mine.numpy(), expected.numpy(), rtol=1e-4, atol=1e-3
            )
        if dtype == "float32":
            both.agree(run, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
@pytest.mark.parametrize("a, b", itertools.product(TURNS, TURNS))
@pytest.mark.parametrize("order", [1, 2])
def test_gradients_of_products_of_sparse_matrices(both, a, b, order, dtype):
    shape_a = (3, 2) if a else (2, 3)
    shape_b = (2, 3) if b else (3, 2)
    at_a = [p[::-1] for p in PLACES] if a else PLACES
    at_a.sort()
    at_b = [[0, 1], [1, 0], [1, 1]]

    def run(tf, product):
        x = tf.constant(numbers(3, dtype))
        y = tf.constant(numbers(3, dtype, 7))
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as tape:
                tape.watch([x, y])
                z = product(tf, x, y)
                loss = tf.reduce_sum(tf.math.real(z * z * tf.math.conj(z)))
            first = tape.gradient(loss, [x, y])
            if order == 1:
                return [z, *first]
            total = tf.add_n([tf.reduce_sum(tf.math.real(g * g)) for g in first])
        return outer.gradient(total, [x, y])

    def sparse(tf, x, y):
        c = Calls(tf, dtype)
        return c.dense(
            c.product(c.matrix(at_a, shape_a, x), c.matrix(at_b, shape_b, y),
                      **turns(a, b))
        )

    def dense(tf, x, y):
        return tf.linalg.matmul(
            tf.scatter_nd(at_a, x, shape_a), tf.scatter_nd(at_b, y, shape_b),
            **turns(a, b),
        )

    for mine, expected in zip(
        run(both.ours, sparse), run(both.theirs, dense), strict=True
    ):
        np.testing.assert_allclose(
            mine.numpy(), expected.numpy(), rtol=1e-4, atol=1e-3
        )


def gradient(tf, f, order, *arguments):
    with tf.GradientTape() as outer:
        outer.watch(arguments)
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            y = f(*arguments)
            loss = tf.reduce_sum(tf.sin(y) * y)
        first = tape.gradient(loss, arguments)
        if order == 1:
            return first
        total = tf.add_n([tf.reduce_sum(g * g) for g in first])
    return outer.gradient(total, arguments)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", ["sum", "scale", "rows", "both", "twice"])
def test_gradients_against_dense_matrices(both, name, order):
    other = [[0, 0], [1, 0], [1, 1]]
    b = {"sum": 1.5, "twice": 1.5, "scale": 2.0, "rows": [[2.0], [-3.0]],
         "both": [[1.0, 2, 3], [4, 5, 6]]}[name]

    def sparse(tf):
        c = Calls(tf)

        def f(x, y, b):
            p, q = c.matrix(values=x), c.matrix(other, values=y)
            if name == "sum":
                return c.dense(c.raw.SparseMatrixAdd(a=p, b=q, alpha=2.0, beta=-1.0)) * b
            if name == "twice":  # The gradients of two uses are added.
                return c.dense(p) * b + c.dense(c.transpose(c.transpose(p))) * c.dense(q)
            return c.dense(c.raw.SparseMatrixMul(a=p, b=b)) + c.dense(q)

        return f

    def dense(tf):
        def f(x, y, b):
            p, q = tf.scatter_nd(PLACES, x, (2, 3)), tf.scatter_nd(other, y, (2, 3))
            if name == "sum":
                return (2 * p - q) * b
            if name == "twice":
                return p * b + p * q
            return p * b + q

        return f

    def run(tf, made):
        arguments = [tf.constant(numbers(3, "float32")),
                     tf.constant(numbers(3, "float32", 5)), tf.constant(b)]
        return [made(tf)(*arguments), *gradient(tf, made(tf), order, *arguments)]

    for mine, expected in zip(
        run(both.ours, sparse), run(both.theirs, dense), strict=True
    ):
        np.testing.assert_allclose(
            mine.numpy(), expected.numpy(), rtol=1e-4, atol=1e-4
        )


def test_softmax_and_its_gradient(both):
    def sparse(tf):
        c = Calls(tf)
        return lambda x: c.dense(
            c.raw.SparseMatrixSoftmax(logits=c.matrix(values=x), type=c.type)
        )

    def dense(tf):
        s = [tf.int64, tf.constant(PLACES, tf.int64)]
        return lambda x: tf.sparse.to_dense(
            tf.sparse.softmax(tf.SparseTensor(s[1], x, [2, 3]))
        )

    def run(tf, made):
        x = tf.constant(numbers(3, "float32"))
        return [made(tf)(x), *gradient(tf, made(tf), 1, x)]

    for mine, expected in zip(
        run(both.ours, sparse), run(both.theirs, dense), strict=True
    ):
        np.testing.assert_allclose(mine.numpy(), expected.numpy(), rtol=1e-5)


def test_zeros_and_shapes_in_functions(both):
    tf = both.ours
    c = Calls(tf)

    @tf.function
    def f(values):
        a = c.matrix(values=values)
        z = c.raw.SparseMatrixZeros(dense_shape=[2, 3], type=tf.float32)
        shapes = [
            c.dense(a).shape, c.dense(z).shape, c.dense(c.transpose(a)).shape,
            c.dense(c.product(a, c.transpose(a))).shape,
            c.raw.SparseMatrixMatMul(a=a, b=tf.ones([3, 4])).shape,
            c.raw.SparseMatrixNNZ(sparse_matrix=z).shape,
        ]
        assert shapes == [[2, 3], [2, 3], [3, 2], [2, 2], [2, 4], []]
        return c.dense(z) + c.dense(a)

    np.testing.assert_array_equal(
        f(tf.constant([1.0, 2.0, 3.0])).numpy(), [[0, 1, 0], [2, 0, 3]]
    )


def test_rows_out_of_order_are_put_in_order():
    import graphkiln as tf

    c = Calls(tf)
    a = c.matrix([[1, 0], [0, 1], [1, 2]], values=np.float32([1, 2, 3]))
    np.testing.assert_array_equal(c.dense(a).numpy(), [[0, 2, 0], [1, 0, 3]])


@pytest.mark.parametrize("order", [[0, 0], [0, 2], [-1, 0]])
def test_orders_that_do_not_name_each_row_once(order):
    import graphkiln as tf

    with pytest.raises(tf.errors.InvalidArgumentError, match="permutation"):
        c = Calls(tf)
        c.factor(c.matrix([[0, 0], [1, 1]], (2, 2), np.float32([1, 1])), order)


@pytest.mark.parametrize("shape", [(2**31, 2), (2**40, 2**40), (2, 2**31)])
def test_sizes_that_32_bits_do_not_count(shape):
    import graphkiln as tf

    with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError)):
        Calls(tf).matrix([[0, 0]], shape)
