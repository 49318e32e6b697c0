"""What was found, and the page that shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from table import Package

_HEAD = """\
# Packages that build on TensorFlow, on graphkiln

Written by `tests/packages/run.py`: the packages' own tests, run on TensorFlow and
on graphkiln under its name (`python -m graphkiln -m pytest`, see
`graphkiln.as_tensorflow`), unchanged. A test counts if it passes on TensorFlow and
needs nothing of later steps of the roadmap.

| package | version | kind | pass on TensorFlow | of these on graphkiln | share | held back |
|---|---|---|---:|---:|---:|---:|
"""


@dataclass(frozen=True)
class Result:
    package: Package
    theirs: dict[str, dict[str, str]]
    ours: dict[str, dict[str, str]]

    @property
    def counted(self) -> list[str]:
        """What passes on TensorFlow."""
        return [t for t, e in self.theirs.items() if e["outcome"] == "passed"]

    @property
    def later(self) -> int:
        return sum(e["outcome"] == "later" for e in self.theirs.values())

    @property
    def failing(self) -> list[tuple[str, str]]:
        return [
            (test, self.why(test))
            for test in self.counted
            if self.ours.get(test, {}).get("outcome") != "passed"
        ]

    @property
    def share(self) -> float:
        if not self.counted:
            return 0.0
        return 1 - len(self.failing) / len(self.counted)

    def why(self, test: str) -> str:
        for part, reason in self.package.reasons.items():
            if part in test:
                return reason
        entry = self.ours.get(test)
        if entry is None:
            file = test.partition("::")[0]
            entry = self.ours.get(f"{file} (import)", {"why": "it did not run"})
        lines = [line for line in entry["why"].splitlines() if line.strip()]
        if not lines:
            return entry["outcome"]
        # A failed import shows a traceback, which ends with the error.
        errors = [line[1:].strip() for line in lines if line.startswith("E ")]
        return (errors or lines)[0][:300]

    def line(self) -> str:
        passed = len(self.counted) - len(self.failing)
        return (
            f"{self.package.name} {self.package.version}: {passed} of "
            f"{len(self.counted)} tests that pass on TensorFlow pass, "
            f"{100 * self.share:.1f} %; {self.later} held back"
        )


    def as_json(self) -> dict[str, object]:
        return {
            "version": self.package.version,
            "counted": len(self.counted),
            "later": self.later,
            "failing": dict(self.failing),
        }


def _text(words: str) -> str:
    return words.replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def write_page(packages: tuple[Package, ...], folder: Path, file: Path) -> None:
    """The page of all results that stand in a folder."""
    lines, failing, later, ours = [_HEAD], [], [], []
    for package in packages:
        found = folder / f"{package.name}.json"
        if not found.exists():
            continue
        result = json.loads(found.read_text(encoding="utf-8"))
        counted, bad = result["counted"], result["failing"]
        passed = counted - len(bad)
        lines.append(
            f"| [{package.name}](https://pypi.org/project/{package.name}/) | "
            f"{result['version']} | {package.kind} | {counted} | {passed} | "
            f"{100 * passed / max(counted, 1):.1f} % | {result['later']} |\n"
        )
        if package.own:
            ours.append(
                f"\nTests of {package.name} are not its own, which are not on "
                f"PyPI, but ours (`tests/packages/{package.own}`): values that "
                "they find on graphkiln are compared with those on TensorFlow.\n"
            )
        if bad:
            failing.append(f"\n### {package.name}\n\n| test | why |\n|---|---|\n")
            for test, why in bad.items():
                failing.append(f"| {_text(test)} | {_text(why)} |\n")
        for part, step in package.later.items():
            later.append(f"- {package.name}, `{part}`: {step}\n")
    lines += [*ours, "\n## Tests that fail, and why\n", *failing]
    lines += ["\n## Held back\n\n", *later]
    file.write_text("".join(lines), encoding="utf-8")
