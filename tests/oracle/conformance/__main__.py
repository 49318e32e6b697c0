"""Asks both modules the questions of the oracle's table, those that are answered
otherwise by TensorFlow with oneDNN once more without: either answer is TensorFlow's.

usage: python -m conformance [--ops PATTERN] [--aspect WORDS] [--sample N]
                             [--answers FILE] [--anew PATTERN] [--page [--rest]]
                             [--deadly] [--workers N]
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path

from conformance import ORACLE, deadly, earlier, questions, report
from conformance.comparing import AGREE, DIFFER
from conformance.questions import Question
from conformance.workers import THEIRS_DIED, Pool, Verdict

# Said of an agreement with TensorFlow when it does not use oneDNN.
PLAIN_KERNELS = "agree with TensorFlow without oneDNN alone"


def _place(name: object) -> int:
    return zlib.crc32(str(name).encode())


def sample(all_of_them: list[Question], one_of: int) -> list[Question]:
    """One of so many, always the same ones."""
    return [q for q in all_of_them if _place(q) % one_of == 0]


def batches(
    pattern: str, one_of: int, aspect: str, answered: set[Question]
) -> list[list[Question]]:
    """The questions, those of a batch to be asked in one process."""
    found = []
    # In an order that no family of ops has its place in.
    for op in sorted(questions.asked_ops(pattern), key=_place):
        todo = sample(questions.of_op(op), one_of)
        found.append([q for q in todo if aspect in q.aspect and q not in answered])
    if one_of > 1:  # fewer processes
        found = [sum(found[i : i + 20], []) for i in range(0, len(found), 20)]
    return found


def by_op(asked: Iterable[Question]) -> list[list[Question]]:
    found: dict[str, list[Question]] = {}
    for question in asked:
        found.setdefault(question.op, []).append(question)
    return list(found.values())


class Progress:
    """A bar on a terminal."""

    def __init__(self, total: int):
        self.total, self.done = total, 0

    def step(self, verdict: Verdict) -> None:
        self.done += 1
        if not sys.stderr.isatty():
            return
        if self.done % 50 and self.done != self.total:
            return
        filled = 30 * self.done // max(self.total, 1)
        bar = "#" * filled + "." * (30 - filled)
        print(
            f"\r[{bar}] {self.done:,} of {self.total:,} {verdict.question.op:32.32}",
            end="" if self.done < self.total else "\n",
            file=sys.stderr,
            flush=True,
        )


def plain_answers(
    verdicts: list[Verdict], options: argparse.Namespace
) -> list[Verdict]:
    """What comes of the questions that are answered otherwise, or died of, when
    TensorFlow uses its own kernels: which ones it takes is settled when it starts."""
    asked = [v for v in verdicts if v.verdict in (DIFFER, THEIRS_DIED)]
    if not asked or os.environ["TF_ENABLE_ONEDNN_OPTS"] == "0":
        return []
    with tempfile.TemporaryDirectory() as folder:
        todo, answers = Path(folder, "todo"), Path(folder, "answers")
        if options.answers:  # kept beside the others
            answers = options.answers.absolute().with_suffix(".plain")
        report.write(todo, asked)
        command = [sys.executable, "-m", "conformance", "--again", todo]
        command += ["--answers", answers, "--workers", str(options.workers)]
        command += ["--deadly"] if options.deadly else []
        subprocess.run(
            command,
            cwd=ORACLE,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "TF_ENABLE_ONEDNN_OPTS": "0",
            },
            stdout=subprocess.DEVNULL,
        )
        wanted = {v.question for v in asked}
        return [v for v in report.read(answers) if v.question in wanted]


def by_plain_kernels(
    verdicts: list[Verdict], plain: list[Verdict]
) -> list[Verdict]:
    """The verdicts, with agreement where TensorFlow agrees by its own kernels."""
    agree = {v.question for v in plain if v.verdict == AGREE}
    return [
        Verdict(v.question, AGREE, PLAIN_KERNELS)
        if v.question in agree and v.verdict in (DIFFER, THEIRS_DIED)
        else v
        for v in verdicts
    ]


def forget(answers: Path, pattern: str) -> None:
    """Takes the ops that match out of the answers, so that they are asked anew."""
    for file in (answers, answers.with_suffix(".plain")):
        kept = [v for v in report.read(file) if not re.search(pattern, v.question.op)]
        report.write(file, kept)


def died(verdicts: list[Verdict]) -> list[Question]:
    return [v.question for v in verdicts if v.verdict == THEIRS_DIED]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m conformance",
        description="Asks graphkiln and TensorFlow the questions of the oracle's "
        "table, and compares.",
    )
    parser.add_argument("--ops", default="", metavar="PATTERN", help="these ops alone")
    parser.add_argument("--aspect", default="", help="questions of this kind alone")
    parser.add_argument(
        "--sample", type=int, default=1, metavar="N", help="one question of N"
    )
    parser.add_argument(
        "--answers", type=Path, metavar="FILE",
        help="verdicts as lines of JSON; those that are there are not asked again",
    )  # fmt: skip
    parser.add_argument(
        "--page", action="store_true", help="writes docs/reference/conformance.md"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--rest", action="store_true",
        help="the page keeps what it says of the ops that are not asked",
    )  # fmt: skip
    parser.add_argument(
        "--anew", metavar="PATTERN", help="asks these ops again, also if --answers "
        "has them"
    )  # fmt: skip
    parser.add_argument(
        "--deadly", action="store_true",
        help="asks TensorFlow also what it died of, and writes deadly.txt anew",
    )  # fmt: skip
    parser.add_argument(
        "--again", type=Path, metavar="FILE", help="the questions of these verdicts"
    )
    options = parser.parse_args()
    if options.anew and options.answers:
        forget(options.answers, options.anew)
    verdicts = report.read(options.answers) if options.answers else []
    answered = {v.question for v in verdicts}
    known = deadly.read()
    if options.again:
        asked = [v.question for v in report.read(options.again)]
        todo = by_op(q for q in asked if q not in answered)
    else:
        todo = batches(options.ops, options.sample, options.aspect, answered)
    progress = Progress(sum(map(len, todo)))
    kept = options.answers.open("a", encoding="utf-8") if options.answers else None

    def told(verdict: Verdict) -> None:
        verdicts.append(verdict)
        progress.step(verdict)
        if kept:
            kept.write(report.line(verdict))
            kept.flush()

    skipped = frozenset() if options.deadly else deadly.now(known)
    Pool(todo, options.workers, skipped).run(told)
    if kept:
        kept.close()
    plain = plain_answers(verdicts, options)
    if options.deadly and not options.again:
        asked = {v.question for v in verdicts}
        found = deadly.of(died(verdicts), died(plain))
        deadly.write({q: k for q, k in known.items() if q not in asked} | found)
    old = earlier.Earlier()
    if options.rest:
        asked_now = {v.question.op for v in verdicts}
        old = earlier.read(report.PAGE.read_text(encoding="utf-8"), asked_now)
    found = report.Report(by_plain_kernels(verdicts, plain), old)
    if options.page:
        report.PAGE.write_text(found.page(), encoding="utf-8")
    print(found.summary())
    whole = not (options.ops or options.aspect or options.again) and options.sample == 1
    unused = found.unused() if whole else []
    for pattern in unused:
        print(f"no question needs {pattern}: delete it")
    return 0 if found.is_good() and not unused else 1


if __name__ == "__main__":
    sys.exit(main())
