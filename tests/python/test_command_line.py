"""The program graphkiln, over models that this package saved."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import graphkiln as tf

PROGRAM = Path(__file__).resolve().parents[2] / "python" / "scripts" / "graphkiln"


def run(*words, stdin=None):
    return subprocess.run(
        [sys.executable, str(PROGRAM), *map(str, words)],
        capture_output=True,
        timeout=120,
        input=stdin,
    )


def out(*words, stdin=None):
    done = run(*words, stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def failed(exit_status, *words):
    """What is said of it."""
    done = run(*words)
    assert done.returncode == exit_status, (done.returncode, done.stderr.decode())
    said = done.stderr.decode()
    assert said.startswith("graphkiln: ")
    return said


class Scale(tf.Module):
    def __init__(self, factor=3.0):
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")
        self.w = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3), name="w")

    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32, name="x")])
    def __call__(self, x):
        return {
            "scaled": self.factor * tf.nn.relu(x @ self.w),
            "rows": tf.shape(x)[0],
        }


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scale") / "model"
    tf.saved_model.save(Scale(), str(folder))
    return folder


def test_show_says_what_is_in_a_model(model):
    text = out("show", model)
    assert "in   x       float32  (None, 4)" in text
    assert "out  scaled  float32  (None, 3)" in text
    assert "factor  float32  ()       4 B  factor/.ATTRIBUTES" in text
    assert "unknown here" not in text


def test_show_gives_the_same_as_json(model):
    facts = json.loads(out("show", model, "--format", "json"))
    assert facts["tags"] == ["serve"]
    variables = {v["name"]: v for v in facts["variables"]}
    assert variables["w"]["shape"] == "(4, 3)" and variables["w"]["bytes"] == 48
    assert {"name": "MatMul", "count": 1, "known": True} in facts["ops"]
    served = [s for s in facts["signatures"] if s["name"] == "serving_default"]
    assert [i["name"] for i in served[0]["inputs"]] == ["x"]


def test_show_pages_and_pictures(model):
    page = out("show", model, "--format", "html")
    assert page.startswith("<!DOCTYPE html>") and "StatefulPartitionedCall" in page
    one = out("show", model, "--function", "inference___call__", "--format", "html")
    assert "MatMul" in one
    done = run("show", model, "--format", "svg")
    assert done.stdout.startswith(b"<svg") or b"graphviz" in done.stderr


def test_show_one_function(model):
    text = out("show", model, "--function", "inference___call__")
    assert "MatMul(x, " in text
    nodes = json.loads(
        out("show", model, "--function", "inference___call__", "--format", "json")
    )["nodes"]
    assert "MatMul" in {n["op"] for n in nodes}
    assert "2 functions have it" in failed(2, "show", model, "--function", "inference")
    name = re.search(r"__inference___call___\d+", out("show", model)).group()
    misspelt = name.replace("call", "cull")
    assert "Do you mean" in failed(2, "show", model, "--function", misspelt)


def test_show_a_checkpoint_and_a_folder_of_them(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0], name="v"))
    prefix = checkpoint.save(str(tmp_path / "ckpt"))
    for path in (prefix, prefix + ".index", tmp_path):
        assert "\n  v             float32  (2,)" in out("show", path)


def test_checkpoints_of_the_first_format(tmp_path):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("w", [2, 3])
        session.run(v1.global_variables_initializer())
        saver = v1.train.Saver(write_version=v1.train.SaverDef.V1)
        path = saver.save(session, str(tmp_path / "old"))
    assert "checkpoint" in out("show", path) and "w  float32  (2, 3)" in out(
        "show", path
    )
    assert "1 tensor with the right checksums" in out("verify", path)
    assert out("diff", path, path) == ""
    content = bytearray(Path(path).read_bytes())
    content[30] ^= 0x41
    Path(path).write_bytes(content)
    done = run("verify", path)
    assert done.returncode == 1 and f"DAMAGED  {path}" in done.stdout.decode()


def test_show_a_graph_with_an_op_that_nobody_has(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2], name="x")
        tf.add(x, x, name="y")
    message = graph.as_graph_def()
    message.node.add(name="z", op="Nobody'sOp")
    (tmp_path / "g.pb").write_bytes(message.SerializeToString())
    text = out("show", tmp_path / "g.pb")
    assert "GraphDef" in text and "1  Nobody'sOp   unknown here" in text
    assert "<!DOCTYPE" in out("show", tmp_path / "g.pb", "--format", "html")


def test_errors_name_the_file(model, tmp_path):
    assert "/nowhere" in failed(3, "show", "/nowhere")
    assert "['other']" in failed(2, "show", model, "--tags", "other")
    (tmp_path / "text.pb").write_text("this is no graph")
    assert "text.pb is no graph" in failed(4, "show", tmp_path / "text.pb")
    (tmp_path / "saved_model.pb").write_bytes(
        (model / "saved_model.pb").read_bytes()[:-20]
    )
    assert "saved_model.pb" in failed(4, "show", tmp_path)
    assert "holds no model" in failed(3, "show", tmp_path.parent)


def test_names_cannot_steer_the_terminal(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0, name="v")
    tf.saved_model.save(module, str(tmp_path / "m"))
    path = tmp_path / "m" / "saved_model.pb"
    path.write_bytes(path.read_bytes().replace(b"2.21.0", b"\x1b[31m\x07"))
    assert "\\x1b[31m\\x07" in out("show", tmp_path / "m")


# ---- run ----

X = np.array([[1, -2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 1]], np.float32)


def scaled(x):
    w = np.arange(12, dtype=np.float32).reshape(4, 3)
    return 3 * np.maximum(np.asarray(x, np.float32) @ w, 0)


def test_run_prints_and_gives_json(model):
    text = out("run", model, "--value", f"x={X.tolist()}")
    assert "rows: int32 ()\n3\n" in text and "scaled: float32 (3, 3)" in text
    given = json.loads(out("run", model, "--value", str(X.tolist()), "--json"))
    assert given["rows"] == 3 and np.array_equal(given["scaled"], scaled(X))


@pytest.mark.parametrize("ending", ["npy", "npz", "json", "csv", "tsv"])
@pytest.mark.parametrize("named", [True, False])
def test_run_reads_and_writes_files(model, tmp_path, ending, named):
    source, target = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    if ending == "npy":
        np.save(source, X.astype(np.float64))
    elif ending == "npz":
        np.savez_compressed(source, x=X)
    elif ending == "json":
        value = X.tolist()
        source.write_text(json.dumps(value if named else {"x": value}))
    else:
        separator = "\t" if ending == "tsv" else ","
        np.savetxt(source, X, delimiter=separator, header="a", comments="")
        lines = source.read_text().splitlines()
        lines[0] = separator.join("abcd")  # columns have names, or none
        source.write_text("\n".join(lines if named else lines[1:]))
    name = "x=" if named else ""
    said = out(
        "run", model, "--input", f"{name}{source}", "--output", f"scaled={target}"
    )
    assert said == ""
    if ending == "npy":
        result = np.load(target)
    elif ending == "npz":
        result = np.load(target)["scaled"]
    elif ending == "json":
        result = json.loads(target.read_text())
    else:
        result = np.loadtxt(target, delimiter=separator)
    assert np.array_equal(result, scaled(X))


def test_run_writes_all_results(model, tmp_path):
    target = tmp_path / "all.npz"
    out("run", model, "--value", str(X.tolist()), "--output", target)
    with np.load(target) as results:
        assert sorted(results) == ["rows", "scaled"] and results["rows"] == 3
    said = failed(
        2, "run", model, "--value", str(X.tolist()), "--output", tmp_path / "a.npy"
    )
    assert "rows, scaled" in said


def test_run_reads_the_standard_input(model, tmp_path):
    np.save(tmp_path / "x.npy", X)
    for given in (json.dumps(X.tolist()).encode(), (tmp_path / "x.npy").read_bytes()):
        text = out("run", model, "--input", "x=-", "--json", stdin=given)
        assert np.array_equal(json.loads(text)["scaled"], scaled(X))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Takes columns by name, gives a row for each."""
    m = tf.Module()
    spec = [
        tf.TensorSpec([None], tf.float32, name="a"),
        tf.TensorSpec([None, 1], tf.int64, name="b"),
        tf.TensorSpec([None], tf.string, name="s"),
    ]

    @tf.function(input_signature=spec)
    def f(a, b, s):
        return {
            "sum": a + tf.cast(b[:, 0], tf.float32),
            "text": tf.strings.join([s, "!"]),
        }

    m.f = f
    folder = tmp_path_factory.mktemp("table") / "model"
    tf.saved_model.save(m, str(folder))
    return folder


def test_run_in_batches_over_columns_by_name(table, tmp_path):
    rows = [f'{i}.5,{2 * i},"t,{i}"' for i in range(10)]
    (tmp_path / "t.csv").write_text("\n".join(["a,b,s", *rows]))
    whole = out("run", table, "--input", tmp_path / "t.csv", "--json")
    parts = out("run", table, "--input", tmp_path / "t.csv", "--json", "--batch", 3)
    assert whole == parts
    assert json.loads(whole)["text"][9] == "t,9!"
    assert json.loads(whole)["sum"] == [3 * i + 0.5 for i in range(10)]
    (tmp_path / "t.csv").write_text("a,b,s\n1,2.5,x\n")
    said = failed(4, "run", table, "--input", tmp_path / "t.csv")
    assert "t.csv: line 2, column 2: '2.5' is no int64" in said


def test_run_takes_pictures(tmp_path):
    m = tf.Module()
    spec = tf.TensorSpec([None, None, None, 3], tf.float32, name="pixels")
    m.f = tf.function(
        lambda pixels: {"back": tf.cast(255 - pixels, tf.uint8)}, input_signature=[spec]
    )
    tf.saved_model.save(m, str(tmp_path / "m"))
    picture = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    (tmp_path / "p.png").write_bytes(tf.io.encode_png(picture).numpy())
    out("run", tmp_path / "m", "--input", tmp_path / "p.png", "--output",
        f"back={tmp_path / 'q.png'}")  # fmt: skip
    made = tf.io.decode_png((tmp_path / "q.png").read_bytes()).numpy()
    assert np.array_equal(made, 255 - picture)


def test_run_a_graph(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        y = tf.square(x, name="y")
        tf.reduce_sum(y, name="total")
    (tmp_path / "g.pb").write_bytes(graph.as_graph_def().SerializeToString())
    g = tmp_path / "g.pb"
    assert json.loads(out("run", g, "--value", "[1, 2]", "--json")) == {"total": 5}
    text = out("run", g, "--value", "[1, 2]", "--json", "--fetch", "y:0,total")
    assert json.loads(text) == {"y:0": [1, 4], "total": 5}
    assert "nothere" in failed(4, "run", g, "--value", "[1, 2]", "--fetch", "nothere:0")


def test_run_a_part_of_a_graph(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None], name="x")
        other = tf.compat.v1.placeholder(tf.float32, [], name="other")
        y = tf.square(x, name="y")
        tf.multiply(y, other, name="scaled")
        tf.reduce_sum(y, name="total")
    g = tmp_path / "g.pbtxt"
    g.write_text(str(graph.as_graph_def()))
    # Only what the fetches need has to be given.
    text = out("run", g, "--value", "[1, 2]", "--json", "--fetch", "total")
    assert json.loads(text) == {"total": 5}
    assert "other" in failed(
        2, "run", g, "--value", "x=[1, 2]", "--json", "--fetch", "scaled"
    )
    text = out("run", g, "--value", "[4, 5]", "--json", "--feed", "y", "--fetch",
               "total:0")  # fmt: skip
    assert json.loads(text) == {"total:0": 9}
    text = out("run", g, "--value", "y:0=[4, 5]", "--value", "other=2", "--json",
               "--feed", "y:0,other", "--fetch", "scaled")  # fmt: skip
    assert json.loads(text) == {"scaled": [8, 10]}
    said = failed(5, "run", g, "--value", "[4]", "--feed", "y", "--fetch", "scaled")
    assert "'other'" in said
    assert "nothere" in failed(4, "run", g, "--value", "[1]", "--feed", "nothere")


def test_run_a_function_that_is_no_signature(model):
    text = out("run", model, "--signature", "__call__", "--value", "[[1, 2, 3, 4]]")
    assert "scaled" in text
    said = failed(2, "run", model, "--signature", "other", "--value", "[[1]]")
    assert "no signature or function 'other'. There is serving_default." in said


def test_run_says_what_does_not_fit(model, tmp_path):
    assert "missing (--input, --value): x: float32 (None, 4)" in failed(2, "run", model)
    assert "has no input 'y'. It takes x: float32" in failed(
        2, "run", model, "--value", "y=[1]"
    )
    assert "its values are float32 (1,), the input is x: float32 (None, 4)" in failed(
        5, "run", model, "--value", "x=[1]"
    )
    np.save(tmp_path / "c.npy", np.ones([1, 4], np.complex64) * 1j)
    assert "c.npy: its values are complex64, which cannot all be" in failed(
        5, "run", model, "--input", tmp_path / "c.npy"
    )
    assert "'rows' has shape [] for 2 rows" in failed(
        5, "run", model, "--value", str(X.tolist()), "--batch", 2
    )
    assert "/nowhere.npy" in failed(3, "run", model, "--input", "x=/nowhere.npy")
    np.save(tmp_path / "o.npy", np.array([{}]))
    assert "Python objects" in failed(4, "run", model, "--input", tmp_path / "o.npy")


def test_run_of_a_checkpoint_is_refused(model):
    assert "holds values and nothing that can be run" in failed(
        2, "run", model / "variables" / "variables"
    )


# ---- completion ----


def completed(line):
    """What bash offers behind a line."""
    words = line.split(" ")
    script = out("completion", "bash") + (
        f"COMP_WORDS=({' '.join(repr(w) for w in words)})\n"
        f"COMP_CWORD={len(words) - 1}\n_graphkiln\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stderr == b"", done.stderr
    return done.stdout.decode().split()


def test_completion_in_bash(model):
    assert "show" in completed("graphkiln ")
    assert completed("graphkiln ver") == ["verify"]
    assert completed("graphkiln show --format ") == ["text", "json", "svg", "html"]
    assert completed("graphkiln run m --out") == ["--output"]
    assert completed("graphkiln completion f") == ["fish"]
    assert completed(f"graphkiln show {str(model)[:-2]}") == [str(model)]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_in_other_shells(shell, tmp_path):
    text = out("completion", shell)
    for command in ("show", "run", "bench", "verify", "diff", "convert", "optimize", "trim"):
        assert command in text
    if shutil.which(shell):
        (tmp_path / "script").write_text(text)
        subprocess.run([shell, "-n", tmp_path / "script"], check=True)


def test_completion_of_an_unknown_shell():
    assert "expected bash, zsh or fish" in failed(2, "completion", "tcsh")
