"""How ops of neural networks are called; see case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np

from case_values import I64, F

WINDOWS: dict[str, Any] = {
    "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME",
}
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
}
VALUE_SHAPED = {"CTCGreedyDecoder", "CTCBeamSearchDecoder"}
