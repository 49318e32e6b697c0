#!/usr/bin/env python3
"""Prints requirement lines of pyproject.toml, one a line.

usage: scripts/requirements.py build|run|GROUP ...

`build` is what building needs, `run` what importing needs; any other word is
an extra or a dependency group.
"""

import sys
import tomllib
from pathlib import Path


def main() -> None:
    text = Path(__file__).resolve().parent.parent.joinpath("pyproject.toml")
    project = tomllib.loads(text.read_text())
    lists = dict(project["dependency-groups"])
    lists.update(project["project"]["optional-dependencies"])
    lists["build"] = project["build-system"]["requires"]
    lists["run"] = project["project"]["dependencies"]
    for name in sys.argv[1:]:
        print("\n".join(lists[name]))


if __name__ == "__main__":
    main()
