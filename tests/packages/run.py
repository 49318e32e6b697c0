#!/usr/bin/env python3
"""Runs the tests of packages that build on TensorFlow: on TensorFlow, and on
graphkiln under its name.

usage: tests/packages/run.py [--tensorflow PYTHON] [--graphkiln PYTHON]
           [--package-path FOLDER] [--work FOLDER] [--again] [--page-only] [NAME...]
  --tensorflow    a Python that has TensorFlow (default .venv-oracle/bin/python)
  --graphkiln     a Python that has not, with pytest and NumPy
                  (default .venv/bin/python)
  --package-path  where graphkiln is found, if that Python has none
  --work          where packages are installed and results kept
                  (default build/packages)
  --again         forgets what was run on graphkiln; --again-both on TensorFlow
                  as well
  --page-only     runs nothing

Each package is installed into a folder of its own by pip, without TensorFlow. Tests
are compared one by one; what was found is kept in tests/packages/results, of which
docs/reference/packages.md is written. Exit status 1 if a package is below 95 % of what passes on
TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from page import Result, write_page  # noqa: E402
from table import PACKAGES, Package  # noqa: E402

RESULTS = HERE / "results"
PAGE = ROOT / "docs" / "reference" / "packages.md"
GOAL = 0.95
# A process that dies is started again without the test that it died in.
_MAX_DEATHS = 20


def download_repository(package: Package, folder: Path) -> None:
    """Unless its archive is there."""
    place, commit = package.repository.split("@")
    archive = folder / f"{commit}.tar.gz"
    if not archive.exists():
        folder.mkdir(parents=True, exist_ok=True)
        address = f"https://github.com/{place}/archive/{commit}.tar.gz"
        urllib.request.urlretrieve(address, archive)


def _wanted_files(package: Package, file: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """Of a repository whose package comes from PyPI the tests alone, so that no
    other is imported."""
    members = file.getmembers()
    if package.code or not package.repository:
        return members
    tops = {tests.split("/")[0] for tests in package.tests}
    return [m for m in members if tops.intersection(m.name.split("/")[1:2])]


def install(package: Package, python: str, folder: Path) -> Path:
    """The folder below which the tests are."""
    site = folder / "site"
    wanted = list(package.needs)
    if not package.code:
        wanted.insert(0, f"{package.name}=={package.version}")
    stamp = folder / "installed.json"
    if not stamp.exists() or json.loads(stamp.read_text()) != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "-q"]
        subprocess.run(
            [*pip, "install", "--no-deps", "--upgrade", "--target", site, *wanted],
            check=True,
        )
        if package.repository:
            download_repository(package, folder / "sdist")
        if package.from_sdist:
            subprocess.run(
                [
                    *pip, "download", "--no-deps", "--no-binary", package.name,
                    "--dest", folder / "sdist", wanted[0],
                ],
                check=True,
            )
        if package.needs_on_tensorflow:
            subprocess.run(
                [
                    *pip, "install", "--no-deps", "--upgrade", "--target",
                    folder / "tensorflow_site", *package.needs_on_tensorflow,
                ],
                check=True,
            )
        stamp.write_text(json.dumps(wanted))
    if package.own:
        shutil.copytree(HERE / package.own, folder / "own", dirs_exist_ok=True)
        return folder / "own"
    if not package.from_sdist and not package.repository:
        return site
    (archive,) = (folder / "sdist").glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(folder / "source", _wanted_files(package, file), filter="data")
    (source,) = (folder / "source").iterdir()
    return source


def read_results(file: Path) -> dict[str, dict[str, str]]:
    """The last word about each test."""
    found: dict[str, dict[str, str]] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            before = found.get(entry["test"], {})
            # What failed in one phase stays failed.
            if before.get("outcome") not in ("failed", "skipped"):
                found[entry["test"]] = entry
    return found


def run_tests(
    package: Package, start: list[str], paths: list[Path], file: Path, source: Path
) -> dict[str, dict[str, str]]:
    command = [
        *start, "-m", "pytest", "-q", "-p", "record_results", "-p",
        "no:cacheprovider", "-p", "no:hypothesispytest", "--rootdir", str(source),
        "-o", "python_files=test_*.py *_test.py", "-o", "addopts=",
        "-o", "filterwarnings=", "-W", "ignore",
        "--continue-on-collection-errors", *package.options,
    ]
    if package.code:
        paths = [source / package.code, *paths]
    if package.select:
        command += ["-k", package.select]
    command += [str(source / tests) for tests in package.tests]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, [*paths, HERE])),
        "PYTHONDONTWRITEBYTECODE": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PACKAGE_RESULTS": str(file),
        "PACKAGE_VALUES": str(file.parent / "values"),
        "PACKAGE_LATER": json.dumps(list(package.later)),
        "PACKAGE_FIXTURES": json.dumps(package.fixtures),
        **package.environment,
    }
    with file.with_suffix(".log").open("w") as log:
        for _ in range(_MAX_DEATHS):
            status = subprocess.run(
                command, env=environment, cwd=source, stdout=log, stderr=log
            ).returncode
            if status >= 0 and status < 128:
                break
            with file.open("a", encoding="utf-8") as results:
                for test, entry in read_results(file).items():
                    if entry["outcome"] == "started":
                        entry = {
                            "test": test,
                            "outcome": "failed",
                            "why": f"the process died, status {status}",
                        }
                        results.write(json.dumps(entry) + "\n")
    return read_results(file)


def run_package(package: Package, options: argparse.Namespace) -> Result:
    folder = options.work / package.name
    source = install(package, options.graphkiln, folder)
    site = folder / "site"
    theirs, ours = folder / "tensorflow.jsonl", folder / "graphkiln.jsonl"
    if options.again or options.again_both:
        ours.unlink(missing_ok=True)
    if options.again_both:
        theirs.unlink(missing_ok=True)
    if not theirs.exists():
        paths = [folder / "tensorflow_site", site]
        run_tests(package, [options.tensorflow], paths, theirs, source)
    path = [site, options.package_path] if options.package_path else [site]
    if not ours.exists():
        start = [options.graphkiln, "-m", "graphkiln"]
        run_tests(package, start, path, ours, source)
    return Result(package, read_results(theirs), read_results(ours))


def main() -> int:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument(
        "--tensorflow", default=str(ROOT / ".venv-oracle" / "bin" / "python")
    )
    parser.add_argument(
        "--graphkiln", default=str(ROOT / ".venv" / "bin" / "python")
    )
    parser.add_argument("--package-path", type=Path)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "packages")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--again-both", action="store_true")
    parser.add_argument("--page-only", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.help:
        print(__doc__.strip())
        return 0
    options.work = options.work.absolute()
    for name in ("tensorflow", "graphkiln"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    if options.package_path:
        options.package_path = options.package_path.absolute()
    known = [package.name for package in PACKAGES]
    unknown = set(options.names).difference(known)
    if unknown:
        sys.exit(f"no package {', '.join(sorted(unknown))}; there are {known}")
    low = 0
    for package in PACKAGES:
        if not options.page_only and package.name in (options.names or known):
            result = run_package(package, options)
            low += result.share < GOAL
            print(result.line(), flush=True)
            for test, why in result.failing:
                print(f"    {test}: {why}", flush=True)
            text = json.dumps(result.as_json(), indent=1) + "\n"
            (RESULTS / f"{package.name}.json").write_text(text, encoding="utf-8")
    write_page(PACKAGES, RESULTS, PAGE)
    return int(low > 0)


if __name__ == "__main__":
    sys.exit(main())
