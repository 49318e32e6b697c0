"""What the page says already, of ops that are not asked this time."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, field

from conformance import disagreements

# By reason and op, the names of questions.
Named = dict[str, dict[str, list[str]]]
DIFFER, REFUSED, WRONG = "Disagreements", "Refused here alone", "Wrong in TensorFlow"


@dataclass
class Earlier:
    # Of each op, how many answers were compared and how many agree.
    ops: dict[str, tuple[int, int]] = field(default_factory=dict)
    named: dict[str, Named] = field(
        default_factory=lambda: {s: defaultdict(dict) for s in (DIFFER, REFUSED, WRONG)}
    )

    def count(self, section: str) -> int:
        by_reason = self.named[section].values()
        return sum(len(found) for by_op in by_reason for found in by_op.values())

    @property
    def compared(self) -> int:
        return sum(compared for compared, _ in self.ops.values())

    @property
    def agree(self) -> int:
        return sum(agree for _, agree in self.ops.values())

    def _take(self, section: str, why: str, op: str, found: list[str]) -> None:
        if section != DIFFER or why not in (
            *disagreements.WRONG_THERE, *disagreements.UNDETERMINED
        ):  # fmt: skip
            self.named[section][why][op] = found
            return
        # Counted as a disagreement then, and not compared now.
        compared, agree = self.ops[op]
        self.ops[op] = (compared - len(found), agree)
        if why in disagreements.WRONG_THERE:
            self.named[WRONG][why][op] = found


def read(page: str, asked: Container[str]) -> Earlier:
    """What a page says of the ops that were not asked."""
    earlier = Earlier()
    row = r"^\| `(\w+)` \| (\d+) \| (\d+) \|"
    for op, compared, agree in re.findall(row, page, re.M):
        if op not in asked:
            earlier.ops[op] = (int(compared), int(agree))
    for section in (DIFFER, REFUSED, WRONG):
        part = re.search(rf"^## {section}.*?(?=^## )", page, re.M | re.S)
        for why, listed in re.findall(
            r"^\*\*(.+?)\*\* \(\d+\):(.*)$", part[0] if part else "", re.M
        ):
            for op, names in re.findall(r"`(\w+)` ((?:(?!; `\w+` ).)*)", listed):
                if op in earlier.ops:
                    found = re.split(r", (?=\S.*?: |\S+ )", names)
                    earlier._take(section, why, op, found)
    return earlier
