"""Graph.show: a page for a notebook, a file, or the web browser."""

import os
import sys
import tempfile
import webbrowser

PAGE = """<!doctype html>
<meta charset="utf-8">
<title>graphkiln</title>
<body style="margin:8px">
{}
</body>
"""


def show(html: str, path: str | os.PathLike[str] | None = None) -> str | None:
    """Gives the path of the page, None where a notebook shows it."""
    if path is None and _in_notebook():
        from IPython.display import HTML, display

        display(HTML(html))
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


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return running is not None and hasattr(running, "kernel")
