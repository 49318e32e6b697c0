"""Large calls of ops on texts, sparse and ragged tensors; see op_sizes.py."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from op_values import F, I, Made, Rising

N = 100000


def words(n: int, length: int = 12) -> Made:
    """Short texts of letters with spaces."""

    def make(rng: np.random.Generator) -> np.ndarray:
        letters = np.frombuffer(b"abcdefghij  ", np.uint8)
        rows = letters[rng.integers(0, len(letters), (n, length))]
        return np.array([row.tobytes() for row in rows], object)

    return Made(make)


def each(write: Any) -> Made:
    return Made(lambda rng: np.array([write(i) for i in range(N)], object))


TEXT: dict[str, dict[str, Any]] = {
    **{
        op: {"input": words(N)}
        for op in (
            "RegexFullMatch",
            "StaticRegexFullMatch",
            "RegexReplace",
            "StaticRegexReplace",
            "StringToHashBucketFast",
            "StringToHashBucketStrong",
            "EncodeBase64",
            "StringLength",
            "StringStrip",
            "StringLower",
            "StringUpper",
            "UnicodeDecode",
            "UnicodeDecodeWithOffsets",
            "UnicodeTranscode",
        )
    },
    "StringToHashBucket": {"string_tensor": words(N)},
    "StringSplit": {"input": words(N), "delimiter": " "},
    "StringSplitV2": {"input": words(N)},
    "StringJoin": {"inputs": [words(N), words(N)]},
    "ReduceJoin": {
        "inputs": Made(lambda r: words(N).make(r).reshape(-1, 10)),
    },
    "StringToNumber": {"string_tensor": each(lambda i: b"%d.5" % i)},
    "AsString": {"input": F(N)},
    "Substr": {"input": words(N), "pos": 2, "len": 5},
    "Fingerprint": {"data": F(16384, 64)},
    "StringNGrams": {
        "data": words(N),
        "data_splits": np.arange(0, N + 1, 10),
    },
    "UnsortedSegmentJoin": {
        "inputs": words(N),
        "segment_ids": I(1000, N),
        "num_segments": 1000,
    },
    "UnicodeEncode": {
        "input_values": I(0x250, 10 * N),
        "input_splits": np.arange(0, 10 * N + 1, 10),
    },
    "UnicodeScript": {"input": I(0x250, 1 << 20)},
    "DecodeRaw": {"bytes": words(N)},
    "DecodePaddedRaw": {"input_bytes": words(N), "fixed_length": 16},
    "DecodeBase64": {"input": each(lambda i: base64.b64encode(b"%09d" % i))},
}


def places(n: int, rows: int, columns: int, seed: int = 0) -> Made:
    """n places of a matrix, in order."""

    def make(rng: np.random.Generator) -> np.ndarray:
        own = np.random.default_rng(seed)
        flat = np.sort(own.choice(rows * columns, n, replace=False))
        return np.stack([flat // columns, flat % columns], 1)

    return Made(make)


ENTRIES = places(N, 1024, 1024)
SHAPE = [1024, 1024]
A = {"a_indices": ENTRIES, "a_values": F(N), "a_shape": SHAPE}
B = {
    "b_indices": places(N, 1024, 1024, 1),
    "b_values": F(N),
    "b_shape": SHAPE,
}
SP = {"sp_indices": ENTRIES, "sp_values": F(N), "sp_shape": SHAPE}
INPUT = {
    "input_indices": ENTRIES,
    "input_values": F(N),
    "input_shape": SHAPE,
}
PLAIN = {"indices": ENTRIES, "values": F(N)}
PICKED = {
    "data": F(16384, 64),
    "indices": I(16384, 16384),
    "segment_ids": Rising(1024, 16384),
}
BACK = {
    "grad": F(1024, 64),
    "indices": I(16384, 16384),
    "segment_ids": Rising(1024, 16384),
}
SPLITS = np.arange(0, N + 1, 10)
SET1 = {
    "set1_indices": ENTRIES,
    "set1_values": I(100, N),
    "set1_shape": SHAPE,
}
SET2 = {
    "set2_indices": ENTRIES,
    "set2_values": I(100, N),
    "set2_shape": SHAPE,
}

SPARSE: dict[str, dict[str, Any]] = {
    "SparseBincount": {
        "indices": ENTRIES,
        "values": I(100, N),
        "dense_shape": SHAPE,
        "size": 100,
        "weights": F(N),
    },
    "SparseCountSparseOutput": {
        "indices": ENTRIES,
        "values": I(100, N),
        "dense_shape": SHAPE,
        "weights": F(N),
    },
    "SparseReorder": {
        **INPUT,
        "input_indices": Made(lambda r: r.permutation(ENTRIES.make(r))),
    },
    "SparseReshape": {
        "input_indices": ENTRIES,
        "input_shape": SHAPE,
        "new_shape": [512, -1],
    },
    "SparseToDense": {
        "sparse_indices": ENTRIES,
        "output_shape": SHAPE,
        "sparse_values": F(N),
    },
    "SparseTensorDenseMatMul": {**A, "b": F(1024, 64)},
    "SparseFillEmptyRows": {**PLAIN, "dense_shape": [2048, 1024]},
    "SparseFillEmptyRowsGrad": {
        "reverse_index_map": np.arange(N),
        "grad_values": F(N + 1000),
    },
    "SparseConcat": {
        "indices": [ENTRIES, ENTRIES],
        "values": [F(N), F(N)],
        "shapes": [SHAPE, SHAPE],
    },
    "RaggedRange": {
        "starts": Made(lambda r: np.zeros(10000)),
        "limits": Made(lambda r: r.integers(50, 150, 10000)),
        "deltas": Made(lambda r: np.ones(10000)),
    },
    "SparseAdd": {**A, **B},
    "SparseAddGrad": {
        "backprop_val_grad": F(N),
        "a_indices": ENTRIES,
        "b_indices": ENTRIES,
        "sum_indices": ENTRIES,
    },
    "SparseSparseMaximum": {**A, **B},
    "SparseSparseMinimum": {**A, **B},
    "SparseTensorDenseAdd": {**A, "b": F(1024, 1024)},
    **{
        f"SparseDenseCwise{how}": {**SP, "dense": F(1024, 1024)}
        for how in ("Add", "Mul", "Div")
    },
    **{
        f"SparseReduce{how}{kind}": INPUT
        for how in ("Sum", "Max")
        for kind in ("", "Sparse")
    },
    "SparseSlice": {
        **PLAIN,
        "shape": SHAPE,
        "start": [100, 100],
        "size": [800, 800],
    },
    "SparseSliceGrad": {
        "backprop_val_grad": F(N),
        "input_indices": ENTRIES,
        "input_start": [0, 0],
        "output_indices": ENTRIES,
    },
    "SparseSplit": {**PLAIN, "shape": SHAPE},
    "SparseSoftmax": SP,
    **{f"SparseSegment{how}": PICKED for how in ("Sum", "Mean", "SqrtN")},
    **{
        f"SparseSegment{how}WithNumSegments": {**PICKED, "num_segments": 1024}
        for how in ("Sum", "Mean", "SqrtN")
    },
    **{
        f"SparseSegment{how}Grad": {**BACK, "output_dim0": 16384}
        for how in ("Sum", "Mean", "SqrtN")
    },
    **{
        f"SparseSegment{how}GradV2": {**BACK, "dense_output_dim0": 16384}
        for how in ("Sum", "Mean", "SqrtN")
    },
    "RaggedTensorToTensor": {
        "shape": [-1, 10],
        "values": F(N),
        "row_partition_tensors": [SPLITS],
    },
    "RaggedTensorToSparse": {
        "rt_nested_splits": [SPLITS],
        "rt_dense_values": F(N),
    },
    "RaggedGather": {
        "params_nested_splits": [SPLITS],
        "params_dense_values": F(N),
        "indices": I(10000, 10000),
    },
    "RaggedFillEmptyRows": {
        "value_rowids": Rising(10000, N),
        "values": F(N),
        "nrows": 20000,
    },
    "RaggedFillEmptyRowsGrad": {
        "reverse_index_map": np.arange(N),
        "grad_values": F(N + 1000),
    },
    "EditDistance": {
        "hypothesis_indices": Made(
            lambda r: np.stack(
                [np.repeat(range(1000), 20), np.tile(range(20), 1000)], 1
            )
        ),
        "hypothesis_values": I(9, 20000),
        "hypothesis_shape": [1000, 20],
        "truth_indices": Made(
            lambda r: np.stack(
                [np.repeat(range(1000), 20), np.tile(range(20), 1000)], 1
            )
        ),
        "truth_values": I(9, 20000),
        "truth_shape": [1000, 20],
    },
    "DenseToDenseSetOperation": {
        "set1": I(100, 10000, 10),
        "set2": I(100, 10000, 10),
    },
    "DenseToSparseSetOperation": {"set1": I(100, 1024, 100), **SET2},
    "SparseToSparseSetOperation": {**SET1, **SET2},
    "SetSize": {
        "set_indices": ENTRIES,
        "set_values": I(100, N),
        "set_shape": SHAPE,
    },
}
LARGE = {**TEXT, **SPARSE}
