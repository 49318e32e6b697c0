"""What came of a run: docs/reference/conformance.md, and a summary in words."""

from __future__ import annotations

import dataclasses
import importlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path

import cases

from conformance import ROOT, comparing, disagreements, questions, workers
from conformance.earlier import DIFFER, REFUSED, WRONG, Earlier, Named
from conformance.questions import Question
from conformance.workers import Verdict

PAGE = ROOT / "docs" / "reference" / "conformance.md"


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "-"


def total_of(page: Path) -> float:
    """The agreement that a page states, in per cent."""
    found = re.search(r"\*\*([\d.]+) %\*\*", page.read_text(encoding="utf-8"))
    return float(found[1]) if found else 0.0


def line(verdict: Verdict) -> str:
    """A verdict as a line of a file that `read` reads."""
    return json.dumps(dataclasses.asdict(verdict)) + "\n"


def write(file: Path, verdicts: Iterable[Verdict]) -> None:
    file.write_text("".join(map(line, verdicts)), encoding="utf-8")


def read(file: Path) -> list[Verdict]:
    if not file.exists():
        return []
    found = []
    for text in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(text)
        row["question"] = Question(**row["question"])
        row["mine"], row["theirs"] = tuple(row["mine"]), tuple(row["theirs"])
        found.append(Verdict(**row))
    return found


# The part of the answers that may differ without a reason: ops that were just
# added, whose disagreements nobody has looked at yet.
NEW_OPS = 0.002
DEADLY = "TensorFlow does not look at the argument, and dies of other values of it"
HOW = " ".join(
    """
    Written by `./scripts/test --full` (`tests/oracle/conformance`), which asks both
    in one process, each op of the registry by the facts of its record: every dtype;
    scalars, nothing, sizes of 1, 7 and 33, further dimensions, broadcasting, 100,003
    elements, views with strides and transposed ones, infinities and the largest
    integers; each attribute's other values; static shapes of constants, of partly and
    of wholly unknown inputs; gradients of both orders; calls with one thing wrong,
    eagerly and in functions of unknown shapes. Values agree if they are within the
    units in the last place that `comparing.py` or the record states, static shapes
    if they say all that TensorFlow's say. TensorFlow's answer is that with oneDNN or
    that without.
    """.split()
)


class Report:
    """Verdicts, sorted into what the page says of them."""

    def __init__(self, verdicts: list[Verdict], earlier: Earlier | None = None):
        self.earlier = earlier or Earlier()
        self.verdicts = sorted(verdicts, key=lambda v: str(v.question))
        self.agree = self._of(comparing.AGREE)
        self.died = self._of(workers.OURS_DIED)
        self.theirs_died = self._of(workers.THEIRS_DIED)
        self.unasked = self._of(comparing.UNASKED)
        self.differ: list[Verdict] = []
        # What graphkiln refuses and TensorFlow answers: there is no class of its
        # error to compare with.
        self.refused: list[Verdict] = []
        self.undetermined: list[Verdict] = []
        # What TensorFlow answers against its own documents, or a definition.
        self.wrong_there: list[Verdict] = []
        self.reasons = {}
        deadly = {disagreements.argument(v) for v in self.theirs_died}
        for verdict in self._of(comparing.DIFFER):
            why = disagreements.reason(verdict)
            if why in disagreements.UNDETERMINED:
                self.unasked.append(dataclasses.replace(verdict, detail=why))
                self.undetermined.append(verdict)
                continue
            if why in disagreements.WRONG_THERE:
                self.wrong_there.append(verdict)
                self.reasons[verdict] = why
                continue
            if disagreements.is_refused_here(verdict):
                if disagreements.argument(verdict) in deadly:
                    self.unasked.append(dataclasses.replace(verdict, detail=DEADLY))
                    continue
                if why:
                    self.refused.append(verdict)
                    self.reasons[verdict] = why
                    continue
            self.differ.append(verdict)
            self.reasons[verdict] = why
        self.unexplained = [v for v in self.differ if not self.reasons[v]]
        self.compared = len(self.agree) + len(self.differ) + len(self.died)

    def _of(self, verdict: str) -> list[Verdict]:
        return [v for v in self.verdicts if v.verdict == verdict]

    def unused(self) -> list[str]:
        """Rules of `disagreements` that nothing needs."""
        used = {disagreements.rule(v) for v in (*self.reasons, *self.undetermined)}
        return [k.pattern for k in disagreements.KNOWN if k not in used]

    def share(self) -> float:
        return 100 * len(self.agree) / max(self.compared, 1)

    def is_good(self) -> bool:
        """Nothing died, and next to nothing differs without a known reason."""
        limit = NEW_OPS * self.compared
        return not self.died and len(self.unexplained) <= limit

    def summary(self) -> str:
        lines = [f"{v.question}: {v.detail}" for v in self.unexplained]
        lines += [f"{v.question}: {v.verdict}, {v.detail}" for v in self.died]
        lines.append(
            f"{len(self.agree):,} of {self.compared:,} agree: {self.share():.2f} %; "
            f"{len(self.unexplained):,} of the others without a reason; "
            f"{len(self.refused):,} refused here alone, "
            f"{len(self.wrong_there):,} wrong there, {len(self.unasked):,} not to "
            f"be asked there, {len(self.theirs_died):,} that TensorFlow dies of"
        )
        return "\n".join(lines)

    def page(self) -> str:
        tensorflow = importlib.import_module("tensorflow").__version__
        notes = Counter(v.detail for v in self.agree if v.detail)
        compared = self.compared + self.earlier.compared
        agree = len(self.agree) + self.earlier.agree
        refused = len(self.refused) + self.earlier.count(REFUSED)
        wrong = len(self.wrong_there) + self.earlier.count(WRONG)
        died = f"{len(self.died)} ended" if self.died else "None ended"
        lines = [
            "# Agreement with TensorFlow",
            "",
            f"Of {compared:,} answers to questions that both answer "
            f"{agree:,} agree with those of TensorFlow {tensorflow}: "
            f"**{percent(agree, compared)}**. {died} the process.",
            "",
            f"{refused:,} more calls, whose arguments do not fit each other, "
            "graphkiln refuses and TensorFlow answers: there is no error to compare "
            "with ([below](#refused-here-alone)). Counted as disagreements, they would "
            f"make it {percent(agree, compared + refused)}.",
            "",
            f"{wrong:,} answers are not compared, as TensorFlow's "
            "contradict its documents or a definition "
            "([below](#wrong-in-tensorflow)).",
            "",
            HOW,
            "",
            *self._not_asked_now(),
            *[f"- {n:,} of them {what}." for what, n in sorted(notes.items())],
            "",
            *self._aspects(),
            "## Disagreements, by their reasons",
            "",
            *self._by_reason([*self.differ, *self.died], DIFFER),
            "## Refused here alone",
            "",
            *self._by_reason(self.refused, REFUSED),
            "## Wrong in TensorFlow",
            "",
            *self._by_reason(self.wrong_there, WRONG),
            *self._not_compared(),
            *self._ops(),
        ]
        return "\n".join(lines) + "\n"

    def _aspects(self) -> list[str]:
        lines = ["| asked | compared | agree | |", "|---|---|---|---|"]
        for aspect in questions.ASPECTS:
            agree = sum(v.question.aspect == aspect for v in self.agree)
            others = sum(
                v.question.aspect == aspect for v in (*self.differ, *self.died)
            )
            lines.append(
                f"| {aspect} | {agree + others:,} | {agree:,} | "
                f"{percent(agree, agree + others)} |"
            )
        return [*lines, ""]

    def _not_asked_now(self) -> list[str]:
        if not self.earlier.ops:
            return []
        ops = ", ".join(f"`{op}`" for op in sorted(self.earlier.ops))
        return [
            f"What is said of these {len(self.earlier.ops)} ops is from an earlier "
            "run, and not in the tables by what was asked and of what was not "
            f"compared: {ops}.",
            "",
        ]

    def _by_reason(self, verdicts: list[Verdict], section: str) -> list[str]:
        by_reason: Named = defaultdict(lambda: defaultdict(list))
        for verdict in verdicts:
            why = self.reasons.get(verdict, "it ended the process")
            op = verdict.question.op
            name = str(verdict.question).removeprefix(op).strip()
            by_reason[why or "no reason is known"][op].append(name)
        for why, by_op in self.earlier.named[section].items():
            by_reason[why].update(by_op)
        counted = [(sum(map(len, b.values())), why) for why, b in by_reason.items()]
        lines = []
        for count, why in sorted(counted, key=lambda i: (-i[0], i[1])):
            document = disagreements.WRONG_THERE.get(why, "")
            document = f" {document}." if document and section == WRONG else ""
            by_op = sorted(by_reason[why].items())
            found = "; ".join(f"`{op}` {', '.join(names)}" for op, names in by_op)
            lines += [f"**{why}** ({count}):{document} {found}", ""]
        return lines or ["None.", ""]

    def _not_compared(self) -> list[str]:
        lines = ["## Not compared", "", "| why | questions | ops |", "|---|---|---|"]
        by_why: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in self.unasked:
            by_why[verdict.detail].append(verdict)
        for verdict in self.theirs_died:
            by_why["TensorFlow dies or does not end"].append(verdict)
        for why, found in sorted(by_why.items()):
            ops = sorted({v.question.op for v in found})
            lines.append(
                f"| {why} | {len(found):,} | {', '.join(f'`{o}`' for o in ops)} |"
            )
        reasons: dict[str, list[str]] = defaultdict(list)
        for op, why in {**questions.NOT_ASKED, **cases.NOT_CALLED}.items():
            reasons[why].append(op)
        for why, ops in sorted(reasons.items()):
            lines.append(f"| {why} | | {', '.join(f'`{o}`' for o in sorted(ops))} |")
        return [*lines, ""]

    def _ops(self) -> list[str]:
        agree = Counter(v.question.op for v in self.agree)
        others = Counter(v.question.op for v in (*self.differ, *self.died))
        lines = ["## Ops", "", "| op | compared | agree | |", "|---|---|---|---|"]
        counts = {
            op: (agree[op] + others[op], agree[op])
            for op in {v.question.op for v in self.verdicts}
        }
        for op, (count, good) in sorted({**self.earlier.ops, **counts}.items()):
            lines.append(f"| `{op}` | {count} | {good} | {percent(good, count)} |")
        return lines
