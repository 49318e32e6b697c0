"""What campaigns of child processes have in common: the command line, time
limits, what counts as a failure, and the totals at the end. The campaign ends
when its time does: what runs then is ended, shows its stacks, and counts as
neither good nor bad.

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


# More kinds of cases than any campaign has.
MAX_PASSED_OVER = 1000

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
    cut_off: bool = False  # the campaign's time ended first


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


def run_case(case: Case, seconds_left: float = float("inf")) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        # A file: AutoGraph reads the source.
        program = os.path.join(folder, "program.py")
        with open(program, "w") as file:
            file.write(case.program)
        return _run_program(case, program, seconds_left)


def _end(child: subprocess.Popen) -> str:
    """Ends what still runs; what it had printed, and where it was."""
    child.send_signal(signal.SIGABRT)  # faulthandler prints all stacks
    try:
        # Others of its session may have the pipe, too.
        return child.communicate(timeout=5)[0]
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return child.communicate()[0]


def _run_program(case: Case, program: str, seconds_left: float) -> Outcome:
    # Where it dies is printed, too.
    environment = {
        **os.environ, "PYTHONFAULTHANDLER": "1", **case.environment,
    }
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
        output, _ = child.communicate(
            timeout=max(0.0, min(case.patience, seconds_left)))
    except subprocess.TimeoutExpired:
        cut_off = seconds_left < case.patience
        output = _end(child)
        return Outcome(case, "" if cut_off else "hang", output,
                       time.monotonic() - start, cut_off)
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
    end = start + options.seconds if options.seconds else float("inf")
    passed_over = 0
    for case in cases(random.Random(options.seed)):
        done = sum(totals.values())
        if done >= options.count or time.monotonic() > end:
            break
        if options.only not in case.name:
            passed_over += 1
            if not done and passed_over == MAX_PASSED_OVER:
                print(f"--only {options.only}: no case has that in its name")
                return 2
            continue
        outcome = run_case(case, end - time.monotonic())
        if outcome.cut_off:
            print(f"--- {case.name}: ended with the campaign, after "
                  f"{outcome.seconds:.0f} s\n{outcome.output[-4000:]}\n---",
                  flush=True)
            break
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
