"""The type stubs that tools/stubs writes: complete, and true to their types."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import re
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
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets}
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def stub_of(package: Path, space: str) -> Path:
    path = package.joinpath("graphkiln", *space.split("."))
    file = path.with_suffix(".pyi")
    return file if space and file.exists() else path / "__init__.pyi"


def test_every_public_name_has_a_stub(package):
    missing = []
    packages = [f for f in _namespaces.files() if _namespaces.names_below(f + ".")]
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
        import stub_results
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
    functions = [*stub_types.FUNCTIONS, *stub_results.RESULTS]
    python = {attribute for _, attribute in _namespaces._python_names().values()}
    gone += [f for f in functions if not hasattr(_graphkiln, f) and f not in python]
    gone += [f for f in stub_types.PYTHON_FUNCTIONS if f not in python]
    assert gone == []


def check(package: Path, folder: Path, *files: str) -> str:
    done = subprocess.run(
        [
            sys.executable, "-m", "mypy", "--follow-imports=silent",
            "--ignore-missing-imports", f"--cache-dir={package / 'mypy'}",
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
        "Function[[a: Any], Any]", "ConcreteFunction", "GradientTape",
    ], output
    errors = [line for line in output.splitlines() if "error" in line]
    assert len(errors) == 2, output
    assert "use.py:16" in errors[0] and '"b"' in errors[0]
    assert "use.py:17" in errors[1] and '"nam"' in errors[1]


def strictly(checker: str, package: Path, folder: Path, name: str) -> dict[int, str]:
    """What a type checker says of a file of tests/typing, by line. Of the package
    it says nothing, as of one that is installed."""
    shutil.copy(ROOT / "tests" / "typing" / name, folder)
    (folder / "mypy.ini").write_text(
        "[mypy]\nstrict = True\nshow_error_context = False\n"
        "[mypy-graphkiln.*]\nignore_errors = True\n"
    )
    (folder / "pyrightconfig.json").write_text(
        json.dumps({"include": [name], "extraPaths": [str(package)]})
    )
    command = {
        "mypy": ["mypy", "--no-error-summary", f"--cache-dir={package / 'mypy'}", name],
        "pyright": ["pyright", "--project", str(folder)],
    }[checker]
    done = subprocess.run(
        [sys.executable, "-m", *command],
        env={**os.environ, "MYPYPATH": str(package)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    found = re.findall(rf"{name}:(\d+)\S* (?:- )?error: (.*)", done.stdout)
    assert done.returncode == bool(found), done.stdout + done.stderr
    return {int(line): text for line, text in found}


CHECKERS = pytest.mark.parametrize("checker", ["mypy", "pyright"])


@pytest.mark.slow
@CHECKERS
def test_a_program_with_types_checks_strictly(checker, package, tmp_path):
    assert strictly(checker, package, tmp_path, "use.py") == {}


@pytest.mark.slow
@CHECKERS
def test_mistakes_are_found(checker, package, tmp_path):
    text = (ROOT / "tests" / "typing" / "misuse.py").read_text(encoding="utf-8")
    wrong = [
        number for number, line in enumerate(text.splitlines(), 1)
        if line.endswith("# wrong")
    ]
    assert wrong
    found = strictly(checker, package, tmp_path, "misuse.py")
    assert sorted(found) == wrong, found


def test_the_program_with_types_runs():
    subprocess.run([sys.executable, str(ROOT / "tests/typing/use.py")], check=True)


def test_methods_of_pythons_classes_have_types():
    """Checkers read these where they are written."""
    bare = []
    for public, (module, attribute) in sorted(_namespaces._python_names().items()):
        if module == "graphkiln._graphkiln":
            continue
        cls = getattr(importlib.import_module(module), attribute)
        for name, method in vars(cls).items() if isinstance(cls, type) else ():
            method = getattr(method, "__func__", method)
            method = getattr(method, "fget", method)
            if not inspect.isfunction(method) or (
                name.startswith("_") and not name.startswith("__")
            ):
                continue
            if "graphkiln" not in method.__code__.co_filename:
                continue  # enum's and typing's
            given = list(inspect.signature(method).parameters.values())
            kinds = [p.annotation for p in given[1:]]
            kinds.append(inspect.signature(method).return_annotation)
            if inspect.Signature.empty in kinds:
                bare.append(f"{public}.{name}")
    assert bare == []


def test_every_parameter_and_result_has_a_type(package):
    """Else `mypy --strict` refuses calls."""
    bare = []
    for stub in sorted((package / "graphkiln").rglob("*.pyi")):
        for node in ast.walk(ast.parse(stub.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            a = node.args
            given = [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]
            names = [x.arg for x in given if x is not None and x.annotation is None]
            if node.returns is None or set(names) - {"self", "cls"}:
                bare.append(f"{stub.name}:{node.lineno}: {node.name}")
    assert bare == []
