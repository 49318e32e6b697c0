"""tf.test.main."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import unittest
from collections.abc import Sequence

from graphkiln._src.testing.benchmark import run_benchmarks


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the tests of the program, and exits.

    Args:
      argv: the program's arguments, sys.argv unless given. With
        --benchmark_filter=REGEX benchmarks run, no tests.

    A file of tests ends so:

        if __name__ == "__main__":
            tf.test.main()
    """
    arguments = list(sys.argv if argv is None else argv)
    filters = [
        a for a in arguments
        if a.lstrip("-").startswith("benchmark_filter=") and a.startswith("-")
    ]
    if filters:
        run_benchmarks(filters[0].partition("=")[2])
        return
    if importlib.util.find_spec("absl") is None:
        unittest.main(module="__main__", argv=arguments)
        return
    absltest = importlib.import_module("absl.testing.absltest")
    absltest.main(argv=arguments)
