"""Facts of ops: where an op's name may be a literal."""

import ast
import re
from collections.abc import Container, Iterator
from pathlib import Path

# Who may name ops: which ones, separated by blanks, and why.
NAMERS = {
    "src/framework/check_numerics.cc": (
        "CheckNumericsV2",
        "makes checks, below the op functions",
    ),
    "src/framework/gradient_sums.cc": (
        "AddN AddV2 ConcatV2 GatherV2 UnsortedSegmentSum ZerosLike",
        "adds gradients up, below the op functions",
    ),
    "src/framework/variant_level.h": (
        "Sum ZerosLike",
        "words of an error",
    ),
    "src/function/differentiable_while.cc": (
        "EmptyTensorList",
        "makes lists in graphs that nobody builds",
    ),
    "src/function/list_nodes.cc": (
        "EmptyTensorList TensorListConcatV2 TensorListFromTensor TensorListGather "
        "TensorListGetItem TensorListScatterIntoExistingList TensorListSetItem "
        "TensorListSplit TensorListStack",
        "scopes are named as the op in them",
    ),
    "src/saved_model/reference_variables.cc": (
        "AssignAddVariableOp AssignSubVariableOp AssignVariableOp Identity NoOp "
        "ReadVariableOp ResourceScatterAdd ResourceScatterDiv ResourceScatterMax "
        "ResourceScatterMin ResourceScatterMul ResourceScatterSub "
        "ResourceScatterUpdate VarHandleOp VarIsInitializedOp",
        "what ops on references, which have no records, become",
    ),
    "src/saved_model/debug_nodes.cc": (
        "Assert CheckNumerics CheckNumericsV2 Identity NoOp PrintV2",
        "what nodes of messages are, and what they become",
    ),
    "python/graphkiln/_src/saved_model/session_assets.py": (
        "Const",
        "paths are given as constants alone",
    ),
    "python/graphkiln/_src/version_one/arrays.py": (
        "Const",
        "the name of constants that have none",
    ),
    "src/function/loop_state.cc": (
        "Assert",
        "the scope is named as the op in it",
    ),
    "python/src/random/initializers.cc": (
        "RandomUniform TruncatedNormal",
        "classes that TensorFlow names as ops are",
    ),
    "python/src/tensors/convert.h": (
        "Const",
        "the name of constants that have none",
    ),
    "python/src/data/dataset_ops.h": (
        "AnonymousIteratorV3 Assert DatasetCardinality DatasetToSingleElement Identity "
        "IteratorGetNext IteratorGetNextAsOptional LogicalAnd LogicalNot LogicalOr "
        "MakeIterator OptionalFromValue OptionalGetValue OptionalHasValue OptionalNone",
        "iterators and optionals make these",
    ),
    "python/src/variables/variable_members.cc": (
        "ResourceCountUpTo ResourceGather ResourceGatherNd ResourceScatterAdd "
        "ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul "
        "ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin "
        "ResourceScatterNdSub ResourceScatterNdUpdate ResourceScatterSub "
        "ResourceScatterUpdate ResourceStridedSliceAssign VarIsInitializedOp",
        "methods of variables make these",
    ),
    "python/src/variables/variable_methods.cc": (
        "AssignAddVariableOp AssignSubVariableOp AssignVariableOp",
        "methods of variables make these",
    ),
    "python/graphkiln/_src/queue/queues.py": (
        "Empty",
        "what a queue that no graph knows is called",
    ),
    "python/graphkiln/_src/example/sequences.py": (
        "ParseSequenceExample ParseSingleSequenceExample",
        "the scope is named as the older op",
    ),
    "python/src/ops/assertions.cc": (
        "Assert",
        "the scope is named as the op in it",
    ),
}
MAX_NAMERS = 18

# The one place that tells ops without records, of version 1's control flow.
LOWERED = "src/graph/lowered_op.cc"

RECORD_NAME = re.compile(r'\{\s*\.name = "(\w+)"')
# A test beside what it tests, and what tests share.
CPP_TEST = re.compile(r"_test\.cc$|_for_test\.(h|cc)$")
CPP_LITERAL = re.compile(r'"(\w+)"')
# An op made by its name where its function would do. Framework is below these.
MADE_BY_NAME = re.compile(r'\bMakeOp1?\(\s*"(\w+)"')


def op_names(root: Path) -> dict[str, str]:
    """Ops, and what to do rather than to name one."""
    names: dict[str, str] = {}
    for path in (root / "src" / "ops").glob("*/*.cc"):
        for op in RECORD_NAME.findall(path.read_text(encoding="utf-8")):
            names[op] = (
                "ask its record for a trait, or make it by the function in "
                f"ops/fn/{op}.h (docs/internals/adding-an-op.md)"
            )
    if (lowered := root / LOWERED).exists():
        for op in CPP_LITERAL.findall(lowered.read_text(encoding="utf-8")):
            names[op] = "ask LoweredOpOf (graph/lowered_op.h)"
    return names


def named_ops(root: Path, names: Container[str]) -> Iterator[tuple[str, int, str]]:
    """(file, line, op) for each literal that is an op's name."""
    for top in ("src", "include", "python/src"):
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if (
                path.suffix not in (".h", ".cc", ".inc")
                or name.startswith("src/ops/")
                or name == LOWERED
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


def check_makers(root: Path) -> Iterator[str]:
    for top in ("src", "python/src"):
        for path in sorted((root / top).rglob("*.[hc]*")):
            name = path.relative_to(root).as_posix()
            if name.startswith("src/framework/"):
                continue
            text = path.read_text(encoding="utf-8")
            for found in MADE_BY_NAME.finditer(text):
                number = text.count("\n", 0, found.start()) + 1
                yield (
                    f"{name}:{number}: makes {found[1]} by its name; call its "
                    f"function, ops::{found[1]} of ops/fn/{found[1]}.h, or of "
                    f"ops/with_attrs/{found[1]}.h for attributes as they are"
                )


def check_op_names(root: Path) -> Iterator[str]:
    left = {
        (name, op)
        for name, (ops, _) in NAMERS.items()
        if (root / name).exists()
        for op in ops.split()
    }
    names = op_names(root)
    for name, number, op in named_ops(root, names):
        left.discard((name, op))
        if op not in NAMERS.get(name, ("", ""))[0].split():
            yield f'{name}:{number}: "{op}" is the name of an op; {names[op]}'
    for name, op in sorted(left):
        yield (
            f'{name}:1: names no op "{op}"; take it off NAMERS in '
            "tools/layers/op_names.py"
        )
    if len(NAMERS) > MAX_NAMERS:
        yield f"tools/layers/op_names.py:1: {len(NAMERS)} files may name ops"
