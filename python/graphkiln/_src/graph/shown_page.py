"""Graph.show: a page for a notebook, a file, or the web browser."""

import os
import sys
import tempfile
import webbrowser
from typing import Any

from graphkiln import _graphkiln

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>graphkiln</title>
<body style="margin:8px">
{}
</body>
"""


def show_page(html: str, path: str | os.PathLike[str] | None = None) -> str | None:
    """Gives the path of the page, None where a notebook shows it."""
    if path is None and (notebook := _notebook()) is not None:
        notebook.display(notebook.HTML(html))
        return None
    opens = path is None
    if path is None:
        handle, path = tempfile.mkstemp(prefix="graphkiln-", suffix=".html")
        os.close(handle)
    path = os.fspath(path)
    with open(path, "w", encoding="utf-8") as file:
        file.write(PAGE.format(html))
    if opens:
        webbrowser.open(f"file://{os.path.abspath(path)}")
    return path


def _notebook() -> Any:
    """IPython's module of what notebooks show, if this runs in one."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    if running is None or not hasattr(running, "kernel"):
        return None
    return sys.modules.get("IPython.display")


_graphkiln.provide(show_page)
