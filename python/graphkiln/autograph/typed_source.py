"""The source of functions that were typed at Python's prompt.

Python keeps none of it, but the history of the session has the lines. A block
of them is the source if it compiles to the very code of the function.
"""

import ast
import sys
import types
from collections.abc import Iterator

from graphkiln.autograph.parsing import parse

# Blocks that are looked at, and lines of one.
_MOST_BLOCKS = 1000
_MOST_LINES = 500


def _history() -> list[str]:
    readline = sys.modules.get("readline")
    if readline is None:
        return []
    count = readline.get_current_history_length()
    first = max(1, count - _MOST_BLOCKS)
    lines = [readline.get_history_item(i) for i in range(first, count + 1)]
    return [line for line in lines if line is not None]


def _blocks(lines: list[str]) -> Iterator[str]:
    """Statements that begin at a line, the last one first."""
    for start in range(len(lines) - 1, -1, -1):
        if lines[start][:1] in ("", " ", "\t", "#"):
            continue
        end = start + 1
        # What belongs to the statement is indented, or follows a decorator.
        while end < min(len(lines), start + _MOST_LINES) and (
            lines[end][:1] in ("", " ", "\t")
            or lines[end - 1].startswith("@")
        ):
            end += 1
        yield "\n".join(lines[start:end]) + "\n"


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def typed_tree(code: types.CodeType) -> ast.Module | None:
    """The statement typed at the prompt that defines `code`; None if the
    session's history does not have it."""
    if code.co_filename not in ("<stdin>", "<python-input>"):
        return None
    for text in _blocks(_history()):
        if "def " not in text and "lambda" not in text:
            continue
        try:
            tree = parse(text, code.co_filename)
            compiled = compile(text, code.co_filename, "single")
        except (SyntaxError, ValueError):
            continue
        if code in _codes(compiled):
            return tree
    return None
