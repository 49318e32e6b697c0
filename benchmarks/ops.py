#!/usr/bin/env python3
"""Times every op of the registry on graphkiln and on TensorFlow.

usage: ops.py --peer NAME=COMMAND [--rounds N] [--only TEXT] [--json FILE]
              [--size small|large] [--table all|slow] [--cpu]

Each op is called with the tests' own small inputs (some 16 elements) and with
large ones (1M elements, 512x512 for matrices, 1080p for pictures, see
op_sizes.py), eagerly and in a tf.function; op_workloads.py adds some programs.
The modules run in processes of their own, which take turns op by op, so that a
busy minute falls on both. A turn gives the fastest of some batches; the table
shows medians over the rounds and their ratio, slowest first. COMMAND is as
compare.py has it; needed is an interpreter with the peer and ml_dtypes. --cpu
gives each module one thread and counts its own time: for busy machines.

Example:
    ops.py --peer tensorflow=.venv-oracle/bin/python --json ops.json
    ops.py --peer tensorflow=.venv-oracle/bin/python --only "Resize|resize"
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import op_sizes
import op_workloads
from compare import command_of, text_of
from op_values import F, picture

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "python" / "ops"))

import cases  # noqa: E402
from case_table import TABLE  # noqa: E402
from case_values import Variable  # noqa: E402

import graphkiln as gk  # noqa: E402

# Seconds after which an op counts as stuck.
PATIENCE = 120.0


def files() -> dict[str, np.ndarray]:
    """A picture in files of all kinds; GIF and WebP where Pillow is there."""
    image = picture(np.random.default_rng(0))
    rows = np.ascontiguousarray(image[::-1, :, ::-1]).tobytes()
    head = struct.pack(
        "<IIIIiiHHIIiiII",
        54 + len(rows),
        0,
        54,
        40,
        1920,
        1080,
        1,
        24,
        0,
        len(rows),
        0,
        0,
        0,
        0,
    )
    found = {
        "png": gk.io.encode_png(image).numpy(),
        "jpeg": gk.io.encode_jpeg(image, quality=90).numpy(),
        "bmp": b"BM" + head + rows,
    }
    try:
        import io

        from PIL import Image
    except ImportError:
        pass
    else:
        for kind in ("gif", "webp"):
            out = io.BytesIO()
            Image.fromarray(image).save(out, kind)
            found[kind] = out.getvalue()
    return {k: np.array(v, object) for k, v in found.items()}


def plan_of(op: str, made: dict[str, Any]) -> dict[str, Any]:
    """How the op is called; no graphkiln in it, so that any process reads it."""
    case, record = cases.make(op), cases.record(op)

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(v) for v in value]
        return (value.value,) if isinstance(value, Variable) else value

    def dtype(value: Any) -> Any:
        if isinstance(value, list):
            return [dtype(v) for v in value]
        if isinstance(value, tuple):
            value = value[0]
        return "string" if value.dtype == object else value.dtype.name

    small = {name: plain(v) for name, v in case.inputs.items()}
    large: dict[str, Any] = {}
    if op not in TABLE and op not in op_sizes.LARGE:
        small = {
            name: v if isinstance(v, list) else np.resize(v, (4, 4))
            for name, v in small.items()
        }
        large = {
            name: [F(1024, 1024)] * 2 if isinstance(v, list) else F(1024, 1024)
            for name, v in small.items()
        }
    missing = {"DecodeGif": "gif", "DecodeWebP": "webp"}.get(op, "png")
    has_large = op not in op_sizes.WHY and bool(large or op in op_sizes.LARGE)
    has_large = has_large and missing in made
    test = record["test"]
    return {
        "small": small,
        "large": large,
        "dtypes": {name: dtype(v) for name, v in small.items()},
        "domain": (test["low"], test["high"]),
        "attrs": case.attrs,
        "attr_names": {a["name"] for a in record["attrs"]},
        "raw_names": cases.raw_names(op),
        "sizes": ["small", "large"] if has_large else ["small"],
    }


class Worker:
    """A process that times one module, started anew when it has died."""

    def __init__(self, command: list[str], plan: str, options: list[str]):
        self.command = [*command, plan, *options]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"},
        )
        self.rest = b""
        if self.lines(PATIENCE) is None:
            sys.exit(f"{' '.join(self.command)} does not start")

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None

    def lines(self, patience: float) -> list[dict[str, Any]] | None:
        """Answers up to the next `done`; None if the process died or hangs."""
        assert self.process and self.process.stdout
        found, end = [], time.monotonic() + patience
        self.partial = found
        while True:
            while b"\n" in self.rest:
                text, _, self.rest = self.rest.partition(b"\n")
                try:
                    line = json.loads(text)
                except ValueError:
                    continue  # what an op prints
                if not isinstance(line, dict):
                    continue
                if "done" in line:
                    return found
                found.append(line)
            left = end - time.monotonic()
            ready = select.select([self.process.stdout], [], [], max(left, 0))[0]
            more = os.read(self.process.stdout.fileno(), 1 << 16) if ready else b""
            if not more:
                self.stop()
                return None
            self.rest += more

    def time(self, name: str) -> list[dict[str, Any]]:
        if self.process is None or self.process.poll() is not None:
            self.start()
        assert self.process and self.process.stdin
        self.process.stdin.write(name.encode() + b"\n")
        self.process.stdin.flush()
        lines = self.lines(PATIENCE)
        if lines is None:
            lines = [*self.partial, {"row": name, "error": "died or hangs"}]
        return lines


def share(ratios: list[float], test: Any) -> str:
    hit = sum(map(test, ratios))
    return f"{hit} of {len(ratios)} ({100 * hit / max(len(ratios), 1):.1f} %)"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--peer", required=True, metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", default="", help="regular expression of rows")
    parser.add_argument("--size", choices=("small", "large"))
    parser.add_argument("--table", choices=("all", "slow"), default="all")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()

    chosen = [op for op in cases.called_ops() if re.search(options.only, op)]
    plan: dict[str, Any] = {"files": files(), "ops": {}}
    for op in chosen:
        plan["ops"][op] = plan_of(op, plan["files"])
        if options.size:
            sizes = plan["ops"][op]["sizes"]
            plan["ops"][op]["sizes"] = [s for s in sizes if s == options.size]
    named = (
        []
        if options.size == "small"
        else [
            n for n in op_workloads.workloads(None, plan) if re.search(options.only, n)
        ]
    )
    script = str(HERE / "op_calls.py")
    peer, _, text = options.peer.partition("=")
    commands = {
        "graphkiln": [sys.executable, script, "graphkiln"],
        peer: command_of(peer, text, script),
    }
    times: dict[str, dict[str, list[float]]] = {m: {} for m in commands}
    errors: dict[str, dict[str, str]] = {m: {} for m in commands}
    loads = []
    with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
        pickle.dump(plan, file)
        file.flush()
        for i in range(options.rounds):
            workers = {
                m: Worker(c, file.name, ["--cpu"] if options.cpu else [])
                for m, c in commands.items()
            }
            loads.append(os.getloadavg()[0])
            print(
                f"round {i + 1} of {options.rounds}, load {loads[-1]:.1f}",
                file=sys.stderr,
                flush=True,
            )
            for at, name in enumerate([*named, *chosen]):
                if at % 50 == 49:
                    print(
                        f"  {at + 1} of {len(named) + len(chosen)}: {name}",
                        file=sys.stderr,
                        flush=True,
                    )
                for module, worker in workers.items():
                    for line in worker.time(name):
                        if "s" in line:
                            times[module].setdefault(line["row"], []).append(line["s"])
                        elif "error" in line:
                            errors[module][line["row"]] = line["error"]
            for worker in workers.values():
                worker.stop()

    medians = {
        m: {row: statistics.median(s) for row, s in rows.items()}
        for m, rows in times.items()
    }
    mine, theirs = medians["graphkiln"], medians[peer]
    ratios = {row: theirs[row] / s for row, s in mine.items() if row in theirs}
    small = [r for row, r in ratios.items() if " small " in row]
    large = [r for row, r in ratios.items() if " small " not in row]
    print(f"| row | graphkiln | {peer} | ratio |\n|---|---|---|---|")
    for row in sorted(ratios, key=ratios.__getitem__):
        wanted = 10.0 if " small " in row else 1.0
        if options.table == "all" or ratios[row] < wanted:
            print(
                f"| {row} | {text_of(row, mine[row])} | "
                f"{text_of(row, theirs[row])} | {ratios[row]:.2f}x |"
            )
    print(f"\nLoad {min(loads):.1f} to {max(loads):.1f}, {options.rounds} rounds.")
    print(
        f"Small: at least 10x {share(small, lambda r: r >= 10)}, "
        f"below 1x {share(small, lambda r: r < 1)}."
    )
    print(
        f"Large: at least 1x {share(large, lambda r: r >= 1)}, "
        f"below 0.7x {share(large, lambda r: r < 0.7)}."
    )
    for module, found in errors.items():
        for row, text in found.items():
            print(f"{module} fails: {row}: {text.splitlines()[0] if text else ''}")
    for op in chosen:
        if options.size != "small" and "large" not in plan["ops"][op]["sizes"]:
            why = op_sizes.WHY.get(op, "no large size in op_sizes.py, or no Pillow")
            print(f"no large row: {op}: {why}")
    if options.json:
        options.json.write_text(
            json.dumps({"medians": medians, "errors": errors, "loads": loads}, indent=1)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
