"""Classes of the extension are whole where they are made."""

import ast
from collections.abc import Iterator
from pathlib import Path

from layers.python_imports import Module, python_modules

EXTENSION = "graphkiln._graphkiln"
# Attributes of the extension's classes that Python still sets: "Class.name".
PATCHES: set[str] = set()


def extension_classes(modules: dict[str, Module]) -> dict[str, dict[str, str]]:
    """For each module, its names of classes of the extension, and what those are
    called there."""
    known: dict[str, dict[str, str]] = {name: {} for name in modules}
    grows = True
    while grows:
        grows = False
        for module in modules.values():
            found = {}
            for node in ast.walk(module.tree):
                if isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        own = alias.asname or alias.name
                        if node.module == EXTENSION and alias.name[:1].isupper():
                            found[own] = alias.name
                        elif alias.name in known.get(node.module or "", {}):
                            found[own] = known[node.module][alias.name]
                elif isinstance(node, ast.Assign):
                    cls = class_named(node.value, {})
                    if cls is not None and isinstance(node.targets[0], ast.Name):
                        found[node.targets[0].id] = cls
            grows |= not found.keys() <= known[module.name].keys()
            known[module.name].update(found)
    return known


def class_named(node: ast.expr, names: dict[str, str]) -> str | None:
    """The class of the extension that an expression names."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if (
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
        and node.value.id == EXTENSION.rpartition(".")[2]
        and node.attr[:1].isupper()
    ):
        return node.attr
    return None


def check_patches(root: Path) -> Iterator[str]:
    modules = python_modules(root)
    classes = extension_classes(modules)
    left = set(PATCHES) if modules else set()
    for module in modules.values():
        names = classes[module.name]
        for node in ast.walk(module.tree):
            patches: list[tuple[ast.expr, str]] = []
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = getattr(node, "targets", None) or [node.target]
                patches = [
                    (target.value, target.attr) for target in targets
                    if isinstance(target, ast.Attribute)
                ]
            elif (
                isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                and node.func.id == "setattr" and node.args
            ):
                patches = [(node.args[0], ast.unparse(node.args[1]).strip("'"))]
            for owner, attribute in patches:
                cls = class_named(owner, names)
                if cls is None:
                    continue
                patch = f"{cls}.{attribute}"
                left.discard(patch)
                if patch not in PATCHES:
                    yield (
                        f"{module.file}:{node.lineno}: sets {patch}; a class of "
                        "the extension has its members where it is made, in "
                        "python/src"
                    )
    for patch in sorted(left):
        yield f"tools/layers/classes.py:1: nobody sets {patch}; take it off PATCHES"
