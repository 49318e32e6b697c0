"""Large calls of the ops that benchmarks/ops.py times.

An op whose inputs all have one shape in the tests' table is called with
1024x1024 elements; LARGE says how the others are. A row holds the inputs and
attributes that differ from the tests' call (tests/python/ops/case_table.py):

    F(64, 128)          values inside the record's domain, in the input's dtype
    V(64, 128)          a variable that holds such values
    I(9, 64, 128)       whole numbers below 9
    Rising(9, 64)       64 of them in order
    Made(lambda r: a)   the array a, made with the random generator r
    a literal           that value

WHY says why an op has no large row. Families with many ops have files of their
own, op_sizes_<family>.py.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
from op_values import F, I, Made, Rising, V

M = 1 << 20
SIDE = F(1024, 1024)


# Array ops.
STEPS = {"begin": [1, 0], "end": [1024, 1024], "strides": [1, 2]}
PICK = {"params": F(16384, 64), "indices": I(16384, 16384)}
ROWS = I(16384, 16384, 1)
SCATTER = {"tensor": F(16384, 64), "indices": ROWS, "updates": F(16384, 64)}
RESOURCE = {
    "resource": V(16384, 64),
    "indices": I(16384, 16384),
    "updates": F(16384, 64),
}
# Factors that never make numbers of the variable too small or too large.
SIGNS = {**RESOURCE, "updates": Made(lambda r: r.choice([-1.0, 1.0], (16384, 64)))}
RESOURCE_ND = {"ref": V(16384, 64), "indices": ROWS, "updates": F(16384, 64)}
UNSORTED = {"data": F(M), "segment_ids": I(10000, M), "num_segments": 10000}
SEGMENT = {"data": F(65536, 16), "segment_ids": Rising(10000, 65536)}
PAD = {"input": SIDE, "paddings": [[3, 5], [4, 6]]}
ORDERED = {
    "sorted_inputs": Made(lambda r: np.sort(r.uniform(0, 1, (16, 65536)))),
    "values": Made(lambda r: r.uniform(0, 1, (16, 65536))),
}
COUNTED = {"values": I(1000, M), "weights": F(M)}
SPLITS = np.arange(0, M + 1, 64)
BLOCK = {"input": F(8, 128, 128, 8)}
DIAGONALS = {"input": F(64, 128, 128), "diagonal": F(64, 128)}
PARTS = {
    "indices": [Made(lambda r: np.arange(0, M, 2)), Made(lambda r: np.arange(1, M, 2))],
    "data": [F(M // 2), F(M // 2)],
}

ARRAY: dict[str, dict[str, Any]] = {
    "Diag": {"diagonal": F(1024)},
    "DiagPart": {"input": SIDE},
    "MatrixBandPart": {"input": SIDE, "num_lower": 100, "num_upper": 50},
    "SpaceToBatchND": BLOCK,
    "BatchToSpaceND": BLOCK,
    "SpaceToBatch": BLOCK,
    "BatchToSpace": BLOCK,
    "SpaceToDepth": BLOCK,
    "DepthToSpace": BLOCK,
    "BroadcastTo": {"input": F(1, 1024), "shape": [1024, 1024]},
    "Fill": {"dims": [1024, 1024]},
    "Concat": {"values": [F(512, 1024), F(512, 1024)], "concat_dim": 1},
    "ConcatV2": {"values": [F(512, 1024), F(512, 1024)], "axis": 1},
    "Pack": {"values": [F(512, 1024), F(512, 1024)], "axis": 1},
    "ExtractImagePatches": {
        "images": F(4, 128, 128, 4),
        "ksizes": [1, 4, 4, 1],
        "strides": [1, 2, 2, 1],
    },
    **{f"MatrixDiag{v}": {"diagonal": F(64, 128)} for v in ("", "V2", "V3")},
    **{f"MatrixDiagPart{v}": {"input": F(64, 128, 128)} for v in ("", "V2", "V3")},
    **{f"MatrixSetDiag{v}": DIAGONALS for v in ("", "V2", "V3")},
    "Unique": {"x": I(10000, M)},
    "UniqueWithCounts": {"x": I(10000, M)},
    "UniqueV2": {"x": I(10000, M)},
    "UniqueWithCountsV2": {"x": I(10000, M)},
    "ListDiff": {"x": I(10**6, M), "y": I(10**6, 10000)},
    "Gather": PICK,
    "GatherV2": PICK,
    "GatherNd": {"params": SIDE, "indices": I(1024, M // 4, 2)},
    "Reverse": {"tensor": SIDE},
    "ReverseV2": {"tensor": SIDE},
    "Roll": {"input": SIDE, "shift": [100, 30], "axis": [0, 1]},
    "TopKV2": {"input": F(M), "k": 100},
    "Pad": PAD,
    "PadV2": PAD,
    "MirrorPad": PAD,
    "MirrorPadGrad": PAD,
    "Tile": {"input": F(256, 256), "multiples": [4, 4]},
    "ReverseSequence": {"input": SIDE, "seq_lengths": I(1024, 1024)},
    "ScatterNd": {
        "indices": ROWS,
        "updates": F(16384, 64),
        "shape": [16384, 64],
    },
    **{
        f"TensorScatter{how}": SCATTER for how in ("Update", "Add", "Sub", "Max", "Min")
    },
    "LowerBound": ORDERED,
    "UpperBound": ORDERED,
    "Bucketize": {"input": SIDE},
    "UnravelIndex": {"indices": I(M, M), "dims": [1024, 1024]},
    **{f"UnsortedSegment{how}": UNSORTED for how in ("Sum", "Prod", "Max", "Min")},
    **{f"Segment{how}": SEGMENT for how in ("Sum", "Mean", "Prod", "Max", "Min")},
    "Range": {"start": 0, "limit": M, "delta": 1},
    "LinSpace": {"num": M},
    "OneHot": {"indices": I(1000, 1024), "depth": 1000},
    "Reshape": {"tensor": SIDE, "shape": [512, 2048]},
    "ExpandDims": {"input": SIDE},
    "Squeeze": {"input": F(1, 1024, 1024, 1)},
    "EnsureShape": {"input": SIDE, "shape": [-1, 1024]},
    "Slice": {"input": SIDE, "begin": [10, 20], "size": [1000, 1000]},
    "StridedSlice": {"input": SIDE, **STEPS},
    "StridedSliceGrad": {"shape": [1024, 1024], **STEPS, "dy": F(1023, 512)},
    "TensorStridedSliceUpdate": {"input": SIDE, **STEPS, "value": F(1023, 512)},
    "ResourceStridedSliceAssign": {
        "ref": V(1024, 1024),
        **STEPS,
        "value": F(1023, 512),
    },
    "Unpack": {"value": F(16, 65536), "num": 16},
    "Split": {"value": SIDE},
    "SplitV": {"value": SIDE, "size_splits": [300, 724]},
    "DynamicStitch": PARTS,
    "ParallelDynamicStitch": PARTS,
    "DynamicPartition": {"data": F(M), "partitions": I(2, M)},
    "Transpose": {"x": F(64, 128, 128)},
    "ConjugateTranspose": {"x": F(64, 128, 128)},
    "InvertPermutation": {"x": Made(lambda r: r.permutation(M))},
    "DenseBincount": {"input": I(1000, M), "size": 1000, "weights": F(M)},
    "Bincount": {"arr": I(1000, M), "size": 1000, "weights": F(M)},
    "RaggedBincount": {
        "splits": SPLITS,
        "values": I(100, M),
        "size": 100,
        "weights": F(M),
    },
    "DenseCountSparseOutput": COUNTED,
    "RaggedCountSparseOutput": {"splits": SPLITS, **COUNTED},
    "PlaceholderWithDefault": {"input": SIDE, "shape": [None, 1024]},
}

# Mathematics.
REDUCE = {"input": F(64, 128, 128)}
MATH: dict[str, dict[str, Any]] = {
    "PreventGradient": {"input": SIDE},
    "CheckNumerics": {"tensor": SIDE},
    "CheckNumericsV2": {"tensor": SIDE},
    "Cast": {"x": SIDE},
    "Bitcast": {"input": SIDE},
    "MatMul": {"a": F(512, 512), "b": F(512, 512)},
    "BatchMatMul": {"x": F(64, 64, 64), "y": F(64, 64, 64)},
    "BatchMatMulV2": {"x": F(64, 64, 64), "y": F(64, 64)},
    "BatchMatMulV3": {"x": F(64, 64, 64), "y": F(64, 64)},
    "Einsum": {"inputs": [F(512, 512), F(512, 512)]},
    **{
        op: REDUCE
        for op in ("Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm", "All", "Any")
    },
    "Cumsum": {"x": SIDE, "axis": 1},
    "Cumprod": {"x": SIDE, "axis": 1},
    "CumulativeLogsumexp": {"x": SIDE, "axis": 1},
    "ArgMax": {"input": SIDE},
    "ArgMin": {"input": SIDE},
    "ClipByValue": {"t": SIDE},
    "Polygamma": {
        "a": Made(lambda r: r.integers(1, 4, M // 16)),
        "x": Made(lambda r: r.uniform(0.5, 3, M // 16)),
    },
    "Zeta": {
        "x": Made(lambda r: r.uniform(1.5, 3, M // 16)),
        "q": Made(lambda r: r.uniform(0.5, 3, M // 16)),
    },
    "Betainc": {
        n: Made(lambda r: r.uniform(0.1, 0.9, M // 16)) for n in ("a", "b", "x")
    },
    "LeftShift": {"x": SIDE, "y": I(5, 1024, 1024)},
    "RightShift": {"x": SIDE, "y": I(5, 1024, 1024)},
    "Pow": {"x": SIDE, "y": Made(lambda r: r.uniform(0.5, 3, (1024, 1024)))},
    "AddN": {"inputs": [SIDE, SIDE, SIDE]},
    "AccumulateNV2": {"inputs": [SIDE, SIDE], "shape": [1024, 1024]},
    "HistogramFixedWidth": {"values": SIDE, "nbins": 100},
    "Cross": {"a": F(M // 3, 3), "b": F(M // 3, 3)},
    "Igamma": {"a": F(M // 16), "x": F(M // 16)},
    "Igammac": {"a": F(M // 16), "x": F(M // 16)},
    "IgammaGradA": {"a": F(M // 64), "x": F(M // 64)},
}


# Matrices.
def definite(n: int, *batch: int) -> Made:
    def make(rng: np.random.Generator) -> np.ndarray:
        a = rng.standard_normal((*batch, n, n))
        return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)

    return Made(make)


def lower(n: int) -> Made:
    return Made(lambda r: np.tril(r.standard_normal((n, n)) / n) + np.eye(n))


LINALG: dict[str, dict[str, Any]] = {
    "Cholesky": {"input": definite(512)},
    "CholeskyGrad": {"l": lower(256), "grad": F(256, 256)},
    "Lu": {"input": definite(512)},
    "Qr": {"input": F(512, 512)},
    "MatrixSolve": {"matrix": definite(512), "rhs": F(512, 512)},
    "MatrixSolveLs": {"matrix": F(512, 64), "rhs": F(512, 16)},
    "MatrixInverse": {"input": definite(512)},
    "MatrixDeterminant": {"input": definite(4, 10000)},
    "LogMatrixDeterminant": {"input": definite(512)},
    "MatrixTriangularSolve": {"matrix": lower(512), "rhs": F(512, 512)},
    "BandedTriangularSolve": {
        "matrix": Made(lambda r: r.uniform(1, 2, (2, 4096))),
        "rhs": F(4096, 64),
    },
    "TridiagonalSolve": {
        "diagonals": Made(lambda r: r.uniform(0, 1, (3, 65536)) + [[0], [3], [0]]),
        "rhs": F(65536, 4),
    },
    "TridiagonalMatMul": {
        "superdiag": F(1, 65536),
        "maindiag": F(1, 65536),
        "subdiag": F(1, 65536),
        "rhs": F(65536, 16),
    },
    "SelfAdjointEigV2": {"input": definite(256)},
    "Eig": {"input": F(128, 128)},
    "Svd": {"input": F(256, 256)},
    "MatrixSquareRoot": {"input": definite(64)},
    "MatrixLogarithm": {"input": definite(64)},
}

# Random numbers.
DRAWN = {"shape": [1024, 1024]}
RANDOM: dict[str, dict[str, Any]] = {
    **{
        f"Stateless{how}{v}": DRAWN
        for how in (
            "RandomUniform",
            "RandomNormal",
            "TruncatedNormal",
            "RandomUniformInt",
            "RandomUniformFullInt",
        )
        for v in ("", "V2")
    },
    **{
        op: DRAWN
        for op in (
            "RandomUniform",
            "RandomStandardNormal",
            "TruncatedNormal",
            "RandomUniformInt",
            "NonDeterministicInts",
            "StatefulUniform",
            "StatefulStandardNormalV2",
            "StatefulTruncatedNormal",
            "StatefulUniformInt",
            "StatefulUniformFullInt",
        )
    },
    "Multinomial": {"logits": F(64, 1000), "num_samples": 1000},
    "StatelessMultinomial": {"logits": F(64, 1000), "num_samples": 1000},
    **{
        op: {"shape": [100000]}
        for op in (
            "RandomGamma",
            "StatelessRandomGammaV2",
            "StatelessRandomGammaV3",
            "RandomPoissonV2",
            "StatelessRandomPoisson",
        )
    },
    "StatelessRandomBinomial": {"shape": [50000, 2]},
    "StatefulRandomBinomial": {"shape": [50000, 2]},
    "RandomShuffle": {"value": F(M)},
    "StatelessShuffle": {"value": F(M)},
    "RandomIndexShuffle": {"index": I(100000, 100000), "max_index": 99999},
    "ParameterizedTruncatedNormal": {"shape": [100000]},
    "StatelessParameterizedTruncatedNormal": {"shape": [100000]},
    "RandomGammaGrad": {"alpha": F(65536), "sample": F(65536)},
}

VARIABLES: dict[str, dict[str, Any]] = {
    "ReadVariableOp": {"resource": V(1024, 1024)},
    **{
        f"Assign{how}VariableOp": {
            "resource": V(1024, 1024),
            "value": SIDE,
        }
        for how in ("", "Add", "Sub")
    },
    "ResourceGather": {"resource": V(16384, 64), "indices": I(16384, 16384)},
    "ResourceGatherNd": {"resource": V(16384, 64), "indices": ROWS},
    **{
        f"ResourceScatter{how}": RESOURCE
        for how in ("Add", "Sub", "Min", "Max", "Update")
    },
    **{f"ResourceScatter{how}": SIGNS for how in ("Mul", "Div")},
    **{
        f"ResourceScatterNd{how}": RESOURCE_ND
        for how in ("Add", "Sub", "Min", "Max", "Update")
    },
}

SIGNAL: dict[str, dict[str, Any]] = {
    "FFT": {"input": F(1024, 1024)},
    "IFFT": {"input": F(1024, 1024)},
    "FFT2D": {"input": F(1024, 1024)},
    "IFFT2D": {"input": F(1024, 1024)},
    "FFT3D": {"input": F(64, 128, 128)},
    "IFFT3D": {"input": F(64, 128, 128)},
    "RFFT": {"input": F(1024, 1024), "fft_length": [1024]},
    "RFFT2D": {"input": F(1024, 1024), "fft_length": [1024, 1024]},
    "RFFT3D": {"input": F(64, 128, 128), "fft_length": [64, 128, 128]},
    "IRFFT": {"input": F(1024, 513), "fft_length": [1024]},
    "IRFFT2D": {"input": F(1024, 513), "fft_length": [1024, 1024]},
    "IRFFT3D": {"input": F(64, 128, 65), "fft_length": [64, 128, 128]},
    "FakeQuantWithMinMaxArgs": {"inputs": SIDE},
    "FakeQuantWithMinMaxArgsGradient": {"gradients": SIDE, "inputs": SIDE},
    "FakeQuantWithMinMaxVars": {"inputs": SIDE},
    "FakeQuantWithMinMaxVarsGradient": {"gradients": SIDE, "inputs": SIDE},
    **{
        f"FakeQuantWithMinMaxVarsPerChannel{v}": {
            **({"gradients": F(8192, 128)} if v else {}),
            "inputs": F(8192, 128),
            "min": Made(lambda r: r.uniform(-2, -1, 128)),
            "max": Made(lambda r: r.uniform(1, 2, 128)),
        }
        for v in ("", "Gradient")
    },
    **{f"QuantizeAndDequantizeV{n}": {"input": SIDE} for n in (2, 3, 4)},
    "QuantizeAndDequantizeV4Grad": {"gradients": SIDE, "input": SIDE},
    "EncodeWav": {"audio": F(262144, 2)},
}

LARGE: dict[str, dict[str, Any]] = {
    **ARRAY,
    **MATH,
    **LINALG,
    **RANDOM,
    **VARIABLES,
    **SIGNAL,
}
WHY: dict[str, str] = (
    dict.fromkeys(
        (
            "BroadcastGradientArgs",
            "BroadcastArgs",
            "ConcatOffset",
            "DataFormatDimMap",
            "DataFormatVecPermute",
        ),
        "works on shapes",
    )
    | dict.fromkeys(
        (
            "Conv2DBackpropInputV2",
            "Conv2DBackpropFilterV2",
            "CTCLossV2",
            "FFTND",
            "IFFTND",
            "RFFTND",
            "IRFFTND",
            "MaxPoolGradWithArgmax",
            "MaxPoolGradGradWithArgmax",
        ),
        "TensorFlow has no kernel for CPUs",
    )
    | dict.fromkeys(
        (
            "NoOp",
            "ControlTrigger",
            "Timestamp",
            "Assert",
            "PrintV2",
            "RngSkip",
            "RngReadAndSkip",
            "VarIsInitializedOp",
            "VariableShape",
            "DisableCopyOnRead",
            "ResourceCountUpTo",
            "StringFormat",
            "StatelessRandomGetAlg",
            "StatelessRandomGetKeyCounter",
            "StatelessRandomGetKeyCounterAlg",
        ),
        "computes nothing large",
    )
)

for path in sorted(Path(__file__).parent.glob("op_sizes_*.py")):
    family = importlib.import_module(path.stem)
    LARGE.update(family.LARGE)
    WHY.update(getattr(family, "WHY", {}))
