"""TensorFlow loads what a program in C++ saved, and C runs what TensorFlow saved."""

import ctypes
import pathlib
import subprocess

import numpy as np
import pytest
import tensorflow as original

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
