"""How Fourier transforms, quantizing and audio ops are called; see
case_table.py."""

from __future__ import annotations

from typing import Any

from case_values import F

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
}
VALUE_SHAPED: set[str] = {
    "RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D", "FFTND",
    "IFFTND", "RFFTND", "IRFFTND",
}
