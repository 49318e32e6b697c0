"""python -m fuzz.programs --count N --seed S [--oracle] [--shrink] ..."""

from __future__ import annotations

import argparse
import json
import logging
import os
import pathlib
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

# A program that takes more of the processor's time than this hangs; one that
# waits for something that does not come, after so long a time by the clock.
LIMIT = 300.0
PATIENCE = 3600.0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m fuzz.programs",
        description="Runs random programs in every way that must make no "
        "difference, and reports those where it does.",
    )
    parser.add_argument("--count", type=int, default=1000,
                        help="how many programs (default 1000)")
    parser.add_argument("--seed", type=int, default=0,
                        help="of the first program; the others follow")
    parser.add_argument("--seconds", type=float, default=0,
                        help="stop after so many seconds; 0: no limit")
    parser.add_argument("--oracle", action="store_true",
                        help="compare with the installed TensorFlow, too")
    parser.add_argument("--check-plans", action="store_true",
                        help="run with GK_CHECK_PLANS=1")
    parser.add_argument("--all-modes", action="store_true",
                        help="every program in every mode")
    parser.add_argument("--shrink", action="store_true",
                        help="print the smallest program for each difference")
    parser.add_argument("--show", action="store_true",
                        help="print the program of --seed and end")
    parser.add_argument("--keep-going", type=int, default=25, metavar="N",
                        help="end after N differences (default 25)")
    parser.add_argument("--worker", action="store_true",
                        help=argparse.SUPPRESS)
    return parser.parse_args()


def _worker(options: argparse.Namespace) -> None:
    """Checks programs and tells of each in a line of JSON."""
    logging.disable(logging.ERROR)
    import graphkiln

    from .check import Checker
    from .program import program
    from .running import ALL, Runner

    theirs = None
    if options.oracle:
        import tensorflow

        tensorflow.get_logger().setLevel("ERROR")
        tensorflow.autograph.set_verbosity(0)
        theirs = Runner(tensorflow)
    checker = Checker(Runner(graphkiln), theirs)
    modes = tuple(m for m in ALL if m.traced) if options.all_modes else None
    for seed in range(options.seed, options.seed + options.count):
        _tell(seed=seed)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)
        verdict = checker.check(program(seed), modes)
        told = {"done": seed, "ended": verdict.ended,
                "compared": verdict.compared}
        if verdict.mode:
            told.update(mode=verdict.mode.name, said=verdict.said)
            _tell(found=seed, **told)
            if options.shrink:
                told.update(_smallest(checker, program(seed), verdict))
        _tell(**told)


def _tell(**told: object) -> None:
    print(json.dumps(told), flush=True)


def _sort_of(said: str) -> str:
    """What a difference is about, for telling it from others."""
    head = said.partition("became")[0]
    error = re.search(r"became (\w+Error)", said)
    return re.sub(r"[^A-Za-z ]", "", head)[:14] + (
        error.group(1) if error else "")


def _smallest(checker, made, verdict) -> dict[str, str]:
    """A smaller program, and what it differs in."""
    import dataclasses

    from .shrinking import shrink

    wanted = _sort_of(verdict.said)

    def fails(source: str) -> bool:
        found = checker.check(
            dataclasses.replace(made, source=source), (verdict.mode,))
        return bool(found.mode) and _sort_of(found.said) == wanted

    source = shrink(made.source, fails, seconds=60)
    again = checker.check(
        dataclasses.replace(made, source=source), (verdict.mode,))
    return {"source": source, "smallest": again.said}


SCRIPT = '''"""Seed {seed}: {mode}: {said}"""
{source}

if __name__ == "__main__":
    import graphkiln
    from fuzz.programs.running import ALL, Runner, load

    modes = {{m.name: m for m in ALL}}
    source = open(__file__).read()
    run = Runner(graphkiln).run
    for name in ("eager", {reference!r}, {mode!r}):
        print(name, *run(load(source, __file__), modes[name]), sep="\\n  ")
'''


class _Watch:
    """The worker process and what it says."""

    def __init__(self, arguments: list[str], environment: dict[str, str]):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.programs", "--worker", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=environment, cwd=pathlib.Path(__file__).parents[2],
        )
        self.lines: queue.Queue[str | None] = queue.Queue()
        self.errors: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._read_errors, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _read_errors(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line)
            del self.errors[:-30]


def main() -> int:
    options = _arguments()
    if options.worker:
        _worker(options)
        return 0
    if options.show:
        from .program import program

        print(program(options.seed).source)
        return 0
    return _supervise(options)


def _supervise(options: argparse.Namespace) -> int:
    """Runs workers, one after the other, each until it ends or dies."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if options.check_plans:
        environment["GK_CHECK_PLANS"] = "1"
    flags = [f"--{name}" for name in ("oracle", "shrink", "all-modes")
             if getattr(options, name.replace("-", "_"))]
    start = time.monotonic()
    next_seed, last = options.seed, options.seed + options.count
    totals: Counter[str] = Counter()
    found = 0
    ended = False
    while next_seed < last and not ended:
        watch = _Watch(
            [*flags, "--seed", str(next_seed), "--count",
             str(min(last - next_seed, 2000))], environment)
        running, block_end = next_seed, min(last, next_seed + 2000)
        while True:
            try:
                # Making a program smaller takes a while.
                line = watch.lines.get(timeout=PATIENCE)
            except queue.Empty:
                line = None
                watch.process.kill()
                said = f"no answer within {PATIENCE:.0f} s"
            else:
                said = ""
            if line is None:
                break
            told = json.loads(line)
            running = told.get("seed", running)
            if "done" not in told or "found" in told:
                continue
            next_seed = told["done"] + 1
            totals["programs"] += 1
            totals[told["ended"]] += 1
            totals["compared"] += told["compared"]
            if "mode" in told:
                found += 1
                _report(told)
            if totals["programs"] % 200 == 0:
                _progress(totals, found, start)
            spent = time.monotonic() - start
            if options.seconds and spent > options.seconds or (
                found >= options.keep_going
            ):
                ended = True
                watch.process.kill()
                break
        status = watch.process.wait()
        if not ended and next_seed < block_end:
            found += 1
            totals["programs"] += 1
            totals["died"] += 1
            said = said or f"the process ended with status {status}"
            print(f"seed {running}: {said}\n{''.join(watch.errors)}")
            next_seed = running + 1
    _progress(totals, found, start)
    return 1 if found else 0


def _report(told: dict) -> None:
    said = told["said"].strip()
    print(f"seed {told['done']}: {told['mode']}: {said}", flush=True)
    if "source" in told:
        reference = "eager"
        if "gradients" in told["mode"]:
            reference = "eager gradients"
        print(SCRIPT.format(
            seed=told["done"], mode=told["mode"], reference=reference,
            said=" ".join(told["smallest"].split())[:200].replace('"""', "'"),
            source=told["source"]), flush=True)


def _progress(totals: Counter, found: int, start: float) -> None:
    spent = time.monotonic() - start
    each = spent / max(totals["programs"], 1) * 1000
    words = [f"{totals['programs']} programs", f"{found} differences"]
    words += [f"{totals[w]} {w}" for w in ("ran", "failed", "refused", "died",
                                           "compared") if totals[w]]
    print(", ".join(words) + f", {spent:.0f} s, {each:.0f} ms each",
          flush=True)


if __name__ == "__main__":
    sys.exit(main())
