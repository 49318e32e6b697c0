"""Syntax trees of Python's text, on any thread, and what they contain."""

from __future__ import annotations

import ast

_TRIES = 50


def parse(text: str, filename: str = "<unknown>", mode: str = "exec"):
    """ast.parse. CPython 3.11 counts the depth of the trees that it makes for
    all threads at once, and raises SystemError when two are at it."""
    for _ in range(_TRIES):
        try:
            return ast.parse(text, filename, mode)
        except SystemError:
            pass
    return ast.parse(text, filename, mode)


def contains_yield(function: ast.AST) -> bool:
    """Is it a generator?"""
    body = function.body
    waiting = list(body) if isinstance(body, list) else [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda,
                   ast.ClassDef)
        ):
            waiting += ast.iter_child_nodes(node)
    return False
