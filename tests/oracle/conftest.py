"""Tests that ask graphkiln and the real TensorFlow the same question.

Both live in one process: graphkiln links neither TensorFlow nor protobuf, and
its protos sit in a descriptor pool of their own. `scripts/test --oracle` runs
this folder in .venv-oracle, where TensorFlow is installed. A test takes the
fixture `both` and gives it a function of the module:

    def test_add(both):
        both.agree(lambda tf: tf.add(tf.constant([1, 2]), 3))
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import graphkiln

# What the other module logs by itself is no outcome of a program.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# TensorFlow chooses by the CPU whether oneDNN's kernels, whose refusals have
# classes and texts of their own, stand in for its plain ones. Not here: an
# answer may not depend on the machine that asks.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
# Every plan proves what it claims while it runs: docs/internals/plans.md.
os.environ.setdefault("GK_CHECK_PLANS", "1")


class Both:
    """Runs a function on both modules and compares what comes out."""

    def __init__(self, ours: ModuleType, theirs: ModuleType):
        self.ours = ours
        self.theirs = theirs

    def agree(
        self,
        function: Callable[[Any], Any],
        *,
        rtol: float = 0.0,
        atol: float = 0.0,
    ) -> None:
        """Same nested structure, dtypes, shapes and values; NaN equals NaN."""
        theirs = self.theirs.nest.flatten(function(self.theirs))
        ours = self.ours.nest.flatten(function(self.ours))
        assert len(ours) == len(theirs)
        for our, their in zip(ours, theirs, strict=True):
            self._compare(our, their, rtol, atol)

    def agree_on_error(self, function: Callable[[Any], Any]) -> None:
        """Both refuse, with exception classes of the same name."""
        with pytest.raises(Exception) as theirs:
            function(self.theirs)
        with pytest.raises(Exception) as ours:
            function(self.ours)
        assert ours.type.__name__ == theirs.type.__name__, (
            f"{ours.value!r} against {theirs.value!r}"
        )

    def _compare(self, our: Any, their: Any, rtol: float, atol: float) -> None:
        if not hasattr(their, "dtype"):
            assert our == their
            return
        assert our.dtype.name == their.dtype.name
        assert our.shape.as_list() == their.shape.as_list()
        mine, expected = np.asarray(our.numpy()), np.asarray(their.numpy())
        if rtol == atol == 0.0:
            np.testing.assert_array_equal(mine, expected)
        else:
            if expected.dtype.kind not in "biufcO":  # bfloat16, float8
                mine = mine.astype(np.float32)
                expected = expected.astype(np.float32)
            np.testing.assert_allclose(mine, expected, rtol=rtol, atol=atol)


@pytest.fixture(scope="session")
def both() -> Both:
    tensorflow = pytest.importorskip("tensorflow")
    return Both(graphkiln, tensorflow)


@pytest.fixture(autouse=True)
def _no_seed_of_another_test(both: Both) -> None:
    """A seed that one module kept from another test is no difference."""
    both.ours.random.set_seed(None)
    both.theirs.random.set_seed(None)
