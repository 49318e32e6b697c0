"""What TensorFlow's private modules of tests have."""

from __future__ import annotations

import os
import tempfile
from unittest import mock  # noqa: F401


def get_temp_dir() -> str:
    """A folder for the files of a test."""
    return tempfile.mkdtemp()


def test_src_dir_path(relative_path: str) -> str:
    """Where a file of the tests' sources is."""
    root = os.environ.get("TEST_SRCDIR", "")
    return os.path.join(root, "org_tensorflow", "tensorflow", relative_path)
