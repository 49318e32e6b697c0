"""Tests of check_layers: each tree below is written out and judged."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).with_name("check_layers")


def judge(files: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of check_layers on a tree of these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            [sys.executable, str(TOOL), root], capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr


class LocalNamesTest(unittest.TestCase):
    ONE = "namespace gk {\nnamespace {\n%s\n}  // namespace\n}  // namespace gk\n"

    def both(self, one: str, two: str, folder: str = "graph") -> tuple[int, str]:
        return judge({
            f"src/{folder}/a.cc": self.ONE % one,
            f"src/{folder}/b.cc": self.ONE % two,
        })

    def test_names_twice(self) -> None:
        for one, two in [
            ("int Half(int x) { return x / 2; }", "int Half(int y) { return y; }"),
            ("constexpr int kSize = 1;", "const char* const kSize = f({1});"),
            ("struct Row { int at; };", "class Row final : Base {};"),
            ("std::map<int, int> rows;", "int rows[2] = {1, 2};"),
            ("using Row = int;", "using Row = long;"),
            ("bool F(nb::handle x) { return 1; }", "bool F(Handle y) { return 1; }"),
        ]:
            status, output = self.both(one, two)
            self.assertEqual(status, 1, (one, two))
            self.assertIn("src/graph/b.cc:3: gk::", output)
            self.assertIn("src/graph/a.cc:3", output)
            # Kernels are compiled one by one, and so are ops with loops.
            self.assertEqual(self.both(one, two, "kernels")[0], 0)
            self.assertEqual(self.both(one, two, "ops/array")[0], 0)
            self.assertEqual(self.both(one, two, "ops/string")[0], 1)

    def test_macros_twice(self) -> None:
        for two in ['#define DOC \\\n  "b"', "#define DOC(x) x"]:
            status, output = self.both('#define DOC "a"', two)
            self.assertEqual(status, 1, two)
            self.assertIn("src/graph/b.cc:3: #define DOC", output)
            self.assertEqual(self.both('#define DOC "a"', two, "kernels")[0], 0)

    def test_what_does_not_clash(self) -> None:
        for one, two in [
            ("int Half(int x) { return x; }", "int Half(float x) { return x; }"),
            ("using Row = int;", "using Row = int;"),
            ('#define DOC "a"', '#define DOC \\\n  "a"'),
            ("#define N 1\n#undef N", "#define N 2"),
            ("int F() { int x = 1; return x; }", "int G() { int x = 1; return x; }"),
            ("constexpr long kA = long{1} << 2;", "constexpr long kB = long{1} << 2;"),
            ("const OpRecord kRecords[] = {{}};", "const OpRecord kRecords[] = {};"),
            ("// int x;", 'const char* y = "int x; {";\nconst int x = 1;'),
        ]:
            status, output = self.both(one, two)
            self.assertEqual(status, 0, output)


class ApiOpsTest(unittest.TestCase):
    def test_two_functions_of_one_name(self) -> None:
        status, output = judge({"src/api/a.cc": "f(ops::Add(x, y));\n"})
        self.assertEqual(status, 1, output)
        self.assertIn("ops::Add is one of two functions", output)
        for line in ("f(::gk::ops::Add(x, y));\n", "// ops::Add\n"):
            self.assertEqual(judge({"src/api/a.cc": line})[0], 0, line)


class HooksTest(unittest.TestCase):
    def test_functions_that_are_given_functions(self) -> None:
        alias = "using PrintSink = Status (*)(std::string_view text);\n"
        for line in [
            "void SetPrintSink(PrintSink sink);",
            "void SetFacts(const HandleFacts* facts);",
            "void SetPrinter(std::function<void(int)> printer);",
            "class Runner {\n  static void Set(Runner* runner);\n};",
            "void SetPrintSink(\n    gk::PrintSink sink);",
        ]:
            status, output = judge({"src/graph/a.h": alias + line + "\n"})
            self.assertEqual(status, 1, (line, output))
            self.assertIn("is a hook beside", output)

    def test_what_is_no_hook(self) -> None:
        for line in [
            "void SetChecks(bool on);",
            "void SetOrigin(ErrorOrigin origin);",
            "void SetGradient(const std::string& name, Gradient* gradient);",
            "class Runner {\n  void Set(Runner* runner);\n};",
        ]:
            status, output = judge({"src/graph/a.h": line + "\n"})
            self.assertEqual(status, 0, output)
        known = "class X {\n  static void SetEager(OpBuilder* eager);\n};\n"
        self.assertEqual(judge({"src/framework/op_builder.h": known})[0], 0)


class CppTest(unittest.TestCase):
    def rejects(self, name: str, line: str, *words: str) -> None:
        status, output = judge({name: "// one\n" + line + "\n"})
        self.assertEqual(status, 1, output)
        self.assertTrue(output.startswith(f"{name}:2: "), output)
        for word in words:
            self.assertIn(word, output)

    def accepts(self, name: str, line: str) -> None:
        status, output = judge({name: line + "\n"})
        self.assertEqual((status, output.count("\n")), (0, 1), output)

    def test_down_is_fine(self) -> None:
        self.accepts("src/graph/a.cc", '#include "framework/tensor.h"')
        self.accepts("src/kernels/a.cc", '#include "base/status.h"')
        self.accepts("src/function/a.cc", '#include "grappler/pass.h"')
        self.accepts("src/runtime/a.cc", '#include "grappler/pass.h"')
        self.accepts("src/base/a.cc", "#include <string>")
        self.accepts("python/src/nest/a.cc", '#include "function/cache.h"')
        self.accepts("python/src/nest/a.cc", '#include "python/src/nest/a.h"')
        self.rejects("src/function/a.cc", '#include "python/src/nest/a.h"')
        self.accepts("src/api/a.cc", '#include "graphkiln/tensor.h"')

    def test_up_is_an_error(self) -> None:
        self.rejects(
            "src/kernels/a.cc",
            '#include "framework/tensor.h"',
            "kernels may not include",
            "may include base",
        )
        self.rejects("src/base/deep/a.h", '#  include "ops/ops.h"', "base")
        self.rejects("src/ops/a.h", '#include "grappler/pass.h"', "ops")
        self.rejects("src/graph/a.cc", '#include "graphkiln/tensor.h"')

    def test_same_rank_is_an_error(self) -> None:
        self.rejects("src/runtime/a.cc", '#include "codegen/emit.h"')
        self.rejects("src/grappler/a.cc", '#include "runtime/plan.h"')
        self.rejects("src/proto/a.cc", '#include "kernels/isa.h"')

    def test_public_headers_stand_alone(self) -> None:
        name = "include/graphkiln/a.h"
        self.accepts(name, "#include <graphkiln/tensor.h>")
        self.accepts(name, '#include "graphkiln/tensor.h"')
        self.rejects(name, '#include "base/status.h"', "public headers")

    def test_unknown_layer(self) -> None:
        status, output = judge({"src/misc/a.cc": ""})
        self.assertEqual(status, 1)
        self.assertIn("misc is not a layer", output)


class CycleTest(unittest.TestCase):
    def test_pairs_in_a_circle(self) -> None:
        status, output = judge(
            {
                "src/base/a.h": "",
                "src/base/a.cc": '#include "base/a.h"\n#include "base/b.h"\n',
                "src/base/b.h": '#include "base/c.h"\n',
                "src/base/c.h": "",
                "src/base/c.cc": '#include "base/a.h"\n',
            }
        )
        self.assertEqual(status, 1, output)
        self.assertIn(
            "src/base/a.cc:2: include closes the cycle src/base/a -> "
            "src/base/b -> src/base/c -> src/base/a;",
            output,
        )
        self.assertEqual(output.count("\n"), 3, output)

    def test_a_source_and_its_own_header_are_one(self) -> None:
        files = {
            "src/base/a.h": "",
            "src/base/a.cc": '#include "base/a.h"\n#include "base/b.h"\n',
            "src/base/b.h": "",
            "src/base/b.cc": '#include "base/b.h"\n',
            "src/base/b_test.cc": '#include "base/a.h"\n',
        }
        self.assertEqual(judge(files)[0], 0, judge(files)[1])


class PythonTest(unittest.TestCase):
    def test_clean_package(self) -> None:
        status, output = judge(
            {
                "python/graphkiln/__init__.py": "from . import nest, errors\n",
                "python/graphkiln/nest.py": "import sys\nimport numpy as np\n"
                "from graphkiln import _graphkiln\nfrom .errors import E\n",
                "python/graphkiln/errors.py": "from ._graphkiln import E\n",
            }
        )
        self.assertEqual(status, 0, output)

    def test_cycle_through_a_function(self) -> None:
        status, output = judge(
            {
                "python/graphkiln/a.py": "from . import b\n",
                "python/graphkiln/b.py": "def f():\n  import graphkiln.a\n",
            }
        )
        self.assertEqual(status, 1)
        self.assertIn("python/graphkiln/b.py:2: import closes", output)
        self.assertIn("graphkiln.a -> graphkiln.b -> graphkiln.a", output)

    def test_imports_inside_functions(self) -> None:
        status, output = judge(
            {
                "python/graphkiln/a.py": "import enum\n",
                "python/graphkiln/b.py": "def f():\n  from . import a\n",
                "python/graphkiln/c.py": "def f():\n  import numpy\n",
            }
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            output,
            "python/graphkiln/b.py:2: imports graphkiln inside a function; import "
            "it at the top, or move down what both need\n",
        )

    def test_loading_is_importing(self) -> None:
        loads = "from graphkiln import _loading\ndef f():\n  _loading.load(%r)\n"
        root = {
            "python/graphkiln/__init__.py": "",
            "python/graphkiln/_loading.py": "",
            "python/graphkiln/b.py": "from graphkiln import a\n",
            "python/graphkiln/c.py": "",
        }
        for name, words in [
            ("graphkiln.b", "cycle graphkiln.a -> graphkiln.b -> graphkiln.a"),
            ("graphkiln", "a.py:3: the package is not for its own modules"),
            ("graphkiln.d", "a.py:3: loads graphkiln.d, which is not there"),
        ]:
            status, output = judge({**root, "python/graphkiln/a.py": loads % name})
            self.assertEqual(status, 1)
            self.assertIn(words, output)
        status, output = judge(
            {**root, "python/graphkiln/a.py": loads % "graphkiln.c"}
        )
        self.assertEqual(status, 0, output)

    def test_submodule_importing_the_package_root(self) -> None:
        status, output = judge(
            {
                "python/graphkiln/__init__.py": "from .a import f\n",
                "python/graphkiln/a.py": "import graphkiln as tf\n",
            }
        )
        self.assertEqual(status, 1)
        self.assertIn("a.py:1: import closes", output)

    def test_the_package_is_not_for_its_own_modules(self) -> None:
        status, output = judge(
            {"python/graphkiln/a.py": "import graphkiln as tf\n"}
        )
        self.assertEqual(status, 1)
        self.assertIn("a.py:1: the package is not for its own", output)

    def test_type_checking_imports_are_free(self) -> None:
        status, output = judge(
            {
                "python/graphkiln/a.py": "from . import b\n",
                "python/graphkiln/b.py": "from typing import TYPE_CHECKING\n"
                "if TYPE_CHECKING:\n  from . import a\n",
            }
        )
        self.assertEqual(status, 0, output)

    def test_foreign_package(self) -> None:
        status, output = judge({"python/graphkiln/a.py": "import tensorflow\n"})
        self.assertEqual(status, 1)
        self.assertIn("a.py:1: tensorflow is neither", output)


RECORD = {
    "src/ops/math/math_a.cc": 'const OpRecord kRecords[] = {{.name = "Cube",\n'
}


class OpNamesTest(unittest.TestCase):
    def rejects(self, name: str, text: str) -> None:
        status, output = judge({**RECORD, name: text})
        self.assertEqual(status, 1, output)
        self.assertTrue(output.startswith(f"{name}:1: "), output)
        self.assertIn('"Cube" is the name of an op', output)

    def accepts(self, name: str, text: str) -> None:
        status, output = judge({**RECORD, name: text})
        self.assertEqual(status, 0, output)

    def test_comparisons_and_makers(self) -> None:
        self.rejects("src/runtime/a.cc", 'if (node.type() == "Cube") return;\n')
        self.rejects("src/function/a.cc", 'MakeOp1("Cube", {x});\n')
        self.rejects("python/src/a.cc", 'OpInfo::Find("Cube");\n')
        self.rejects("python/graphkiln/a.py", 'found = op.type == "Cube"\n')

    def test_records_tests_and_words(self) -> None:
        self.accepts("src/ops/math/math_b.cc", 'scope.emplace("Cube");\n')
        self.accepts("src/runtime/a_test.cc", 'b.Add("Cube", {x});\n')
        self.accepts("src/runtime/a_for_test.h", 'Add("Cube", {x});\n')
        self.accepts("src/runtime/a.cc", '// "Cube" for "f/Cube"\n')
        self.accepts("src/runtime/a.cc", 'Log("a Cube of ice");\n')
        self.accepts("python/graphkiln/a.py", '"""Op "Cube"."""\n# "Cube"\n')

    def test_made_by_name(self) -> None:
        for name in "src/ops/math/math_b.cc", "src/runtime/a_test.cc":
            for text in 'x;\nMakeOp1("Cube", {x});\n', 'x;\nMakeOp(\n  "Cube", in);\n':
                status, output = judge({**RECORD, name: text})
                self.assertEqual(status, 1, output)
                self.assertTrue(output.startswith(f"{name}:2: makes Cube by"), output)
        self.accepts("src/framework/a_test.cc", 'MakeOp1("Cube", {x});\n')
        self.accepts("src/runtime/a_test.cc", "MakeOp1(op, {x});\n")

    def test_namers_name_something(self) -> None:
        status, output = judge({**RECORD, "src/framework/gradient_sums.cc": "// none\n"})
        self.assertEqual(status, 1)
        self.assertIn("src/framework/gradient_sums.cc:1: names no op", output)

    def test_namers_name_what_they_may(self) -> None:
        self.rejects("src/framework/check_numerics.cc", 'Make("Cube");\n')

    def test_ops_of_version_1(self) -> None:
        lowered = {"src/graph/lowered_op.cc": '#include "graph/a.h"\n{"Enter"}\n'}
        status, output = judge({**lowered, "src/graph/a.cc": 'Is(i, "Enter");\n'})
        self.assertEqual(status, 1)
        self.assertIn('src/graph/a.cc:1: "Enter" is the name of an op; ask Low', output)
        self.assertNotIn("lowered_op.cc:", output)


class PatchTest(unittest.TestCase):
    def judge(self, text: str) -> str:
        return judge({
            "python/graphkiln/a.py": "from graphkiln._graphkiln import Graph\n",
            "python/graphkiln/b.py": text,
        })[1]

    def test_classes_of_the_extension_are_not_patched(self) -> None:
        for text in (
            "from graphkiln._graphkiln import Graph\nGraph.size = len\n",
            "from graphkiln.a import Graph as G\nG.size = len\n",
            "from graphkiln import _graphkiln\n_graphkiln.Graph.size = len\n",
            "from graphkiln import _graphkiln\nG = _graphkiln.Graph\n"
            "setattr(G, 'size', len)\n",
        ):
            self.assertIn("sets Graph.size", self.judge(text), text)

    def test_others_may_be(self) -> None:
        for text in (
            "from graphkiln._graphkiln import Graph\ng = Graph()\ng.size = 1\n",
            "class Graph:\n    pass\n\n\nGraph.size = len\n",
        ):
            self.assertNotIn("sets", self.judge(text), text)


class LookupTest(unittest.TestCase):
    def test_nothing_of_the_package_is_looked_up(self) -> None:
        for line in (
            'f = nb::module_::import_("graphkiln.nest").attr("flatten");',
            'Call(\n    "graphkiln._src.ops", "identity", x);',
            'static constinit ImportedOnce c("graphkiln._graphkiln", "Graph");',
        ):
            status, output = judge({"python/src/nest/a.cc": line + "\n"})
            self.assertEqual(status, 1, output)
            self.assertIn("looks a part of the package up", output)

    def test_homes_and_other_packages_are_fine(self) -> None:
        lines = (
            'AddClass(m, "Iterator", base, "graphkiln.data");\n'
            'nb::module_::import_("numpy");\n'
        )
        status, output = judge({"python/src/nest/a.cc": lines})
        self.assertEqual(status, 0, output)

    def judge_parts(self, module: str) -> tuple[int, str]:
        return judge({
            "python/src/binding/package_parts.h": '  PART(f, "graphkiln.a")\n',
            "python/graphkiln/a.py": module,
        })

    def test_modules_provide_what_is_asked_for(self) -> None:
        f = "def f():\n    pass\n"
        status, output = self.judge_parts(f + "_graphkiln.provide(f)\n")
        self.assertEqual(status, 0, output)
        for module, words in (
            (f, "f is either asked for"),
            (f + "_graphkiln.provide(f, g)\n", "g is either asked for"),
            ("_graphkiln.provide(f)\n" + f, "last line"),
        ):
            status, output = self.judge_parts(module)
            self.assertEqual(status, 1, output)
            self.assertIn(words, output)


class StaticsTest(unittest.TestCase):
    NAME = "python/src/nest/a.cc"

    def judge(self, line: str) -> int:
        status, output = judge({self.NAME: f"void F() {{\n  {line}\n}}\n"})
        self.assertEqual(output.startswith(f"{self.NAME}:2: Python may"), status == 1)
        return status

    def test_python_may_not_run_under_a_guard(self) -> None:
        for line in (
            'static PyObject* cls =\n      ImportAttribute("a", "b").Release();',
            'static auto* made = new Kept(PyList_New(0));',
            "static const nb::object& f = *new nb::object(RawOp(1));",
            "static nb::dict& classes = *new nb::dict();",
        ):
            self.assertEqual(self.judge(line), 1, line)

    def test_what_runs_no_python_is_fine(self) -> None:
        for line in (
            'static constinit ImportedOnce cls("a", "b");',
            'static PyObject* name = PyUnicode_InternFromString("a");',
            "static PyObject* first = nullptr;",
            "static auto* map = new std::map<const Node*, PyObject*>();",
            'static const char* names[] = {"a", nullptr};',
        ):
            self.assertEqual(self.judge(line), 0, line)


class LengthTest(unittest.TestCase):
    def test_600_lines_are_fine(self) -> None:
        status, output = judge({"src/base/a.cc": "// one\n" * 600})
        self.assertEqual(status, 0, output)

    def test_more_are_an_error_in_either_language(self) -> None:
        for name, line in (
            ("src/base/a_test.cc", "// one\n"),
            ("tests/programs/a.py", "# one\n"),
            ("tools/a", "#!/usr/bin/env bash\n"),
        ):
            status, output = judge({name: line * 601})
            self.assertEqual(status, 1, output)
            self.assertIn(f"{name}:601: a file of 601 lines", output)


if __name__ == "__main__":
    unittest.main()
