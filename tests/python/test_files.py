"""tf.io.gfile and the ops of files, where Python is in play: text and bytes,
threads, interrupts, file systems that are written in Python."""

from __future__ import annotations

import inspect
import os
import pathlib
import signal
import subprocess
import sys
import threading
import typing

import pytest

import graphkiln as tf

gfile = tf.io.gfile


class DictFiles:
    """An fsspec file system as small as can be: names and bytes."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.folders = {""}

    def _name(self, path: str) -> str:
        return path.partition("://")[2].strip("/")

    def invalidate_cache(self) -> None:
        pass

    def exists(self, path: str) -> bool:
        return self._name(path) in self.files.keys() | self.folders

    def info(self, path: str) -> dict[str, typing.Any]:
        name = self._name(path)
        if name in self.folders:
            return {"type": "directory", "size": 0}
        if name == "secret":
            raise PermissionError(f"{name} is secret")
        if name not in self.files:
            raise FileNotFoundError(name)
        return {"type": "file", "size": len(self.files[name]), "mtime": 1.5}

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        return self.files[self._name(path)][start:end]

    def open(self, path: str, mode: str) -> typing.Any:
        files, name = self.files, self._name(path)
        if name.rpartition("/")[0] not in self.folders:
            raise FileNotFoundError(name)

        class Writer:
            def __init__(self) -> None:
                if mode == "wb":
                    files[name] = b""

            def write(self, content: bytes) -> None:
                files[name] += content

            def flush(self) -> None:
                pass

            def close(self) -> None:
                pass

        return Writer()

    def ls(self, path: str, detail: bool) -> list[str]:
        start = f"{self._name(path)}/".lstrip("/")
        everything = [n for n in self.files.keys() | self.folders if n]
        return [
            n
            for n in everything
            if n.startswith(start) and "/" not in n.removeprefix(start)
        ]

    def mkdir(self, path: str, create_parents: bool) -> None:
        self.folders.add(self._name(path))

    def rm_file(self, path: str) -> None:
        del self.files[self._name(path)]

    def rmdir(self, path: str) -> None:
        self.folders.remove(self._name(path))

    def rm(self, path: str, recursive: bool) -> None:
        name = self._name(path)
        for inner in [n for n in self.files if n.startswith(f"{name}/")]:
            del self.files[inner]
        self.folders = {f for f in self.folders if not f.startswith(name)}
        self.files.pop(name, None)

    def mv(self, old: str, new: str, recursive: bool) -> None:
        self.files[self._name(new)] = self.files.pop(self._name(old))


@pytest.fixture(scope="module")
def dict_files() -> DictFiles:
    files = DictFiles()
    gfile.register_file_system("dict", files)
    return files


def test_a_file_system_in_python_serves_everything(dict_files, tmp_path):
    gfile.makedirs("dict://a/b")
    with gfile.GFile("dict://a/b/f.txt", "w") as file:
        file.write("one\n")
        assert file.tell() == 4
    with gfile.GFile("dict://a/b/f.txt", "a") as file:
        file.write("two\n")
    assert dict_files.files["a/b/f.txt"] == b"one\ntwo\n"
    assert list(gfile.GFile("dict://a/b/f.txt")) == ["one\n", "two\n"]
    assert tf.io.read_file("dict://a/b/f.txt").numpy() == b"one\ntwo\n"
    tf.function(lambda: [tf.io.write_file("dict://a/c/g.txt", "x"), None][1])()
    assert gfile.glob("dict://a/*/*.txt") == ["dict://a/b/f.txt", "dict://a/c/g.txt"]
    assert [(d, f) for _, d, f in gfile.walk("dict://a")] == [
        (["b", "c"], []),
        ([], ["f.txt"]),
        ([], ["g.txt"]),
    ]
    stat = gfile.stat("dict://a/b/f.txt")
    assert (stat.length, stat.mtime_nsec, stat.is_directory) == (
        8,
        1_500_000_000,
        False,
    )
    gfile.copy("dict://a/b/f.txt", str(tmp_path / "f"))
    gfile.rename(str(tmp_path / "f"), "dict://a/h")
    gfile.rename("dict://a/h", "dict://a/i")
    assert (tmp_path / "f").exists() is False
    assert gfile.GFile("dict://a/i").read() == "one\ntwo\n"
    init = tf.lookup.TextFileInitializer(
        "dict://a/i",
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    table = tf.lookup.StaticHashTable(init, -1)
    assert table.lookup(tf.constant("two")).numpy() == 1
    gfile.rmtree("dict://a")
    assert not gfile.exists("dict://a/i")


def test_errors_of_a_file_system_in_python(dict_files):
    with pytest.raises(tf.errors.NotFoundError, match="dict://no; no"):
        gfile.GFile("dict://no").read()
    with pytest.raises(tf.errors.PermissionDeniedError, match="secret is secret"):
        gfile.stat("dict://secret")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        gfile.GFile("dict://").read()
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.read_file("dict://no")
    with pytest.raises(tf.errors.AlreadyExistsError):
        gfile.register_file_system("dict", dict_files)
    with pytest.raises(tf.errors.InvalidArgumentError):
        gfile.register_file_system("not one", dict_files)
    with pytest.raises(TypeError, match="object has no .*cat_file"):
        gfile.register_file_system("other", object())
    with pytest.raises(tf.errors.UnimplementedError, match="'nobody' not implemented"):
        gfile.exists("nobody://a")


def test_schemes_of_fsspec():
    pytest.importorskip("fsspec")
    path = "memory://folder/f.txt"
    gfile.makedirs("memory://folder/inner")
    with gfile.GFile(path, "w") as file:
        file.write("text")
    with gfile.GFile(path, "a") as file:
        file.write(" and more")
    assert gfile.GFile(path).read() == "text and more"
    assert tf.io.read_file(path).numpy() == b"text and more"
    tf.io.write_file("memory://folder/inner/g.txt", "x" * 3_000_000)
    assert gfile.stat("memory://folder/inner/g.txt").length == 3_000_000
    assert gfile.glob("memory://folder/*") == [
        "memory://folder/f.txt",
        "memory://folder/inner",
    ]
    assert gfile.isdir("memory://folder") and not gfile.isdir(path)
    gfile.rename(path, "memory://folder/h.txt")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.GFile(path).read()
    with pytest.raises(tf.errors.NotFoundError):
        gfile.remove(path)
    gfile.rmtree("memory://folder")
    assert not gfile.exists("memory://folder")
    assert "memory" in gfile.get_registered_schemes()


def test_an_old_file_is_whole_when_a_writer_is_killed(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"a" * 300_000)
    program = (
        "import sys, graphkiln as tf\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "  tf.io.write_file(sys.argv[1], b'b' * 400_000)\n"
        "  tf.io.write_file(sys.argv[1], b'a' * 300_000)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    for _ in range(50):
        now = path.read_bytes()
        assert now in (b"a" * 300_000, b"b" * 400_000)
    child.kill()
    child.wait()
    child.stdout.close()
    assert path.read_bytes() in (b"a" * 300_000, b"b" * 400_000)


def test_functions_read_files_anew(tmp_path):
    path = tmp_path / "f"
    path.write_text("one")
    read = tf.function(lambda: tf.io.read_file(str(path)))
    assert read().numpy() == b"one"
    path.write_text("two")
    assert read().numpy() == b"two"

    @tf.function
    def in_order() -> tf.Tensor:
        tf.io.write_file(str(path), "three")
        first = tf.io.read_file(str(path))
        tf.io.write_file(str(path), "four")
        return tf.stack([first, tf.io.read_file(str(path))])

    assert in_order().numpy().tolist() == [b"three", b"four"]


def test_names_that_are_not_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff\xfe"
    with gfile.GFile(name, "w") as file:
        file.write("x")
    (found,) = gfile.glob(str(tmp_path / "*"))
    assert os.fsencode(found) == name
    assert gfile.listdir(tmp_path) == [os.fsdecode(b"\xff\xfe")]
    gfile.remove(found)
    assert gfile.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda p: gfile.GFile(p).read(),
        gfile.stat,
        gfile.remove,
        gfile.makedirs,
        gfile.glob,
        tf.io.read_file,
        lambda p: tf.io.write_file(p, "x"),
    ],
)
def test_a_nul_ends_no_name(tmp_path, call):
    (tmp_path / "a").touch()
    with pytest.raises(tf.errors.InvalidArgumentError, match="NUL"):
        call(f"{tmp_path}/a\0b")
    assert (tmp_path / "a").exists()


def test_pipes_do_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(tf.errors.InvalidArgumentError, match="pipe"):
        tf.io.read_file(str(tmp_path / "pipe"))


def test_walks_in_circles_end(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/up").symlink_to("..")
    (tmp_path / "a/other").symlink_to("b")
    tops = [os.path.relpath(top, tmp_path) for top, _, _ in gfile.walk(tmp_path)]
    assert tops == [".", "a", "a/b", "a/other"]


def test_walk_tells_what_it_cannot_read(tmp_path):
    errors: list[Exception] = []
    assert list(gfile.walk(tmp_path / "no", onerror=errors.append)) == []
    assert [type(e) for e in errors] == [tf.errors.NotFoundError]

    def fail(error: Exception) -> None:
        raise error

    with pytest.raises(tf.errors.NotFoundError):
        list(gfile.walk(tmp_path / "no", onerror=fail))


def test_threads_share_a_file(tmp_path):
    file = gfile.GFile(tmp_path / "f", "w")
    threads = [
        threading.Thread(
            target=lambda: [file.write("x" * 99 + "\n") for _ in range(500)]
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    file.close()
    lines = (tmp_path / "f").read_text().splitlines()
    assert len(lines) == 2000 and set(lines) == {"x" * 99}


def test_a_file_that_is_dropped_keeps_what_was_written(tmp_path):
    gfile.GFile(tmp_path / "f", "w").write("text")
    assert (tmp_path / "f").read_text() == "text"


def test_deleting_can_be_interrupted_nowhere_half_way(tmp_path):
    # A signal that raises nothing changes nothing.
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
    try:
        for i in range(50):
            tf.io.write_file(str(tmp_path / f"d/{i}/f"), "x" * 200_000)
        gfile.rmtree(tmp_path / "d")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    assert not (tmp_path / "d").exists()


def test_signatures_are_those_of_tensorflow():
    expected = {
        "GFile": "(name, mode='r')",
        "copy": "(src, dst, overwrite=False)",
        "glob": "(pattern)",
        "join": "(path, *paths)",
        "rename": "(src, dst, overwrite=False)",
        "walk": "(top, topdown=True, onerror=None)",
        "stat": "(path)",
    }
    for name, signature in expected.items():
        assert str(inspect.signature(getattr(gfile, name))) == signature


def test_classes_can_derive_from_gfile(tmp_path):
    class Upper(gfile.GFile):
        def read(self, n: int = -1) -> str:
            return super().read(n).upper()

    pathlib.Path(tmp_path / "f").write_text("text")
    assert Upper(str(tmp_path / "f")).read() == "TEXT"
