#!/usr/bin/env python3
"""Keras' own tests on graphkiln, beside what passes on TensorFlow.

usage: run.py [--third | --page] [--again] [-n N] [PATH...]
       run.py --record [--again] [-n N]

Runs the tests in the wheel of the package keras, of which PATH names
directories or files (all, if none), with graphkiln in TensorFlow's place. A
test fails here if it passes on TensorFlow, as tests/keras_own/tensorflow.txt says,
and not on graphkiln; each such test has a reason in the table KNOWN, and one
without is an error, as is a reason that nothing needs any more.

  --third   runs the fixed third of the tests that CI runs
  --page    also writes docs/reference/keras_tests.md
  --record  runs all on the installed TensorFlow and writes tensorflow.txt
  --again   does not run: reads what the run before left in build/keras
  -n N      processes, 2 if not given

Exit status 0 if no test fails without a reason.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
RECORD = FOLDER / "tensorflow.txt"
PAGE = ROOT / "docs/reference/keras_tests.md"
OUTCOMES = ROOT / "build/keras"
SECONDS_OF_A_TEST = 300

# What fails on graphkiln and passes on TensorFlow: a pattern of names, and why.
REPLICAS = "They want two replicas on virtual devices; graphkiln has one"
KNOWN = {
    "backend/common/variables_test.py::*::test_variable_numpy_scalar": REPLICAS,
    "backend/tensorflow/distribute_test.py::*": REPLICAS,
    "backend/tensorflow/optimizer_distribute_test.py::*": REPLICAS,
    "callbacks/swap_ema_weights_test.py::*_with_tf_distribute": REPLICAS,
    "ops/nn_test.py::*::test_moments_sync_with_distribution_strategy?": REPLICAS,
}

# Files that do not run.
LEFT_OUT = {
    "applications/applications_test.py": (
        "it downloads weights, and makes every architecture five times; "
        "`tests/oracle/keras_applications.py` makes each once"
    ),
}


def keras_tests() -> Path:
    """Where the tests are. Keras itself is not imported."""
    spec = importlib.util.find_spec("keras")
    if spec is None or spec.origin is None:
        sys.exit("run.py: the package keras is not installed")
    return Path(spec.origin).parent / "src"


def run(options: argparse.Namespace, outcomes: Path) -> None:
    tests = keras_tests()
    outcomes.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pytest", "-c", str(FOLDER / "pytest.ini")]
    command += ["--rootdir", str(tests), "-p", "outcomes", "--outcomes", str(outcomes)]
    # A file's tests stay together and in order, so that runs are alike.
    command += ["-n", str(options.n), "--dist", "loadfile", "-q", "--tb", "line"]
    command += ["--timeout", str(SECONDS_OF_A_TEST), "-p", "no:cacheprovider"]
    command += ["--disable-warnings"]
    for name in LEFT_OUT:
        command += ["--ignore", str(tests / name)]
    if options.third:
        command.append("--third")
    if not options.record:
        command += ["-p", "graphkiln.pytest_plugin"]
    command += [str(tests / path) for path in options.paths] or [str(tests)]
    # What tests write at home stays here.
    home = outcomes.parent / "home"
    home.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "HOME": str(home),
        "KERAS_BACKEND": "tensorflow",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONPATH": os.pathsep.join(
            [str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
    }
    status = subprocess.run(command, env=environment, cwd=outcomes.parent).returncode
    # 0: all passed; 1: tests failed, or files could not be read.
    if status not in (0, 1):
        sys.exit(f"run.py: pytest ended with exit status {status}")


def read(outcomes: Path) -> dict[str, dict[str, str]]:
    """The outcome of each test that ran."""
    lines = outcomes.read_text().splitlines()
    return {row["test"]: row for row in map(json.loads, lines)}


def versions() -> str:
    return f"keras {importlib.metadata.version('keras')}"


def write_record(rows: dict[str, dict[str, str]]) -> None:
    tensorflow = importlib.metadata.version("tensorflow-cpu")
    lines = [
        f"# {versions()}, TensorFlow {tensorflow}: its tests that do not pass there.",
        "# Written by run.py --record.",
    ]
    lines += sorted(
        f"{row['outcome']} {name}"
        for name, row in rows.items()
        if row["outcome"] != "passed"
    )
    RECORD.write_text("\n".join(lines) + "\n")
    print(f"{RECORD.relative_to(ROOT)}: {len(rows)} ran, {len(lines) - 2} do not pass")


def not_on_tensorflow() -> set[str]:
    lines = RECORD.read_text().splitlines()
    if not lines[0].startswith(f"# {versions()},"):
        sys.exit(f"run.py: {RECORD.name} is for {lines[0][2:]} not for {versions()}")
    return {line.split(" ", 1)[1] for line in lines if not line.startswith("#")}


def reason_of(name: str) -> str | None:
    return next((why for p, why in KNOWN.items() if fnmatchcase(name, p)), None)


class Comparison:
    """What passes on TensorFlow, and what of it on graphkiln."""

    def __init__(self, rows: dict[str, dict[str, str]]) -> None:
        absent = not_on_tensorflow()
        self.theirs = Counter[str]()
        self.ours = Counter[str]()
        self.failing: dict[str, str] = {}
        self.unexplained: list[str] = []
        for name, row in sorted(rows.items()):
            if name in absent:
                continue
            directory = name.split("/", 1)[0]
            self.theirs[directory] += 1
            if row["outcome"] == "passed":
                self.ours[directory] += 1
                continue
            reason = reason_of(name)
            if reason is None:
                self.unexplained.append(f"{name}: {row['outcome']}: {row['error']}")
            self.failing[name] = reason or ""

    def share(self, directory: str) -> float:
        return 100 * self.ours[directory] / self.theirs[directory]

    def complaints(self, *, whole: bool) -> list[str]:
        out = [f"fails without a reason: {line}" for line in self.unexplained]
        if not self.theirs:
            out.append("no test ran")
        if whole:
            out += [
                f"a reason that no failing test has: {pattern}"
                for pattern in KNOWN
                if not any(fnmatchcase(name, pattern) for name in self.failing)
            ]
        return out

    def table(self) -> list[str]:
        rows = [
            f"| `{name}` | {self.theirs[name]:,} | {self.ours[name]:,} "
            f"| {self.share(name):.1f} % |"
            for name in sorted(self.theirs)
        ]
        theirs, ours = self.theirs.total(), self.ours.total()
        share = 100 * ours / theirs if theirs else 0
        return [
            "| Directory | Pass on TensorFlow | Pass on graphkiln | Share |",
            "| --- | ---: | ---: | ---: |",
            *rows,
            f"| all | {theirs:,} | {ours:,} | {share:.2f} % |",
        ]


def write_page(comparison: Comparison) -> None:
    first = RECORD.read_text().splitlines()[0]
    lines = [
        "# Keras' own tests",
        "",
        "<!-- Written by tests/keras_own/run.py --page. -->",
        "",
        f"The tests in the wheel of {first[2:].split(':')[0]}, on graphkiln. Counted",
        "are those that pass on TensorFlow with the same packages;",
        "`tests/keras_own/tensorflow.txt` names the others. Not run at all:",
        "",
        *(f"- `{name}`: {why}" for name, why in LEFT_OUT.items()),
        "",
        *comparison.table(),
        "",
        "## Failing",
        "",
    ]
    for reason in sorted(set(comparison.failing.values())):
        lines += [f"{reason}:", ""]
        lines += [f"- `{n}`" for n, why in comparison.failing.items() if why == reason]
        lines.append("")
    PAGE.write_text("\n".join(lines).rstrip() + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("-n", type=int, default=2)
    for flag in ("third", "page", "record", "again"):
        parser.add_argument(f"--{flag}", action="store_true")
    options = parser.parse_args()
    whole = not options.third and not options.paths
    if (options.page or options.record) and not whole:
        parser.error("--page and --record are about all tests")
    outcomes = OUTCOMES / ("tensorflow.jsonl" if options.record else "graphkiln.jsonl")
    if not options.again:
        run(options, outcomes)
    if options.record:
        write_record(read(outcomes))
        return 0
    comparison = Comparison(read(outcomes))
    complaints = comparison.complaints(whole=whole)
    print("\n".join(comparison.table()))
    print("\n".join(complaints))
    if options.page and not complaints:
        write_page(comparison)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
