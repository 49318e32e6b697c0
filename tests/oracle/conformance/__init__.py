"""The oracle's table: every op of the registry, asked of graphkiln and of the
real TensorFlow in one process, whose answers are compared.

    PYTHONPATH=build/dev/python .venv-oracle/bin/python -m conformance

in the folder tests/oracle. Reading order: `variants` makes calls of an op's
facts, `questions` says what is asked of each, `answers` asks one module,
`comparing` judges, `disagreements` has the reasons of what is known, `workers`
runs it all apart from this process, `report` writes docs/reference/conformance.md.
"""

import os
import sys
from pathlib import Path

# What the modules log by themselves is no answer; see conftest.py.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
os.environ.setdefault("GK_CHECK_PLANS", "1")

ORACLE = Path(__file__).resolve().parents[1]
ROOT = ORACLE.parents[1]
for folder in (ORACLE, ROOT / "tests" / "python" / "ops"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
