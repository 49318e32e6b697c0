"""What a test of TensorFlow Probability finds on TensorFlow is written down, and
what it finds on graphkiln is compared with it, value by value."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

_FOLDER = Path(os.environ["PACKAGE_VALUES"])
_IS_OURS = "graphkiln" in sys.modules


def plain(value: object) -> object:
    """The structure with arrays in the places of tensors."""
    if isinstance(value, tf.TensorShape):
        return ("shape", None if value.rank is None else tuple(value.as_list()))
    if isinstance(value, tf.DType):
        return ("dtype", value.name)
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, tf.SparseTensor):
        return [plain(value.indices), plain(value.values)]
    if isinstance(value, tf.IndexedSlices):
        return plain(tf.convert_to_tensor(value))
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return value
    if tf.is_tensor(value) or isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(tf.convert_to_tensor(value))
    return ("a", type(value).__name__)


def _differ(found: object, wanted: object, bound: float, where: str) -> str:
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or set(found) != set(wanted):
            return f"{where}: {found} for {wanted}"
        pairs = [(found[key], wanted[key], f"{where}.{key}") for key in wanted]
    elif isinstance(wanted, (list, tuple)):
        if not isinstance(found, type(wanted)) or len(found) != len(wanted):
            return f"{where}: {found} for {wanted}"
        pairs = [(f, w, f"{where}[{i}]") for i, (f, w) in
                 enumerate(zip(found, wanted))]
    elif isinstance(wanted, np.ndarray):
        if not isinstance(found, np.ndarray):
            return f"{where}: {found!r} for {wanted!r}"
        if found.dtype != wanted.dtype or found.shape != wanted.shape:
            return (
                f"{where}: {found.dtype}{found.shape} for "
                f"{wanted.dtype}{wanted.shape}"
            )
        if wanted.dtype.kind in "fc":
            # Of the largest, so that what cancels may differ.
            finite = wanted[np.isfinite(wanted)]
            scale = float(np.max(np.abs(finite))) if finite.size else 0.0
            # What should be nothing is some last bits.
            least = 1e-12 if wanted.dtype.itemsize > 4 else 1e-6
            close = np.allclose(
                found, wanted, rtol=bound,
                atol=bound * 0.1 * min(scale, 1e6) + least, equal_nan=True,
            )
        else:
            close = np.array_equal(found, wanted)
        return "" if close else f"{where}: {found!r} for {wanted!r}"
    else:
        same = found == wanted or (found != found and wanted != wanted)
        if isinstance(wanted, float) and isinstance(found, float):
            same = same or bool(np.isclose(found, wanted, rtol=bound))
        return "" if same else f"{where}: {found!r} for {wanted!r}"
    for pair in pairs:
        text = _differ(*pair[:2], bound, pair[2])
        if text:
            return text
    return ""


def _bound(wanted: object) -> float:
    kinds = str(wanted)
    return 2e-4 if "float32" in kinds or "complex64" in kinds else 1e-7


@pytest.fixture
def compare(request):
    """compare(value, bound): on graphkiln, is it what it was on TensorFlow?"""
    name = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:32]
    file = _FOLDER / name

    def check(value: object, bound: float | None = None) -> None:
        found = plain(value)
        if not _IS_OURS:
            _FOLDER.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pickle.dumps(found))
            return
        wanted = pickle.loads(file.read_bytes())
        text = _differ(found, wanted, bound or _bound(_dtypes(wanted)), "value")
        assert not text, text

    tf.random.set_seed(7)
    np.random.seed(7)
    return check


def _dtypes(value: object) -> set:
    if isinstance(value, dict):
        return set().union(*map(_dtypes, value.values()))
    if isinstance(value, (list, tuple)):
        return set().union(*map(_dtypes, value))
    return {str(value.dtype)} if isinstance(value, np.ndarray) else set()
