"""What is said to be TensorFlow's is what TensorFlow has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.mark.parametrize("tool", ["tensorflow_names", "private_names"])
def test_the_list_of_names_is_fresh(tool):
    # On its own: some of TensorFlow's modules gain names when they are used.
    done = subprocess.run([sys.executable, str(TOOLS / tool), "--check"])
    assert done.returncode == 0
