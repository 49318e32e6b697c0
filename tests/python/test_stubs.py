"""The type stubs that tools/stubs writes: complete, and true to their types."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import graphkiln as tf
from graphkiln import _graphkiln
from graphkiln import _namespaces

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tools"


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    """The package with its stubs, as a wheel installs it."""
    folder = tmp_path_factory.mktemp("stubs")
    source = Path(tf.__file__).parent
    shutil.copytree(
        source,
        folder / "graphkiln",
        ignore=shutil.ignore_patterns("*.so", "*.pyi", "__pycache__"),
    )
    done = subprocess.run(
        [
            sys.executable, str(TOOLS / "stubs"),
            "--extension", _graphkiln.__file__,
            "--output", str(folder / "graphkiln"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def names_in(stub: Path) -> set[str]:
    names = set()
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def stub_of(package: Path, space: str) -> Path:
    path = package.joinpath("graphkiln", *space.split("."))
    file = path.with_suffix(".pyi")
    return file if space and file.exists() else path / "__init__.pyi"


def test_every_public_name_has_a_stub(package):
    missing = []
    packages = _namespaces._exports.PACKAGES
    for space in ["", *_namespaces.namespaces(), *packages]:
        prefix = space + "." if space else ""
        names = names_in(stub_of(package, space) if space
                         else package / "graphkiln" / "__init__.pyi")
        wanted = set(_namespaces.names_below(prefix))
        if space == "raw_ops":
            wanted = set(_graphkiln.op_names())
        missing += [prefix + n for n in sorted(wanted - names)]
    assert missing == []


def test_types_given_by_hand_are_of_members_that_exist():
    sys.path.insert(0, str(TOOLS))
    try:
        import stub_types
    finally:
        sys.path.remove(str(TOOLS))
    gone = [
        f"{cls}.{member}"
        for table in (stub_types.METHODS, stub_types.PROPERTIES)
        for cls, members in table.items()
        for member in members
        if not hasattr(getattr(_graphkiln, cls), member)
    ]
    gone += [f for f in stub_types.FUNCTIONS if not hasattr(_graphkiln, f)]
    assert gone == []


def check(package: Path, folder: Path, *files: str) -> str:
    pytest.importorskip("mypy")
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--follow-imports=silent",
            "--ignore-missing-imports", f"--cache-dir={folder / 'cache'}",
            "--no-error-summary", *files,
        ],
        env={**os.environ, "MYPYPATH": str(package)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_examples_type_check(package, tmp_path):
    examples = [str(p) for p in sorted((ROOT / "examples").glob("*.py"))]
    assert check(package, tmp_path, *examples) == ""


@pytest.mark.slow
def test_types_of_results_and_misuse(package, tmp_path):
    (tmp_path / "use.py").write_text(
        """\
import graphkiln as tf
x = tf.constant([1.0, 2.0])
reveal_type(x + 1)
reveal_type(x.shape)
reveal_type(tf.Variable(1.0) * x)
reveal_type(tf.split(x, 2))
reveal_type(tf.math.top_k(x).indices)
reveal_type(tf.TensorSpec([None]).dtype)
reveal_type(tf.function(lambda a: a))
@tf.function(reduce_retracing=True)
def f(a: tf.Tensor) -> tf.Tensor:
    return a
reveal_type(f.get_concrete_function(x))
with tf.GradientTape() as tape:
    reveal_type(tape)
tf.matmul(x)
tf.nn.relu(x, nam="a")
""",
        encoding="utf-8",
    )
    output = check(package, tmp_path, "use.py")
    shown = [
        line.partition('"')[2].rstrip('"').replace("graphkiln._graphkiln.", "")
        for line in output.splitlines() if "Revealed" in line
    ]
    assert shown == [
        "Tensor", "TensorShape", "Tensor", "list[Tensor]", "Tensor", "DType",
        "Function", "ConcreteFunction", "GradientTape",
    ], output
    errors = [line for line in output.splitlines() if "error" in line]
    assert len(errors) == 2, output
    assert "use.py:16" in errors[0] and '"b"' in errors[0]
    assert "use.py:17" in errors[1] and '"nam"' in errors[1]
