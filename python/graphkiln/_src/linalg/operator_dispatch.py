"""Functions of matrices that take linear operators in their places."""

from graphkiln import _graphkiln
from graphkiln._src import ops
from graphkiln._src.linalg.linear_operator import LinearOperator


def _adjoint(matrix, name=None):
    return matrix.adjoint(name)


def _cholesky(input, name=None):
    return input.cholesky(name)


def _diag_part(
    input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"
):
    return input.diag_part(name)


def _det(input, name=None):
    return input.determinant(name)


def _inv(input, adjoint=False, name=None):
    inverse = input.inverse(name)
    return inverse.adjoint() if adjoint else inverse


def _logdet(matrix, name=None):
    if matrix.is_positive_definite and matrix.is_self_adjoint:
        factor = ops.math.real(matrix.cholesky().diag_part())
        return 2.0 * ops.reduce_sum(ops.math.log(factor), axis=[-1])
    raise ValueError("Expected matrix to be self-adjoint positive definite.")


def _matmul(
    a,
    b,
    transpose_a=False,
    transpose_b=False,
    adjoint_a=False,
    adjoint_b=False,
    a_is_sparse=False,
    b_is_sparse=False,
    output_type=None,
    grad_a=False,
    grad_b=False,
    name=None,
):
    if transpose_a or transpose_b:
        raise ValueError("Transposing not supported at this time.")
    if a_is_sparse or b_is_sparse:
        raise ValueError("Sparse methods not supported at this time.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b, name=name)
    # (B^H A^H)^H is A B.
    product = b.matmul(
        a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a, name=name
    )
    return ops.linalg.adjoint(product)


def _matvec(
    a,
    b,
    transpose_a=False,
    adjoint_a=False,
    a_is_sparse=False,
    b_is_sparse=False,
    name=None,
):
    product = _matmul(
        a,
        ops.expand_dims(b, axis=-1),
        transpose_a=transpose_a,
        adjoint_a=adjoint_a,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )
    return ops.squeeze(product, axis=-1)


def _solve(matrix, rhs, adjoint=False, name=None):
    if not isinstance(matrix, LinearOperator):
        raise ValueError(
            "Passing in `matrix` as a Tensor and `rhs` as a LinearOperator is not "
            "supported."
        )
    return matrix.solve(rhs, adjoint=adjoint, name=name)


def _trace(x, name=None):
    return x.trace(name)


def _register() -> None:
    linalg = ops.linalg
    for api, name, function in (
        (linalg.adjoint, "matrix", _adjoint),
        (linalg.cholesky, "input", _cholesky),
        (linalg.diag_part, "input", _diag_part),
        (linalg.det, "input", _det),
        (linalg.inv, "input", _inv),
        (linalg.logdet, "matrix", _logdet),
        (linalg.matmul, "a", _matmul),
        (linalg.matmul, "b", _matmul),
        (linalg.matvec, "a", _matvec),
        (linalg.solve, "matrix", _solve),
        (linalg.solve, "rhs", _solve),
        (linalg.trace, "x", _trace),
    ):
        _graphkiln.dispatch_for_api(api, {name: LinearOperator})(function)


_register()
