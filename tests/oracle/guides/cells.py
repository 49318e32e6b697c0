"""The code cells of a notebook, and which of them wait for a later step."""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from pathlib import Path

# What a cell may name that later steps bring, and what is said of such a cell.
LATER = {
    "tf.keras": "Keras",
    "keras": "Keras",
    "tf.summary": "summaries",
    "tf.distribute": "distribution",
    "tfds": "tensorflow_datasets",
}

# Layers that guides use to have variables and gradients: layers.py has them.
STANDING_IN = {
    "tf.keras.layers.Dense", "tf.keras.layers.BatchNormalization",
    "tf.keras.layers.Conv2D",
}


@dataclass
class Cell:
    source: str
    # Why the cell is left out, or None.
    waits_for: str | None = None


def _without_magic(source: str) -> str:
    """Lines for the notebook's shell, `!ls` and `%load_ext`, do not run, nor do
    questions about a name, `tf.Tensor?`."""
    lines = source.splitlines()
    if lines and lines[0].startswith("%%"):
        lines = lines[1:]
    kept = [
        line
        for line in lines
        if not line.lstrip().startswith(("!", "%"))
        and not line.rstrip().endswith("?")
        and line.strip() != "import keras"
    ]
    return "\n".join(kept)


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value)
        return None if owner is None else f"{owner}.{node.attr}"
    return None


def _reason(tree: ast.AST) -> str | None:
    inside = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
    }
    for node in ast.walk(tree):
        name = _dotted(node)
        if id(node) in inside or name in STANDING_IN:
            continue
        for start, reason in LATER.items():
            if name is not None and (name == start or name.startswith(start + ".")):
                return reason
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "tensorflow_datasets":
                    return "tensorflow_datasets"
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
        source = _without_magic("".join(raw["source"]))
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
        cell.waits_for = _reason(tree) or (missing[absent[0]] if absent else None)
        for name in bound:
            if cell.waits_for is None:
                missing.pop(name, None)
            else:
                missing[name] = cell.waits_for
    return cells
