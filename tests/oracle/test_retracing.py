"""The retracing warning: at the same calls, with the same numbers and text."""

import logging
import random
import re

import pytest


class Warnings(logging.Handler):
    """Collects the warnings of the logger that both modules use."""

    def __init__(self):
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record):
        if "triggered tf.function retracing" in record.getMessage():
            self.texts.append(record.getMessage())


@pytest.fixture
def compare(both):
    """Runs a program on both; compares what it warned after each step."""

    def warned(tf, program):
        handler = Warnings()
        logger = logging.getLogger("tensorflow")
        logger.addHandler(handler)
        log = []
        try:
            for _ in program(tf):
                log.append([_numbers(t) for t in handler.texts])
                handler.texts.clear()
        finally:
            logger.removeHandler(handler)
        return log

    def run(program):
        theirs = warned(both.theirs, program)
        assert warned(both.ours, program) == theirs
        return theirs

    return run


def _numbers(text: str) -> str:
    return re.match(r"\d+ out of the last \d+ calls", text)[0]


def _fresh(tf, **options):
    """A tf.function of a place in the code of its own."""
    scope = {}
    exec(f"def f(x):\n  return x  # {random.random()}", scope)
    code = scope["f"].__code__.replace(co_firstlineno=next(_lines))
    scope["f"].__code__ = code
    return tf.function(scope["f"], autograph=False, **options)


_lines = iter(range(1, 1 << 30))


@pytest.mark.parametrize("seed", range(12))
def test_random_calls(compare, seed):
    def program(tf):
        draw = random.Random(seed)
        f = _fresh(tf)
        for _ in range(40):
            f(draw.randrange(3 + 3 * (seed % 5)))
            yield

    compare(program)


@pytest.mark.parametrize("seed", range(6))
def test_functions_made_anew(compare, seed):
    def program(tf):
        draw = random.Random(seed)
        first = _fresh(tf)
        kept = [first]
        for _ in range(20):
            if draw.random() < 0.7:
                kept.append(tf.function(first.python_function, autograph=False))
            for _ in range(draw.randrange(1, 4)):
                draw.choice(kept)(1)
            yield

    compare(program)


def test_every_nth_is_new(compare):
    for repeats in range(1, 6):

        def program(tf):
            f = _fresh(tf)
            for i in range(12):
                for _ in range(repeats):
                    f(i)
                yield

        assert any(compare(program)) == (repeats < 4)


def test_shapes_relaxed(compare):
    def program(tf):
        f = _fresh(tf, reduce_retracing=True)
        for i in range(8):
            f(tf.ones([i]))
            yield

    compare(program)


def test_failures_and_concrete_functions(compare):
    def program(tf):
        f = _fresh(tf)
        for i in range(10):
            if i % 3 == 0:
                f.get_concrete_function(i)
            elif i % 3 == 1:
                try:
                    f({i})
                except TypeError:
                    pass
            else:
                f(i)
            yield

    compare(program)


def test_inner_functions(compare):
    def program(tf):
        inner = _fresh(tf)
        for i in range(8):
            outer = tf.function(lambda x: inner(x), autograph=False)
            outer(i)
            yield
        inner(1.5)
        yield

    compare(program)


def test_first_line(both):
    def text(tf):
        handler = Warnings()
        logger = logging.getLogger("tensorflow")
        logger.addHandler(handler)
        f = _fresh(tf)
        for i in range(5):
            f(i)
        logger.removeHandler(handler)
        [text] = handler.texts
        return re.sub(r"0x[0-9a-f]+", "0x", text).splitlines()[0]

    assert text(both.ours) == text(both.theirs)
