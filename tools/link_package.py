#!/usr/bin/env python3
"""Makes a folder in which Python finds the package and one build's extension.

usage: link_package.py FOLDER EXTENSION

FOLDER/graphkiln gets a link to each file and folder of python/graphkiln and to
EXTENSION, a built _graphkiln*.so, which need not be there yet:

    PYTHONPATH=build/dev/python .venv/bin/python ...

runs the dev build, whatever was built last.
"""

import shutil
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "python" / "graphkiln"


def link_package(folder: Path, extension: Path) -> None:
    sources = {
        p.name: p
        for p in PACKAGE.iterdir()
        if p.suffix != ".so" and p.name != "__pycache__"
    }
    sources[extension.name] = extension
    package = folder / "graphkiln"
    package.mkdir(parents=True, exist_ok=True)
    for old in package.iterdir():
        if old.is_symlink() and old.readlink() == sources.get(old.name):
            del sources[old.name]
        elif old.is_dir() and not old.is_symlink():
            shutil.rmtree(old)
        else:
            old.unlink()
    for name, source in sources.items():
        (package / name).symlink_to(source)


if __name__ == "__main__":
    link_package(Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute())
