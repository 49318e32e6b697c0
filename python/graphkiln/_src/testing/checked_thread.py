"""Threads of tests."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Callable
from typing import Any


class CheckedThread:
    """A thread whose error is the test's, and which must be joined."""

    def __init__(
        self,
        testcase: unittest.TestCase,
        target: Callable,
        args: tuple | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        self._testcase = testcase
        self._call = lambda: target(*(args or ()), **(kwargs or {}))
        self._thread = threading.Thread(target=self._run)
        self._error: Exception | None = None
        self._joined = False

    def _run(self) -> None:
        try:
            self._call()
        except Exception as e:
            self._error = e

    def start(self) -> None:
        """Starts it, once."""
        self._thread.start()

    def join(self) -> None:
        """Waits for its end; fails the test if it raised."""
        self._joined = True
        self._thread.join()
        if self._error is not None:
            self._testcase.fail(f"Error in checkedThread: {self._error}")

    def is_alive(self) -> bool:
        """Does it run?"""
        return self._thread.is_alive()

    def check_termination(self) -> None:
        """Fails the test unless it was joined."""
        if not self._joined:
            self._testcase.fail("A checked thread was not joined.")
        if self.is_alive():
            raise RuntimeError(
                "Thread was not joined with main thread, and is still running "
                "when the test finished."
            )
