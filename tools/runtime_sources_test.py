#!/usr/bin/env python3
"""runtime_sources.py: which ops, which files, what is left of them."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import runtime_sources

ROOT = Path(__file__).resolve().parent.parent
INTERFACE = ["api/saved_model.cc", "api/variable.cc"]


def choose(ops, out):
    return subprocess.run(
        [sys.executable, runtime_sources.__file__, ROOT, out, ops, *INTERFACE],
        capture_output=True,
        text=True,
    )


CALL = re.compile(r"\b([A-Z]\w*)\(")
DECLARED = re.compile(
    r"\b([A-Z]\w*)\((?:[^(){};]|\([^(){};]*\))*\)\s*(?:const\s*)?(?:override\s*)?;"
)


def lacking(chosen):
    """Functions of headers that the chosen files read and that none of them defines,
    though a file that reads the header does: {header: names}."""
    src = ROOT / "src"
    texts = {p: p.read_text() for p in src.glob("*/**/*.cc")}
    texts = {p: t for p, t in texts.items() if not p.stem.endswith("_test")}
    reads = {
        p: {n for _, n in runtime_sources.INCLUDE.findall(t)} for p, t in texts.items()
    }
    defined = {}
    for path, text in texts.items():
        for line in text.splitlines():
            if line[:1].isalpha():
                for name in CALL.findall(line):
                    defined.setdefault(name, set()).add(path)
    headers, todo = set(), [reads[p] for p in chosen if p in reads]
    while todo:
        for name in todo.pop():
            header = src / name
            if header not in headers and header.exists():
                headers.add(header)
                found = runtime_sources.INCLUDE.findall(header.read_text())
                todo.append({n for _, n in found})
    found = {}
    for header in headers:
        name = header.relative_to(src).as_posix()
        for function in set(DECLARED.findall(header.read_text())):
            own = [p for p in defined.get(function, ()) if name in reads[p]]
            if own and not chosen.intersection(own):
                found.setdefault(name, set()).add(function)
    return found


class Choice(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.records = runtime_sources.Records(ROOT)
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.out = Path(cls.folder.name)
        list_file = cls.out / "ops.txt"
        list_file.write_text("# two ops\nRelu  # and its gradient's file\nMatMul\n")
        cls.done = choose(str(list_file), cls.out)
        assert cls.done.returncode == 0, cls.done.stderr

    def kept(self, path):
        return (self.out / "kept" / path).read_text()

    def test_every_record_is_found(self):
        for path, ops in self.records.files.items():
            _, read = runtime_sources.opgen.read_ops(path)
            self.assertEqual([op.name for op in read], ops, path)

    def test_records_that_nobody_wants_are_gone(self):
        text = self.kept("nn/nn_activation.cc")
        self.assertIn('{.name = "Relu",', text)
        self.assertNotIn('{.name = "Elu",', text)
        self.assertFalse((self.out / "kept/nn/nn_conv.cc").exists())

    def test_what_a_runtime_does_not_read_is_gone(self):
        text = self.kept("math/math_matmul.cc")
        record = text[text.index('{.name = "MatMul"') :]
        self.assertIn(".kernel =", record)
        for field in runtime_sources.UNREAD:
            self.assertNotIn(f"     .{field} =", record)

    def test_lines_keep_their_numbers(self):
        source = (ROOT / "src/ops/math/math_matmul.cc").read_text()
        own = [i for i, line in enumerate(source.splitlines(), 1) if '"MatMul"' in line]
        kept = [
            i
            for i, line in enumerate(self.kept("math/math_matmul.cc").splitlines())
            if '"MatMul"' in line
        ]
        self.assertEqual(own, kept)

    def test_what_the_library_makes_itself_is_there(self):
        text = "".join(p.read_text() for p in (self.out / "kept").glob("*/*.cc"))
        for op in ("Const", "Placeholder", "Identity", "NoOp", "While", "VarHandleOp"):
            self.assertIn(f'{{.name = "{op}",', text)
        for op in ("StatefulPartitionedCall", "ReadVariableOp", "AssignVariableOp"):
            self.assertIn(f'{{.name = "{op}",', text)

    def test_libraries_that_nobody_calls_are_not_read(self):
        self.assertIn('"oneapi/dnnl/dnnl.hpp"', self.done.stdout)
        for header in ("jpeglib.h", "png.h", "re2/re2.h", "Eigen/Core"):
            self.assertNotIn(f'"{header}"', self.done.stdout)

    def test_hundreds_of_ops_have_what_they_call(self):
        ops = sorted(self.records.file_of)
        for half in (ops[::2], ops[1::2]):
            list_file = self.out / "half.txt"
            list_file.write_text("\n".join(half))
            done = choose(str(list_file), self.out / "half")
            self.assertEqual(done.returncode, 0, done.stderr)
            sources = re.search(r"RUNTIME_SOURCES(.*?)\)\n", done.stdout, re.S)[1]
            paths = [Path(p) for p in re.findall(r'"([^"]+)"', sources)]
            self.assertGreater(len(paths), 600)
            kept = self.out / "half/kept"
            chosen = {
                ROOT / "src/ops" / p.relative_to(kept) if p.is_relative_to(kept) else p
                for p in paths
            }
            missing = {h: f for h, f in lacking(chosen).items() if h[:4] != "api/"}
            # Of a gradient, which is left out.
            missing.pop("ops/random/random_gamma_grad.h", None)
            # Defined in the header; others are called so, too.
            self.assertEqual(missing.pop("base/event_log.h", {"End"}), {"End"})
            self.assertEqual(missing, {})

    def compiled(self, name):
        """What a compiler says of a program that includes the header."""
        compiler = shutil.which("c++") or shutil.which("g++")
        if compiler is None:
            self.skipTest("there is no compiler")
        return subprocess.run(
            [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++",
             f"-I{self.out}/runtime_include", "-"],
            input=f"#include <graphkiln/{name}>\n",
            capture_output=True,
            text=True,
        )  # fmt: skip

    def test_headers_declare_what_is_there(self):
        for name in ("saved_model.h", "tensor.h", "variable.h"):
            done = self.compiled(name)
            self.assertEqual(done.returncode, 0, done.stderr)
        folder = self.out / "runtime_include/graphkiln"
        self.assertIn(
            "#ifndef GRAPHKILN_RUNTIME_ONLY", (folder / "export.h").read_text()
        )
        # They include no header that stands for an error.
        lacking = {p.name for p in folder.glob("*.h") if "#error" in p.read_text()}
        lacking.discard("export.h")
        for path in folder.glob("*.h"):
            if path.name in lacking:
                continue
            text = runtime_sources.WHOLE_ONLY.sub("", path.read_text())
            for included in re.findall(r"#include <graphkiln/(\w+\.h)>", text):
                self.assertNotIn(included, lacking, path)

    def test_other_headers_say_that_it_is_the_small_library(self):
        for name in ("function.h", "module.h", "dataset.h", "graphkiln.h", "ops.h"):
            done = self.compiled(name)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"<graphkiln/{name}>: this is the small library", done.stderr)
            self.assertIn("link the whole one", done.stderr)
            self.assertLess(done.stderr.count("error:"), 3)

    def test_names_that_are_no_ops(self):
        done = choose("Relu;MatMull;Nonsense", self.out / "wrong")
        self.assertEqual(done.returncode, 1)
        self.assertIn(
            "GK_OPS: there is no op MatMull; do you mean MatMul?", done.stderr
        )
        self.assertIn("GK_OPS: there is no op Nonsense\n", done.stderr)
        file = self.out / "typed.txt"
        file.write_text("Relu\n\nSoftmx\n")
        self.assertIn(
            f"{file}:3: there is no op Softmx", choose(str(file), self.out).stderr
        )
        self.assertIn("no file", choose("lists/ops.txt", self.out).stderr)
        self.assertIn("names no op", choose("", self.out).stderr)


if __name__ == "__main__":
    unittest.main()
