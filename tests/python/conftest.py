"""Every plan that a test makes proves what it claims while it runs
(docs/internals/plans.md). GK_CHECK_PLANS=0 in the environment turns that off."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

os.environ.setdefault("GK_CHECK_PLANS", "1")


@pytest.fixture(autouse=True)
def filtered_tracebacks() -> Iterator[None]:
    """A tf.test.TestCase turns the filter off for good, as TensorFlow's does."""
    yield
    if "graphkiln" in sys.modules:
        sys.modules["graphkiln"].debugging.enable_traceback_filtering()
