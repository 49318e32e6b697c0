"""TensorFlow loads what a program in C++ saved, and C runs what TensorFlow saved."""

import ctypes
import pathlib
import subprocess

import numpy as np
import pytest
import tensorflow as original

import graphkiln
from graphkiln import _graphkiln

BUILD = pathlib.Path(_graphkiln.__file__).resolve().parents[1]
WRITER = BUILD / "saved_model_writer"
LIBRARY = BUILD / "libgraphkiln.so"
X = np.float32([[1, 1], [3, 4]])


@pytest.mark.skipif(not WRITER.exists(), reason="the writer has not been built")
def test_tensorflow_loads_a_model_of_cpp(tmp_path):
    subprocess.run([str(WRITER), str(tmp_path)], check=True)
    loaded = original.saved_model.load(str(tmp_path / "linear"))
    assert sorted(loaded.signatures) == ["score", "serving_default"]
    assert [v.name for v in [loaded.w]] == ["w:0"]
    result = loaded.signatures["serving_default"](
        x=original.constant(X), bias=original.constant(1.0)
    )
    assert result["score"].numpy().tolist() == [[4], [12]]
    assert result["text"].numpy() == b"1.000000"
    with original.GradientTape() as tape:
        y = loaded.signatures["score"](
            x=original.constant(X), bias=original.constant(1.0)
        )
        loss = original.reduce_sum(y["score"])
    assert tape.gradient(loss, loaded.w).numpy().tolist() == [[4], [5]]
    spin = original.saved_model.load(str(tmp_path / "spin"))
    ended = original.constant(-5, original.int64)
    assert spin.spin(ended).numpy() == -5


@pytest.mark.skipif(not LIBRARY.exists(), reason="libgraphkiln.so has not been built")
def test_c_runs_and_saves_a_model_of_tensorflow(tmp_path):
    class Linear(original.Module):
        def __init__(self):
            super().__init__()
            self.w = original.Variable([[1.0], [2.0]], name="w")
            self.layers = [original.keras.layers.Dense(3)]

        @original.function(
            input_signature=[original.TensorSpec([None, 2], original.float32)]
        )
        def __call__(self, x):
            return {"dense": self.layers[0](x), "score": x @ self.w}

    model = Linear()
    expected = model(original.constant(X))
    original.saved_model.save(model, str(tmp_path / "a"))

    lib = ctypes.CDLL(str(LIBRARY))
    lib.gk_status_message.restype = ctypes.c_char_p
    lib.gk_tensor_data.restype = ctypes.c_void_p
    for name in ("load", "signature", "save"):
        getattr(lib, f"gk_model_{name}").restype = ctypes.c_void_p
    lib.gk_signature_run.restype = ctypes.c_void_p
    lib.gk_tensor_copy.restype = ctypes.c_void_p

    def check(status):
        if status is not None:
            raise RuntimeError(lib.gk_status_message(ctypes.c_void_p(status)))

    handle, signature = ctypes.c_void_p(), ctypes.c_void_p()
    check(
        lib.gk_model_load(
            str(tmp_path / "a").encode(), None, ctypes.c_size_t(0), ctypes.byref(handle)
        )
    )
    check(lib.gk_model_signature(handle, None, ctypes.byref(signature)))
    x = ctypes.c_void_p()
    check(
        lib.gk_tensor_copy(
            1,
            2,
            (ctypes.c_int64 * 2)(2, 2),
            ctypes.c_void_p(X.ctypes.data),
            ctypes.c_size_t(X.nbytes),
            ctypes.byref(x),
        )
    )
    outputs = (ctypes.c_void_p * 2)()
    check(
        lib.gk_signature_run(
            signature,
            ctypes.byref(x),
            ctypes.c_size_t(1),
            outputs,
            ctypes.c_size_t(2),
            None,
        )
    )
    for handle_, key, shape in zip(
        outputs, ("dense", "score"), ((2, 3), (2, 1)), strict=True
    ):
        data = lib.gk_tensor_data(ctypes.c_void_p(handle_))
        size = int(np.prod(shape))
        found = np.ctypeslib.as_array(
            ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), (size,)
        ).reshape(shape)
        np.testing.assert_allclose(found, expected[key].numpy(), rtol=1e-5)
    check(lib.gk_model_save(handle, str(tmp_path / "b").encode()))
    again = original.saved_model.load(str(tmp_path / "b"))
    result = again.signatures["serving_default"](original.constant(X))
    for key in expected:
        np.testing.assert_allclose(result[key], expected[key], rtol=1e-6)
        np.testing.assert_allclose(
            again(original.constant(X))[key], expected[key], rtol=1e-6
        )


@pytest.fixture(scope="module", name="folder")
def tables_of_cpp(tmp_path_factory):
    if not WRITER.exists():
        pytest.skip("the writer has not been built")
    folder = tmp_path_factory.mktemp("tables")
    subprocess.run([str(WRITER), str(folder)], check=True)
    return str(folder / "tables")


class TestTables:
    """Tables and a file that a program in C++ saved, here and in TensorFlow."""

    KEYS = ["a", "blue", "s", "x", "none"]
    EXPECTED = {
        "color": [3, 2, 3, 3, 3],
        "size": [0, 0, 1, 0, 0],
        "seen": [7, -1, -1, -1, -1],
        "dense": [-1, -1, -1, 3, -1],
        "pair": [1, 2],
    }

    def check(self, package, folder):
        loaded = package.saved_model.load(folder)
        keys = package.constant(self.KEYS)
        for found in (loaded.find(keys), loaded.signatures["serving_default"](keys)):
            assert found["text"].numpy() == b"red\ngreen\nblue\n"
            for name, values in self.EXPECTED.items():
                assert found[name].numpy().tolist() == values, name
        return loaded

    @pytest.mark.parametrize("package", [graphkiln, original], ids=["ours", "theirs"])
    def test_are_loaded(self, package, folder):
        loaded = self.check(package, folder)
        size = loaded.note(package.constant("new"), package.constant(5, package.int64))
        assert size.numpy() == 3
        found = loaded.find(package.constant(["new"]))
        assert found["seen"].numpy().tolist() == [5]

    @pytest.mark.parametrize("package", [graphkiln, original], ids=["ours", "theirs"])
    def test_are_saved_again(self, package, folder, tmp_path):
        again = str(tmp_path / "again")
        loaded = package.saved_model.load(folder)
        package.saved_model.save(loaded, again, signatures=loaded.signatures)
        self.check(graphkiln, again)
        self.check(original, again)

    def test_are_served_by_version_one(self, folder):
        with original.Graph().as_default(), original.compat.v1.Session() as session:
            meta = original.compat.v1.saved_model.load(session, ["serve"], folder)
            signature = meta.signature_def["serving_default"]
            found = session.run(
                {name: info.name for name, info in signature.outputs.items()},
                {signature.inputs["keys"].name: self.KEYS},
            )
        assert found["color"].tolist() == self.EXPECTED["color"]
        assert found["seen"].tolist() == self.EXPECTED["seen"]


@pytest.mark.skipif(not WRITER.exists(), reason="the writer has not been built")
@pytest.mark.parametrize("package", [graphkiln, original], ids=["ours", "theirs"])
def test_gradients_of_cpp_use_what_is_around_them(package, tmp_path):
    subprocess.run([str(WRITER), str(tmp_path)], check=True)
    loaded = package.saved_model.load(str(tmp_path / "gradients"))
    x = package.constant(2.0)
    with package.GradientTape(persistent=True) as tape:
        tape.watch(x)
        steep = loaded.steep(x, package.constant(5.0))
        scaled = loaded.scaled(x)
    assert float(steep) == 20 and float(tape.gradient(steep, x)) == 30
    assert float(scaled) == 6 and float(tape.gradient(scaled, x)) == 10
    assert float(tape.gradient(scaled, loaded.v)) == 200
