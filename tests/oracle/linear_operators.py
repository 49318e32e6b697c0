"""What tests/oracle/test_linear_operator.py asks of both modules: operators of
all kinds, as expressions, and their members."""

from __future__ import annotations

import re
import zlib
from typing import Any

import numpy as np

# By name: L is tf.linalg, p(*shape) a parameter of the dtype at hand, dt; spd,
# nonsingular and so on are parameters with that property.
OPERATORS = {
    "diag": "L.LinearOperatorDiag(p(3))",
    "diag_batch": "L.LinearOperatorDiag(p(2, 3))",
    "diag_positive": (
        "L.LinearOperatorDiag(positive(3), is_positive_definite=True, "
        "is_self_adjoint=True)"
    ),
    "full": "L.LinearOperatorFullMatrix(p(3, 3))",
    "full_wide": "L.LinearOperatorFullMatrix(p(2, 2, 3))",
    "full_tall": "L.LinearOperatorFullMatrix(p(4, 3))",
    "full_spd": (
        "L.LinearOperatorFullMatrix(spd(2, 3), is_positive_definite=True, "
        "is_self_adjoint=True)"
    ),
    "full_singular": "L.LinearOperatorFullMatrix(p(3, 3), is_non_singular=False)",
    "tril": "L.LinearOperatorLowerTriangular(nonsingular(3))",
    "tril_batch": (
        "L.LinearOperatorLowerTriangular(p(2, 3, 3), is_non_singular=True)"
    ),
    "householder": "L.LinearOperatorHouseholder(p(3))",
    "householder_batch": "L.LinearOperatorHouseholder(p(2, 3))",
    "identity": "L.LinearOperatorIdentity(3, dtype=dt)",
    "identity_batch": "L.LinearOperatorIdentity(3, [2], dtype=dt)",
    "identity_checked": (
        "L.LinearOperatorIdentity(3, [2], dtype=dt, assert_proper_shapes=True)"
    ),
    "scaled": "L.LinearOperatorScaledIdentity(3, p())",
    "scaled_batch": (
        "L.LinearOperatorScaledIdentity(3, p(2), assert_proper_shapes=True)"
    ),
    "scaled_positive": (
        "L.LinearOperatorScaledIdentity(3, positive(), "
        "is_positive_definite=True, is_self_adjoint=True)"
    ),
    "zeros": "L.LinearOperatorZeros(3, dtype=dt)",
    "zeros_batch": "L.LinearOperatorZeros(3, batch_shape=[2], dtype=dt)",
    "zeros_wide": (
        "L.LinearOperatorZeros(2, 3, dtype=dt, is_square=False, "
        "is_self_adjoint=False)"
    ),
    "permutation": "L.LinearOperatorPermutation([2, 0, 1], dtype=dt)",
    "permutation_batch": (
        "L.LinearOperatorPermutation([[2, 0, 1], [0, 2, 1]], dtype=dt)"
    ),
    "toeplitz": "L.LinearOperatorToeplitz(p(3), p(3))",
    "toeplitz_batch": "L.LinearOperatorToeplitz(p(2, 3), p(3))",
    "tridiag": "L.LinearOperatorTridiag(p(3, 3))",
    "tridiag_sequence": (
        "L.LinearOperatorTridiag([p(2, 3), p(2, 3), p(2, 3)], "
        "diagonals_format='sequence')"
    ),
    "tridiag_matrix": (
        "L.LinearOperatorTridiag(L.band_part(p(2, 3, 3), 1, 1), "
        "diagonals_format='matrix')"
    ),
    "circulant": "L.LinearOperatorCirculant(p(3), input_output_dtype=dt)",
    "circulant_batch": (
        "L.LinearOperatorCirculant(positive(2, 3), input_output_dtype=dt, "
        "is_positive_definite=True, is_self_adjoint=True)"
    ),
    "circulant2d": (
        "L.LinearOperatorCirculant2D(p(3, 1), input_output_dtype=dt)"
    ),
    "circulant3d": (
        "L.LinearOperatorCirculant3D(p(2, 1, 3, 1), input_output_dtype=dt)"
    ),
    "adjoint": "L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(p(3, 3)))",
    "adjoint_wide": (
        "L.LinearOperatorAdjoint(L.LinearOperatorFullMatrix(p(2, 3, 2)))"
    ),
    "inversion": (
        "L.LinearOperatorInversion(L.LinearOperatorFullMatrix(nonsingular(3)))"
    ),
    "composition": (
        "L.LinearOperatorComposition([L.LinearOperatorFullMatrix(p(2, 3, 3)), "
        "L.LinearOperatorDiag(p(3))])"
    ),
    "composition_wide": (
        "L.LinearOperatorComposition([L.LinearOperatorFullMatrix(p(2, 4)), "
        "L.LinearOperatorFullMatrix(p(4, 3))])"
    ),
    "composition_llt": (
        "(lambda o: L.LinearOperatorComposition([o, o.H]))("
        "L.LinearOperatorLowerTriangular(nonsingular(3), "
        "is_non_singular=True))"
    ),
    "kronecker": (
        "L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(p(3, 3)), "
        "L.LinearOperatorDiag(p(1))])"
    ),
    "kronecker_wide": (
        "L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(p(2, 1)), "
        "L.LinearOperatorFullMatrix(p(2, 2, 3))])"
    ),
    "kronecker_spd": (
        "L.LinearOperatorKronecker([L.LinearOperatorFullMatrix(spd(1), "
        "is_positive_definite=True, is_self_adjoint=True), "
        "L.LinearOperatorFullMatrix(spd(3), "
        "is_positive_definite=True, is_self_adjoint=True)])"
    ),
    "block_diag": (
        "L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(p(2, 2)), "
        "L.LinearOperatorDiag(p(2, 1))])"
    ),
    "block_diag_spd": (
        "L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(spd(2), "
        "is_positive_definite=True, is_self_adjoint=True), "
        "L.LinearOperatorDiag(positive(1), is_positive_definite=True, "
        "is_self_adjoint=True)])"
    ),
    "block_diag_wide": (
        "L.LinearOperatorBlockDiag([L.LinearOperatorFullMatrix(p(1, 2)), "
        "L.LinearOperatorDiag(p(1))], is_square=None)"
    ),
    "block_lower": (
        "L.LinearOperatorBlockLowerTriangular(["
        "[L.LinearOperatorDiag(p(2), is_non_singular=True)], "
        "[L.LinearOperatorFullMatrix(p(1, 2)), "
        "L.LinearOperatorFullMatrix(p(2, 1, 1), is_non_singular=True)]])"
    ),
    "low_rank": (
        "L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(p(3)), p(3, 2), "
        "p(2), p(3, 2))"
    ),
    "low_rank_symmetric": (
        "L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(p(2, 3)), p(3, 2))"
    ),
    "low_rank_spd": (
        "L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(positive(3), "
        "is_positive_definite=True, is_self_adjoint=True), p(3, 2), "
        "positive(2), is_diag_update_positive=True)"
    ),
    "users": "Users(p(3, 3))",
    "users_in_composition": (
        "L.LinearOperatorComposition([Users(p(3, 3)), "
        "L.LinearOperatorDiag(p(3))])"
    ),
    "users_in_block": (
        "L.LinearOperatorBlockDiag([Users(p(2, 2)), L.LinearOperatorDiag(p(1))])"
    ),
}

MEMBERS = """
op.shape
op.batch_shape
op.tensor_rank
op.domain_dimension
op.range_dimension
op.dtype
op.name
op.is_square
op.is_non_singular
op.is_self_adjoint
op.is_positive_definite
sorted(op.parameters)
op.shape_tensor()
op.batch_shape_tensor()
op.tensor_rank_tensor()
op.domain_dimension_tensor()
op.range_dimension_tensor()
op.to_dense()
op.diag_part()
op.trace()
op.determinant()
op.log_abs_determinant()
op.cond()
op.eigvals()
op.matmul(x)
op.matmul(y, adjoint=True)
op.matmul(L.adjoint(x), adjoint_arg=True)
op.matmul(L.adjoint(y), True, True)
op.matmul(xb)
op.matvec(x[..., 0])
op.matvec(y[..., 0], adjoint=True)
op @ x
L.matmul(op, x)
L.matmul(y, op, adjoint_a=True)
tf.matmul(op, y, adjoint_a=True)
L.matvec(op, x[..., 0])
op.solve(y)
op.solve(x, adjoint=True)
op.solve(L.adjoint(y), adjoint_arg=True)
op.solve(L.adjoint(x), True, True)
op.solve(yb)
op.solvevec(y[..., 0])
op.solvevec(x[..., 0], adjoint=True)
L.solve(op, y)
op.add_to_tensor(op.to_dense() * 2)
op.adjoint()
op.H.H
op.inverse()
op.cholesky()
L.inv(op)
L.adjoint(op)
L.cholesky(op)
L.diag_part(op)
L.det(op)
L.logdet(op)
L.trace(op)
op.matmul(op)
op.matmul(op.H)
op @ diag
diag @ op
op @ identity
identity @ op
op @ scaled
scaled @ op
op @ zeros
zeros @ op
op @ tril
tril @ op
op @ full
op.solve(diag)
diag.solve(op)
op.solve(identity)
identity.solve(op)
op.solve(scaled)
scaled.solve(op)
op.solve(tril)
op.solve(op)
op.solve(op, adjoint=True, adjoint_arg=True)
op.inverse().inverse()
op.inverse().solve(op)
op.assert_non_singular()
op.assert_self_adjoint()
op.assert_positive_definite()
op[0]
op[..., 0:1]
op[...]
op.matmul(wrong)
op.matmul(x, adjoint_arg=True)
op.matmul(tf.ones([3, 2], tf.float16))
op.matvec(wrong[0])
op.solve(wrong)
tf.convert_to_tensor(op)
tf.nest.flatten(op, expand_composites=True)
op._type_spec._from_components(op._type_spec._to_components(op))
tf.nest.pack_sequence_as(op, tf.nest.flatten(op, True), True)
"""

# Of the parameters of an operator: sums of what these give have gradients.
DIFFERENTIABLE = """
op.to_dense()
op.diag_part()
op.trace()
op.determinant()
op.log_abs_determinant()
op.matmul(x)
op.matmul(y, adjoint=True)
op.matvec(x[..., 0])
op.solve(y)
op.solve(x, adjoint=True)
op.add_to_tensor(tf.zeros_like(op.to_dense()))
(op @ op.H).matmul(y)
op.inverse().matmul(y)
"""

# Constructors that refuse, and what is only about one kind.
OTHERS = """
L.LinearOperator(tf.float32)
L.LinearOperatorDiag(1.0)
L.LinearOperatorDiag([1.0], is_self_adjoint=False)
L.LinearOperatorDiag([1.0], is_square=False)
L.LinearOperatorDiag([1.0], is_positive_definite=True, is_non_singular=False)
L.LinearOperatorFullMatrix([1.0])
L.LinearOperatorFullMatrix([[1]])
L.LinearOperatorFullMatrix([[1.0]], is_non_singular=True, is_square=False)
L.LinearOperatorFullMatrix([[1.0]], is_self_adjoint=True, is_square=False)
L.LinearOperatorFullMatrix([[1.0]], is_square=False).is_square
L.LinearOperatorLowerTriangular([1.0])
L.LinearOperatorLowerTriangular([[1.0]], is_square=False)
L.LinearOperatorHouseholder(1.0)
L.LinearOperatorHouseholder([1.0], is_self_adjoint=False)
L.LinearOperatorHouseholder([1.0], is_positive_definite=True)
L.LinearOperatorHouseholder([1.0], is_square=False)
L.LinearOperatorIdentity(-1)
L.LinearOperatorIdentity([1])
L.LinearOperatorIdentity(1.5)
L.LinearOperatorIdentity(2, batch_shape=3)
L.LinearOperatorIdentity(2, batch_shape=[-3])
L.LinearOperatorIdentity(2, batch_shape=[1.5])
L.LinearOperatorIdentity(2, is_self_adjoint=False)
L.LinearOperatorIdentity(2, is_non_singular=False)
L.LinearOperatorIdentity(2, is_positive_definite=None)
L.LinearOperatorIdentity(2, is_square=False)
L.LinearOperatorIdentity(2, [3], assert_proper_shapes=True).matmul(tf.ones([4, 1]))
L.LinearOperatorIdentity(2).add_to_tensor([[1.0, 2.0], [3.0, 4.0]])
spec_of(L.LinearOperatorIdentity(2))
L.LinearOperatorIdentity(tf.constant(2), tf.constant([3])).cholesky()
L.LinearOperatorIdentity(2, [3, 4])[0].shape
L.LinearOperatorIdentity(2, [3, 4])[:, 1:].shape
L.LinearOperatorScaledIdentity(2, 3.0, is_self_adjoint=False)
L.LinearOperatorScaledIdentity(2, 3.0, is_square=False)
L.LinearOperatorScaledIdentity(2.0, 3.0)
L.LinearOperatorScaledIdentity(2, 0.0).cond()
L.LinearOperatorScaledIdentity(2, [0.0, 1.0]).assert_non_singular()
L.LinearOperatorZeros(2, is_non_singular=True)
L.LinearOperatorZeros(2, is_positive_definite=True)
L.LinearOperatorZeros(2, is_self_adjoint=False)
L.LinearOperatorZeros(2, 3)
L.LinearOperatorZeros(2, -3, is_square=False)
L.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False).shape
L.LinearOperatorZeros(2).assert_non_singular()
L.LinearOperatorPermutation(1)
L.LinearOperatorPermutation([1.0])
L.LinearOperatorPermutation([1, 1])
L.LinearOperatorPermutation([1, 0], is_non_singular=False)
L.LinearOperatorPermutation([1, 0], is_square=False)
L.LinearOperatorToeplitz(1.0, [1.0])
L.LinearOperatorToeplitz([1.0], [1.0, 2.0])
L.LinearOperatorToeplitz([1.0], [1.0], is_square=False)
L.LinearOperatorToeplitz([1.0, 2.0], [1.0, 2.0]).assert_self_adjoint()
L.LinearOperatorToeplitz([1.0, 2.0], [1.0, 3.0]).assert_self_adjoint()
L.LinearOperatorTridiag([[1.0]], diagonals_format="rows")
L.LinearOperatorTridiag(tf.ones([3, 4])).diagonals
L.LinearOperatorTridiag(tf.ones([3, 4])).diagonals_format
L.LinearOperatorTridiag(tf.ones([3, 4])).assert_self_adjoint()
L.LinearOperatorTridiag(tf.reshape(tf.range(12.0), [3, 4])).assert_self_adjoint()
L.LinearOperatorCirculant([1.0], is_self_adjoint=False)
L.LinearOperatorCirculant([1.0], is_square=False)
L.LinearOperatorCirculant2D([1.0])
L.LinearOperatorCirculant3D(tf.ones([2, 2, 2])).block_depth
L.LinearOperatorCirculant2D(tf.ones([5, 2, 3])).block_shape
L.LinearOperatorCirculant2D(tf.ones([5, 2, 3])).block_shape_tensor()
L.LinearOperatorCirculant2D(tf.ones([5, 2, 3])).convolution_kernel()
L.LinearOperatorCirculant([1.0 + 1.0j, 2.0j]).H.dtype
L.LinearOperatorCirculant(tf.ones([2], tf.float64), tf.float64).H.dtype
L.LinearOperatorCirculant2D(tf.ones([2, 2])) @ L.LinearOperatorCirculant2D(tf.ones([2, 2]))
L.LinearOperatorCirculant2D(tf.ones([2, 2])).solve(L.LinearOperatorCirculant2D(tf.ones([2, 2])))
L.LinearOperatorCirculant3D(tf.ones([1, 2, 2])).inverse()
L.LinearOperatorCirculant(tf.ones([2])) @ L.LinearOperatorCirculant2D(tf.ones([2, 1]))
L.LinearOperatorAdjoint(L.LinearOperatorDiag([1.0]), is_self_adjoint=False)
L.LinearOperatorAdjoint(L.LinearOperatorDiag([1.0]), is_square=False)
L.LinearOperatorInversion(L.LinearOperatorDiag([1.0]), is_non_singular=False)
L.LinearOperatorInversion(L.LinearOperatorZeros(2))
L.LinearOperatorInversion(L.LinearOperatorFullMatrix([[1.0, 2.0]]))
L.LinearOperatorComposition([])
L.LinearOperatorComposition(3)
L.LinearOperatorComposition([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag(tf.ones([1], tf.float64))])
L.LinearOperatorComposition([L.LinearOperatorDiag([1.0], is_non_singular=True)], is_non_singular=False)
L.LinearOperatorComposition([L.LinearOperatorDiag([1.0])], is_self_adjoint=False)
L.LinearOperatorComposition([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([1.0, 2.0])])
L.LinearOperatorKronecker([])
L.LinearOperatorKronecker([L.LinearOperatorDiag([1.0])], is_self_adjoint=False)
L.LinearOperatorKronecker([L.LinearOperatorFullMatrix([[1.0, 2.0]])]).assert_non_singular()
L.LinearOperatorBlockDiag([])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0])], is_self_adjoint=False)
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([2.0, 3.0])]).matmul([tf.ones([1, 2]), tf.ones([2, 2])])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([2.0, 3.0])]).solve([tf.ones([1, 2]), tf.ones([2, 2])])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([2.0, 3.0])]).matvec([tf.ones([1]), tf.ones([2])])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([2.0, 3.0])]).solvevec([tf.ones([1]), tf.ones([2])], adjoint=True)
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([2.0, 3.0])]).matvec([tf.ones([2]), tf.ones([2])])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([2.0, 3.0])]).matmul([[1.0], [2.0], [3.0]])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0])]) @ L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0])])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0, 2.0])]) @ L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([1.0])])
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0, 2.0])]).solve(L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([1.0])]))
L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0]), L.LinearOperatorDiag([1.0, 2.0])]) @ L.LinearOperatorBlockDiag([L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorDiag([1.0])])
L.LinearOperatorBlockLowerTriangular([])
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorDiag([1.0])], [L.LinearOperatorDiag([1.0])]])
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorDiag([1.0])], [L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorDiag([1.0, 2.0])]])
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorDiag([1.0])], [L.LinearOperatorFullMatrix([[1.0], [2.0]]), L.LinearOperatorDiag([1.0])]])
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorDiag([1.0], is_non_singular=True)]], is_non_singular=False)
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorZeros(1)]], is_non_singular=True)
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorDiag([1.0])]], is_square=False)
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorFullMatrix([[1.0, 2.0]])]])
L.LinearOperatorBlockLowerTriangular([[L.LinearOperatorDiag([2.0])], [L.LinearOperatorFullMatrix([[1.0]]), L.LinearOperatorDiag([4.0])], [L.LinearOperatorFullMatrix([[3.0]]), L.LinearOperatorScaledIdentity(1, 5.0), L.LinearOperatorDiag([4.0])]]).inverse()
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0]], is_diag_update_positive=False)
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0]], is_self_adjoint=False)
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0], is_positive_definite=True), [[1.0]], is_positive_definite=False)
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0], [2.0]])
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0]], [1.0, 2.0, 3.0])
L.LinearOperatorLowRankUpdate(L.LinearOperatorZeros(1), [[1.0]]).solve([[1.0]])
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0]]).diag_operator
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0]], [2.0]).diag_operator
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag([1.0]), [[1.0]]).is_diag_update_positive
L.matmul(L.LinearOperatorDiag([1.0]), [[1.0]], transpose_a=True)
L.matmul(L.LinearOperatorDiag([1.0]), [[1.0]], a_is_sparse=True)
L.solve([[1.0]], L.LinearOperatorDiag([1.0]))
L.slogdet(L.LinearOperatorDiag([1.0]))
tf.transpose(L.LinearOperatorDiag([1.0]))
L.LinearOperatorDiag([1.0]) + 1.0
L.experimental.conjugate_gradient(L.LinearOperatorDiag([1.0, 2.0]), tf.ones([2]))
L.experimental.conjugate_gradient(SPD, tf.ones([3]))
L.experimental.conjugate_gradient(SPD, tf.ones([2, 3]))
L.experimental.conjugate_gradient(SPD, tf.ones([3]), max_iter=1)
L.experimental.conjugate_gradient(SPD, tf.ones([3]), x=tf.ones([3]), tol=1e-3)
L.experimental.conjugate_gradient(SPD, tf.ones([3]), L.LinearOperatorDiag([0.5, 1.0, 0.2]))
tf.is_tensor(SPD)
[type(s).__name__ for s in L.LinearOperatorComposition([SPD]).submodules]
SPD.graph_parents == []
[v.name for v in L.LinearOperatorDiag(tf.Variable([1.0], name="w")).trainable_variables]
[v.name for v in L.LinearOperatorComposition([L.LinearOperatorDiag(tf.Variable([1.0], name="w"))]).variables]
spec_of(L.LinearOperatorDiag(tf.Variable([1.0])))
spec_of(L.LinearOperatorComposition([L.LinearOperatorScaledIdentity(2, [1.0])]))
L.LinearOperatorDiag(tf.ones([3, 4, 2]))[0, 1:].shape
L.LinearOperatorFullMatrix(tf.ones([3, 1, 2, 2]))[tf.constant(1), tf.newaxis].shape
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(tf.ones([4, 3])), tf.ones([3, 1]))[1].shape
L.LinearOperatorLowRankUpdate(L.LinearOperatorDiag(tf.ones([4, 3])), tf.ones([3, 1]))[..., 1:3].to_dense()
L.LinearOperatorKronecker([L.LinearOperatorDiag(tf.ones([4, 3])), L.LinearOperatorDiag(tf.ones([1, 3]))])[2].shape
"""


class Parameters:
    """Makes the parameters of operators: of each the same on both modules."""

    def __init__(self, tf: Any, dtype: str, given: list | None = None):
        self.tf = tf
        self.dtype = np.dtype(dtype)
        self.arrays: list[np.ndarray] = []
        self.tensors: list[Any] = []
        self.given = given

    def _tensor(self, array: np.ndarray) -> Any:
        array = array.astype(self.dtype)
        i = len(self.arrays)
        self.arrays.append(array)
        tensor = (
            self.tf.constant(array) if self.given is None else self.given[i]
        )
        self.tensors.append(tensor)
        return tensor

    def _numbers(self, shape: tuple) -> np.ndarray:
        rng = np.random.RandomState(zlib.crc32(repr((shape, len(self.arrays))
                                                    ).encode()))
        x = rng.uniform(0.5, 2.0, shape) * rng.choice([-1.0, 1.0], shape)
        if self.dtype.kind == "c":
            x = x + 1j * rng.uniform(-1.0, 1.0, shape)
        return x

    def p(self, *shape: int) -> Any:
        return self._tensor(self._numbers(shape))

    def positive(self, *shape: int) -> Any:
        return self._tensor(np.abs(self._numbers(shape)))

    def nonsingular(self, size: int) -> Any:
        return self._tensor(self._numbers((size, size)) + 3 * np.eye(size))

    def spd(self, *shape: int) -> Any:
        x = self._numbers((*shape, shape[-1]))
        return self._tensor(
            x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye(shape[-1])
        )


def users_class(tf: Any) -> type:
    """A class as users write it, which defines what must be."""

    class Users(tf.linalg.LinearOperator):
        def __init__(self, matrix, name=None):
            self._matrix = matrix
            super().__init__(
                matrix.dtype, name=name, parameters=dict(matrix=matrix)
            )

        def _shape(self):
            return self._matrix.shape

        def _shape_tensor(self):
            return tf.shape(self._matrix)

        def _matmul(self, x, adjoint=False, adjoint_arg=False):
            return tf.matmul(
                self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg
            )

        @property
        def _composite_tensor_fields(self):
            return ("matrix",)

        @property
        def _experimental_parameter_ndims_to_matrix_ndims(self):
            return {"matrix": 2}

        @property
        def matrix(self):
            return self._matrix

    return Users


def spec_of(operator: Any) -> list:
    """What its TypeSpec holds, in the order of names."""
    spec = operator._type_spec
    return [
        type(spec).__name__,
        *sorted(map(str, spec._param_specs)),
        *sorted(map(str, spec._non_tensor_params.items())),
        *spec._prefer_static_fields,
        *[str(s) for s in spec._param_specs.values() if "Operator" not in str(s)],
    ]


def names_of(tf: Any, parameters: Parameters) -> dict[str, Any]:
    dt = tf.as_dtype(parameters.dtype.name)
    linalg = tf.linalg
    spd = linalg.LinearOperatorFullMatrix(
        [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]],
        is_positive_definite=True, is_self_adjoint=True,
    )
    return {
        "tf": tf, "L": linalg, "np": np, "dt": dt, "p": parameters.p,
        "positive": parameters.positive, "spd": parameters.spd,
        "nonsingular": parameters.nonsingular, "Users": users_class(tf),
        "SPD": spd, "spec_of": spec_of,
    }


def arguments_of(tf: Any, rows: int, columns: int, dtype: str) -> dict[str, Any]:
    """What operators are multiplied with."""
    other = Parameters(tf, dtype)
    linalg = tf.linalg
    return {
        "x": other.p(columns, 2),
        "y": other.p(rows, 2),
        "xb": other.p(4, 1, columns, 2),
        "yb": other.p(4, 1, rows, 2),
        "wrong": other.p(7, 7),
        "diag": linalg.LinearOperatorDiag(
            other.positive(columns), is_positive_definite=True,
            is_self_adjoint=True,
        ),
        "identity": linalg.LinearOperatorIdentity(columns, dtype=dtype),
        "scaled": linalg.LinearOperatorScaledIdentity(
            columns, other.p(), is_non_singular=True
        ),
        "zeros": linalg.LinearOperatorZeros(columns, dtype=dtype),
        "tril": linalg.LinearOperatorLowerTriangular(other.nonsingular(columns)),
        "full": linalg.LinearOperatorFullMatrix(other.nonsingular(columns)),
    }


_HINTS = (
    "is_square", "is_non_singular", "is_self_adjoint", "is_positive_definite"
)


def told(tf: Any, value: Any) -> Any:
    """A value as what can be compared: text, and tensors as arrays."""
    if isinstance(value, tf.linalg.LinearOperator):
        facts = [type(value).__name__, value.name, str(value.shape),
                 value.dtype.name]
        for hint in _HINTS:
            facts.append(f"{hint}={getattr(value, hint)}")
        facts.append(str(sorted(value.parameters)))
        return [*facts, told(tf, value.to_dense())]
    if isinstance(value, tf.Variable):
        value = value.read_value()
    if tf.is_tensor(value):
        return value
    if hasattr(value, "_fields"):
        return [told(tf, v) for v in value]
    if isinstance(value, (list, tuple)):
        return [told(tf, v) for v in value]
    if isinstance(value, tf.dtypes.DType):
        return value.name
    if value is None or type(value).__name__ in ("Operation", "NoOp"):
        return "nothing"
    return str(value)


_TENSOR = re.compile(
    r"(tf\.Tensor\(.*?dtype=\w+\)|<tf\.Tensor.*?>|Tensor\(.*?\)|"
    r"<\S+ object at 0x\w+>)",
    re.DOTALL,
)


def told_error(error: Exception) -> str:
    text = str(error).strip().splitlines()
    first = _TENSOR.sub("TENSOR", text[0] if text else "")
    if "unsupported type" in first or "has no len()" in first:
        first = "no tensor"
    first = first.split("{{function_node", 1)[-1].split("}} ", 1)[-1]
    first = first.replace("graphkiln", "tensorflow").split("[Op:")[0].strip()
    return f"{type(error).__name__}: {first}"
