"""The C interface as ctypes sees it: models that Python saved."""

from __future__ import annotations

import ctypes
import re
import threading
from pathlib import Path

import numpy as np
import pytest

import graphkiln as tf
from graphkiln import _graphkiln

HEADER = Path(__file__).resolve().parents[2] / "include" / "graphkiln" / "c_api.h"
# Beside the package in a build tree.
LIBRARY = Path(_graphkiln.__file__).resolve().parents[1] / "libgraphkiln.so"
FLOAT, INT64 = 1, 9

pytestmark = pytest.mark.skipif(
    not LIBRARY.exists(), reason="libgraphkiln.so has not been built"
)

RESULTS = {
    "const char*": ctypes.c_char_p,
    "const void*": ctypes.c_void_p,
    "int": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "gk_code": ctypes.c_int,
    "gk_dtype": ctypes.c_int,
    "gk_status*": ctypes.c_void_p,
    "void": None,
}
ARGUMENTS = {"int": ctypes.c_int, "int64_t": ctypes.c_int64, "size_t": ctypes.c_size_t}


@pytest.fixture(scope="module")
def lib() -> ctypes.CDLL:
    """The library, its functions with the types that the header gives them."""
    loaded = ctypes.CDLL(str(LIBRARY))
    text = HEADER.read_text(encoding="utf-8")
    prototypes = re.findall(
        r"^GK_C_EXPORT ([\w ]+\*?)\s*(gk_\w+)\(([^;]*)\);", text, re.M
    )
    assert len(prototypes) > 40
    for result, name, parameters in prototypes:
        function = getattr(loaded, name)
        function.restype = RESULTS[result.strip()]
        function.argtypes = [
            ctypes.c_void_p
            if "*" in p or "deleter" in p
            else ARGUMENTS.get(p.split()[0], ctypes.c_int)
            for p in parameters.split(",")
            if p.strip() != "void"
        ]
    return loaded


class Failed(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def check(lib: ctypes.CDLL, status: int | None) -> None:
    if status is None:
        return
    failed = Failed(lib.gk_status_code(status), lib.gk_status_message(status).decode())
    lib.gk_status_delete(status)
    raise failed


def tensor_over(lib: ctypes.CDLL, array: np.ndarray, dtype: int) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    dims = (ctypes.c_int64 * array.ndim)(*array.shape)
    check(
        lib,
        lib.gk_tensor_over(
            dtype,
            array.ndim,
            dims,
            array.ctypes.data,
            array.nbytes,
            None,
            None,
            ctypes.byref(made),
        ),
    )
    return made


def as_array(lib: ctypes.CDLL, tensor: ctypes.c_void_p) -> np.ndarray:
    shape = [lib.gk_tensor_dim(tensor, i) for i in range(lib.gk_tensor_rank(tensor))]
    size = lib.gk_tensor_num_bytes(tensor)
    data = ctypes.string_at(lib.gk_tensor_data(tensor), size)
    return np.frombuffer(data, np.float32).reshape(shape)


def run(lib, signature, inputs, options=None) -> ctypes.c_void_p:
    given = (ctypes.c_void_p * len(inputs))(*inputs)
    out = (ctypes.c_void_p * 1)()
    check(lib, lib.gk_signature_run(signature, given, len(inputs), out, 1, options))
    return ctypes.c_void_p(out[0])


@pytest.fixture
def signature(lib, tmp_path):
    class Linear(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1.0], [2.0]], name="w")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x):
            return {"score": x @ self.w}

    tf.saved_model.save(Linear(), str(tmp_path / "linear"))
    model, found = ctypes.c_void_p(), ctypes.c_void_p()
    folder = str(tmp_path / "linear").encode()
    check(lib, lib.gk_model_load(folder, None, 0, ctypes.byref(model)))
    check(lib, lib.gk_model_signature(model, None, ctypes.byref(found)))
    lib.gk_model_delete(model)
    yield found
    lib.gk_signature_delete(found)


def test_versions(lib) -> None:
    assert lib.gk_c_api_version() == 1
    assert re.fullmatch(r"\d+\.\d+\.\d+", lib.gk_version().decode())


def test_a_model_of_python_runs(lib, signature) -> None:
    assert lib.gk_signature_input_name(signature, 0) == b"x"
    assert lib.gk_signature_output_name(signature, 0) == b"score"
    assert lib.gk_signature_input_dim(signature, 0, 0) == -1
    rows = np.float32([[1, 1], [3, 4]])
    x = tensor_over(lib, rows, FLOAT)
    assert lib.gk_tensor_data(x) == rows.ctypes.data
    out = run(lib, signature, [x])
    assert as_array(lib, out).tolist() == [[3], [11]]
    lib.gk_tensor_delete(out)
    lib.gk_tensor_delete(x)


def test_errors_are_statuses(lib, signature) -> None:
    x = tensor_over(lib, np.int64([[1, 2]]), INT64)
    with pytest.raises(Failed, match="float") as wrong:
        run(lib, signature, [x])
    assert wrong.value.code == 3
    lib.gk_tensor_delete(x)
    with pytest.raises(Failed, match="/no/such") as missing:
        model = ctypes.c_void_p()
        check(lib, lib.gk_model_load(b"/no/such", None, 0, ctypes.byref(model)))
    assert missing.value.code == 5
    with pytest.raises(Failed, match="'signature' is NULL"):
        run(lib, None, [])


def test_a_buffer_is_let_go_once(lib) -> None:
    released = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    def deleter(data, context):
        released.append((data, context))

    array = np.float32([1, 2, 3])
    made = ctypes.c_void_p()
    dims = (ctypes.c_int64 * 1)(3)
    as_pointer = ctypes.cast(deleter, ctypes.c_void_p)
    arguments = (FLOAT, 1, dims, array.ctypes.data)
    with pytest.raises(Failed):
        check(lib, lib.gk_tensor_over(*arguments, 1, as_pointer, 7, ctypes.byref(made)))
    assert released == []
    check(
        lib,
        lib.gk_tensor_over(*arguments, array.nbytes, as_pointer, 7, ctypes.byref(made)),
    )
    lib.gk_tensor_delete(made)
    assert released == [(array.ctypes.data, 7)]


def test_many_threads(lib, signature) -> None:
    rows = np.float32([[1, 1], [3, 4]])
    wrong = []

    def work() -> None:
        x = tensor_over(lib, rows, FLOAT)
        for _ in range(100):
            out = run(lib, signature, [x])
            if as_array(lib, out).tolist() != [[3], [11]]:
                wrong.append(1)
            lib.gk_tensor_delete(out)
        lib.gk_tensor_delete(x)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == []
