"""graphkiln verify, diff and bench."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from test_command_line import PROGRAM, Scale, failed, out, run

import graphkiln as tf


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale") / "model"
    tf.saved_model.save(Scale(), str(folder))
    return folder


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "copy")


def change(path, at, mask=0x41):
    content = bytearray(path.read_bytes())
    content[at] ^= mask
    path.write_bytes(bytes(content))


def damaged(path):
    """What verify says is wrong, as (file, place, problem)."""
    done = run("verify", path, "--format", "json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert not found["ok"]
    return [
        (f["file"], f["place"], f["problem"]) for f in found["findings"] if not f["ok"]
    ]


# ---- verify ----


def test_verify_a_whole_model(model):
    text = out("verify", model)
    assert "DAMAGED" not in text
    assert "3 tensors with the right checksums" in text
    assert "graph of" in text and "2 functions" in text and "fingerprint" in text
    assert out("verify", model / "variables" / "variables")
    assert out("verify", model / "saved_model.pb") == text


def test_verify_names_the_tensor_and_its_bytes(copy):
    data = copy / "variables" / "variables.data-00000-of-00001"
    facts = json.loads(out("show", copy, "--format", "json"))
    assert [v["name"] for v in facts["variables"]] == ["factor", "w"]
    change(data, data.stat().st_size - 1)
    change(data, 4)  # of w, behind the four bytes of factor
    found = damaged(copy)
    assert {f for f, _, _ in found} == {str(data)}
    assert any("tensor w/.ATTRIBUTES" in place for _, place, _ in found)
    assert all("bytes " in place for _, place, _ in found)
    assert all("hecksum" in problem for _, _, problem in found)


def test_verify_bytes_behind_the_last_tensor(copy):
    data = copy / "variables" / "variables.data-00000-of-00001"
    length = data.stat().st_size
    data.write_bytes(data.read_bytes() + b"ab")
    assert damaged(copy) == [
        (str(data), f"bytes {length} to {length + 2}", "they belong to no tensor")
    ]


def test_verify_an_index_that_is_cut_off(copy):
    index = copy / "variables" / "variables.index"
    index.write_bytes(index.read_bytes()[:-7])
    assert str(index) in {f for f, _, _ in damaged(copy)}


def test_verify_a_graph_that_was_changed(copy):
    path = copy / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"MatMul", b"MatMux"))
    found = damaged(copy)
    assert (str(path), "fingerprint") in {(f, place) for f, place, _ in found}


def test_verify_missing_files(copy):
    (copy / "variables" / "variables.data-00000-of-00001").unlink()
    assert len(damaged(copy)) == 3
    (copy / "variables" / "variables.index").unlink()
    found = damaged(copy)
    assert any(place == "variable w" for _, place, _ in found)
    (copy / "saved_model.pb").write_bytes(b"")
    assert [f for f, _, _ in damaged(copy)] == [str(copy / "saved_model.pb")]
    assert "/nowhere" in failed(3, "verify", "/nowhere")


def test_verify_a_variable_of_another_shape(copy):
    m = Scale()
    m.w = tf.Variable(np.zeros([2, 2], np.float32), name="w")
    tf.train.Checkpoint(factor=m.factor, w=m.w).write(
        str(copy / "variables" / "variables")
    )
    assert any(
        place == "variable w" and "[2,2]" in problem
        for _, place, problem in damaged(copy)
    )


def test_verify_functions_of_a_graph(tmp_path):
    @tf.function
    def f(x):
        return x + 1.0

    message = f.get_concrete_function(tf.TensorSpec([])).graph.as_graph_def()
    message.node[0].input.append("nothing:0")
    (tmp_path / "g.pb").write_bytes(message.SerializeToString())
    assert damaged(tmp_path / "g.pb")


# ---- diff ----


def test_equal_models_do_not_differ(model, tmp_path):
    assert out("diff", model, model) == ""
    tf.saved_model.save(Scale(), str(tmp_path / "again"))  # functions of other names
    assert out("diff", model, tmp_path / "again") == ""
    assert json.loads(out("diff", model, model, "--format", "json")) == {
        "equal": True,
        "differences": [],
    }


def differences(*words):
    done = run("diff", *words)
    assert done.returncode == 1, done.stderr
    return done.stdout.decode().splitlines()


def test_diff_of_values(model, tmp_path):
    m = Scale(np.nextafter(np.float32(3), np.float32(4)))
    m.w.assign(m.w + [[0.5, 0, 0]] + np.zeros([4, 3], np.float32))
    tf.saved_model.save(m, str(tmp_path / "b"))
    lines = differences(model, tmp_path / "b")
    assert lines[0].startswith("variable factor: 1 of 1 element differ, by up to 2.38")
    assert lines[0].endswith(" or 1 ulp")
    assert lines[1].startswith("variable w: 4 of 12 elements differ, by up to 0.5 or ")
    assert len(differences(model, tmp_path / "b", "--tolerance", "1e-3")) == 1
    assert out("diff", model, tmp_path / "b", "--tolerance", 0.5) == ""
    prefix = tf.train.Checkpoint(factor=m.factor, w=m.w).write(str(tmp_path / "ckpt"))
    assert out("diff", tmp_path / "b", prefix) == ""


def test_diff_of_structure(model, tmp_path):
    class Other(Scale):
        @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float64, name="x")])
        def __call__(self, x):
            return {"scaled": tf.nn.relu(x)}

    other = Other()
    other.more = tf.Variable(1)
    tf.saved_model.save(other, str(tmp_path / "b"))
    lines = differences(model, tmp_path / "b")
    served = "signature serving_default, "
    assert f"{served}input x: float32 (None, 4) against float64 (None, 4)" in lines
    assert f"{served}output rows: only in the first" in lines
    assert "op MatMul: only in the first" in lines
    assert any(line.endswith("more/.ATTRIBUTES/VARIABLE_VALUE: only in the second")
               for line in lines)  # fmt: skip


def test_diff_of_a_constant_in_a_graph(tmp_path):
    for name, value in (("a", 1.0), ("b", 2.0)):
        with tf.Graph().as_default() as graph:
            tf.constant(value, name="c")
        (tmp_path / name).write_bytes(graph.as_graph_def().SerializeToString())
    assert "Node c differs" in differences(tmp_path / "a", tmp_path / "b")[0]


# ---- bench ----


def test_bench(model):
    text = out("bench", model, "--milliseconds", 20, "--threads", "1,2")
    for line in ("load", "first call", "99.9 %", "2 threads", "peak memory"):
        assert line in text
    facts = json.loads(out("bench", model, "--runs", 50, "--json", "--milliseconds", 5))
    latency = facts["latency_seconds"]
    assert latency["calls"] == 50
    percentiles = list(latency["percentiles"].values())
    assert percentiles == sorted(percentiles)
    assert 0 < latency["min"] <= percentiles[0] and percentiles[-1] <= latency["max"]
    assert facts["throughput"][0]["calls_per_second"] > 0


def test_bench_shows_what_ops_take(model):
    text = out("bench", model, "--ops", "--milliseconds", 5, "--rows", 3)
    assert "kernel MatMul" in text and "[3,3]" in text


def test_bench_with_bad_words(model):
    assert "--threads" in failed(2, "bench", model, "--threads", "0")
    assert "--runs" in failed(2, "bench", model, "--runs", "x")


# ---- damage of all kinds ----


def test_random_damage_is_told():
    """A short run of fuzz/corrupted_models.py."""
    script = PROGRAM.parents[2] / "fuzz" / "corrupted_models.py"
    done = subprocess.run(
        [sys.executable, str(script), "--count", "60", "--seed", "7"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
