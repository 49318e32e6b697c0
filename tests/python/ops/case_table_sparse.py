"""How sparse and ragged ops are called; see case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from case_values import I64, F

PLACES = np.array([[1, 0], [0, 2], [0, 1]], np.int64)  # of a sparse tensor

SORTED = np.array([[0, 1], [0, 2], [1, 0]], np.int64)
A = {"a_indices": SORTED, "a_values": F(3), "a_shape": I64(2, 3)}
B = {
    "b_indices": np.array([[0, 2], [1, 1]], np.int64), "b_values": F(2),
    "b_shape": I64(2, 3),
}
SP = {"sp_indices": SORTED, "sp_values": F(3), "sp_shape": I64(2, 3)}
REDUCED = {
    "input_indices": SORTED, "input_values": F(3), "input_shape": I64(2, 3),
    "reduction_axes": [1],
}
PICKED = {"data": F(4, 3), "indices": [0, 3, 1], "segment_ids": [0, 0, 1]}
PICKED_N = {**PICKED, "num_segments": 3}
BACK = {"grad": F(2, 3), "indices": [0, 3, 1], "segment_ids": [0, 0, 1]}

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
    "SparseAdd": {
        **A, **B, "thresh": 0, "dtypes": ["float32"],
        "types": {"Treal": "float32"},
    },
    "SparseAddGrad": {
        "backprop_val_grad": F(4), "a_indices": SORTED,
        "b_indices": B["b_indices"],
        "sum_indices": np.array([[0, 1], [0, 2], [1, 0], [1, 1]], np.int64),
    },
    "SparseSparseMaximum": {**A, **B},
    "SparseSparseMinimum": {**A, **B},
    "SparseTensorDenseAdd": {**A, "b": F(2, 3)},
    **{f"SparseDenseCwise{how}": {**SP, "dense": F(1, 3)} for how in ("Add", "Mul", "Div")},
    **{
        f"SparseReduce{how}{kind}": REDUCED
        for how in ("Sum", "Max") for kind in ("", "Sparse")
    },
    "SparseSlice": {
        "indices": SORTED, "values": F(3), "shape": I64(2, 3),
        "start": I64(0, 1), "size": I64(2, 2),
    },
    "SparseSliceGrad": {
        "backprop_val_grad": F(2), "input_indices": SORTED,
        "input_start": I64(0, 1),
        "output_indices": np.array([[0, 0], [0, 1]], np.int64),
    },
    "SparseSplit": {
        "split_dim": np.int64(1), "indices": SORTED, "values": F(3),
        "shape": I64(2, 3), "num_split": 2,
    },
    "SparseSoftmax": SP,
    **{f"SparseSegment{how}": PICKED for how in ("Sum", "Mean", "SqrtN")},
    **{
        f"SparseSegment{how}WithNumSegments": PICKED_N
        for how in ("Sum", "Mean", "SqrtN")
    },
    **{
        f"SparseSegment{how}Grad": {**BACK, "output_dim0": 5}
        for how in ("Sum", "Mean", "SqrtN")
    },
    **{
        f"SparseSegment{how}GradV2": {**BACK, "dense_output_dim0": 5}
        for how in ("Sum", "Mean", "SqrtN")
    },
    "RaggedTensorToTensor": {
        "shape": I64(-1, 2), "values": F(5), "default_value": F(),
        "row_partition_tensors": [I64(0, 2, 2, 5)],
        "row_partition_types": ["ROW_SPLITS"],
    },
    "RaggedTensorToSparse": {
        "rt_nested_splits": [I64(0, 2, 2), I64(0, 3, 5)],
        "rt_dense_values": F(5, 2),
    },
    "RaggedGather": {
        "params_nested_splits": [I64(0, 2, 2, 5)],
        "params_dense_values": F(5, 2), "indices": [2, 0, 2],
        "OUTPUT_RAGGED_RANK": 1,
    },
    "RaggedFillEmptyRows": {
        "value_rowids": I64(0, 0, 2), "values": F(3), "nrows": np.int64(4),
        "default_value": F(),
    },
    "RaggedFillEmptyRowsGrad": {
        "reverse_index_map": I64(1, 3), "grad_values": F(5),
    },
}
VALUE_SHAPED = {
    "RaggedFillEmptyRows", "RaggedGather", "RaggedTensorToTensor",
    "RaggedRange", "SparseAdd", "SparseFillEmptyRows", "SparseReduceMaxSparse",
    "SparseReduceSumSparse", "SparseSlice", "SparseSparseMaximum",
    "SparseSparseMinimum", "SparseSplit",
    *(
        f"SparseSegment{how}{kind}" for how in ("Sum", "Mean", "SqrtN")
        for kind in ("", "GradV2")
    ),
}
