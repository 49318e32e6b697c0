"""How sparse and ragged ops are called; see case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from case_values import I64, F

PLACES = np.array([[1, 0], [0, 2], [0, 1]], np.int64)  # of a sparse tensor

TABLE: dict[str, dict[str, Any]] = {
    "SparseReorder": {
        "input_indices": PLACES, "input_values": F(3), "input_shape": I64(2, 3),
    },
    "SparseReshape": {
        "input_indices": PLACES, "input_shape": I64(2, 3),
        "new_shape": I64(3, -1),
    },
    "SparseToDense": {
        "sparse_indices": [[0, 1], [1, 2]], "output_shape": [2, 3],
        "sparse_values": F(2), "default_value": F(),
    },
    "SparseTensorDenseMatMul": {
        "a_indices": PLACES, "a_values": F(3), "a_shape": I64(2, 3),
        "b": F(3, 2),
    },
    "SparseFillEmptyRows": {
        "indices": PLACES, "values": F(3), "dense_shape": I64(5, 3),
        "default_value": F(),
    },
    "SparseFillEmptyRowsGrad": {
        "reverse_index_map": I64(1, 3), "grad_values": F(5),
    },
    "SparseConcat": {
        "indices": [PLACES, PLACES], "values": [F(3), F(3)],
        "shapes": [I64(2, 3), I64(2, 3)], "concat_dim": 1,
    },
    "RaggedRange": {
        "starts": [0, 5, 8], "limits": [3, 3, 9], "deltas": [1, 1, 1],
    },
}
VALUE_SHAPED = {"RaggedRange", "SparseFillEmptyRows"}
