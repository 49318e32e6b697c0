"""A pytest plugin: which of Keras' own tests run, and how each ended.

usage: pytest -p outcomes --outcomes FILE [--third] ...

FILE gets a line of JSON for each test: its name, its outcome, its seconds, and
the last line of its error. With `--third` only the tests run whose name hashes
to a fixed third.
"""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest


def in_third(name: str) -> bool:
    """Whether a test is of the third that runs in CI: the same everywhere."""
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("outcomes")
    group.addoption("--outcomes", metavar="FILE", help="where outcomes go")
    group.addoption("--third", action="store_true", help="a fixed third only")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "requires_trainable_backend: TensorFlow's backend is one"
    )
    # Workers of xdist report to the process that started them.
    if config.getoption("outcomes") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Writer(Path(config.getoption("outcomes"))))


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Names that are the same in each process: no addresses in them."""

    def plain(given: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda value: (
            re.sub(r" ?at ?0x[0-9a-f]+", "", name)
            if isinstance(name := given(value), str)
            else name
        )

    for mark in metafunc.definition.iter_markers("parametrize"):
        if callable(mark.kwargs.get("ids")):
            mark.kwargs["ids"] = plain(mark.kwargs["ids"])


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if not config.getoption("third"):
        return
    wanted = [item for item in items if in_third(item.nodeid)]
    chosen = set(wanted)
    config.hook.pytest_deselected(items=[i for i in items if i not in chosen])
    items[:] = wanted


class _Writer:
    """Writes a line when a test's last phase ended."""

    def __init__(self, file: Path) -> None:
        self._file: TextIO = file.open("w")
        self._outcomes: dict[str, tuple[str, str]] = {}
        self._seconds: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid
        self._seconds[name] = self._seconds.get(name, 0.0) + report.duration
        # A failure of any phase stands; a skip stands over a pass.
        if report.failed and name not in self._outcomes:
            self._outcomes[name] = "failed", _last_line(report)
        elif report.skipped and name not in self._outcomes:
            self._outcomes[name] = "skipped", _last_line(report)
        # A crashed worker has no teardown to report.
        if report.when == "teardown" or report.when == "???":
            self._write(name)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if not report.passed:
            self._outcomes[report.nodeid] = report.outcome, _last_line(report)
            self._seconds[report.nodeid] = 0.0
            self._write(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        for name in list(self._outcomes):
            self._write(name)
        self._file.close()

    def _write(self, name: str) -> None:
        outcome, error = self._outcomes.pop(name, ("passed", ""))
        seconds = round(self._seconds.pop(name, 0.0), 3)
        line = {"test": name, "outcome": outcome, "seconds": seconds, "error": error}
        print(json.dumps(line), file=self._file, flush=True)


def _last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longreprtext.strip()
    if isinstance(report.longrepr, tuple):
        text = str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        text = str(crash.message)
    return text.replace("\n", " ")[:400]
