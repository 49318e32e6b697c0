"""A pytest plugin: a part of the tests, some of every file, for as long as there is time.

    PYTHONPATH=tests/order pytest -p parts --part 2 --parts 5 [--seconds 600] FOLDER

A process that has asked TensorFlow many thousands of questions asks several times
slower than a new one: `scripts/test` asks in parts. A test whose turn comes after the
time is skipped, and says so.
"""

from __future__ import annotations

import os
import time
import zlib

import pytest

# The processes that ask share the end.
_UNTIL = "GK_TESTS_UNTIL"
_LATE = "no time was left for it"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("parts")
    group.addoption("--part", type=int, default=0, help="which part is asked")
    group.addoption("--parts", type=int, default=1, help="of how many")
    group.addoption("--seconds", type=float, help="how long tests may begin")


def pytest_configure(config: pytest.Config) -> None:
    seconds = config.getoption("--seconds")
    if seconds is not None and not hasattr(config, "workerinput"):
        os.environ[_UNTIL] = str(time.time() + seconds)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    part, parts = config.getoption("--part"), config.getoption("--parts")
    chosen, others = [], []
    for item in items:
        is_chosen = zlib.crc32(item.nodeid.encode()) % parts == part
        (chosen if is_chosen else others).append(item)
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = chosen


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    until = os.environ.get(_UNTIL)
    if until is not None and time.time() > float(until):
        pytest.skip(_LATE)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    late = sum(_LATE in str(report.longrepr) for report in skipped)
    if late:
        terminalreporter.write_line(f"{late} tests not asked: no time was left")
