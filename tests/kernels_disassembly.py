#!/usr/bin/env python3
"""Disassembles the library and looks at what the compiler made of the loops.

usage: kernels_disassembly.py LIBRARY.a   (a release build)

1. AVX instructions stand in stamped functions alone (Stamp<...>::V3, ::V4) and in
   what DUCC and Eigen were compiled to for AVX2:
   elsewhere they would run, and fail, on a processor without them.
2. The hot kernels compute at full vector width: 32 bytes in V3, 64 in V4.
3. No innermost loop of theirs that does so calls a function.
4. Those of matrix products add nothing but products: zeros that were added to make
   vectors of scalars took half of the time.

Exit status 77, "skipped" for ctest, where objdump is not installed.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

# Mangled names of the bodies, and the packed instructions their loops consist
# of. A new hot kernel belongs here.
FLOAT = r"v(add|sub|mul|div|max|min|fmadd\d+|fnmadd\d+|sqrt)ps"
CHOICE = r"v(max|min|blendv|blendm)ps|vcmp\w*ps|vmovaps"
HOT = {
    r"TileBodyI\S*EfJfEEE": FLOAT,  # elementwise, of one float and of two
    r"TileBodyI\S*EfJffEEE": FLOAT,
    r"FoldINS\w*SumOpIfEE": FLOAT,
    r"FoldINS\w*ExtremeOpIfLb1EEE": CHOICE,
    r"SoftmaxRowsIfLb0EE": FLOAT,
    r"SoftmaxRowsIfLb1EE": FLOAT,
    r"GradRowsIfLb0EE": FLOAT,
    r"SparseRowIfE": FLOAT,
    r"BlockBodyIfLi\d+ELi\d+EE": r"vfmadd\d+ps",
    r"BlockBodyIdLi\d+ELi\d+EE": r"vfmadd\d+pd",
    r"DotBodyIfLi\d+EE": r"vfmadd\d+ps",
    r"MaxRowIfE": CHOICE,
    r"ArgRowIfLb1EE": CHOICE,
}
PRODUCTS = re.compile(r"BlockBodyI[fd]Li")
ADDITION = re.compile(r"vadd[ps][sd]")
STAMPED = re.compile(r"5StampI.*E2V(?P<level>[234])E")
# The code of DUCC and Eigen is compiled once more for AVX2, each in a namespace of
# its own.
OTHERS_FOR_AVX = re.compile(r"gk_(ducc|eigen)_v3|MakeFftPlanV3|EigenSolversV3")
LINE = re.compile(r"^ *([0-9a-f]+):\t(\S+)(?: +(.*))?$")
REGISTER = {"3": "%ymm", "4": "%zmm"}
JUMP = re.compile(r"^([0-9a-f]+) <")


@dataclass
class Instruction:
    address: int
    name: str
    operands: str


@dataclass
class Function:
    name: str
    body: list[Instruction]


def functions(library: str) -> Iterator[Function]:
    """The functions of the library, as objdump shows them."""
    listing = subprocess.Popen(
        ["objdump", "-d", "--no-show-raw-insn", library],
        stdout=subprocess.PIPE, text=True,
    )
    assert listing.stdout is not None
    current: Function | None = None
    for line in listing.stdout:
        if line.endswith(">:\n"):
            if current:
                yield current
            current = Function(line.partition("<")[2][:-3], [])
        elif current and (found := LINE.match(line.rstrip())):
            current.body.append(
                Instruction(int(found[1], 16), found[2], found[3] or ""))
    if current:
        yield current
    if listing.wait() != 0:
        sys.exit(f"objdump failed on {library}")


def is_avx(i: Instruction) -> bool:
    if not i.name.startswith("v") or i.name in ("verr", "verw"):
        return any(r in i.operands for r in ("%ymm", "%zmm", "%k1,"))
    return True


def innermost_loops(f: Function) -> list[list[Instruction]]:
    """Straight pieces of code that end with a jump back to their beginning."""
    spans = []
    at = {i.address: n for n, i in enumerate(f.body)}
    for n, i in enumerate(f.body):
        target = JUMP.match(i.operands) if i.name.startswith("j") else None
        if target:
            begin = at.get(int(target[1], 16))
            if begin is not None and begin <= n:
                spans.append((begin, n))
    inner = [
        (b, e) for b, e in spans
        if not any((b, e) != (c, d) and b <= c and d <= e for c, d in spans)
    ]
    return [f.body[b:e + 1] for b, e in inner]


def main() -> None:
    if shutil.which("objdump") is None:
        print("objdump is not installed")
        sys.exit(77)
    problems = []
    seen: dict[tuple[str, str], int] = {}
    hot = [(re.compile(name), name, re.compile(wide)) for name, wide in HOT.items()]
    for f in functions(sys.argv[1]):
        stamped = STAMPED.search(f.name)
        level = stamped["level"] if stamped else ""
        if level not in REGISTER:
            leak = next((i for i in f.body if is_avx(i)), None)
            if leak and not OTHERS_FOR_AVX.search(f.name):
                problems.append(f"{f.name}: {leak.name} {leak.operands} outside "
                                "functions stamped for AVX")
            continue
        for pattern, name, wide in hot:
            if not pattern.search(f.name):
                continue
            loops = [
                loop for loop in innermost_loops(f)
                if any(wide.fullmatch(i.name) and REGISTER[level] in i.operands
                       for i in loop)
            ]
            key = (name, level)
            seen.setdefault(key, 0)
            seen[key] += bool(loops)
            for loop in loops:
                calls = [i for i in loop if i.name.startswith("call")]
                if calls:
                    problems.append(f"{f.name}: an inner loop calls {calls[0].operands}")
                if PRODUCTS.search(f.name) and any(
                    ADDITION.fullmatch(i.name) for i in loop
                ):
                    problems.append(f"{f.name}: an inner loop adds to no product")
    for name in HOT:
        for level in REGISTER:
            if not seen.get((name, level)):
                width = "32" if level == "3" else "64"
                problems.append(f"no loop of {width}-byte vectors in V{level} of {name}")
    total = sum(seen.values())
    print(f"{total} stamped functions with hot loops of full width")
    for problem in problems[:50]:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
