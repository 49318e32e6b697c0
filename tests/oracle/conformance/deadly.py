"""What TensorFlow is known to die of: listed in deadly.txt, so that it is not asked
again each time. A line has an op, a dtype, what is asked, with which kernels it dies,
and the variants or bad arguments."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from conformance.questions import Question

FILE = Path(__file__).with_name("deadly.txt")
# With oneDNN's kernels alone, and with all.
ONEDNN, ALL = "oneDNN", "all"
_BETWEEN = " | "


def read(file: Path = FILE) -> dict[Question, str]:
    """The questions, each with the kernels that it dies with."""
    found = {}
    if not file.exists():
        return found
    for line in file.read_text(encoding="utf-8").splitlines():
        op, dtype, aspect, kernels, *variants = line.split(_BETWEEN)
        for variant in variants:
            found[Question(op, dtype.strip(), variant, aspect)] = kernels
    return found


def write(dead: dict[Question, str], file: Path = FILE) -> None:
    by_line: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for q, kernels in dead.items():
        by_line[q.op, q.dtype or " ", q.aspect, kernels].append(q.variant)
    lines = [
        _BETWEEN.join((*key, *sorted(variants))) + "\n"
        for key, variants in sorted(by_line.items())
    ]
    file.write_text("".join(lines), encoding="utf-8")


def now(dead: dict[Question, str]) -> frozenset[Question]:
    """Those that this process need not ask TensorFlow."""
    plain = os.environ.get("TF_ENABLE_ONEDNN_OPTS") == "0"
    return frozenset(q for q, kernels in dead.items() if kernels == ALL or not plain)


def of(verdicts: Iterable[Question], plain: Iterable[Question]) -> dict[Question, str]:
    """The list, of what died with oneDNN's kernels and what did without."""
    without = set(plain)
    return {q: ALL if q in without else ONEDNN for q in verdicts}
