"""Bad calls answer as TensorFlow's do: the exception's class, and for the ops
whose texts users know the leading words; a failed op changes no variable.

`bad_call_outcomes` runs the calls of `bad_inputs` and `bad_public_calls` on
either module, apart from this process: TensorFlow dies in some of them.
Where our answer is another one on purpose, `bad_call_differences` says why.
"""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import bad_call_differences as differences
import pytest
from bad_call_outcomes import WHOLE, Outcome, Task, tasks

pytest.importorskip("tensorflow")

PROGRAM = Path(__file__).with_name("bad_call_outcomes.py")
SHOWN = 60


def start(
    module: str, kind: str, part: int, parts: int, skipped: set[tuple[str, str]]
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, str(PROGRAM), module, kind, str(part), str(parts)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    pickle.dump(skipped, process.stdin)
    process.stdin.close()
    return process


def finish(process: subprocess.Popen) -> dict[Task, Outcome]:
    assert process.stdout is not None
    with process.stdout:
        outcomes = pickle.load(process.stdout)
    assert process.wait() == 0
    return {task: Outcome(*fields) for task, fields in outcomes.items()}


def both_outcomes(kind: str) -> tuple[dict[Task, Outcome], dict[Task, Outcome]]:
    skipped = {t[:2] for t in tasks(kind, 0, 1) if differences.kills(*t[:2])}
    theirs = [start("tensorflow", kind, part, 2, skipped) for part in range(2)]
    ours = start("graphkiln", kind, 0, 1, set())
    answers: dict[Task, Outcome] = {}
    for process in theirs:
        answers.update(finish(process))
    return finish(ours), answers


def leading_words(text: str) -> str:
    """The first words of an error, with all that depends on the call gone."""
    text = re.sub(r"_Mkl(Native)?", "", text)
    text = re.sub(r"\{\{node [^}]*\}\}|'[^']*'|\"[^\"]*\"|\[[^\]]*\]?", " ", text)
    text = re.sub(r"-?\d[\d.,]*", " ", text)
    return " ".join(re.findall(r"[A-Za-z_]+", text)[:3]).lower()


def compare(kind: str) -> None:
    ours, theirs = both_outcomes(kind)
    wrong: list[str] = []
    used: Counter[differences.Difference] = Counter()
    compared = 0
    for task, mine in ours.items():
        name, label, mode = task
        call = f"{name}, {label} ({mode})" if label else f"{name} ({mode})"
        if mine.error == "died":
            wrong.append(f"{call}: the process died")
        if mine.changed:
            wrong.append(f"{call}: failed, yet changed the variable")
        expected = theirs.get(task)
        if expected is None or expected.error == "died":
            continue
        compared += 1
        same = mine.error == expected.error
        if same and (
            not mine.error
            or not re.fullmatch(differences.COMPARED_TEXTS, name.split(" ")[0])
            or leading_words(mine.text) == leading_words(expected.text)
        ):
            continue
        found = differences.find(name, label, mode, mine, expected)
        if found is None:
            wrong.append(
                f"{call}: {mine.error or 'succeeds'} {mine.text[:120]!r}\n"
                f"    against {expected.error or 'success'} {expected.text[:120]!r}"
            )
        else:
            used[found] += 1
    assert compared > 500
    for difference in differences.OF[kind]:
        if WHOLE and difference not in used:
            wrong.append(f"no call needs {difference}: delete it")
    assert not wrong, f"{len(wrong)} of {compared}:\n" + "\n".join(wrong[:SHOWN])


def test_raw_ops() -> None:
    compare("raw")


def test_public_functions() -> None:
    compare("public")
