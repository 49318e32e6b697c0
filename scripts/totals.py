#!/usr/bin/env python3
"""Adds up test results.

usage: scripts/totals.py FOLDER

Reads the JUnit files FOLDER/*.xml and the lines `ok NAME`, `failed NAME` and
`skipped NAME` of FOLDER/checks.txt; prints a line for each and one in total. Exit status 1
if anything failed or nothing ran.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path


def count(file: Path) -> Counter[str]:
    """Outcomes of the test cases in one JUnit file."""
    outcomes: Counter[str] = Counter(passed=0, failed=0, skipped=0)
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            outcomes["failed"] += 1
        elif case.find("skipped") is not None:
            outcomes["skipped"] += 1
        else:
            outcomes["passed"] += 1
    return outcomes


def show(name: str, outcomes: Counter[str]) -> None:
    print(
        f"{name:24} {outcomes['passed']:6} passed {outcomes['failed']:4} failed "
        f"{outcomes['skipped']:4} skipped"
    )


def main() -> int:
    folder = Path(sys.argv[1])
    total: Counter[str] = Counter()
    for file in sorted(folder.glob("*.xml")):
        outcomes = count(file)
        show(file.stem, outcomes)
        total += outcomes
    checks = Counter[str]()
    for line in (folder / "checks.txt").read_text().splitlines():
        outcome, name = line.split(maxsplit=1)
        checks["passed" if outcome == "ok" else outcome] += 1
        if outcome != "ok":
            print(f"{outcome}: {name}")
    show("steps", checks)
    print(f"total: {total['passed']} passed, {total['failed']} failed, "
          f"{total['skipped']} skipped")
    return 1 if total["failed"] or checks["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
