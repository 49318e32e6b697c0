#!/usr/bin/env python3
"""Times the same workloads on graphkiln and on its peers, turn by turn.

usage: compare.py --workloads FILE [--peer NAME=COMMAND] ... [--rounds N]
                  [--only ROW,ROW] [--json FILE] [--cpu]

COMMAND is a Python interpreter, then what differs from graphkiln's own run:
another script that prints rows of the same names, module=NAME where the
module is not called as the peer is, options of the script.

FILE is a script that takes a module's name and prints one JSON object a line:
{"name": row, "s": median seconds of one call}. It runs in a fresh process for
each module and round, the modules taking turns, so that a busy minute falls on
all of them. The table shows the median over the rounds, the load while it ran,
and how many times faster graphkiln is; call rows also in units of an empty
Python call of the same run (`lambda_call`). --cpu is handed to scripts that know
it.

Example, with TensorFlow in an environment of its own, and JAX's way to the
same loops:
    compare.py --workloads workloads.py --only while_if_1000 \\
        --peer tensorflow=.venv-oracle/bin/python \\
        --peer "jit=.venv-oracle/bin/python module=tensorflow --jit" \\
        --peer "jax=.venv-jax/bin/python benchmarks/loops_jax.py"
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
from pathlib import Path


def command_of(name: str, text: str, script: str) -> list[str]:
    """What to run for the peer `name`, as its COMMAND says."""
    python, *rest = shlex.split(text)
    module, options = name, []
    for word in rest:
        if word.startswith("module="):
            module = word.removeprefix("module=")
        elif word.endswith(".py"):
            script = word
        else:
            options.append(word)
    return [python, script, module, *options]


def run(module: str, command: list[str], only: str) -> dict[str, float]:
    command = command + ([f"--only={only}"] if only else [])
    done = subprocess.run(
        command, capture_output=True, text=True,
        env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    rows = {}
    for line in done.stdout.splitlines():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:
            continue
        if "s" in row:
            rows[row["name"]] = row["s"]
        elif "error" in row:
            print(f"  {module}: {row['name']}: {row['error'][:120]}", file=sys.stderr)
    return rows


def text_of(name: str, seconds: float | None) -> str:
    if seconds is None:
        return "-"
    if name.endswith("_mb"):
        return f"{seconds:.0f} MB"
    if name.endswith("_ratio"):
        return f"{seconds:.2f}x"
    if name.endswith("_share"):
        return f"{100 * seconds:.2g} %"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--workloads", required=True, type=Path)
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()

    script = str(options.workloads)
    modules = {"graphkiln": [sys.executable, script, "graphkiln"]}
    for peer in options.peer:
        name, _, text = peer.partition("=")
        modules[name] = command_of(name, text, script)
    if options.cpu:
        modules = {m: [*command, "--cpu"] for m, command in modules.items()}
    rounds: dict[str, list[dict[str, float]]] = {m: [] for m in modules}
    for i in range(options.rounds):
        for module, command in modules.items():
            print(f"round {i + 1} of {options.rounds}: {module}, load "
                  f"{os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
            rounds[module].append(run(module, command, options.only))

    medians = {
        module: {
            name: statistics.median(r[name] for r in results if name in r)
            for name in dict.fromkeys(n for r in results for n in r)
        }
        for module, results in rounds.items()
    }
    ours = medians["graphkiln"]
    peers = [m for m in modules if m != "graphkiln"]
    print("| row | graphkiln | " + "".join(f"{p} | ratio | " for p in peers) + "empty calls |")
    print("|---|---|" + "---|---|" * len(peers) + "---|")
    names = dict.fromkeys(n for m in medians.values() for n in m)
    unit = ours.get("lambda_call")
    for name in names:
        mine = ours.get(name)
        cells = [name, text_of(name, mine)]
        for p in peers:
            theirs = medians[p].get(name)
            cells.append(text_of(name, theirs))
            cells.append(f"{theirs / mine:.2f}x" if mine and theirs else "-")
        small = mine is not None and unit and mine < 2e-6
        cells.append(f"{mine / unit:.1f}" if small else "")
        print("| " + " | ".join(cells) + " |")
    if options.json:
        options.json.write_text(json.dumps(medians, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
