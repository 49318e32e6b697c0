"""All kinds of linear operators, loaded together: they make one another."""

from graphkiln._src.linalg import operator_dispatch as operator_dispatch
from graphkiln._src.linalg.block_diag import LinearOperatorBlockDiag
from graphkiln._src.linalg.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular,
)
from graphkiln._src.linalg.circulant import (
    LinearOperatorCirculant,
    LinearOperatorCirculant2D,
    LinearOperatorCirculant3D,
)
from graphkiln._src.linalg.composition import LinearOperatorComposition
from graphkiln._src.linalg.diag import LinearOperatorDiag
from graphkiln._src.linalg.full_matrix import (
    LinearOperatorFullMatrix,
    LinearOperatorLowerTriangular,
)
from graphkiln._src.linalg.householder import LinearOperatorHouseholder
from graphkiln._src.linalg.identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from graphkiln._src.linalg.kronecker import LinearOperatorKronecker
from graphkiln._src.linalg.linear_operator import LinearOperator
from graphkiln._src.linalg.low_rank_update import LinearOperatorLowRankUpdate
from graphkiln._src.linalg.permutation import LinearOperatorPermutation
from graphkiln._src.linalg.toeplitz import LinearOperatorToeplitz
from graphkiln._src.linalg.tridiag import LinearOperatorTridiag
from graphkiln._src.linalg.wrapped import (
    LinearOperatorAdjoint,
    LinearOperatorInversion,
)
from graphkiln._src.linalg.zeros import LinearOperatorZeros

__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
]
