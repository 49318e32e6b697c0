"""The syntax tree of a function, found by file and position.

Files are parsed whole, once, so that every node has its place in the file.
"""

import ast
import inspect
import linecache
import textwrap
import types

from graphkiln.autograph import typed_source
from graphkiln.autograph.parsing import parse


class SourceError(ValueError):
    """Why there is no syntax tree of a function."""


# By file name: (lines, tree, {line: [function nodes]}).
_parsed: dict[str, tuple] = {}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _index(tree: ast.AST) -> dict[int, list]:
    by_line: dict[int, list] = {}
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            line = node.lineno
            for decorator in getattr(node, "decorator_list", ()):
                line = min(line, decorator.lineno)
            by_line.setdefault(line, []).append(node)
    return by_line


def _file(code: types.CodeType, module_globals: dict) -> tuple:
    name = code.co_filename
    lines = linecache.getlines(name, module_globals)
    if not lines:
        tree = typed_source.typed_tree(code)
        if tree is not None:
            return [], tree, _index(tree)
        raise SourceError(_why_none(name))
    known = _parsed.get(name)
    if known is not None and known[0] is lines:
        return known
    try:
        tree = parse("".join(lines))
    except SyntaxError as error:
        raise SourceError(f"could not parse {name}: {error}") from None
    known = (lines, tree, _index(tree))
    _parsed[name] = known
    return known


def _why_none(file: str) -> str:
    text = "could not get source code"
    if file == "<string>":
        return f"{text}: exec, eval and `python -c` keep none; use a file"
    if file in ("<stdin>", "<python-input>"):
        return (
            f"{text}: Python's prompt keeps none, and the session's history "
            "does not have it; use a file, or IPython"
        )
    return text


def _argument_names(arguments: ast.arguments) -> tuple[str, ...]:
    names = [
        a.arg
        for a in (
            *arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs
        )
    ]
    for extra in (arguments.vararg, arguments.kwarg):
        if extra is not None:
            names.append(extra.arg)
    return tuple(names)


def _arguments_of(code: types.CodeType) -> tuple[str, ...]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS)
    count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[:count]


def _holds(node: ast.Lambda, code: types.CodeType) -> bool:
    """Do a lambda's instructions cover exactly the body of `node`?"""
    body = node.body
    starts, ends = [], []
    for line, end_line, column, end_column in code.co_positions():
        if None in (line, end_line, column, end_column) or (
            (line, column) == (end_line, end_column)
        ):
            continue
        starts.append((line, column))
        ends.append((end_line, end_column))
    if not starts:
        return True
    return (min(starts), max(ends)) == (
        (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    )


def _mangled(name: str, qualified: str) -> str:
    parts = qualified.split(".")
    if len(parts) < 2 or not name.startswith("__") or name.endswith("__"):
        return name
    return "_" + parts[-2].lstrip("_") + name


def _matches(node: ast.AST, code: types.CodeType) -> bool:
    if code.co_name == "<lambda>":
        if not isinstance(node, ast.Lambda) or not _holds(node, code):
            return False
    elif isinstance(node, ast.Lambda):
        return False
    elif code.co_name not in (
        node.name, _mangled(node.name, code.co_qualname)
    ):
        return False
    wanted = [
        _mangled(n, code.co_qualname) for n in _argument_names(node.args)
    ]
    return tuple(wanted) == _arguments_of(code)


def _by_inspect(function: types.FunctionType) -> ast.AST | None:
    """For files that do not parse as a whole."""
    try:
        lines, first = inspect.getsourcelines(function.__code__)
        tree = parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    ast.increment_lineno(tree, first - 1)
    found = [
        n for n in ast.walk(tree)
        if isinstance(n, _FUNCTIONS) and not isinstance(n, ast.Lambda)
        and _matches(n, function.__code__)
    ]
    return found[0] if found else None


def tree_of(function: types.FunctionType) -> ast.AST:
    """The FunctionDef, AsyncFunctionDef or Lambda of a function. The node
    is shared: copy it before changing it."""
    code = function.__code__
    try:
        _, _, by_line = _file(code, function.__globals__)
    except SourceError:
        node = _by_inspect(function)
        if node is None:
            raise
        return node
    found = [
        n for n in by_line.get(code.co_firstlineno, ()) if _matches(n, code)
    ]
    if not found and code.co_name == "<lambda>":
        # A lambda over several lines may start before its code does.
        found = [
            n
            for line in range(max(code.co_firstlineno - 20, 0),
                              code.co_firstlineno)
            for n in by_line.get(line, ())
            if _matches(n, code)
        ]
    if not found:
        raise SourceError(
            f"the source code at {code.co_filename}:{code.co_firstlineno} is "
            f"not that of {function.__qualname__}; the file may have changed"
        )
    # Of nested lambdas that hold all positions, the innermost one.
    return max(found, key=lambda n: (n.lineno, n.col_offset))
