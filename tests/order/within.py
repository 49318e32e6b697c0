"""A pytest plugin: as many tests as fit into a time, some of every file first.

    PYTHONPATH=tests/order pytest -p within --seconds 600 [--first K] FOLDER

The tests are asked in PARTS parts, each with every file's share and in the files'
order. --first says which part is asked first: runs that count it up ask all in the
end. A test whose turn comes after the time is skipped, and says so.
"""

from __future__ import annotations

import os
import time
import zlib

import pytest

PARTS = 5
# The processes that ask share the end.
_UNTIL = "GK_TESTS_UNTIL"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("within")
    group.addoption("--seconds", type=float, help="how long tests may begin")
    group.addoption("--first", type=int, default=0, help="which part is first")


def pytest_configure(config: pytest.Config) -> None:
    seconds = config.getoption("--seconds")
    if seconds is not None and not hasattr(config, "workerinput"):
        os.environ[_UNTIL] = str(time.time() + seconds)


def part_of(name: str, first: int) -> int:
    """When the test of that name is asked: 0 to PARTS - 1."""
    return (zlib.crc32(name.encode()) - first) % PARTS


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    if config.getoption("--seconds") is not None:
        first = config.getoption("--first")
        items.sort(key=lambda item: part_of(item.nodeid, first))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    until = os.environ.get(_UNTIL)
    if until is not None and time.time() > float(until):
        pytest.skip("no time was left for it")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    late = sum("no time was left" in str(report.longrepr) for report in skipped)
    if late:
        terminalreporter.write_line(f"{late} tests not asked: no time was left")
