"""How Fourier transforms, quantizing and audio ops are called; see
case_table.py."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from case_values import F, Variable

WAV = (
    b"RIFF" + struct.pack("<I", 44) + b"WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 2, 8000, 32000, 4, 16) + b"data"
    + struct.pack("<I4h", 8, 0, 1000, -32768, 32767)
)

TABLE: dict[str, dict[str, Any]] = {
    "FFT": {"input": F(2, 6)},
    "IFFT": {"input": F(2, 6)},
    "FFT2D": {"input": F(2, 3, 4)},
    "IFFT2D": {"input": F(2, 3, 4)},
    "FFT3D": {"input": F(2, 3, 4)},
    "IFFT3D": {"input": F(2, 3, 4)},
    "RFFT": {"input": F(2, 6), "fft_length": [6]},
    "RFFT2D": {"input": F(2, 3, 4), "fft_length": [3, 4]},
    "RFFT3D": {"input": F(2, 3, 4), "fft_length": [2, 3, 4]},
    "IRFFT": {"input": F(2, 4), "fft_length": [6]},
    "IRFFT2D": {"input": F(2, 3, 3), "fft_length": [3, 4]},
    "IRFFT3D": {"input": F(2, 3, 3), "fft_length": [2, 3, 4]},
    "FFTND": {"input": F(3, 4), "fft_length": [3, 4], "axes": [0, 1]},
    "IFFTND": {"input": F(3, 4), "fft_length": [3, 4], "axes": [0, 1]},
    "RFFTND": {"input": F(3, 4), "fft_length": [3, 4], "axes": [0, 1]},
    "IRFFTND": {"input": F(3, 3), "fft_length": [3, 4], "axes": [0, 1]},
    "FakeQuantWithMinMaxArgs": {"inputs": F(3, 4)},
    "FakeQuantWithMinMaxArgsGradient": {"gradients": F(3, 4), "inputs": F(3, 4)},
    "FakeQuantWithMinMaxVars": {"inputs": F(3, 4), "min": -1.5, "max": 1.0},
    "FakeQuantWithMinMaxVarsGradient": {
        "gradients": F(3, 4), "inputs": F(3, 4), "min": -1.5, "max": 1.0,
    },
    "FakeQuantWithMinMaxVarsPerChannel": {
        "inputs": F(3, 2), "min": [-1.5, -1.0], "max": [1.0, 0.5],
    },
    "FakeQuantWithMinMaxVarsPerChannelGradient": {
        "gradients": F(3, 2), "inputs": F(3, 2), "min": [-1.5, -1.0],
        "max": [1.0, 0.5],
    },
    "QuantizeAndDequantizeV2": {
        "input": F(3, 4), "input_min": -1.5, "input_max": 1.0,
        "range_given": True, "dtypes": ["float32", "float64"],
    },
    "QuantizeAndDequantizeV3": {
        "input": F(3, 4), "input_min": -1.5, "input_max": 1.0, "num_bits": 6,
        "dtypes": ["float32", "float64"],
    },
    "QuantizeAndDequantizeV4": {
        "input": F(3, 4), "input_min": -1.5, "input_max": 1.0,
        "range_given": True, "dtypes": ["float32", "float64"],
    },
    "QuantizeAndDequantizeV4Grad": {
        "gradients": F(3, 4), "input": F(3, 4), "input_min": -1.5,
        "input_max": 1.0, "dtypes": ["float32", "float64"],
    },
    "DecodeWav": {"contents": WAV},
    "EncodeWav": {"audio": F(5, 2), "sample_rate": 8000},
    "StatelessRandomBinomial": {
        "shape": [3, 2], "seed": [1, 2], "counts": np.array([10.0, 100.0]),
        "probs": np.array([0.3, 0.6]), "main": "dtype",
    },
    "StatefulRandomBinomial": {
        "resource": Variable(np.array([5, 0, 0])),
        "algorithm": 1, "shape": [3, 2],
        "counts": np.array([10.0, 100.0]), "probs": np.array([0.3, 0.6]),
        "main": "dtype",
    },
    "RandomIndexShuffle": {
        "index": [0, 1, 2, 3], "seed": [1, 2, 3], "max_index": 3,
    },
}
VALUE_SHAPED: set[str] = {
    "DecodeWav",
    "RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D", "FFTND",
    "IFFTND", "RFFTND", "IRFFTND",
}
