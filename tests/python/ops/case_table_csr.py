"""How ops that cross features and those on CSR matrices are called; see
case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from case_values import I64

PLACES = np.array([[0, 1], [1, 0], [1, 2]], np.int64)  # of a matrix of [2, 3]
CROSSED: dict[str, Any] = {
    "indices": [PLACES], "values": [I64(5, -6, 7)], "shapes": [I64(2, 3)],
    "dense_inputs": [np.array([[3, 4], [5, 6]], np.int64)],
    "main": "sparse_types", "dtypes": ["int64"],
}

TABLE: dict[str, dict[str, Any]] = {
    "SparseCross": {
        **CROSSED, "hashed_output": True, "num_buckets": 100, "hash_key": 7,
        "out_type": "int64", "internal_type": "int64",
    },
    "SparseCrossV2": {**CROSSED, "sep": "_"},
    "SparseCrossHashed": {
        **CROSSED, "num_buckets": np.int64(100), "strong_hash": True,
        "salt": I64(3, 4), "dense_inputs": [],  # on numbers TensorFlow crashes
    },
    "RaggedCross": {
        "ragged_values": [I64(1, 2, 3)], "ragged_row_splits": [I64(0, 1, 3)],
        "sparse_indices": [PLACES], "sparse_values": [I64(5, -6, 7)],
        "sparse_shape": [I64(2, 3)],
        "dense_inputs": [np.array([[3, 4], [5, 6]], np.int64)],
        "input_order": "DRS", "hashed_output": True, "num_buckets": 0,
        "hash_key": 7, "out_values_type": "int64",
        "out_row_splits_type": "int64", "main": "ragged_values_types",
        "dtypes": ["int64"],
    },
}
VALUE_SHAPED = {*TABLE}

NOT_CALLED = dict.fromkeys(
    ("CSRSparseMatrixComponents", "CSRSparseMatrixToDense",
     "CSRSparseMatrixToSparseTensor", "DenseToCSRSparseMatrix",
     "SparseMatrixAdd", "SparseMatrixMatMul", "SparseMatrixMul",
     "SparseMatrixNNZ", "SparseMatrixOrderingAMD", "SparseMatrixSoftmax",
     "SparseMatrixSoftmaxGrad", "SparseMatrixSparseCholesky",
     "SparseMatrixSparseMatMul", "SparseMatrixTranspose", "SparseMatrixZeros",
     "SparseTensorToCSRSparseMatrix"),
    "takes or gives a matrix in compressed rows; tests/oracle/test_csr.py "
    "covers it",
)
