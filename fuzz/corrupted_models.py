"""Saved models with random damage, through `graphkiln verify` and `graphkiln run`.

    PYTHONPATH=build/release/python python fuzz/corrupted_models.py --count 2000

A model of each kind (variables, tables, loops, assets) is saved once. Each copy
has some bytes of one file changed, cut off, repeated or exchanged. What has to be:
no death, no hang, no memory without end; `verify` says of every changed file that
it is damaged, but of fingerprint.pb, which nothing else tells of; and errors of
`run` name the folder, or its results are the right ones. A change of saved_model.pb
that leaves a graph may change what it computes: verify alone tells. Prints the seed
and totals; exit status 1 if something was found.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path

SECONDS = 20
MEMORY = 8 << 30  # of addresses
SAVE = """
import sys
import numpy as np
import graphkiln as tf

class M(tf.Module):
    def __init__(self):
        super().__init__()
        self.w = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3), name="w")
        self.layers = [tf.Variable(tf.ones([3])), tf.Variable(["a", "bc"])]
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer([0, 1], [10.0, 20.0]), -1.0)

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def f(self, x):
        y = x @ self.w + self.layers[0]
        for i in tf.range(2):
            if y[0, 0] < 100.0:
                y += self.table.lookup(tf.reshape(i, [1]))
        return {"y": y, "text": self.layers[1]}

m = M()
tf.saved_model.save(m, sys.argv[1], signatures=m.f)
"""
WORDS = ["--value", "x=[[1, 2, 3, 4], [0, 0, 0, 1]]", "--json"]


def library() -> ctypes.CDLL:
    for folder in find_spec("graphkiln").submodule_search_locations:
        for suffix in EXTENSION_SUFFIXES:
            path = os.path.join(folder, "_graphkiln" + suffix)
            if os.path.exists(path):
                return ctypes.CDLL(path)
    sys.exit("the extension is not built")


def outcome(program: ctypes.CDLL, words: list[str]) -> tuple[int, str, str]:
    """(exit status, or minus the signal; standard output; standard error)."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.alarm(SECONDS)
            given = [b"graphkiln", *(os.fsencode(word) for word in words)]
            array = (ctypes.c_char_p * (len(given) + 1))(*given)
            os._exit(program.graphkiln_command_line(len(given), array))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return status, *texts


def damage(content: bytes, draw: random.Random) -> bytes:
    data = bytearray(content)
    at = draw.randrange(len(data))
    kind = draw.randrange(6)
    if kind == 0:
        data[at] ^= 1 << draw.randrange(8)
    elif kind == 1:
        for _ in range(draw.randint(1, 8)):
            data[draw.randrange(len(data))] = draw.randrange(256)
    elif kind == 2:
        del data[at:]
    elif kind == 3:
        del data[at : at + draw.randint(1, 64)]
    elif kind == 4:
        data[at:at] = data[at : at + draw.randint(1, 64)]
    else:
        size = draw.randint(1, 16)
        data[at : at + size] = bytes(draw.choice((0, 255, 127)) for _ in range(size))
    return bytes(data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of one damage")
    options = parser.parse_args()
    print(f"--seed {options.seed}")
    program = library()
    totals: collections.Counter[str] = collections.Counter()
    found = 0
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as top:
        whole = Path(top) / "whole"
        # A file: what is traced is read from there.
        (Path(top) / "save.py").write_text(SAVE)
        save = [sys.executable, str(Path(top) / "save.py"), str(whole)]
        subprocess.run(save, check=True)
        status, right, said = outcome(program, ["run", str(whole), *WORDS])
        assert status == 0, said
        files = sorted(p.relative_to(whole) for p in whole.rglob("*") if p.is_file())
        numbers = range(options.count) if options.only is None else [options.only]
        for number in numbers:
            if time.monotonic() - start > options.seconds:
                break
            draw = random.Random(f"{options.seed} {number}")
            folder = Path(top) / "damaged"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(whole, folder)
            name = draw.choice(files)
            before = (folder / name).read_bytes()
            after = damage(before, draw)
            if after == before:
                continue
            (folder / name).write_bytes(after)
            print_name = name.name != "fingerprint.pb"
            wrong = []
            verified, lines, said = outcome(program, ["verify", str(folder)])
            if verified not in (0, 1, 3, 4):
                wrong.append(f"verify ends with {verified}: {said}")
            elif verified == 0 and print_name:
                wrong.append("verify finds nothing")
            elif verified == 1 and print_name and f"{folder}" not in lines:
                wrong.append("verify names no file")
            status, printed, said = outcome(program, ["run", str(folder), *WORDS])
            if status not in (0, 3, 4, 5, 2):
                wrong.append(f"run ends with {status}: {said}")
            elif status == 0:
                same = printed == right
                totals["right values" if same else "other values"] += 1
                if not same and name.name != "saved_model.pb":
                    wrong.append("run gives other values")
            else:
                totals["errors"] += 1
                if str(folder) not in said and status != 5:
                    wrong.append(f"run names no file: {said}")
                totals["errors that name the folder"] += str(folder) in said
            totals[f"{name.name.split('.')[0]}.*: damage found"] += verified != 0
            if wrong:
                found += 1
                print(f"--seed {options.seed} --only {number} ({name})", *wrong)
    print(f"{time.monotonic() - start:.0f} s:", dict(sorted(totals.items())))
    print(f"{found} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
