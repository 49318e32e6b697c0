"""How ops of neural networks are called; see case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from case_values import I64, F

WINDOWS: dict[str, Any] = {
    "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME",
}
SIZES = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
DILATION: dict[str, Any] = {
    "input": F(1, 5, 5, 2), "filter": F(2, 3, 2), "strides": [1, 1, 2, 1],
    "rates": [1, 2, 1, 1], "padding": "SAME",
}
NORM: dict[str, Any] = {
    "x": F(2, 3, 3, 2), "scale": F(2), "offset": F(2),
    "mean": np.zeros(0), "variance": np.zeros(0),
}
NORM_GRAD: dict[str, Any] = {
    "y_backprop": F(2, 3, 3, 2), "x": F(2, 3, 3, 2), "scale": F(2),
    "reserve_space_1": F(2), "reserve_space_2": [0.7, 1.2],
}
LABELS: dict[str, Any] = {
    "labels_indices": np.array([[0, 0], [0, 1], [1, 0]], np.int64),
    "labels_values": [1, 0, 2], "sequence_length": [5, 4],
}
CANDIDATES: dict[str, Any] = {
    "true_classes": I64(1, 2, 0, 5).reshape(2, 2), "num_true": 2,
    "num_sampled": 4, "unique": True, "seed": 1, "seed2": 2,
}
RANGE = {**CANDIDATES, "range_max": 20}
FRACTIONAL: dict[str, Any] = {
    "value": F(2, 5, 7, 2), "pooling_ratio": [1.0, 1.5, 1.4, 1.0],
    "deterministic": True, "seed": 3, "seed2": 4,
}
ENDS: dict[str, Any] = {
    "row_pooling_sequence": I64(0, 2, 3, 5),
    "col_pooling_sequence": I64(0, 1, 3, 4, 6, 7),
}
ARGMAX = I64(2, 4, 12, 11).reshape(1, 2, 2, 1)
LSTM: dict[str, Any] = {
    "cs_prev": F(2, 4), "h_prev": F(2, 4), "w": F(7, 16), "wci": F(4),
    "wcf": F(4), "wco": F(4), "b": F(16), "use_peephole": True,
}
CELLS = {n: F(2, 4) for n in "i cs f o ci co".split()}
STEPS = {n: F(3, 2, 4) for n in "i cs f o ci co h cs_grad h_grad".split()}
LSTM_BLOCK = {**LSTM, "seq_len_max": 3, "x": F(3, 2, 3)}
GRU: dict[str, Any] = {
    "x": F(2, 3), "h_prev": F(2, 4), "w_ru": F(7, 8), "w_c": F(7, 4),
    "b_ru": F(8), "b_c": F(4),
}

TABLE: dict[str, dict[str, Any]] = {
    "FusedBatchNorm": NORM,
    "FusedBatchNormV2": NORM,
    "FusedBatchNormV3": NORM,
    "FusedBatchNormGrad": NORM_GRAD,
    "FusedBatchNormGradV2": NORM_GRAD,
    "FusedBatchNormGradV3": {**NORM_GRAD, "reserve_space_3": np.zeros(0)},
    "LRN": {"input": F(1, 2, 2, 7), "depth_radius": 2},
    "LRNGrad": {
        "input_grads": F(1, 2, 2, 7), "input_image": F(1, 2, 2, 7),
        "output_image": F(1, 2, 2, 7), "depth_radius": 2,
    },
    "Dilation2D": DILATION,
    "Dilation2DBackpropInput": {**DILATION, "out_backprop": F(1, 5, 3, 2)},
    "Dilation2DBackpropFilter": {**DILATION, "out_backprop": F(1, 5, 3, 2)},
    "CTCLoss": {"inputs": F(5, 2, 4), **LABELS},
    "CTCLossV2": {"inputs": F(5, 2, 4), **LABELS},
    "CTCGreedyDecoder": {"inputs": F(5, 2, 4), "sequence_length": [5, 4]},
    "CTCBeamSearchDecoder": {
        "inputs": F(5, 2, 4), "sequence_length": [5, 4], "beam_width": 8,
        "top_paths": 2,
    },
    "UniformCandidateSampler": RANGE,
    "LogUniformCandidateSampler": RANGE,
    "LearnedUnigramCandidateSampler": RANGE,
    "ThreadUnsafeUnigramCandidateSampler": RANGE,
    "FixedUnigramCandidateSampler": {
        **CANDIDATES, "range_max": 6, "unigrams": [0.1, 0.2, 0.3, 0.1, 0.2, 0.1],
    },
    "AllCandidateSampler": {**CANDIDATES, "num_sampled": 6},
    "ComputeAccidentalHits": {
        "true_classes": I64(1, 2, 0, 5).reshape(2, 2),
        "sampled_candidates": I64(5, 7, 1), "num_true": 2,
    },
    "MaxPoolGradWithArgmax": {
        "input": F(1, 4, 4, 1), "grad": F(1, 2, 2, 1), "argmax": ARGMAX, **WINDOWS,
    },
    "MaxPoolGradGradWithArgmax": {
        "input": F(1, 4, 4, 1), "grad": F(1, 4, 4, 1), "argmax": ARGMAX, **WINDOWS,
    },
    "FractionalMaxPool": FRACTIONAL,
    "FractionalAvgPool": FRACTIONAL,
    "FractionalAvgPoolGrad": {
        "orig_input_tensor_shape": I64(2, 5, 7, 2), "out_backprop": F(2, 3, 5, 2),
        **ENDS,
    },
    "LSTMBlockCell": {**LSTM, "x": F(2, 3)},
    "LSTMBlockCellGrad": {
        **LSTM, "x": F(2, 3), **CELLS, "cs_grad": F(2, 4), "h_grad": F(2, 4),
    },
    "BlockLSTM": LSTM_BLOCK,
    "BlockLSTMV2": LSTM_BLOCK,
    "BlockLSTMGrad": {**LSTM_BLOCK, **STEPS},
    "BlockLSTMGradV2": {**LSTM_BLOCK, **STEPS},
    "GRUBlockCell": GRU,
    "GRUBlockCellGrad": {**GRU, **{n: F(2, 4) for n in ("r", "u", "c", "d_h")}},
    "IsotonicRegression": {"input": F(3, 6)},
    "Conv": {
        "input": F(2, 4, 5, 2), "filter": F(2, 2, 2, 3), "strides": [1, 1, 2, 1],
        "padding": "SAME",
    },
    "Conv2DBackpropInputV2": {
        "input": F(2, 4, 5, 2), "filter": F(2, 2, 2, 3),
        "out_backprop": F(2, 4, 3, 3), "strides": [1, 1, 2, 1], "padding": "SAME",
    },
    "Conv2DBackpropFilterV2": {
        "input": F(2, 4, 5, 2), "filter": F(2, 2, 2, 3),
        "out_backprop": F(2, 4, 3, 3), "strides": [1, 1, 2, 1], "padding": "SAME",
    },
    "MaxPoolV2": {"input": F(1, 4, 4, 2), **SIZES},
    "MaxPoolGradV2": {
        "orig_input": np.arange(32).reshape(1, 4, 4, 2),
        "orig_output": [[[[10, 11], [14, 15]], [[26, 27], [30, 31]]]],
        "grad": F(1, 2, 2, 2), **SIZES,
    },
    "MaxPoolGradGradV2": {
        "orig_input": np.arange(32).reshape(1, 4, 4, 2),
        "orig_output": [[[[10, 11], [14, 15]], [[26, 27], [30, 31]]]],
        "grad": F(1, 4, 4, 2), **SIZES,
    },
    "NthElement": {"input": F(3, 5), "n": 2},
    "DataFormatDimMap": {"x": [0, 1, 2, 3, -1]},
    "DataFormatVecPermute": {"x": [1, 2, 3, 4]},
    # Zeros, whose maxima are zeros.
    "FractionalMaxPoolGrad": {
        "orig_input": np.zeros((2, 5, 7, 2)), "orig_output": np.zeros((2, 3, 5, 2)),
        "out_backprop": F(2, 3, 5, 2), **ENDS,
    },
}
VALUE_SHAPED = {
    "CTCGreedyDecoder", "CTCBeamSearchDecoder", "ComputeAccidentalHits",
}
NOT_CALLED = dict.fromkeys(
    ("CudnnRNN", "CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3",
     "CudnnRNNCanonicalToParams", "CudnnRNNCanonicalToParamsV2",
     "CudnnRNNParamsSize", "CudnnRNNParamsToCanonical",
     "CudnnRNNParamsToCanonicalV2", "CudnnRNNV2", "CudnnRNNV3"),
    "runs on GPUs only; tests/oracle/test_ops_of_gpus.py covers it",
)
