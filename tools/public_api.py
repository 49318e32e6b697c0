"""Facts about the public Python names, for tools/stubs and tools/api_dump.

What comes of C++ is asked of the built extension module; what is written in
Python is read as text, so that NumPy and the other run-time dependencies need
not be there.
"""

import ast
import copy
import importlib
import inspect
import re
import types
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import op_records
from op_records import Composition

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "python" / "graphkiln"


@dataclass
class PublicName:
    name: str  # "math.add"
    kind: str  # "op", "composition", "python", "value"
    source: str = ""  # the op, or "module:attribute"
    parameters: list[inspect.Parameter] = field(default_factory=list)
    text: str = ""  # the signature as text


def extension() -> object:
    return importlib.import_module("graphkiln._graphkiln")


def namespaces() -> object:
    return importlib.import_module("graphkiln._namespaces")


@cache
def records() -> op_records.Records:
    return op_records.read(extension().records_text())  # type: ignore[attr-defined]


@cache
def compositions() -> dict[str, Composition]:
    """Compositions by public name."""
    return {name: c for c in records().compositions for name in c.names}


@cache
def definitions(module: str) -> dict[str, ast.stmt]:
    """What a module of the package defines or imports, by name."""
    parts = module.split(".")[1:]
    path = PACKAGE.joinpath(*parts).with_suffix(".py")
    if not path.exists():
        path = PACKAGE.joinpath(*parts, "__init__.py")
    out: dict[str, ast.stmt] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            out[node.name] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    out[target.id] = node
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            out[node.target.id] = node
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                out[alias.asname or alias.name] = node
    return out


def python_text(module: str, attribute: str) -> str:
    """The signature of a name that Python or the extension defines; "" for
    values."""
    if module == "graphkiln._graphkiln":
        value = getattr(extension(), attribute)
        if isinstance(value, type):
            made = value.__init__  # of a class of methods in C++, or nobody's
            text = isinstance(made, types.MethodDescriptorType) and made.__text_signature__
            own = text.replace("$self, ", "") if text else None
            return value.__text_signature__ or own or " (class)"
        return value.__text_signature__ or "" if inspect.isbuiltin(value) else ""
    node = definitions(module).get(attribute)
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("graphkiln."):
        original = next(a.name for a in node.names if attribute in (a.name, a.asname))
        return python_text(str(node.module), original)
    if isinstance(node, ast.ClassDef):
        init = next(
            (n for n in node.body
             if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        if init is None:
            return " (class)"
        arguments = copy.deepcopy(init.args)
        del (arguments.posonlyargs or arguments.args)[:1]
    elif isinstance(node, ast.FunctionDef):
        arguments = copy.deepcopy(node.args)
    else:
        return ""
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    # Defaults by their public names.
    text = re.sub(r"\bdtypes\.", "tf.", ast.unparse(arguments))
    return f"({text})"


class _Named:
    """`tf.int32` in the text of a default."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __getattr__(self, name: str) -> "_Named":
        return _Named(f"{self._text}.{name}")

    def __repr__(self) -> str:
        return self._text


def signature_of(function: object) -> inspect.Signature:
    """The signature of a function made in C++."""
    text: str = function.__text_signature__  # type: ignore[attr-defined]
    return inspect.signature(eval(f"lambda {text[1:-1]}: None", {"tf": _Named("tf")}))


def parameters_of(text: str) -> list[inspect.Parameter]:
    """The parameters of a signature that Python's source gives; defaults that
    are names are only there."""
    names = {n.id: _Named(n.id) for n in ast.walk(ast.parse(f"lambda {text[1:-1]}: 0"))
             if isinstance(n, ast.Name)}
    function = eval(f"lambda {text[1:-1]}: None", names)
    return list(inspect.signature(function).parameters.values())


def public_names() -> list[PublicName]:
    """Every public name below the package but those of submodules, sorted."""
    space, ext = namespaces(), extension()
    out: dict[str, PublicName] = {}
    for name, op in space.op_names().items():
        function = ext.op_function(op, name.rpartition(".")[2])
        signature = signature_of(function)
        out[name] = PublicName(
            name, "op", op, list(signature.parameters.values()), str(signature))
    for name in space.composition_names():
        signature = signature_of(ext.composition_function(name))
        out[name] = PublicName(
            name, "composition", name, list(signature.parameters.values()),
            str(signature))
    for name, (module, attribute) in space._python_names().items():
        out[name] = PublicName(
            name, "python", f"{module}:{attribute}",
            text=python_text(module, attribute))
    return sorted(out.values(), key=lambda n: n.name)


def top_level_names() -> list[str]:
    """What the package's __init__ imports from the extension module."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    return [
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "graphkiln._graphkiln"
        for alias in node.names
    ]


def raw_op_parameters(op: str) -> list[inspect.Parameter]:
    return list(signature_of(extension().raw_op(op)).parameters.values())
