"""Runs the cells of a notebook on one module, as a notebook would.

    python execute.py graphkiln|tensorflow CELLS.json OUTCOMES.json

Of each cell: what it printed, the repr of its last expression, the class and
text of the error that ended it, and the data of the figures that it drew.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import random
import sys
import tempfile
import traceback
import types
from pathlib import Path

import downloads

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
os.environ.setdefault("GK_CHECK_PLANS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")


class _Output:
    """Both streams of the process, from Python or below it, into one file."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()
        for number in (1, 2):
            os.dup2(self._file.fileno(), number)
        sys.stdout = open(1, "w", buffering=1, closefd=False)
        sys.stderr = open(2, "w", buffering=1, closefd=False)

    def take(self) -> str:
        sys.stdout.flush()
        sys.stderr.flush()
        size = os.lseek(self._file.fileno(), 0, os.SEEK_CUR)
        text = os.pread(self._file.fileno(), size, 0)
        os.ftruncate(self._file.fileno(), 0)
        os.lseek(self._file.fileno(), 0, os.SEEK_SET)
        return text.decode(errors="replace")


def _figures() -> list[str]:
    """The lines, bars and pictures of all figures, which are closed then."""
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return []
    import numpy as np

    def shown(array) -> str:
        values = np.ma.filled(np.ma.asarray(array, float), np.nan).ravel()
        if not values.size:
            return "empty"
        some = values[:: max(1, values.size // 4)]
        return f"{np.shape(array)} {' '.join(f'{x:.3g}' for x in some)}"

    out = []
    for number in plt.get_fignums():
        for axes in plt.figure(number).axes:
            words = (axes.get_title(), axes.get_xlabel(), axes.get_ylabel())
            out.append(f"axes {words}")
            out += [f"line {shown(line.get_xydata())}" for line in axes.lines]
            out += [f"image {shown(image.get_array())}" for image in axes.images]
            out += [f"points {shown(c.get_offsets())}" for c in axes.collections]
    plt.close("all")
    return out


def _compiled(tree: ast.AST, name: str, mode: str) -> types.CodeType:
    # Without what this file imports from __future__.
    return compile(tree, name, mode, dont_inherit=True)


def _run(source: str, name: str, space: dict[str, object]) -> dict[str, object]:
    # inspect and tracebacks find the text of a cell where they look for files.
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    outcome: dict[str, object] = {"value": None, "error": None}
    try:
        tree = ast.parse(source, name)
        last = None
        if isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)
        exec(_compiled(tree, name, "exec"), space)
        if last is not None:
            value = eval(_compiled(last, name, "eval"), space)
            if value is not None:
                space["_"] = value
                outcome["value"] = repr(value)
    except Exception as error:
        outcome["error"] = [type(error).__name__, str(error)]
        if os.environ.get("GUIDE_TRACEBACKS"):
            outcome["traceback"] = traceback.format_exc()
    return outcome


def main() -> None:
    module, cells, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    cells, out = cells.absolute(), out.absolute()
    if module == "graphkiln":
        import graphkiln

        graphkiln.as_tensorflow()
    import numpy as np
    import tensorflow as tf

    downloads.stand_in(tf)
    # Last: packages draw when they are imported.
    tf.random.set_seed(17)
    np.random.seed(17)
    random.seed(17)
    notebook = types.ModuleType("__main__")
    sys.modules["__main__"] = notebook
    outcomes = []
    # Guides write files where they stand.
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        output = _Output()
        for number, source in enumerate(json.loads(cells.read_text())):
            if not source:
                outcomes.append(None)
                continue
            name = str(Path(folder) / f"cell_{number}.py")
            outcome = _run(source, name, notebook.__dict__)
            outcome["figures"] = _figures()
            outcome["text"] = output.take()
            outcomes.append(outcome)
            # All that came before a death of the process is kept.
            out.write_text(json.dumps(outcomes))
        os.chdir("/")
    os._exit(0)


main()
