"""Makes a failing program smaller as long as it fails."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator


def shrink(source: str, fails: Callable[[str], bool],
           seconds: float = 120.0) -> str:
    """The smallest program found that still `fails`."""
    end = time.monotonic() + seconds
    best = ast.unparse(ast.parse(source))
    if not fails(best):
        return source
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for steps in (_without_statements, _with_bodies, _with_parts,
                      _with_constants):
            position = 0
            while time.monotonic() < end:
                tree = ast.parse(best)
                candidate = _at(steps, tree, position)
                if candidate is None:
                    break
                if len(candidate) < len(best) and _holds(fails, candidate):
                    best = candidate
                    progress = True
                else:
                    position += 1
    return best


def _holds(fails: Callable[[str], bool], source: str) -> bool:
    try:
        return fails(source)
    except Exception:
        return False


def _at(steps: Callable[[ast.AST], Iterator[None]], tree: ast.AST,
        position: int) -> str | None:
    """The program after the step of that number. A generator of steps
    changes the tree, yields, and takes the change back."""
    for number, _ in enumerate(steps(tree)):
        if number == position:
            return ast.unparse(ast.fix_missing_locations(tree))
    return None


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                yield block


def _without_statements(tree: ast.AST) -> Iterator[None]:
    """Some statements less; most first."""
    for size in (16, 8, 4, 2, 1):
        for block in list(_blocks(tree)):
            for i in range(len(block) - size, -1, -1):
                kept = block[:]
                cut = block[i:i + size]
                if any(isinstance(s, ast.Import) for s in cut):
                    continue
                block[i:i + size] = []
                if not block:
                    block.append(ast.Pass())
                yield
                block[:] = kept
    for node in list(ast.walk(tree)):
        if getattr(node, "orelse", None) and isinstance(node, ast.stmt):
            kept, node.orelse = node.orelse, []
            yield
            node.orelse = kept
        if getattr(node, "decorator_list", None):
            kept, node.decorator_list = node.decorator_list, []
            yield
            node.decorator_list = kept


def _with_bodies(tree: ast.AST) -> Iterator[None]:
    """A branch or loop replaced by what is in it."""
    for block in list(_blocks(tree)):
        for i, statement in enumerate(block):
            for name in ("body", "orelse"):
                inner = getattr(statement, name, None)
                if not inner or isinstance(statement, ast.FunctionDef):
                    continue
                kept = block[:]
                block[i:i + 1] = inner
                yield
                block[:] = kept


def _fields(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None,
                                             ast.expr]]:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield node, name, None, value
            elif isinstance(value, list):
                for i, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield node, name, i, item


def _put(node: ast.AST, name: str, i: int | None, value: ast.expr) -> None:
    if i is None:
        setattr(node, name, value)
    else:
        getattr(node, name)[i] = value


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """Expressions inside an expression, the outermost first."""
    waiting = [
        n for n in ast.iter_child_nodes(value) if isinstance(n, ast.expr)
    ]
    if isinstance(value, ast.Call):
        waiting += [k.value for k in value.keywords]
    for part in waiting:
        if isinstance(part, ast.Lambda):
            yield part.body
        elif not isinstance(part, (ast.Attribute, ast.Constant)):
            yield part


def _with_parts(tree: ast.AST) -> Iterator[None]:
    """An expression replaced by a part of it."""
    for node, name, i, value in list(_fields(tree)):
        if name in ("targets", "target", "func", "decorator_list"):
            continue
        for part in _parts(value):
            _put(node, name, i, copy.deepcopy(part))
            yield
            _put(node, name, i, value)
        if isinstance(value, (ast.List, ast.Tuple)):
            for k in range(len(value.elts) - 1, -1, -1):
                gone = value.elts.pop(k)
                yield
                value.elts.insert(k, gone)


_SIMPLE = (
    ast.parse("1.0", mode="eval").body,
    ast.parse("True", mode="eval").body,
    ast.parse("2", mode="eval").body,
)


def _with_constants(tree: ast.AST) -> Iterator[None]:
    """An expression replaced by a number."""
    for node, name, i, value in list(_fields(tree)):
        if name in ("targets", "target", "func", "decorator_list"):
            continue
        if isinstance(value, ast.Constant):
            continue
        for simple in _SIMPLE:
            _put(node, name, i, simple)
            yield
            _put(node, name, i, value)
