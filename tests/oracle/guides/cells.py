"""The code cells of a notebook, and which of them wait for a package."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
from dataclasses import dataclass
from pathlib import Path

# Stood in for by downloads.py, or a name that graphkiln answers to.
_PRESENT = {"tensorflow", "tensorflow_datasets"}

# Trainings end after as many rounds.
_MOST_ROUNDS = 3
_ROUNDS = re.compile(r"\b(\w*epochs\w*\s*=\s*)(\d+)\b(?!\s*[*/.])", re.I)


@dataclass
class Cell:
    source: str
    # Why the cell is left out, or None.
    waits_for: str | None = None


def _plain(source: str) -> str:
    """Lines for the notebook's shell, `!ls` and `%load_ext`, do not run, nor do
    questions about a name, `tf.Tensor?`; trainings are cut short."""
    lines = source.splitlines()
    if lines and lines[0].startswith("%%"):
        lines = lines[1:]
    kept = [
        line
        for line in lines
        if not line.lstrip().startswith(("!", "%"))
        and not line.rstrip().endswith("?")
    ]
    return _ROUNDS.sub(
        lambda found: f"{found[1]}{min(int(found[2]), _MOST_ROUNDS)}", "\n".join(kept)
    )


def _absent_package(tree: ast.AST) -> str | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        else:
            continue
        for name in names:
            top = name.partition(".")[0]
            if top not in _PRESENT and importlib.util.find_spec(top) is None:
                return top
    return None


def _bound(tree: ast.Module) -> set[str]:
    """The names that a cell makes at its top level."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((a.asname or a.name.split(".")[0]) for a in node.names)
            continue
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
                names.add(inner.id)
    return names


def _used(tree: ast.Module) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def read(path: Path) -> list[Cell]:
    """Cells without code, such as those with a licence alone, have no source."""
    notebook = json.loads(path.read_text())
    cells: list[Cell] = []
    # Name that a left out cell would have made: what that cell waits for.
    missing: dict[str, str] = {}
    for raw in notebook["cells"]:
        if raw["cell_type"] != "code":
            continue
        source = _plain("".join(raw["source"]))
        cell = Cell(source)
        cells.append(cell)
        try:
            tree = ast.parse(source)
        except SyntaxError:
            continue
        if not tree.body:
            cell.source = ""
            continue
        bound, used = _bound(tree), _used(tree)
        # A cell may bind by itself what it uses.
        absent = sorted((used - bound) & missing.keys())
        from_before = missing[absent[0]] if absent else None
        cell.waits_for = _absent_package(tree) or from_before
        for name in bound:
            if cell.waits_for is None:
                missing.pop(name, None)
            else:
                missing[name] = cell.waits_for
    return cells
