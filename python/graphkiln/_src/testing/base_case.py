"""The class below tf.test.TestCase: absl's where it is installed, as in
TensorFlow, or unittest's with the assertions of absl's that tests use most."""

from __future__ import annotations

import contextlib
import importlib.util
import unittest
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

_T = TypeVar("_T")


class PlainCase(unittest.TestCase):
    """unittest.TestCase with more assertions.

    >>> case = tf.test.TestCase()
    >>> case.assertLen([1, 2], 2)
    >>> case.assertBetween(3, 1, 5)
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)

    def enter_context(self, manager: contextlib.AbstractContextManager[_T]) -> _T:
        """Enters what is left when the test ends."""
        return self.enterContext(manager)

    def _say(self, text: str, msg: object) -> None:
        self.fail(f"{text} : {msg}" if msg else text)

    def assertEmpty(self, container: Collection, msg: object = None) -> None:
        """Fails unless there is nothing in the container."""
        if len(container):
            self._say(f"{container!r} has length of {len(container)}.", msg)

    def assertNotEmpty(self, container: Collection, msg: object = None) -> None:
        """Fails if there is nothing in the container."""
        if not len(container):
            self._say(f"{container!r} has length of 0.", msg)

    def assertLen(
        self, container: Collection, expected_len: int, msg: object = None
    ) -> None:
        """Fails unless the container has that length."""
        if len(container) != expected_len:
            self._say(
                f"{container!r} has length of {len(container)}, expected "
                f"{expected_len}.", msg,
            )

    def assertBetween(
        self, value: Any, minv: Any, maxv: Any, msg: object = None
    ) -> None:
        """Fails unless minv <= value <= maxv."""
        if not minv <= value <= maxv:
            self._say(f'"{value!r}" unexpectedly not between "{minv!r}" and '
                      f'"{maxv!r}"', msg)

    def assertEndsWith(self, actual: str, expected_end: str, msg: object = None) -> None:
        """Fails unless the text ends so."""
        if not actual.endswith(expected_end):
            self._say(f"{actual!r} does not end with {expected_end!r}", msg)

    def assertNotStartsWith(
        self, actual: str, unexpected_start: str, msg: object = None
    ) -> None:
        """Fails if the text starts so."""
        if actual.startswith(unexpected_start):
            self._say(f"{actual!r} does start with {unexpected_start!r}", msg)

    def assertNotEndsWith(
        self, actual: str, unexpected_end: str, msg: object = None
    ) -> None:
        """Fails if the text ends so."""
        if actual.endswith(unexpected_end):
            self._say(f"{actual!r} does end with {unexpected_end!r}", msg)

    def assertSequenceStartsWith(
        self, prefix: Sequence, whole: Sequence, msg: object = None
    ) -> None:
        """Fails unless the sequence starts with these."""
        if not len(prefix):
            self._say("prefix is empty, so there is nothing to compare", msg)
        self.assertSequenceEqual(
            list(prefix), list(whole)[: len(prefix)], msg=msg
        )

    def assertContainsSubset(
        self, expected_subset: Iterable, actual_set: Iterable, msg: object = None
    ) -> None:
        """Fails unless all of the former are in the latter."""
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self._say(f"Missing elements {missing}", msg)

    def assertNoCommonElements(
        self, expected_seq: Iterable, actual_seq: Iterable, msg: object = None
    ) -> None:
        """Fails if an element is in both."""
        common = set(expected_seq) & set(actual_seq)
        if common:
            self._say(f"Common elements {common}", msg)

    def assertSameElements(
        self, expected_seq: Iterable, actual_seq: Iterable, msg: object = None
    ) -> None:
        """Fails unless each element of one is in the other, however often."""
        expected, actual = list(expected_seq), list(actual_seq)
        missing = [e for e in expected if e not in actual]
        more = [a for a in actual if a not in expected]
        if missing or more:
            self._say(f"Missing: {missing}, unexpected: {more}", msg)

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence,
        actual_seq: Sequence,
        places: int | None = None,
        msg: object = None,
        delta: float | None = None,
    ) -> None:
        """assertAlmostEqual of each pair."""
        self.assertLen(actual_seq, len(expected_seq), msg)
        for a, b in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(a, b, places=places, msg=msg, delta=delta)

    def assertContainsInOrder(
        self, strings: Sequence[str], target: str, msg: object = None
    ) -> None:
        """Fails unless the texts stand in the target, one behind the other."""
        at = 0
        for text in [strings] if isinstance(strings, str) else strings:
            found = target.find(text, at)
            if found < 0:
                self._say(f"Did not find {text!r} from {at} on in {target!r}", msg)
            at = found + len(text)

    def assertContainsSubsequence(
        self, container: Iterable, subsequence: Iterable, msg: object = None
    ) -> None:
        """Fails unless the elements are in the container in that order."""
        rest = iter(container)
        for item in subsequence:
            if item not in rest:
                self._say(f"{item!r} is not in its place in {container!r}", msg)

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: type,
        expected_exception_message: str,
        callable_obj: Callable | None = None,
        *args: object,
        **kwargs: object,
    ) -> Any:
        """Fails unless an error with exactly that text is raised."""

        @contextlib.contextmanager
        def scope():
            with self.assertRaises(expected_exception) as raised:
                yield raised
            self.assertEqual(str(raised.exception), expected_exception_message)

        if callable_obj is None:
            return scope()
        with scope():
            callable_obj(*args, **kwargs)
        return None

    def assertDictContainsSubset(
        self, subset: dict, dictionary: dict, msg: object = None
    ) -> None:
        """Fails unless the items of one are items of the other."""
        wrong = {
            k: v for k, v in subset.items()
            if k not in dictionary or dictionary[k] != v
        }
        if wrong:
            self._say(f"Missing or different: {wrong}", msg)

    def assertRegexMatch(
        self, actual_str: str, regexes: Sequence[str], message: object = None
    ) -> None:
        """Fails unless one of the expressions is found in the text."""
        self.assertRegex(
            actual_str, "|".join(f"(?:{r})" for r in regexes), message
        )

    def assertIsSubclass(
        self, cls: type, superclass: type, msg: object = None
    ) -> None:
        """Fails unless one class is derived of the other."""
        if not issubclass(cls, superclass):
            self._say(f"{cls!r} is not a subclass of {superclass!r}", msg)

    def assertSameStructure(
        self, a: object, b: object, aname: str = "a", bname: str = "b",
        msg: object = None,
    ) -> None:
        """assertEqual of what may be nested."""
        self.assertEqual(a, b, msg)


def base_case() -> type[unittest.TestCase]:
    """What tf.test.TestCase derives from."""
    if importlib.util.find_spec("absl") is None:
        return PlainCase
    return importlib.import_module("absl.testing.absltest").TestCase
