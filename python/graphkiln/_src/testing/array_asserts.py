"""Assertions about arrays, tensors and structures of them."""

from __future__ import annotations

import collections.abc
import math
import unittest
from typing import Any

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import RaggedTensor, Tensor, Variable
from graphkiln._src.session.values import RaggedTensorValue
from graphkiln._src.testing.in_functions import checked_in_calls

# Compared as float32: NumPy's functions know little of them.
_SMALL_FLOATS = tuple(
    np.dtype(_graphkiln.as_dtype(name).as_numpy_dtype)
    for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn")
)


def is_ragged(value: object) -> bool:
    """Is it a ragged tensor, or the value of one?"""
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def _where(condition: np.ndarray) -> tuple:
    return np.where(condition) if condition.ndim else (np.array([0]),)


def _places(found: tuple, value: np.ndarray, limit: int = 10) -> str:
    if value.ndim == 0:
        return f"  [0] : {value}"
    rows = np.transpose(found)
    lines = [f"  {row} : {value[tuple(row)]}" for row in rows[:limit]]
    return "\n".join(lines + ["  ..."] * (len(rows) > limit))


def _mismatch(a: np.ndarray, b: np.ndarray, end: str) -> str:
    text = f"Shape mismatch: expected {a.shape}, got {b.shape}"
    return text + (end if b.ndim <= 3 or b.size < 500 else ".")


class ArrayAsserts(unittest.TestCase):
    """What tf.test.TestCase says of arrays; `evaluate` gives values."""

    def evaluate(self, tensors: Any) -> Any:
        """Values of tensors."""
        raise NotImplementedError

    def _GetNdArray(self, a: Any) -> np.ndarray:
        if isinstance(a, (Tensor, Variable)) or is_ragged(a):
            a = a.numpy() if _is_eager(a) else self.evaluate(a)
        if isinstance(a, np.ndarray):
            return a
        try:
            return np.array(a)
        except ValueError as e:
            if "inhomogeneous shape" not in str(e):
                raise
            return np.array(a, dtype=object)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple:
        """The values of two symbolic tensors, of one run; anything else as it
        is."""
        if all(isinstance(x, Tensor) and not _is_eager(x) for x in (a, b)):
            return self.evaluate((a, b))
        return (a, b)

    def _both(self, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
        a, b = self.evaluate_if_both_tensors(a, b)
        return self._GetNdArray(a), self._GetNdArray(b)

    # ---- Near ----

    @checked_in_calls
    def assertNear(self, f1: Any, f2: Any, err: float, msg: object = None) -> None:
        """Fails unless |f1 - f2| <= err.

        >>> tf.test.TestCase().assertNear(1.0, 1.05, 0.1)
        """
        f1, f2 = np.squeeze(f1), np.squeeze(f2)
        if f1 == f2:
            return
        gap = math.fabs(f1 - f2)
        end = "" if msg is None else f" ({msg})"
        self.assertTrue(
            gap <= err,
            f"{f1:f} != {f2:f} +/- {err:f} (difference: {gap:g}){end}",
        )

    @checked_in_calls
    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: object = None
    ) -> None:
        """assertNear of each pair of numbers of two vectors.

        >>> tf.test.TestCase().assertArrayNear([1.0, 2.0], [1.0, 2.05], 0.1)
        """
        self.assertEqual(len(farray1), len(farray2), msg=msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertNear(float(f1), float(f2), err, msg=msg)

    def _NDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float) -> Any:
        return np.linalg.norm(ndarray1 - ndarray2) < err

    @checked_in_calls
    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: object = None
    ) -> None:
        """Fails unless the distance of two arrays is below `err`."""
        self.assertTrue(self._NDArrayNear(ndarray1, ndarray2, err), msg=msg)

    def _close_arrays(
        self, a: Any, b: Any, rtol: float, atol: float, msg: object
    ) -> None:
        a, b = self._both(a, b)
        self.assertEqual(
            a.shape, b.shape, _mismatch(a, b, f" with contents {b}.")
        )
        dtype = a.dtype
        if a.dtype in _SMALL_FLOATS:
            a = a.astype(np.float32)
        if b.dtype in _SMALL_FLOATS:
            b = b.astype(np.float32)
        if np.allclose(a, b, rtol=rtol, atol=atol):
            return
        bound = atol + rtol * np.abs(b)
        far = (np.abs(a - b) > bound) | (np.isnan(a) != np.isnan(b))
        told = [str(msg)]
        x, y = a, b
        if a.ndim:
            places = _where(far)
            x, y = a[places], b[places]
            told.append(f"not close where = {places}")
        told += [
            f"not close lhs = {x}",
            f"not close rhs = {y}",
            f"not close dif = {np.abs(x - y)}",
            f"not close tol = {atol + rtol * np.abs(y)}",
            f"dtype = {dtype}, shape = {a.shape}",
        ]
        np.testing.assert_allclose(
            a, b, rtol=rtol, atol=atol, err_msg="\n".join(told), equal_nan=True
        )

    def _close(
        self, a: Any, b: Any, rtol: float, atol: float, path: list, msg: object
    ) -> None:
        if is_ragged(a) or is_ragged(b):
            self._same_rows(a, b, msg, (rtol, atol))
            return
        msg = msg or ""
        at = "".join(f"[{p}]" for p in path)
        if hasattr(a, "_asdict"):
            a = a._asdict()
        if hasattr(b, "_asdict"):
            b = b._asdict()
        mapping = collections.abc.Mapping
        if isinstance(a, mapping) != isinstance(b, mapping):
            raise ValueError(
                f"Can't compare dict to non-dict, a{at} vs b{at}. {msg}"
            )
        if isinstance(a, mapping):
            self.assertCountEqual(
                a.keys(), b.keys(),
                f"mismatched keys: a{at} has keys {a.keys()}, but b{at} has keys "
                f"{b.keys()}. {msg}",
            )
            for key in a:
                self._close(a[key], b[key], rtol, atol, [*path, key], msg)
            return
        told = f"Mismatched value: a{at} is different from b{at}. {msg}"
        try:
            self._close_arrays(a, b, rtol, atol, told)
        except (ValueError, TypeError, NotImplementedError) as e:
            if not isinstance(a, (list, tuple)):
                if isinstance(e, TypeError):
                    e.args = (
                        f"{e.args[0]} : Error: a{at} has {type(a)}, but b{at} has "
                        f"{type(b)}. {msg}", *e.args[1:],
                    )
                raise
            if len(a) != len(b):
                raise ValueError(
                    f"Mismatched length: a{at} has {len(a)} items, but b{at} has "
                    f"{len(b)} items. {msg}"
                ) from None
            for i, (x, y) in enumerate(zip(a, b)):
                self._close(x, y, rtol, atol, [*path, i], msg)

    @checked_in_calls
    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
        msg: object = None,
    ) -> None:
        """Fails unless |a - b| <= atol + rtol * |b| everywhere in two structures
        of arrays or tensors. Elements that are both not numbers are close.

        >>> tf.test.TestCase().assertAllClose(
        ...     {"x": [1.0, 2.0]}, {"x": tf.constant([1.0, 2.0])})
        """
        self._close(a, b, rtol, atol, [], msg)

    @checked_in_calls
    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: object = None,
    ) -> None:
        """assertAllClose, with wider bounds for small dtypes."""
        a, b = self._both(a, b)
        kinds = (a.dtype, b.dtype)
        for dtypes, r, t in (
            ((np.float32, np.complex64), float_rtol, float_atol),
            ((np.float16,), half_rtol, half_atol),
            (_SMALL_FLOATS[:1], bfloat16_rtol, bfloat16_atol),
        ):
            if any(kind == d for kind in kinds for d in dtypes):
                rtol, atol = max(rtol, r), max(atol, t)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    @checked_in_calls
    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6,
        msg: object = None,
    ) -> None:
        """Fails where assertAllClose does not."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(
            f"The two values are close at all elements. {msg or ''}"
        )

    # ---- Equal ----

    @checked_in_calls
    def assertAllEqual(self, a: Any, b: Any, msg: object = None) -> None:
        """Fails unless two arrays or tensors have the same shape and elements.
        Elements that are both not numbers are equal.

        >>> tf.test.TestCase().assertAllEqual(tf.range(3), [0, 1, 2])
        """
        if is_ragged(a) or is_ragged(b):
            self._same_rows(a, b, msg)
            return
        a, b = self._both(a, b)
        self.assertEqual(
            a.shape, b.shape,
            f"{_mismatch(a, b, f'. Contents: {b!r}.')} \n{msg or ''}.",
        )
        same = a == b
        if a.dtype.kind in "fcV" and a.dtype.names is None:
            wide = [
                x.astype(np.float32) if x.dtype in _SMALL_FLOATS else x
                for x in (a, b)
            ]
            if all(x.dtype.kind in "fc" for x in wide):
                same = same | (np.isnan(wide[0]) & np.isnan(wide[1]))
        if np.all(same):
            return
        told = [str(msg or "")]
        x, y = a, b
        if a.ndim:
            places = _where(np.logical_not(same))
            x, y = a[places], b[places]
            told.append(f"not equal where = {places}")
        told += [f"not equal lhs = {x!r}", f"not equal rhs = {y!r}"]
        if a.dtype.kind != b.dtype.kind and {a.dtype.kind, b.dtype.kind} <= {*"USO"}:
            a, b = _encoded(a), _encoded(b)
        np.testing.assert_array_equal(a, b, err_msg="\n".join(told))

    @checked_in_calls
    def assertNotAllEqual(self, a: Any, b: Any, msg: object = None) -> None:
        """Fails where assertAllEqual does not."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(
            f"The two values are equal at all elements. {msg or ''}"
        )

    # ---- Ragged ----

    def _GetPyList(self, a: Any) -> Any:
        if isinstance(a, (RaggedTensor, Tensor)):
            a = self.evaluate(a)
        if isinstance(a, RaggedTensorValue):
            return a.to_list()
        if isinstance(a, (np.ndarray, np.generic)):
            return a.tolist()
        return a if isinstance(a, bytes) else np.array(a, dtype=object).tolist()

    def _same_rows(
        self, a: Any, b: Any, msg: object, bounds: tuple | None = None
    ) -> None:
        rows_a, rows_b = self._GetPyList(a), self._GetPyList(b)
        if bounds is None:
            self.assertEqual(rows_a, rows_b, msg)
        else:
            self._close_rows(rows_a, rows_b, bounds, msg, "value")
        if not isinstance(a, (list, tuple)) and not isinstance(b, (list, tuple)):
            ranks = [x.ragged_rank if is_ragged(x) else 0 for x in (a, b)]
            self.assertEqual(ranks[0], ranks[1], msg)

    def _close_rows(
        self, a: Any, b: Any, bounds: tuple, msg: object, path: str
    ) -> None:
        self.assertEqual(type(a), type(b))
        if not isinstance(a, (list, tuple)):
            self._close(a, b, *bounds, [path], msg)
            return
        self.assertEqual(len(a), len(b), f"Length differs for {path}")
        for i, (x, y) in enumerate(zip(a, b)):
            self._close_rows(x, y, bounds, msg, f"{path}[{i}]")

    # ---- Ranges ----

    @checked_in_calls
    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are greater.

        >>> tf.test.TestCase().assertAllGreater([2, 3], 1)
        """
        a, target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertGreater(np.min(self._GetNdArray(a)), target)

    @checked_in_calls
    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fails unless all elements are less."""
        a, target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertLess(np.max(self._GetNdArray(a)), target)

    @checked_in_calls
    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails if an element is less."""
        a, target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertGreaterEqual(np.min(self._GetNdArray(a)), target)

    @checked_in_calls
    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fails if an element is greater."""
        a, target = self.evaluate_if_both_tensors(a, comparison_target)
        self.assertLessEqual(np.max(self._GetNdArray(a)), target)

    @checked_in_calls
    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fails unless all elements are numbers between the bounds.

        >>> tf.test.TestCase().assertAllInRange([1, 2], 1, 3, open_upper_bound=True)
        """
        value = self._GetNdArray(target)
        if value.dtype.kind not in "fiu":
            raise AssertionError(
                f"The value of {value} does not have an ordered numeric type, "
                f"instead it has type: {value.dtype}"
            )
        nan = _where(np.isnan(value))
        if value.ndim == 0 and not np.isnan(value):
            nan = (np.array([]),)
        if np.size(nan):
            raise AssertionError(
                f"{len(nan[0])} of the {value.size} element(s) are NaN. "
                "Subscripts(s) and value(s) of the NaN element(s):\n"
                + _places(nan, value)
            )
        low = value <= lower_bound if open_lower_bound else value < lower_bound
        high = value >= upper_bound if open_upper_bound else value > upper_bound
        outside = np.asarray(low | high)
        if np.any(outside):
            found = _where(outside)
            bounds = (
                f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}"
                f"{')' if open_upper_bound else ']'}"
            )
            raise AssertionError(
                f"{len(found[0])} of the {value.size} element(s) are outside the "
                f"range {bounds}. Subscript(s) and value(s) of the offending "
                "elements:\n" + _places(found, value)
            )

    @checked_in_calls
    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fails unless all elements are in the set."""
        value = self._GetNdArray(target)
        other = np.setdiff1d(value.flatten(), list(expected_set))
        if np.size(other):
            raise AssertionError(
                f"{np.size(other)} unique element(s) are not in the set "
                f"{expected_set}: {other}"
            )


def _is_eager(value: object) -> bool:
    part = value.flat_values if isinstance(value, RaggedTensor) else value
    part = getattr(part, "handle", part)
    return isinstance(part, (_graphkiln.EagerTensor, np.ndarray, RaggedTensorValue))


def _encoded(array: np.ndarray) -> np.ndarray:
    return np.array(
        [x.encode() if isinstance(x, str) else x for x in array.flat]
    )
