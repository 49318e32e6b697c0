"""Facts of ops: where an op's name may be a literal."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

# Who may name ops, and why.
NAMERS = {
    "src/framework/check_numerics.cc": "makes checks, below the op functions",
    "src/framework/gradient_sums.cc": "adds gradients up, below the op functions",
    "src/framework/variant_level.h": "words of an error",
    "src/function/differentiable_while.cc": "makes lists in graphs that nobody builds",
    "src/function/list_tensor_array.cc": "scopes are named as the op in them",
    "python/src/random/initializers.cc": "classes that TensorFlow names as ops are",
    "python/src/tensors/convert.h": "the name of constants that have none",
    "python/src/data/dataset_ops.h": "iterators and optionals make these",
    "python/src/variables/variable_members.cc": "methods of variables make these",
    "python/src/variables/variable_methods.cc": "methods of variables make these",
    "python/src/ops/assertions.cc": "the scope is named as the op in it",
}
MAX_NAMERS = 12

RECORD_NAME = re.compile(r'\{\s*\.name = "(\w+)"')
# A test beside what it tests, and what tests share.
CPP_TEST = re.compile(r"_test\.cc$|_for_test\.(h|cc)$")
CPP_LITERAL = re.compile(r'"(\w+)"')


def op_names(root: Path) -> set[str]:
    names: set[str] = set()
    for path in (root / "src" / "ops").glob("*/*.cc"):
        names.update(RECORD_NAME.findall(path.read_text(encoding="utf-8")))
    return names


def named_ops(root: Path) -> Iterator[tuple[str, int, str]]:
    """(file, line, op) for each literal that is an op's name."""
    names = op_names(root)
    for top in ("src", "include", "python/src"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if (
                path.suffix not in (".h", ".cc", ".inc")
                or name.startswith("src/ops/")
                or CPP_TEST.search(name)
            ):
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                if line.lstrip().startswith("//"):
                    continue
                code = line.split(" // ")[0]
                for op in CPP_LITERAL.findall(code):
                    if op in names:
                        yield name, number, op
    for path in sorted((root / "python" / "graphkiln").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in names:
                yield path.relative_to(root).as_posix(), node.lineno, node.value


def check_op_names(root: Path) -> Iterator[str]:
    unused = {name for name in NAMERS if (root / name).exists()}
    for name, number, op in named_ops(root):
        unused.discard(name)
        if name not in NAMERS:
            yield (
                f'{name}:{number}: "{op}" is the name of an op; ask its record '
                "for a trait, or make it by the function in "
                f"ops/fn/{op}.h (docs/internals/adding-an-op.md)"
            )
    for name in sorted(unused):
        yield f"{name}:1: names no op; take it off NAMERS in tools/layers/op_names.py"
    if len(NAMERS) > MAX_NAMERS:
        yield f"tools/layers/op_names.py:1: {len(NAMERS)} files may name ops"
