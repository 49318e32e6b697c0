"""Python: imports without a circle, and none that users lack."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

# Third-party packages that `import graphkiln` may need.
DEPENDENCIES = {"numpy", "ml_dtypes", "google"}


class Module:
    """One Python module and the imports written in it."""

    def __init__(self, root: Path, path: Path):
        self.file = path.relative_to(root)
        parts = list(path.relative_to(root / "python").with_suffix("").parts)
        self.is_package = parts[-1] == "__init__"
        if self.is_package:
            parts.pop()
        self.name = ".".join(parts)
        self.tree = ast.parse(path.read_text(encoding="utf-8"), str(path))

    def imports(self) -> Iterator[tuple[int, str, list[str]]]:
        """(line, absolute module, names taken from it) for each import."""
        skipped = {
            id(child)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
            for statement in node.body
            for child in ast.walk(statement)
        }
        for node in ast.walk(self.tree):
            if id(node) in skipped:
                continue
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield node.lineno, alias.name, []
            elif isinstance(node, ast.ImportFrom):
                base = node.module or ""
                if node.level:
                    up = node.level - (1 if self.is_package else 0)
                    parts = self.name.split(".")
                    parts = parts[: len(parts) - up]
                    base = ".".join(parts + ([base] if base else []))
                yield node.lineno, base, [alias.name for alias in node.names]

    def loads(self) -> Iterator[tuple[int, str]]:
        """(line, module) for each one that _loading.load is told to load by its
        name. What the lazy face (_namespaces) finds in its tables is not told so:
        the package's public names need all that supplies them."""
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "attr", getattr(node.func, "id", "")) == "load"
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and str(node.args[0].value).split(".")[0] == "graphkiln"
            ):
                yield node.lineno, str(node.args[0].value)


def inner_imports(module: Module) -> Iterator[tuple[int, str]]:
    """(line, module) of imports of the package's modules inside functions."""
    for function in ast.walk(module.tree):
        if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        for node in ast.walk(function):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = ["graphkiln" if node.level else node.module or ""]
            for name in names:
                if name.split(".")[0] == "graphkiln":
                    yield node.lineno, name


def check_python(root: Path) -> Iterator[str]:
    modules = python_modules(root)
    edges: dict[str, dict[str, int]] = {name: {} for name in modules}
    for module in modules.values():
        for line, name in inner_imports(module):
            yield (
                f"{module.file}:{line}: imports {name} inside a function; import "
                "it at the top, or move down what both need"
            )
        for line, base, names in module.imports():
            top = base.split(".")[0]
            if top != "graphkiln":
                if top not in sys.stdlib_module_names | DEPENDENCIES:
                    yield (
                        f"{module.file}:{line}: {base} is neither in the "
                        "standard library nor a run-time dependency ("
                        + ", ".join(sorted(DEPENDENCIES))
                        + ")"
                    )
                continue
            if not names and base == "graphkiln":
                yield (
                    f"{module.file}:{line}: the package is not for its own "
                    "modules: import from where the name stands, ops from "
                    "graphkiln._src.ops"
                )
            for target in [f"{base}.{name}" for name in names] or [base]:
                # A name that is no Python module belongs to its parent,
                # except the extension, which has no imports of ours.
                if target.split(".")[1:2] == ["_graphkiln"]:
                    continue
                if target not in modules:
                    target = base
                if target in modules and target != module.name:
                    edges[module.name].setdefault(target, line)
        for line, name in module.loads():
            if name == "graphkiln":
                yield (
                    f"{module.file}:{line}: the package is not for its own "
                    "modules: load what the name stands in"
                )
            elif name not in modules:
                yield f"{module.file}:{line}: loads {name}, which is not there"
            else:
                edges[module.name].setdefault(name, line)
    yield from report_cycles(modules, edges)


def python_modules(root: Path) -> dict[str, Module]:
    modules = [
        Module(root, path)
        for path in sorted((root / "python" / "graphkiln").rglob("*.py"))
    ]
    return {module.name: module for module in modules}


def report_cycles(
    modules: dict[str, Module], edges: dict[str, dict[str, int]]
) -> Iterator[str]:
    """One line per import that closes a cycle."""
    done: set[str] = set()
    for start in sorted(edges):
        if start in done:
            continue
        trail = [start]
        pending = [iter(sorted(edges[start]))]
        while pending:
            target = next(pending[-1], None)
            if target is None:
                pending.pop()
                done.add(trail.pop())
            elif target in trail:
                source = trail[-1]
                cycle = trail[trail.index(target) :] + [target]
                yield (
                    f"{modules[source].file}:{edges[source][target]}: import "
                    f"closes the cycle {' -> '.join(cycle)}; move the shared "
                    "thing down"
                )
            elif target not in done:
                trail.append(target)
                pending.append(iter(sorted(edges[target])))
