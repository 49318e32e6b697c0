"""Random calls of every raw op: none may kill the process, hang, or answer
with an error that is the library's own fault.

    python fuzz/raw_ops.py --seconds 60 --count 10000 --seed 1
    python fuzz/raw_ops.py --seed 1 --only 4711   # one call, in this process

The calls run in children that are forked in batches, with limits of memory
and time; one that dies or hangs is named, and a new child goes on after it.
"""

from __future__ import annotations

import argparse
import collections
import os
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from typing import Any, BinaryIO

import raw_calls

BATCH = 400
SECONDS = 60.0  # for one call
MORE_MEMORY = 4 << 30
# What a caller may be told. All else is our own fault.
ALLOWED = (
    "InvalidArgumentError NotFoundError OutOfRangeError UnimplementedError "
    "FailedPreconditionError ResourceExhaustedError AlreadyExistsError "
    "AbortedError CancelledError UnknownError TypeError ValueError "
    "LookupError OverflowError NotImplementedError InaccessibleTensorError "
    "UnavailableError DataLossError PermissionDeniedError "
    "UnicodeDecodeError UnicodeEncodeError RecursionError"
).split()

# TensorFlow's class of a device that is not there, which programs may catch.
NO_SUCH_DEVICE = "Currently don't support instantiating functions on device"


def describe(call: raw_calls.Call) -> str:
    return f"from raw_calls import *\n\n{call.text}\n"


def attempt(call: raw_calls.Call) -> tuple[str, str]:
    """The class of what came, "" if nothing was raised, and its text."""
    try:
        exec(compile(call.text, "<call>", "exec"), {**vars(raw_calls)})
    except Exception as error:
        name = type(error).__name__
        text = str(error)
        if name not in ALLOWED or "graphkiln bug" in text:
            text += "\n" + "".join(traceback.format_tb(error.__traceback__)[-3:])
        return name, text
    return "", ""


def child(seed: int, first: int, last: int, only: str, write: int, log: int) -> None:
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(log, 2)
    os.chdir(tempfile.mkdtemp(prefix="raw_ops_"))
    if "AddressSanitizer" not in os.environ.get("RAW_OPS_UNDER", ""):
        with open("/proc/self/statm", encoding="ascii") as f:
            now = int(f.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MORE_MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 24,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for index in range(first, last):
        call = raw_calls.call(seed, index, only)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)  # ends this process
        began = time.monotonic()
        name, text = attempt(call)
        taken = int(1000 * (time.monotonic() - began))
        data = f"{taken}\0{name}\0{text[:3000]}".encode(errors="replace")
        os.write(write, len(data).to_bytes(4, "little") + data)


def received(file: BinaryIO) -> tuple[int, str, str] | None:
    head = file.read(4)
    if len(head) < 4:
        return None
    data = file.read(int.from_bytes(head, "little")).decode(errors="replace")
    taken, name, text = data.split("\0", 2)
    return int(taken), name, text


def is_fault(name: str, text: str) -> bool:
    if name == "InternalError" and NO_SUCH_DEVICE in text:
        return False
    return name not in (*ALLOWED, "")


def report_of(log: str) -> str:
    """A sanitizer's report begins with what counts; of all else the end does."""
    at = re.search(r"^.*(runtime error|Sanitizer): ", log, re.MULTILINE)
    return log[at.start() :][:2500] if at else log.rstrip()[-2500:]


def kind_of(text: str) -> str:
    """An error's text without what depends on the call."""
    lines = [line for line in text.split("\n") if line.strip()] or [""]
    first = lines[0]
    if first.startswith("Graph execution error"):
        ends = [i for i, line in enumerate(lines) if "[[{{node" in line]
        first = lines[ends[0] - 1] if ends else lines[-1]
    first = re.sub(r"\{\{node [^}]*\}\}|'[^']*'|\[[^\]]*\]", "_", first)
    return re.sub(r"-?\d+", "#", first)[:120]


class Campaign:
    def __init__(self, seed: int, only: str, shown: int):
        self.seed, self.only, self.shown = seed, only, shown
        self.outcomes: collections.Counter[str] = collections.Counter()
        self.by_op: dict[str, collections.Counter[str]] = {}
        self.faults: collections.Counter[tuple[str, str, str]] = (
            collections.Counter()
        )
        self.slowest: list[tuple[int, int]] = []

    def fault(self, index: int, what: str, text: str) -> None:
        call = raw_calls.call(self.seed, index, self.only)
        key = (call.op, what, kind_of(text))
        self.faults[key] += 1
        if self.faults[key] > self.shown:
            return
        only = f" --op {self.only}" if self.only else ""
        print(f"==== {call.op}: {what}")
        print(f"# fuzz/raw_ops.py --seed {self.seed}{only} --only {index}")
        print(describe(call))
        print(text.rstrip() + "\n", flush=True)

    def batch(self, first: int, last: int) -> None:
        at = first
        while at < last:
            read, write = os.pipe()
            with tempfile.TemporaryFile() as log:
                pid = os.fork()
                if pid == 0:
                    os.close(read)
                    status = 1
                    try:
                        child(self.seed, at, last, self.only, write, log.fileno())
                        status = 0
                    except BaseException:
                        traceback.print_exc()
                    finally:
                        os._exit(status)
                os.close(write)
                with os.fdopen(read, "rb") as file:
                    while (got := received(file)) is not None:
                        self.note(at, *got)
                        at += 1
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                if at < last:
                    log.seek(0)
                    said = log.read().decode(errors="replace")
                    what = f"died with status {status}"
                    if status == -signal.SIGALRM:
                        what = "hung (died by the alarm)"
                    self.outcomes[what] += 1
                    self.fault(at, what, report_of(said))
                    at += 1

    def note(self, index: int, taken: int, name: str, text: str) -> None:
        self.outcomes[name or "succeeded"] += 1
        op = raw_calls.call(self.seed, index, self.only).op
        self.by_op.setdefault(op, collections.Counter())[name or "succeeded"] += 1
        self.slowest = sorted([*self.slowest, (taken, index)])[-5:]
        if is_fault(name, text):
            self.fault(index, name, text)

    def totals(self, calls: int, seconds: float) -> bool:
        print(f"\n{calls} calls of {len(self.by_op)} ops in {seconds:.0f} s")
        for name, count in self.outcomes.most_common():
            print(f"  {count:8} {name}")
        silent = [op for op, c in self.by_op.items() if not c["succeeded"]]
        print(f"ops of which no call succeeded: {' '.join(sorted(silent)) or 'none'}")
        print("slowest:", *(f"{i} ({t} ms)" for t, i in reversed(self.slowest)))
        if self.faults:
            print(f"FAILED: {sum(self.faults.values())} calls, {len(self.faults)} kinds")
            for (op, what, text), count in self.faults.most_common():
                print(f"  {count:6} {op}: {what} {text}")
        return not self.faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--count", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--op", default="", help="calls of this op alone")
    parser.add_argument("--only", type=int, default=None, help="this call alone")
    parser.add_argument("--shown", type=int, default=1, help="of each kind")
    options = parser.parse_args()
    seed = options.seed
    if seed is None:
        seed = int.from_bytes(os.urandom(4), "little")
    if options.only is not None:
        call = raw_calls.call(seed, options.only, options.op)
        print(describe(call), flush=True)
        print(*attempt(call))
        return 0
    print(f"seed {seed}", flush=True)
    campaign = Campaign(seed, options.op, options.shown)
    began, done = time.monotonic(), 0
    while done < options.count and time.monotonic() - began < options.seconds:
        size = min(BATCH, options.count - done)
        first = options.first + done
        campaign.batch(first, first + size)
        done += size
    return 0 if campaign.totals(done, time.monotonic() - began) else 1


if __name__ == "__main__":
    sys.exit(main())
