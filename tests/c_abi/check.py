"""The C interface stays what it was: tests/c_abi/check.py [--write] LIBRARY.

Compares the functions that a library shows with those of graphkiln/c_api.h and of
cmake/graphkiln.map, and what libabigail tells of the header (types of arguments,
sizes, values of enums) with interface.abi beside this file; --write makes that anew.
What the header says is compiled for that, as functions that do nothing: libraries
are stripped. Exit status 77 where libabigail is missing and the rest holds.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HEADER = ROOT / "include" / "graphkiln" / "c_api.h"
MAP = ROOT / "cmake" / "graphkiln.map"
DUMP = HERE / "interface.abi"
SKIPPED = 77


def of_header() -> set[str]:
    return set(re.findall(r"\b(gk_\w+)\(", HEADER.read_text(encoding="utf-8")))


def of_map() -> dict[str, str]:
    """The functions by name, with the nodes that they are in."""
    text = MAP.read_text(encoding="utf-8")
    return {
        name: node
        for node, body in re.findall(r"^(GRAPHKILN_C_\d+) \{(.*?)\}", text, re.M | re.S)
        for name in re.findall(r"\b(gk_\w+);", body)
    }


def of_library(library: str) -> dict[str, str]:
    """The same of what is shown."""
    table = subprocess.run(
        ["readelf", "--dyn-syms", "--wide", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return dict(re.findall(r"\b(gk_\w+)@@(GRAPHKILN_C_\d+)", table))


def others_of_library(library: str) -> list[str]:
    """What is shown beside both interfaces."""
    table = subprocess.run(
        ["nm", "--dynamic", "--defined-only", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    names = [line.split()[-1].partition("@")[0] for line in table.splitlines()]
    return [
        name
        for name in names
        if not name.startswith(("gk_", "GRAPHKILN_"))
        and "2gk3api" not in name
        and name != "graphkiln_command_line"
    ]


def interface(folder: Path) -> Path:
    """A library of the header's functions, with debugging information."""
    text = HEADER.read_text(encoding="utf-8")
    bodies = ["#include <graphkiln/c_api.h>"]
    for prototype in re.findall(r"^GK_C_EXPORT ([^;]*);", text, re.M):
        does = "" if prototype.startswith("void ") else " return 0;"
        bodies.append(f"{prototype} {{{does} }}")
    source, library = folder / "interface.c", folder / "libgraphkiln.so.0"
    source.write_text("\n".join(bodies) + "\n", encoding="utf-8")
    subprocess.run(
        [
            "cc",
            "-g",
            "-w",
            "-shared",
            "-fPIC",
            f"-I{ROOT / 'include'}",
            f"-Wl,--version-script={MAP}",
            "-Wl,-soname,libgraphkiln.so.0",
            "-o",
            str(library),
            source.name,
        ],
        check=True,
        cwd=folder,
    )
    return library


def dump(library: Path, to: Path) -> None:
    subprocess.run(
        [
            "abidw",
            "--no-show-locs",
            "--no-corpus-path",
            "--no-comp-dir-path",
            "--out-file",
            str(to),
            str(library),
        ],
        check=True,
    )


def main(arguments: list[str]) -> int:
    write = "--write" in arguments
    library = [a for a in arguments if not a.startswith("--")][0]
    failures = []
    mapped, shown = of_map(), of_library(library)
    for name in sorted(of_header() ^ set(mapped)):
        failures.append(f"{name} is in one of graphkiln/c_api.h and graphkiln.map")
    for name in sorted(set(mapped.items()) ^ set(shown.items())):
        failures.append(f"{name} is in one of graphkiln.map and the library")
    failures += [f"{name} is shown" for name in others_of_library(library)]
    for failure in failures:
        print(failure)
    if failures:
        return 1
    if shutil.which("abidw") is None:
        print("abidw is missing: apt-get install abigail-tools")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        now = interface(Path(folder))
        if write:
            dump(now, DUMP)
            return 0
        # What was there is there, and means the same; more may be.
        compared = subprocess.run(
            ["abidiff", "--no-added-syms", str(DUMP), str(now)],
            capture_output=True,
            text=True,
        )
    print(compared.stdout + compared.stderr)
    return 1 if compared.returncode else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
