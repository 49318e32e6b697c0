"""graphkiln under the name tensorflow: as_tensorflow, python -m graphkiln."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import types
from pathlib import Path

import pytest

import graphkiln as gk


def _run(*arguments: str, **options: object) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, **options
    )


@pytest.fixture
def alias():
    if "tensorflow" in sys.modules:
        pytest.skip("something imported TensorFlow")
    with gk.as_tensorflow() as package:
        yield package


@pytest.mark.parametrize(
    "statement",
    [
        "import tensorflow as tf",
        "import tensorflow.compat.v2 as tf",
        "from tensorflow.compat import v2 as tf",
        "from tensorflow import math; import tensorflow as tf; assert math is tf.math",
        "import tensorflow as tf, tensorflow.linalg; assert tensorflow.linalg.matmul",
        "from tensorflow.data import Dataset; import tensorflow as tf",
        "from tensorflow.compat.v1 import Session; import tensorflow as tf",
    ],
)
def test_modules_are_the_same(alias, statement):
    found: dict[str, object] = {}
    exec(statement, found)
    tf = found["tf"]
    assert tf.Tensor is gk.Tensor and tf.math is gk.math and tf.add is gk.add
    assert isinstance(tf.constant(1), gk.Tensor)


@pytest.mark.parametrize("name", ["", ".math", ".data", ".compat.v2", ".errors"])
def test_modules_stay_as_they_were(alias, name):
    ours = importlib.import_module("graphkiln" + name)
    before = dict(vars(ours))
    found = importlib.import_module("tensorflow" + name)
    assert found is ours
    for part in ("__name__", "__spec__", "__loader__", "__path__", "__package__"):
        assert vars(ours).get(part) is before.get(part)


@pytest.mark.parametrize(
    "name, words",
    [
        ("tensorflow.python.no_such.thing", "private to TensorFlow"),
        ("tensorflow._src.host", "private to TensorFlow"),
        ("tensorflow.core.no_such", "private to TensorFlow"),
        ("tensorflow.lite", "another compiler's"),
        ("tensorflow.no_such_thing", "No module named"),
        ("tensorflow.math.add", "No module named"),
    ],
)
def test_what_is_not_there_says_so(alias, name, words):
    with pytest.raises(ModuleNotFoundError, match=words):
        importlib.import_module(name)


def test_names_that_packages_take_from_the_inside(alias):
    from tensorflow.python.client import device_lib
    from tensorflow.python.eager import context
    from tensorflow.python.framework import dtypes, errors_impl, ops
    from tensorflow.python.ops.numpy_ops import np_config

    assert ops.Tensor is gk.Tensor and dtypes.float32 is gk.float32
    assert np_config.enable_numpy_behavior
    assert context.in_eager_mode()
    assert errors_impl.NotFoundError is gk.errors.NotFoundError
    (device,) = device_lib.list_local_devices()
    assert (device.name, device.device_type) == ("/device:CPU:0", "CPU")
    assert context.context().executing_eagerly()
    assert not gk.function(lambda: context.context().executing_eagerly())().numpy()
    import tensorflow

    x = gk.constant(1.0)
    should_record = tensorflow.python.eager.record.should_record_backprop
    assert not should_record([x])
    with gk.GradientTape() as tape:
        assert not should_record([x])
        tape.watch(x)
        assert should_record([x]) and should_record([x * 2.0])
        assert not should_record([gk.constant(2.0)])
        with tape.stop_recording():
            assert not should_record([x])
    assert not hasattr(tensorflow.python.eager.tape, "should_record")
    with pytest.raises(AttributeError, match="private to TensorFlow"):
        ops.no_such_thing
    with pytest.raises(ImportError, match="cannot import name"):
        from tensorflow.python.framework import no_such_module  # noqa: F401


def test_specs_of_extension_types_are_known_by_the_name_in_their_body(alias):
    from tensorflow.python.framework import type_spec_registry

    class Masked(gk.experimental.ExtensionType):
        __name__ = "test.Masked"
        values: gk.Tensor

    class Unnamed(gk.experimental.ExtensionType):
        values: gk.Tensor

    assert type_spec_registry.get_name(Masked.Spec) == "test.Masked.Spec"
    assert type_spec_registry.lookup("test.Masked.Spec") is Masked.Spec
    with pytest.raises(ValueError, match="has not been registered"):
        type_spec_registry.get_name(Unnamed.Spec)
    assert type_spec_registry.get_name(gk.RaggedTensorSpec) == "tf.RaggedTensorSpec"
    with pytest.raises(ValueError, match="No TypeSpec has been registered"):
        type_spec_registry.lookup("Unnamed.Spec")


def test_it_ends(alias):
    # Keras knows by it what is TensorFlow's.
    assert type(gk.constant(1)).__module__ == "tensorflow.python.framework.ops"
    assert gk.data.Dataset.__name__ == "DatasetV2"
    # autoray tells by it whose dtype it has.
    assert type(gk.float32).__module__.startswith("tensorflow")
    with gk.as_tensorflow():
        pass
    assert "tensorflow" in sys.modules  # held by the fixture
    alias_again = gk.as_tensorflow()
    alias_again.__exit__()
    alias_again.__exit__()
    assert "tensorflow" in sys.modules


def test_it_is_gone_afterwards():
    if "tensorflow" in sys.modules:
        pytest.skip("something imported TensorFlow")
    module = type(gk.constant(1)).__module__
    before, finders = set(sys.modules), list(sys.meta_path)
    with gk.as_tensorflow():
        import tensorflow.compat.v2
        import tensorflow.python.framework.ops  # noqa: F401
        assert sys.meta_path != finders
    assert not [
        name for name in sys.modules
        if name.partition(".")[0] == "tensorflow" and name not in before
    ]
    assert sys.meta_path == finders and not hasattr(gk, "python")
    assert type(gk.constant(1)).__module__ == module


def test_the_real_one_is_not_replaced(monkeypatch):
    if "tensorflow" in sys.modules:
        pytest.skip("something imported TensorFlow")
    monkeypatch.setitem(sys.modules, "tensorflow", types.ModuleType("tensorflow"))
    with pytest.raises(RuntimeError, match="imported in this process already"):
        gk.as_tensorflow()
    assert type(gk.constant(1)).__module__ != "tensorflow"


def test_an_installed_one_is_not_loaded(tmp_path):
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text("raise SystemExit(3)")
    (tmp_path / "tensorflow" / "keras.py").write_text("raise SystemExit(4)")
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import tensorflow as tf\n"
        "try: import tensorflow.keras\n"
        "except ModuleNotFoundError: pass\n"
        "print(tf.add(1, 2).numpy())"
    )
    done = _run("-m", "graphkiln", "-c", code, str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")


def test_pickles(alias):
    for value in (
        gk.constant([1.0]), gk.float32, gk.TensorSpec([1]), gk.math.add,
        gk.ragged.constant([[1], []]),
    ):
        data = pickle.dumps(value)
        assert b"tensorflow" not in data
        assert type(pickle.loads(data)) is type(value)
    for cls in (gk.Tensor, type(gk.Variable(1))):
        assert pickle.loads(pickle.dumps(cls)) is cls


PROGRAM = """
import pickle, sys
import tensorflow as tf
class Own: pass
assert type(pickle.loads(pickle.dumps(Own()))) is Own
print(__name__, sys.argv[1:], sys.path[0] == sys.argv[2], __file__ == sys.argv[0])
print(tf.__version__.split(".")[0], tf.__name__)
"""


def test_a_program_runs_unchanged(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = _run("-m", "graphkiln", str(program), "a", str(tmp_path))
    assert done.stderr == ""
    assert done.stdout == (
        f"__main__ {['a', str(tmp_path)]} True True\n2 graphkiln\n"
    )


def test_a_module_runs(tmp_path):
    (tmp_path / "some_program.py").write_text(
        "import tensorflow, sys; print(__name__, tensorflow.__name__, sys.argv[1:])"
    )
    package = str(Path(gk.__file__).absolute().parent.parent)
    done = _run(
        "-m", "graphkiln", "-m", "some_program", "-x",
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": package},
    )
    assert (done.stdout, done.stderr) == ("__main__ graphkiln ['-x']\n", "")


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        (["-c", "import sys; sys.exit(7)"], 7, ""),
        (["-c", "raise KeyError('mine')"], 1, "KeyError: 'mine'"),
        ([], 2, ""),
        (["--help"], 0, ""),
        (["--nothing"], 1, "unknown option --nothing"),
        (["-m"], 1, "Argument expected"),
        (["/no/such/file.py"], 1, "FileNotFoundError"),
    ],
)
def test_how_it_ends(arguments, status, words):
    done = _run("-m", "graphkiln", *arguments)
    assert done.returncode == status
    assert words in done.stderr


NOTEBOOK = """
import importlib, sys
# As %load_ext graphkiln does it, and %unload_ext.
extension = importlib.import_module("graphkiln")
assert hasattr(extension, "load_ipython_extension")
extension.load_ipython_extension(object())
extension.load_ipython_extension(object())
import tensorflow as tf
from tensorflow.data import Dataset
print(tf is extension, type(tf.constant(1)).__module__.partition(".")[0])
extension.unload_ipython_extension(object())
print("tensorflow" in sys.modules)
sys.modules["tensorflow"] = sys
try: extension.load_ipython_extension(object())
except RuntimeError as error: print("imported in this process already" in str(error))
"""


def test_notebooks_load_it():
    done = _run("-c", NOTEBOOK)
    assert (done.stdout, done.stderr) == ("True tensorflow\nFalse\nTrue\n", "")
