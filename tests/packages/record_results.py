"""A plugin of pytest: writes how each test ended, at once, to the file that
PACKAGE_RESULTS names, so that nothing is lost where the process dies; leaves out
what the file tells of already; and ends a test that takes too long."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

_FILE = Path(os.environ["PACKAGE_RESULTS"])
_SECONDS = int(os.environ.get("PACKAGE_TEST_SECONDS", "180"))


class TookTooLong(BaseException):
    """Not an Exception: tests catch those."""


def _fixture(name: str, value: str) -> object:
    return pytest.fixture(name=name)(lambda: value)


for _name, _value in json.loads(os.environ.get("PACKAGE_FIXTURES", "{}")).items():
    globals()[f"fixture_{_name}"] = _fixture(_name, _value)


def _write(name: str, outcome: str, why: str = "") -> None:
    with _FILE.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"test": name, "outcome": outcome, "why": why}) + "\n")


def _known() -> set[str]:
    if not _FILE.exists():
        return set()
    lines = _FILE.read_text(encoding="utf-8").splitlines()
    return {json.loads(line)["test"] for line in lines}


def pytest_collection_modifyitems(config, items):
    known = _known()
    later = json.loads(os.environ.get("PACKAGE_LATER", "[]"))
    left = [
        item
        for item in items
        if item.nodeid not in known and not any(part in item.nodeid for part in later)
    ]
    for item in items:
        if item.nodeid not in known and item not in left:
            _write(item.nodeid, "later")
    items[:] = left


def _alarm(signum, frame):
    raise TookTooLong(f"took more than {_SECONDS} seconds")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item, nextitem):
    _write(item.nodeid, "started")
    signal.signal(signal.SIGALRM, _alarm)
    signal.alarm(_SECONDS)
    yield
    signal.alarm(0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.failed:
        error = call.excinfo
        why = f"{error.typename}: {error.value}" if error else str(report.longrepr)
        _write(item.nodeid, "failed", why[:2000])
    elif report.skipped:
        _write(item.nodeid, "skipped", str(report.longrepr)[:200])
    elif report.when == "call":
        _write(item.nodeid, "passed")


def pytest_collectreport(report):
    if report.failed:
        _write(f"{report.nodeid} (import)", "failed", str(report.longrepr)[-2000:])
