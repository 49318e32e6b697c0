"""Tests of check_headers: each tree below is written out and judged."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).with_name("check_headers")


def judge(files: dict[str, str]) -> tuple[int, str]:
    """Exit status and output of check_headers on a tree of these files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            [sys.executable, str(TOOL), root], capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr


def bare(text: str) -> list[int]:
    """The lines of a public header that lack a comment."""
    name = "include/graphkiln/x.h"
    _, output = judge({name: f"namespace gk {{\n{text}\n}}\n"})
    return [
        int(line.split(":")[1]) - 1
        for line in output.splitlines() if line.startswith(name)
    ]


class CommentsTest(unittest.TestCase):
    def test_what_needs_a_comment(self) -> None:
        for text in (
            "void f();",
            "void f() { g(); }",
            "template <class T>\n  requires(!kIsOptions<T>)\nint f(T x = {});",
            "class A { int x; };",
            "struct A final : B {\n};",
            "enum class E { kOne };",
            "enum class E : int { kOne };\nvoid f();",
            "using F = std::function<void()>;",
            "std::ostream& operator<<(std::ostream& out, const A& a);",
            "inline namespace b {\nint f();\n}",
        ):
            with self.subTest(text=text):
                self.assertTrue(bare(text))

    def test_what_needs_none(self) -> None:
        for text in (
            "// Says.\nvoid f();",
            "void f();  // Says.",
            "void f(int x,  // Says.\n       int y);",
            "// Both.\nvoid f();\nvoid f(int x) { g({1}); }\nvoid g();",
            "// Says.\nclass A {\n  A();\n  void f();\n};",
            "class A;",
            "int x = 1;",
            "namespace detail {\nvoid f();\nclass A { void g(); };\n}",
            "// Says.\ntemplate <class T>\nclass A {\n public:\n  ~A();\n"
            "  A(const A&) = delete;\n  A& operator=(A&&) = default;\n"
            "  friend void f();\n  std::function<void(int)> member = {};\n"
            "  int size = f(1);\n protected:\n  void g();\n};",
            "void A::f() {}",
        ):
            with self.subTest(text=text):
                self.assertEqual(bare(text), [])

    def test_an_empty_line_ends_what_a_comment_goes_for(self) -> None:
        self.assertEqual(bare("// Says.\nvoid f();\n\nvoid g();\nvoid h();"), [4, 5])

    def test_a_class_has_its_own(self) -> None:
        self.assertEqual(bare("// Says.\nstruct A {};\nstruct B {};"), [3])

    def test_public_members(self) -> None:
        text = (
            "// Says.\nclass A {\n  void none();\n public:\n  void f();\n  // g.\n"
            "  void g() { if (x) { y(); } }\n\n  struct B {\n    void h();\n  };\n"
            "  int size() const;\n private:\n  void none2();\n};"
        )
        self.assertEqual(bare(text), [5, 9, 10, 12])

    def test_after_a_function_with_a_body(self) -> None:
        text = "// Says.\nint f() {\n  // Inside.\n  return 1;\n}\n\nint g();"
        self.assertEqual(bare(text), [7])


class ColumnsTest(unittest.TestCase):
    def test_lines(self) -> None:
        long = "int x;  // " + "x" * 80
        status, output = judge({
            "src/base/a.cc": f"int y;\n{long}\n",
            "tests/b.h": "// " + "é" * 77 + "\n",
            "python/src/c.cc": 'auto s = R"(' + "x" * 80 + ')";\n',
            "src/base/d.inc": long,
        })
        self.assertEqual((status, output), (1, "src/base/a.cc:2: 91 characters\n"))


if __name__ == "__main__":
    unittest.main()
