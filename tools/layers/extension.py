"""The extension: statics, what it looks up of the package, converted text."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from layers.python_imports import python_modules

# Files of the extension that look something of the package up, and why.
LOOKUPS = {
    "python/src/binding/message.h": "a message's class is found by its name",
    "python/src/ops/op_function_type.cc": "reads a text that speaks of `tf`",
}


# A static variable of a function up to its initialiser, and the initialiser.
STATIC = re.compile(
    r"^[ \t]+static (?!constexpr|constinit|thread_local)([^;{}()=]*)=\s*([^;]*);", re.M
)
PYTHON_VALUE = re.compile(r"\b(?:PyObject|PyRef|nb::|nanobind::|Object\b|Handle\b)")
RUNS_PYTHON = re.compile(
    r"\b(?:nb|nanobind)::(?!detail::)|\bPy(?!Unicode_Intern)[A-Za-z]*_\w+\(|"
    r"\b(?:Import|CallPython|Owned)\w*\("
)
RUNS_NOTHING = re.compile(r"nullptr|PyUnicode_InternFromString\([\w.\"]+\)")


def check_statics(root: Path) -> Iterator[str]:
    for path in sorted((root / "python/src").rglob("*.[ch]*")):
        # Bound to a macro's lines, too.
        text = path.read_text(encoding="utf-8").replace("\\\n", " \n")
        for found in STATIC.finditer(text):
            kind, initialiser = found[1], found[2].strip()
            if RUNS_NOTHING.fullmatch(initialiser):
                continue
            if PYTHON_VALUE.search(kind) or RUNS_PYTHON.search(initialiser):
                number = text.count("\n", 0, found.start()) + 1
                yield (
                    f"{path.relative_to(root).as_posix()}:{number}: Python may run "
                    "while the guard of this static variable is held, and a thread "
                    "that gets the GIL meanwhile waits for it for ever; make it by "
                    "MadeOnce or ImportedOnce (python/src/binding)"
                )


LOOKUP = re.compile(
    r"\b(?:import_|PyImport_Import\w*|ImportAttribute|ImportedOnce \w+|CallPython"
    r'|Call|From|Python)\(\s*"graphkiln[\w.]*"'
)
PART = re.compile(r'^ *PART\((\w+), "([\w.]+)"\)', re.M)


def check_lookups(root: Path) -> Iterator[str]:
    found = set()
    for path in sorted((root / "python/src").rglob("*.[ch]*")):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        for place in LOOKUP.finditer(text):
            found.add(name)
            if name not in LOOKUPS:
                number = text.count("\n", 0, place.start()) + 1
                yield (
                    f"{name}:{number}: looks a part of the package up by its name; "
                    "what is the extension's own is called in C++, a module of "
                    "Python hands its own over (python/src/binding/package_parts.h)"
                )
    for name in LOOKUPS:
        if name not in found and (root / name).exists():
            yield f"{name}:1: looks nothing up; take it off LOOKUPS in tools/layers/extension.py"


def check_parts(root: Path) -> Iterator[str]:
    """What the extension asks modules for is what they hand over."""
    header = root / "python/src/binding/package_parts.h"
    if not header.exists():
        return
    asked: dict[str, set[str]] = {}
    for part, module in PART.findall(header.read_text(encoding="utf-8")):
        asked.setdefault(module, set()).add(part)
    for module in python_modules(root).values():
        given: set[str] = set()
        calls = [
            node for node in ast.walk(module.tree)
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".provide")
        ]
        for call in calls:
            if getattr(module.tree.body[-1], "value", None) is not call:
                yield f"{module.file}:{call.lineno}: provide() is a module's last line"
            given.update(ast.unparse(part) for part in call.args)
        for part in sorted(given ^ asked.pop(module.name, set())):
            yield (
                f"{module.file}:{len(module.tree.body)}: {part} is either asked for in "
                "python/src/binding/package_parts.h or provided here, but not both"
            )
    for module, parts in asked.items():
        yield f"{header.relative_to(root)}:1: there is no {module} to provide {parts}"


TEXTS = re.compile(r"\b(?:nb|nanobind)::cast<std::string>|\bstd::string\b.*\bm?\.def\(")


def check_text_casters(root: Path) -> Iterator[str]:
    """Who converts a std::string includes the extension's own converter: where one
    file does not, any file may get nanobind's, which knows no such class."""
    folder = root / "python/src"
    files = {p.relative_to(root).as_posix(): p.read_text(encoding="utf-8")
             for p in sorted(folder.rglob("*.[ch]*"))}
    includes = {n: re.findall(r'^#include "(python/src/[^"]+)"', t, re.M)
                for n, t in files.items()}
    for name, text in files.items():
        seen, todo = set(), [name]
        while todo:
            current = todo.pop()
            if current not in seen:
                seen.add(current)
                todo += includes.get(current, [])
        used = TEXTS.search(text)
        if name.endswith(".cc") and used and "python/src/binding/text_caster.h" not in seen:
            line = text.count("\n", 0, used.start()) + 1
            yield f"{name}:{line}: converts text without text_caster.h"
