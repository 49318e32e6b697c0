"""Where the user's code assigns a symbol: for errors about two places that
do not agree."""

import dis
import linecache
import sys
import types
from collections.abc import Callable, Iterator

from graphkiln.autograph import conversion


def lines(symbol: str, parts: list[tuple[str, object]]) -> list[str]:
    """Where a symbol gets its values. `parts` are pairs (what, function);
    None stands for the code around."""
    found = []
    for what, function in parts:
        place = None
        if function is not None:
            place = _last(function.__code__, symbol)
        if place is None and (function is None or what.endswith("branch")):
            place = _before(symbol)
            if function is not None:
                what += " (from before)"
        if place is not None:
            file, line = place
            text = linecache.getline(file, line).strip()
            found.append(f"    {what}, line {line}: {text}")
    return found


def _last(code: types.CodeType, symbol: str) -> tuple[str, int] | None:
    """The last place in code where a symbol is assigned."""
    lines = list(_lines(code, _target(symbol)))
    return (code.co_filename, max(lines)) if lines else None


def _target(symbol: str) -> str | None:
    """What the instruction that assigns a symbol names; None for an item."""
    if symbol.endswith("]"):
        return None
    return symbol.rpartition(".")[2]


def _lines(code: types.CodeType, target: str | None) -> Iterator[int]:
    for i in dis.get_instructions(code):
        if target is None:
            matches = i.opname == "STORE_SUBSCR"
        else:
            matches = i.opname.startswith("STORE_") and i.argval == target
        if matches and i.positions is not None and i.positions.lineno:
            yield i.positions.lineno
    for inner in code.co_consts:
        # Bodies of branches and loops inside; the state is set elsewhere.
        if isinstance(inner, types.CodeType) and inner.co_qualname.rpartition(
            "."
        )[2].startswith(("if_body", "else_body", "loop_body", "set_")) and (
            "set_state" not in inner.co_qualname
        ):
            yield from _lines(inner, target)


def _before(symbol: str) -> tuple[str, int] | None:
    """The place before the statement being staged where a symbol was
    assigned, as far as the functions around it know."""
    target = _target(symbol)
    frame = sys._getframe(2)
    while frame is not None:
        code = frame.f_code
        if id(code) in conversion.generated:
            lines = [n for n in _own_lines(code, target) if n < frame.f_lineno]
            if lines:
                return code.co_filename, max(lines)
            if target in _parameters(code):
                return code.co_filename, _first_line(code)
            if conversion.generated[id(code)]:
                return None
        frame = frame.f_back
    return None


def _own_lines(code: types.CodeType, target: str | None) -> list[int]:
    return list(_lines(code, target))


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _first_line(code: types.CodeType) -> int:
    """The line of the def, behind its decorators."""
    line = code.co_firstlineno
    while True:
        text = linecache.getline(code.co_filename, line).strip()
        if not text or text.startswith(("def ", "async def ")) or (
            "lambda" in text
        ):
            return line
        line += 1


def symbol_lines(
    function: Callable, symbols: list[str]
) -> list[str]:
    """For each symbol that a function assigns, a line that says where."""
    found = []
    for symbol in symbols:
        place = _last(function.__code__, symbol)
        if place is not None:
            text = linecache.getline(*place).strip()
            found.append(f"    '{symbol}', line {place[1]}: {text}")
    return found
