"""What the conditions of while statements read, kept beside their code.

Generated code says nothing of it: it stays what `to_code` shows.
"""

import ast
import types
import weakref
from typing import NamedTuple

from graphkiln import _graphkiln

# What comparisons of names and constants are made of.
_PLAIN = (
    ast.Compare, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.BinOp, ast.UnaryOp,
    ast.Constant, ast.operator, ast.unaryop, ast.expr_context,
)


class Reads(NamedTuple):
    """`operands`: the names in a comparison of nothing but names and
    constants. `state`: the loop's symbols that any other condition reads.
    `called`: names, "tf" and "less", of a function on which it depends whether
    the condition is a tensor."""

    operands: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    called: tuple[str, ...] = ()


_NOTHING = Reads()
# Equal codes read the same.
_of_code: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def operands(test: ast.expr) -> list[str]:
    """The names in a comparison of nothing but names and constants: if one is
    a tensor and the others are numbers, so is the condition."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return operands(test.operand)
    names = []
    for node in ast.walk(test):
        if isinstance(node, ast.Name):
            names.append(node.id)
        elif not isinstance(node, _PLAIN) or (
            isinstance(node, ast.Compare) and len(node.ops) > 1
        ):
            return []
    return names


def called(test: ast.expr) -> list[str]:
    """The names of a function in a condition that is a tensor if the function
    gives one, whatever the other values in it are; empty: there is none."""
    if isinstance(test, ast.UnaryOp):
        return called(test.operand)
    if isinstance(test, ast.BoolOp):
        return called(test.values[0])
    if isinstance(test, ast.BinOp):
        return called(test.left) or called(test.right)
    if isinstance(test, ast.Compare):
        plain = len(test.ops) == 1 and isinstance(test.ops[0], _PLAIN)
        if not plain:
            return []
        return called(test.left) or called(test.comparators[0])
    if not isinstance(test, ast.Call):
        return []
    names, function = [], test.func
    while isinstance(function, ast.Attribute):
        names.insert(0, function.attr)
        function = function.value
    if not isinstance(function, ast.Name):
        return []
    return [function.id, *names]


def note(condition: ast.FunctionDef, reads: Reads) -> None:
    """Of the function that generated code makes of a condition."""
    condition.gk_reads = reads


def keep(
    tree: ast.AST, compiled: types.CodeType, final: types.CodeType
) -> None:
    """Keeps what `tree` notes; `final` is the code `compiled` of it under
    other names."""
    notes = {
        node.name: node.gk_reads
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and hasattr(node, "gk_reads")
    }
    if notes:
        _keep(notes, compiled, final)


def _keep(
    notes: dict[str, Reads], compiled: types.CodeType, final: types.CodeType
) -> None:
    for before, after in zip(compiled.co_consts, final.co_consts):
        if isinstance(before, types.CodeType):
            if before.co_name in notes:
                _of_code[after] = notes[before.co_name]
            _keep(notes, before, after)


def reads_of(condition: types.FunctionType) -> Reads:
    return _of_code.get(getattr(condition, "__code__", None), _NOTHING)


def calls_op(condition: types.FunctionType, names: tuple[str, ...]) -> bool:
    """Do the names stand for an op, which gives tensors?"""
    found = values(condition, names[:1])
    if not found:
        return False
    function = found[0]
    for name in names[1:]:
        if not isinstance(function, types.ModuleType):
            return False
        function = getattr(function, name, None)
    return isinstance(function, _graphkiln.OpFunction)


def values(condition: types.FunctionType, names: tuple[str, ...]) -> list:
    """What the names stand for where the condition is; empty if one stands
    for nothing."""
    cells = dict(
        zip(condition.__code__.co_freevars, condition.__closure__ or ())
    )
    found = []
    for name in names:
        if name in cells:
            try:
                found.append(cells[name].cell_contents)
            except ValueError:
                return []
        elif name in condition.__globals__:
            found.append(condition.__globals__[name])
        else:
            return []
    return found
