"""How ops on quantized numbers, and some drawn ones, are called; see
case_table.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from case_values import F

_SOUND = np.sin(np.arange(40, dtype=np.float32)).reshape(20, 2)
_PARAMETERS: dict[str, Any] = {
    "shape": [4, 3], "minvals": np.float64(-1), "maxvals": np.array([1.0, 2.0, 9.0]),
    "main": "dtype",
}

TABLE: dict[str, dict[str, Any]] = {
    "ApproxTopK": {"input": F(3, 5), "k": 2},
    "SobolSample": {"dim": 3, "num_results": 5, "skip": 2, "dtypes": ["float32"]},
    "StatelessParameterizedTruncatedNormal": {
        **_PARAMETERS, "seed": [1, 2], "means": np.array([0.0, 1.0, 2.0]),
        "stddevs": np.float64(1.5),
    },
    "ParameterizedTruncatedNormal": {
        **_PARAMETERS, "means": np.array([0.0, 1.0, 0.5, 0.2]),
        "stdevs": np.float64(1.5), "maxvals": np.array([1.0, 2.0, 9.0, 3.0]),
        "seed": 3, "seed2": 4,
    },
    "AudioSpectrogram": {"input": _SOUND, "window_size": 6, "stride": 4},
    "Mfcc": {
        "spectrogram": np.arange(1, 37, dtype=np.float32).reshape(2, 2, 9),
        "sample_rate": 8000, "filterbank_channel_count": 6,
        "dct_coefficient_count": 4,
    },
    "GenerateBoundingBoxProposals": {
        "scores": F(1, 2, 3, 1), "bbox_deltas": F(1, 2, 3, 4),
        "image_info": [[50, 60, 1, 0, 0]],
        "anchors": np.tile([2.0, 3.0, 22.0, 33.0], 6).reshape(2, 3, 4),
        "nms_threshold": 0.7, "pre_nms_topn": 4, "min_size": 1.0,
        "post_nms_topn": 3,
    },
    "QuantizeV2": {
        "input": F(2, 3), "min_range": -1.0, "max_range": 2.0, "T": "qint8",
    },
}
NOT_CALLED = dict.fromkeys(
    """
    Dequantize QuantizeDownAndShrinkRange Requantize RequantizationRange
    QuantizedReshape QuantizedConcat QuantizedAdd QuantizedMul QuantizedBiasAdd
    QuantizedMatMul QuantizedRelu QuantizedRelu6 QuantizedReluX QuantizedConv2D
    QuantizedMaxPool QuantizedAvgPool QuantizedInstanceNorm
    QuantizedResizeBilinear QuantizedBatchNormWithGlobalNormalization
    """.split(),
    "takes numbers of types that arrays have not; tests/python/test_quantized_ops.py "
    "and tests/oracle/test_quantized.py call it",
)
VALUE_SHAPED = {
    "SobolSample", "StatelessParameterizedTruncatedNormal",
    "ParameterizedTruncatedNormal",
}
