#!/usr/bin/env python3
"""Programs that must not compile, and what the compiler says of them.

usage: compile_errors.py COMPILER INCLUDE_FOLDER...
"""

import subprocess
import sys
import tempfile
from pathlib import Path

# Name, standard, body of main, what is said, in at most so many lines.
CASES = [
    ("an older standard", "c++17", "gk::Tensor x = 1;", "graphkiln needs C++20", 20),
    ("too few arguments", "c++20",
     "gk::function([](gk::Tensor x, int n) { return x * n; })(gk::Tensor(1));",
     "the lambda of this gk::function cannot be called with these", 12),
    ("too many arguments", "c++20",
     "gk::function([](gk::Tensor x) { return x; })(gk::Tensor(1), 2, 3);",
     "the lambda of this gk::function cannot be called with these", 12),
    ("an argument of another type", "c++20",
     "gk::function([](int n) { return gk::Tensor(n); })(\"text\");",
     "the lambda of this gk::function cannot be called with these", 12),
    ("a concrete function", "c++20",
     "gk::function([](gk::Tensor x) { return x; }).get_concrete_function();",
     "the lambda of this gk::function cannot be called with these", 12),
    ("an op without its arguments", "c++20", "gk::matmul(gk::Tensor(1));",
     "too few arguments", 10),
]


def main() -> None:
    compiler, folders = sys.argv[1], sys.argv[2:]
    includes = [f"-I{folder}" for folder in folders]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.cc"
        for name, standard, body, said, most in CASES:
            source.write_text(
                f"#include <graphkiln/graphkiln.h>\nint main() {{\n  {body}\n}}\n")
            done = subprocess.run(
                [compiler, f"-std={standard}", "-fsyntax-only", *includes, str(source)],
                capture_output=True, text=True)
            lines = done.stderr.count("\n")
            good = done.returncode != 0 and said in done.stderr and lines <= most
            failed += not good
            print(f"{'ok' if good else 'FAILED'}: {name}, {lines} lines")
            if not good:
                print(done.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
