"""Runs a program with graphkiln in TensorFlow's place.

usage: python -m graphkiln PROGRAM.py [ARGUMENT...]
       python -m graphkiln -m MODULE [ARGUMENT...]
       python -m graphkiln -c CODE [ARGUMENT...]

`import tensorflow` then gives graphkiln (see graphkiln.as_tensorflow); all else
is as if Python had been started with these arguments.
"""

import os
import runpy
import sys
import types

from graphkiln._src.host import tensorflow_alias


def _main_module(code: types.CodeType, file: str | None) -> None:
    """Runs code as the module __main__, which stays that until Python ends: what
    runs at exit, and pickles, look there."""
    module = types.ModuleType("__main__")
    if file is not None:
        module.__file__ = file
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def _run(arguments: list[str]) -> None:
    what = arguments[0]
    if what in ("-m", "-c"):
        if len(arguments) < 2:
            sys.exit(f"Argument expected for the {what} option\n{__doc__}")
        sys.argv = [what, *arguments[2:]]
        if what == "-c":
            sys.path[0] = ""
            _main_module(compile(arguments[1], "<string>", "exec"), None)
        else:
            # The first entry of sys.path is the current folder already.
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = arguments
    if os.path.isdir(what) or not os.path.isfile(what) or what.endswith(".pyz"):
        runpy.run_path(what, run_name="__main__")
        return
    sys.path[0] = os.path.dirname(os.path.abspath(what))
    with open(what, "rb") as file:
        _main_module(compile(file.read(), what, "exec"), what)


def _main() -> None:
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        sys.exit(0 if arguments else 2)
    if arguments[0].startswith("-") and arguments[0] not in ("-m", "-c"):
        sys.exit(f"unknown option {arguments[0]}\n{__doc__}")
    tensorflow_alias.as_tensorflow()
    _run(arguments)


if __name__ == "__main__":
    _main()
