"""Runs TensorFlow's guides on graphkiln and on TensorFlow, cell by cell.

    PYTHONPATH=build/dev/python python tests/oracle/guides/run.py FOLDER|NOTEBOOK...
        [--only NAME] [--page docs/reference/guides.md] [--keep FOLDER] [--told]

With --keep FOLDER the outcomes stay there, and TensorFlow runs no cells that it
ran before; with --told neither does graphkiln.

The environment has TensorFlow, matplotlib, pandas and scikit-learn. The
notebooks are TensorFlow's (github.com/tensorflow/docs, site/en/guide) and no
part of this repository. With --page the table is written; without it every
difference is shown in full.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import cells
import compare
from explained import EXPLAINED

HERE = Path(__file__).parent


def _execute(
    module: str,
    sources: list[str],
    keep: Path,
    name: str | None = None,
    told: bool = False,
) -> list[dict | None]:
    name = name or module
    given, out = keep / f"{name}.cells.json", keep / f"{name}.json"
    text = json.dumps(sources)
    # What TensorFlow did with the same cells before, it does again.
    if (told or module == "tensorflow") and given.exists() and given.read_text() == text:
        outcomes = json.loads(out.read_text()) if out.exists() else []
        if len(outcomes) == len(sources):
            return outcomes
    given.write_text(text)
    out.unlink(missing_ok=True)
    command = [sys.executable, str(HERE / "execute.py"), module, str(given), str(out)]
    try:
        subprocess.run(command, timeout=900, check=False, stderr=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        pass
    outcomes = json.loads(out.read_text()) if out.exists() else []
    dead = {
        "value": None, "text": "", "figures": [], "error": ["Died", "the process died"]
    }
    while len(outcomes) < len(sources):
        outcomes.append(dict(dead) if sources[len(outcomes)] else None)
    return outcomes


def _explanation(guide: str, source: str) -> str | None:
    for name, part, reason in EXPLAINED:
        if name in (guide, "*") and part in source:
            return reason
    return None


class Guide:
    def __init__(self, path: Path, keep: Path | None, told: bool):
        self.name = path.stem
        self.cells = cells.read(path)
        sources = [("" if c.waits_for else c.source) for c in self.cells]
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) if keep is None else keep / self.name
            folder.mkdir(parents=True, exist_ok=True)
            self.ours = _execute("graphkiln", sources, folder, told=told)
            self.theirs = _execute("tensorflow", sources, folder)
            # A second time only where it could excuse something.
            self.again = (
                _execute("tensorflow", sources, folder, "tensorflow_again")
                if self._differs(self.theirs)
                else self.theirs
            )
        self.agree = 0
        self.failing = 0
        self.explained: list[tuple[int, str]] = []
        self.different: list[tuple[int, list[tuple[str, str, str]]]] = []
        for number, source in enumerate(sources):
            if not source:
                continue
            ours, theirs = self.ours[number], self.theirs[number]
            found = compare.differences(ours, theirs, self.again[number])
            reason = _explanation(self.name, source) if found else None
            if reason is not None:
                self.explained.append((number, reason))
            elif found:
                self.different.append((number, found))
            else:
                self.agree += 1
                self.failing += theirs["error"] is not None

    def _differs(self, again: list[dict | None]) -> bool:
        rows = zip(self.ours, self.theirs, again, strict=True)
        return any(ours and compare.differences(ours, *two) for ours, *two in rows)

    def waiting(self) -> Counter[str]:
        return Counter(c.waits_for for c in self.cells if c.waits_for)

    def ran(self) -> int:
        return sum(bool(c.source) and c.waits_for is None for c in self.cells)

    def row(self) -> str:
        waiting = ", ".join(f"{n} for {what}" for what, n in self.waiting().items())
        return (
            f"| {self.name} | {self.ran()} | {self.agree} | {self.failing} "
            f"| {len(self.explained)} | {len(self.different)} | {waiting} |"
        )

    def show(self) -> None:
        for number, found in self.different:
            print(f"--- {self.name}, cell {number}")
            print("\n".join("    " + x for x in self.cells[number].source.split("\n")))
            for part, ours, theirs in found:
                print(f"  {part}, graphkiln:\n{ours}\n  {part}, TensorFlow:\n{theirs}")


_HEAD = """# TensorFlow's guides, cell by cell

Written by `tests/oracle/guides/run.py`; do not edit. Each notebook of TensorFlow's
guides runs on graphkiln, where `import tensorflow` gives graphkiln, and on
TensorFlow {version}, each in a process of its own and from the same seeds. Of each
code cell what it prints, the value it shows, its error and the data of its figures
are compared. Tables and pictures that a guide would download are drawn by
`downloads.py`, and trainings end after three rounds. `tf.keras` is the real Keras on
both. Cells wait where they name a package that was not there, or what such a cell
would have made.

| guide | cells run | agree | of these, errors on both | explained | differ | waiting |
|---|---|---|---|---|---|---|
"""


def _page(guides: list[Guide]) -> str:
    import importlib.metadata

    text = _HEAD.format(version=importlib.metadata.version("tensorflow-cpu"))
    text += "\n".join(guide.row() for guide in guides) + "\n"
    total = sum(guide.ran() for guide in guides)
    agree = sum(guide.agree for guide in guides)
    text += f"\nIn all {agree} of {total} cells agree.\n"
    notes = [(g.name, n, why) for g in guides for n, why in g.explained]
    if notes:
        text += "\n## Explained\n\n"
        text += "\n".join(f"- {g}, cell {n}: {why}" for g, n, why in notes) + "\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("notebooks", nargs="+", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=Path)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--told", action="store_true")
    options = parser.parse_args()
    paths = [
        path
        for given in options.notebooks
        for path in (sorted(given.glob("*.ipynb")) if given.is_dir() else [given])
        if options.only in path.stem
    ]
    guides = []
    for path in paths:
        guides.append(Guide(path, options.keep, options.told))
        guides[-1].show()
        print(guides[-1].row(), flush=True)
    if options.page is not None:
        options.page.write_text(_page(guides))
    return any(guide.different for guide in guides)


if __name__ == "__main__":
    sys.exit(main())
