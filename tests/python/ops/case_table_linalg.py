"""How ops of matrices are called; see case_table.py."""

from __future__ import annotations

from typing import Any

from case_values import F

SQUARE = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]]  # symmetric, too
SKEW = [[4.0, 1.5, 0.5], [-1.0, 3.0, -1.0], [0.25, 2.0, 6.0]]
LOWER = [[2.0, 0.0, 0.0], [0.5, 1.5, 0.0], [-0.25, 1.0, 1.0]]
THREE = [[1.0, 2.0, -1.0, 0.0], [5.0, 4.0, 6.0, 5.0], [0.0, 1.0, 2.0, -1.5]]

TABLE: dict[str, dict[str, Any]] = {
    "BatchMatMulV3": {
        "x": F(2, 3, 4), "y": F(4, 5), "Tout": "int32", "main": "Ta",
        "dtypes": ("int32",),
    },
    "Cholesky": {"input": [SQUARE, SQUARE]},
    "CholeskyGrad": {"l": LOWER, "grad": F(3, 3)},
    "Lu": {"input": SKEW},
    "Qr": {"input": F(4, 3)},
    "MatrixSolve": {"matrix": [SKEW, SQUARE], "rhs": F(2, 3, 2)},
    "MatrixSolveLs": {
        "matrix": [[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]], "rhs": F(3, 2),
        "l2_regularizer": 0.5, "main": "T",
        # TensorFlow's gradient of the regularizer is none.
    },
    "MatrixInverse": {"input": [SKEW, SQUARE]},
    "MatrixDeterminant": {"input": [SKEW, SQUARE]},
    "LogMatrixDeterminant": {"input": [SKEW, SQUARE]},
    "MatrixTriangularSolve": {"matrix": LOWER, "rhs": F(2, 3, 2)},
    "BandedTriangularSolve": {
        "matrix": [[2.0, 1.5, 3.0, 1.0], [0.0, 1.0, -1.0, 0.5]], "rhs": F(4, 2),
    },
    "TridiagonalSolve": {"diagonals": THREE, "rhs": F(4, 2)},
    "TridiagonalMatMul": {
        "superdiag": F(1, 4), "maindiag": F(1, 4), "subdiag": F(1, 4),
        "rhs": F(4, 2),
    },
    "SelfAdjointEigV2": {"input": SQUARE},
    "Eig": {"input": SKEW, "main": "T"},
    "Svd": {"input": [[3.0, 1.0], [0.5, 2.0], [1.0, -1.0]]},
    "MatrixSquareRoot": {"input": SKEW},
    "MatrixLogarithm": {"input": SKEW},
}
