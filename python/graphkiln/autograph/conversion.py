"""Converted functions: generated once per code object, compiled under the
user's file name, then bound to each function's globals and closure."""

import __future__

import ast
import threading
import types
import weakref

from graphkiln.autograph import conditions, conversion_options, source
from graphkiln.autograph.expressions import place
from graphkiln.autograph.parsing import contains_yield, parse
from graphkiln.autograph.statements import Functions
from graphkiln.autograph.unused_names import UnusedNames

_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag


class _Converted:
    """Generated code for one code object."""

    def __init__(self, code: types.CodeType, tree: ast.AST):
        self.code = code
        self.tree = tree


# By (id of code, options): (reference to the code, result or failure).
_cache: dict[tuple, tuple] = {}
_lock = threading.RLock()
# Ids of generated code objects, true for those of whole functions. Generated
# code lives in `_kept`, so that ids stay theirs.
generated: dict[int, bool] = {}
_kept: list[types.CodeType] = []


def _generate(function: types.FunctionType, features: tuple):
    """(tree of the generated function, line of failure)."""
    node = source.tree_of(function)
    if isinstance(node, ast.AsyncFunctionDef):
        raise source.SourceError("async functions are not supported")
    if contains_yield(node):
        raise source.SourceError("generators are not supported")
    names = UnusedNames(node)
    # The function's own name may not clash, but its tf__ form is new.
    shadows = function.__globals__.keys() | set(function.__code__.co_freevars)
    shadows |= set(function.__code__.co_varnames)
    shadows |= set(function.__code__.co_cellvars)
    class_name = None
    parts = function.__code__.co_qualname.split(".")
    if len(parts) > 1 and parts[-2] != "<locals>":
        class_name = parts[-2]
    elif "<locals>" in parts:
        # A function inside a method is mangled like the method.
        first = parts.index("<locals>")
        if first > 1 and parts[first - 2] != "<locals>":
            class_name = parts[first - 2]
    options = parse(
        conversion_options.ConversionOptions(
            user_requested=True, optional_features=features
        ).source(),
        mode="eval",
    ).body
    # Generated calls keep no place of their own.
    for n in ast.walk(options):
        for attribute in ("lineno", "col_offset", "end_lineno",
                          "end_col_offset"):
            if hasattr(n, attribute):
                delattr(n, attribute)
    convert = Functions(names, class_name, shadows.__contains__)
    if isinstance(node, ast.Lambda):
        body = place(ast.Return(node.body), node.body)
        whole = ast.FunctionDef("lambda", node.args, [body], [], None)
        node = place(whole, node)
        name = "tf__lambda"
    else:
        name = "tf__" + node.name
    return convert.function(node, name, options, root=True)


def _factory(tree: ast.FunctionDef, free: tuple[str, ...]) -> ast.Module:
    """A module whose `outer()(ag__)` is the function, with `free` as free
    variables."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    inner = ast.FunctionDef(
        "inner_factory",
        ast.arguments([], [ast.arg("ag__")], None, [], [], None, []),
        [tree, ast.Return(ast.Name(tree.name, ast.Load()))], [], None,
    )
    body: list[ast.stmt] = [
        ast.Assign([ast.Name(n, ast.Store())], ast.Constant(None))
        for n in free
    ]
    body += [inner, ast.Return(ast.Name("inner_factory", ast.Load()))]
    outer = ast.FunctionDef("outer_factory", nothing, body, [], None)
    place(outer, tree)
    module = ast.Module([outer], [])
    return ast.fix_missing_locations(module)


_INSIDE = "outer_factory.<locals>.inner_factory.<locals>."


def _mark(code: types.CodeType, is_root: bool) -> None:
    generated[id(code)] = is_root
    _kept.append(code)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            _mark(inner, not inner.co_qualname.startswith(_INSIDE))


def _renamed(
    code: types.CodeType, name: str, qualified: str, users: str
) -> types.CodeType:
    """`code` as the function `name`, and the code inside it: bodies of
    branches and loops are called as the function they belong to, and keep
    their qualified names, by which they are known. Functions of the user are
    named after `users`, what the user's function around them is called."""
    consts = []
    for c in code.co_consts:
        if isinstance(c, types.CodeType):
            if _is_user_function(c):
                own = c.co_name
                if own.startswith("ag__lambda"):
                    own = "<lambda>"
                inside = f"{users}.<locals>.{own}"
                c = _renamed(c, own, inside, inside)
            elif c.co_name.startswith("<"):
                c = _renamed(c, c.co_name, c.co_qualname, users)
            else:
                c = _renamed(c, name, c.co_qualname, users)
        consts.append(c)
    return code.replace(
        co_name=name, co_qualname=qualified, co_consts=tuple(consts)
    )


def _is_user_function(code: types.CodeType) -> bool:
    for base in ("if_body", "else_body", "loop_body", "loop_test",
                 "extra_test", "get_state", "set_", "listcomp", "<"):
        if code.co_name.startswith(base):
            return False
    return True


def _compile(function: types.FunctionType, features: tuple) -> _Converted:
    tree = _generate(function, features)
    code = function.__code__
    module = _factory(tree, code.co_freevars)
    compiled = compile(
        module, code.co_filename, "exec",
        flags=code.co_flags & _FUTURES, dont_inherit=True,
    )
    # The function's code lies in the inner factory of the outer one.
    found = compiled
    for name in ("outer_factory", "inner_factory", tree.name):
        found = next(
            c for c in found.co_consts
            if isinstance(c, types.CodeType) and c.co_name == name
        )
    around = code.co_qualname.rpartition(".")[0]
    final = _renamed(
        found, tree.name, f"{around}.{tree.name}" if around else tree.name,
        code.co_qualname,
    )
    conditions.keep(tree, found, final)
    _mark(final, True)
    return _Converted(final, tree)


def converted_code(function: types.FunctionType, features: tuple = ()):
    """The generated code of a function.

    Raises:
      source.SourceError: it cannot be converted; the reason is the message.
    """
    code = function.__code__
    key = (id(code), features)
    known = _cache.get(key)
    if known is None or known[0]() is not code:
        with _lock:
            known = _cache.get(key)
            if known is None or known[0]() is not code:
                try:
                    result = _compile(function, features)
                except source.SourceError as error:
                    result = error
                except (SyntaxError, RecursionError) as error:
                    result = source.SourceError(
                        f"its generated code is not valid: {error}"
                    )
                reference = weakref.ref(
                    code, lambda _, key=key: _cache.pop(key, None)
                )
                known = (reference, result)
                _cache[key] = known
    result = known[1]
    if isinstance(result, source.SourceError):
        raise source.SourceError(str(result))
    return result


# What generated code calls `ag__`: the module of operators puts itself here.
operators_cell = types.CellType()


def convert(function: types.FunctionType, features: tuple = ()):
    """The converted function, with the same globals, closure and defaults.

    Raises:
      source.SourceError: it cannot be converted.
    """
    result = converted_code(function, features)
    cells = dict(
        zip(function.__code__.co_freevars, function.__closure__ or ())
    )
    cells["ag__"] = operators_cell
    closure = tuple(
        cells.get(name) or cells[name] for name in result.code.co_freevars
    )
    made = types.FunctionType(
        result.code, function.__globals__, result.code.co_name,
        function.__defaults__, closure,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__ = function.__module__
    made.__ag_original__ = function
    return made


def generated_source(function: types.FunctionType, features=()) -> str:
    """The text of the generated function."""
    return ast.unparse(converted_code(function, features).tree) + "\n"
