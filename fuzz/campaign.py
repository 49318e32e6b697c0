"""What campaigns of child processes have in common: the command line, time
limits, what counts as a failure, and the totals at the end.

A case is a Python program for a child. It fails if the child dies by a
signal, does not end in time, says so itself (a line that begins with
``WRONG``), or shows one of the words that no program may see.
"""

import argparse
import collections
import ctypes
import dataclasses
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What a child may not print, whatever it runs.
FORBIDDEN = (
    "InternalError",
    "SystemError",
    "terminate called",
    "Fatal Python error",
    "WRONG",
)


@dataclasses.dataclass
class Case:
    """One child: its name in the totals, program and environment."""

    name: str
    program: str
    environment: dict[str, str] = dataclasses.field(default_factory=dict)
    patience: float = 120.0
    expected_status: int = 0


@dataclasses.dataclass
class Outcome:
    case: Case
    failure: str  # empty: none
    output: str
    seconds: float


def arguments(description: str, count: int) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--count", type=int, default=count,
                        help=f"how many cases (default {count})")
    parser.add_argument("--seconds", type=float, default=0,
                        help="stop after so many seconds; 0: no limit")
    parser.add_argument("--seed", type=int, default=None,
                        help="of all random choices; drawn if not given")
    parser.add_argument("--only", default="",
                        help="only cases whose name contains this")
    parser.add_argument("--verbose", action="store_true",
                        help="show what every child prints")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(2**31)
    return options


def run_case(case: Case) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        # A file: AutoGraph reads the source.
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(case.program)
        return _run_program(case, program)


def _run_program(case: Case, program: str) -> Outcome:
    # Where it dies is printed, too.
    environment = {
        **os.environ, "PYTHONFAULTHANDLER": "1", **case.environment,
    }
    path = environment.get("PYTHONPATH", "")
    environment["PYTHONPATH"] = os.pathsep.join(
        p for p in (os.path.join(ROOT, "python"), path) if p
    )
    start = time.monotonic()
    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def die_with_parent() -> None:
        prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)

    # A session of its own: what the child sends to its group stays there.
    child = subprocess.Popen(
        [sys.executable, program], env=environment, text=True,
        errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, preexec_fn=die_with_parent,
    )
    try:
        output, _ = child.communicate(timeout=case.patience)
    except subprocess.TimeoutExpired:
        child.kill()
        output, _ = child.communicate()
        return Outcome(case, "hang", output, time.monotonic() - start)
    failure = ""
    if child.returncode < 0:
        failure = f"death by signal {-child.returncode}"
    elif word := next((w for w in FORBIDDEN if w in output), None):
        failure = word
    elif child.returncode != case.expected_status:
        failure = f"status {child.returncode}"
    return Outcome(case, failure, output, time.monotonic() - start)


def main(description: str, count: int,
         cases: Callable[[random.Random], Iterator[Case]]) -> int:
    """Runs the cases one after the other; the exit status."""
    options = arguments(description, count)
    print(f"seed {options.seed}", flush=True)
    totals: collections.Counter[str] = collections.Counter()
    failed = 0
    start = time.monotonic()
    for case in cases(random.Random(options.seed)):
        done = sum(totals.values())
        if done >= options.count or (
            options.seconds and time.monotonic() - start > options.seconds
        ):
            break
        if options.only not in case.name:
            continue
        outcome = run_case(case)
        totals[case.name] += 1
        if options.verbose:
            print(f"[{outcome.seconds:.1f} s] {case.name}: "
                  f"{outcome.failure or 'good'}\n{outcome.output}", flush=True)
        if outcome.failure:
            failed += 1
            print(f"--- {case.name}: {outcome.failure}\n{case.program}\n"
                  f"--- printed:\n{outcome.output[-4000:]}\n---", flush=True)
    for name, times in sorted(totals.items()):
        print(f"{times:5} {name}")
    print(f"{sum(totals.values())} cases, {failed} failed, seed {options.seed}, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed else 0
