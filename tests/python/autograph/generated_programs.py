"""Random programs with nested control flow, as source text.

All variables have a value from the start, so that every program is one that
may be staged. A program's seed determines it.
"""

from __future__ import annotations

import linecache
import random

import graphkiln as tf

NAMES = ("a", "b", "c")


class Program:
    """The source of one function `f(x, v, p)`: an int32 scalar, an int32
    vector and a Python int; or floats, all through smooth functions.

    Two of three programs keep to what the original's AutoGraph takes: none
    of their loops have an else, return, or are Python's own but end when a
    tensor says so."""

    def __init__(self, seed: int, floats: bool = False, size: int = 9,
                 nested_loops: int = 3):
        self._random = random.Random(seed)
        self._tame = seed % 3 != 0
        self._lines = ["def f(x, v, p):"]
        self._counters = 0
        self._left = size
        self._floats = floats
        self._nested_loops = nested_loops
        # Has a loop an else? The original leaves such functions alone.
        self.loop_else = False
        start = ("a = x", "b = 1", "c = tf.constant(2)", "q = p")
        end = "return (a + 3 * b + 7 * c + q) % 1009"
        if floats:
            start = ("a = x * 1.5", "b = tf.sin(x)", "c = v[0] * x", "q = p")
            end = "return a + 3.0 * b + 7.0 * c"
        for line in start:
            self._lines.append("    " + line)
        self._block(1, 0, in_loop=False)
        self._emit(1, end)
        self.source = "\n".join(self._lines) + "\n"

    def _emit(self, depth: int, line: str) -> None:
        self._lines.append("    " * depth + line)

    def _value(self) -> str:
        r = self._random
        kind = r.randrange(6)
        if kind == 0:
            return str(r.randrange(-3, 8))
        if kind == 1:
            return "q"
        if kind == 2:
            return "x"
        if kind == 3:
            return f"v[{r.randrange(3)}]"
        return r.choice(NAMES)

    def _expression(self) -> str:
        r = self._random
        if self._floats:
            function = r.choice(("tf.sin", "tf.tanh", "tf.cos"))
            operator = r.choice("+-*")
            left = r.choice((*NAMES, "x", f"v[{r.randrange(3)}]"))
            text = f"{function}({left} {operator} {r.choice(NAMES)})"
            if r.random() < 0.1:
                return f"({text} if {self._condition()} else {left} * 0.5)"
            return text
        if r.random() < 0.12:
            return (
                f"({self._value()} if {self._condition()} else "
                f"{self._value()})"
            )
        operator = r.choice("+-*")
        return f"({self._value()} {operator} {self._value()}) % 101"

    def _condition(self) -> str:
        r = self._random
        operator = r.choice(("<", ">", "<=", ">=", "==", "!="))
        if self._floats:
            right = r.choice((*NAMES, f"{r.uniform(-1, 1):.2f}"))
            text = f"{r.choice((*NAMES, 'x'))} {r.choice('<>')} {right}"
            choice = r.random()
            if choice < 0.1:
                return f"not ({text})"
            if choice < 0.2:
                other = f"q < {r.randrange(4)}"
                return r.choice((other, f"{text} and {other}"))
            if choice < 0.3:
                other = f"{r.choice(NAMES)} > {r.uniform(-1, 1):.2f}"
                return f"{text} {r.choice(('and', 'or'))} {other}"
            return text
        left = r.choice((*NAMES, "x", "q", "v[1]"))
        text = f"{left} {operator} {self._value()}"
        choice = r.random()
        if choice < 0.1:
            return f"not ({text})"
        if choice < 0.3:
            other = f"{r.choice(NAMES)} > {r.randrange(40)}"
            return f"{text} {r.choice(('and', 'or'))} {other}"
        if choice < 0.36:
            return f"0 <= {left} < {r.randrange(50)}"
        return text

    def _block(self, depth: int, loops: int, in_loop: bool) -> None:
        for _ in range(self._random.randint(1, 3)):
            self._statement(depth, loops, in_loop)

    def _statement(self, depth: int, loops: int, in_loop: bool) -> None:
        r = self._random
        kind = r.random()
        self._left -= 1
        if self._left < 0 or depth > 4 or kind < 0.35:
            target = r.choice((*NAMES, *NAMES, "q"))
            if target == "q":
                self._emit(depth, f"q = q + {r.randrange(3)}")
            elif self._floats and r.random() < 0.2:
                self._emit(depth, f"{target} *= {r.uniform(-1, 1):.2f}")
            elif r.random() < 0.3 and not self._floats:
                self._emit(depth, f"{target} += {self._value()}")
                self._emit(depth, f"{target} %= 97")
            else:
                self._emit(depth, f"{target} = {self._expression()}")
        elif kind < 0.62:
            self._branch(depth, loops, in_loop)
        elif kind < 0.9 and loops < self._nested_loops:
            self._loop(depth, loops)
        elif in_loop and kind < 0.97:
            self._emit(depth, f"if {self._condition()}:")
            self._emit(depth + 1, r.choice(("break", "continue")))
        elif self._tame and (in_loop or depth > 1):
            self._branch(depth, loops, in_loop)
        else:
            self._emit(depth, f"if {self._condition()}:")
            self._emit(depth + 1, self._return())

    def _return(self) -> str:
        tail = "* 2.0" if self._floats else "% 499"
        return f"return {self._random.choice(NAMES)} {tail}"

    def _branch(self, depth: int, loops: int, in_loop: bool) -> None:
        r = self._random
        self._emit(depth, f"if {self._condition()}:")
        self._block(depth + 1, loops, in_loop)
        if r.random() < 0.3:
            self._emit(depth, f"elif {self._condition()}:")
            self._block(depth + 1, loops, in_loop)
        if r.random() < 0.5:
            self._emit(depth, "else:")
            self._block(depth + 1, loops, in_loop)
        if in_loop and r.random() < 0.2:
            self._emit(depth, f"if {self._condition()}:")
            self._emit(depth + 1, r.choice(("break", "continue")))

    def _start(self) -> str:
        return "tf.cast(x > 0.0, tf.int32)" if self._floats else "x % 2"

    def _loop(self, depth: int, loops: int) -> None:
        r = self._random
        self._counters += 1
        i = f"i{self._counters}"
        kind = r.choice((0, 1, 2, 4)) if self._tame else r.randrange(6)
        target = r.choice(NAMES)
        if kind == 0:
            self._emit(depth, f"for {i} in tf.range({r.randrange(1, 4)}):")
        elif kind == 1:
            count = "x % 4"
            if self._floats:
                count = "tf.cast(tf.abs(x) * 3.0, tf.int32)"
            self._emit(depth, f"for {i} in tf.range({count}):")
        elif kind == 2:
            self._emit(depth, f"for {i} in v:")
        elif kind == 3:
            self._emit(depth, f"for {i} in range({r.randrange(1, 4)}):")
        elif kind == 4:
            self._emit(depth, f"{i} = {self._start()}")
            self._emit(depth, f"while {i} < {r.randrange(1, 5)}:")
            self._emit(depth + 1, f"{i} += 1")
        else:
            self._emit(depth, f"{i} = 0")
            self._emit(depth, "while True:")
            self._emit(depth + 1, f"{i} += 1")
            self._emit(depth + 1, f"if {i} > {r.randrange(1, 4)} + {self._start()}:")
            self._emit(depth + 2, "break")
        if self._floats:
            item = i if kind == 2 else f"tf.cast({i}, tf.float32)"
            self._emit(
                depth + 1, f"{target} = tf.sin({target} * 0.9 + {item})"
            )
        else:
            self._emit(depth + 1, f"{target} = ({target} + {i}) % 103")
        self._block(depth + 1, loops + 1, True)
        if r.random() < 0.15 and not self._tame:
            self.loop_else = True
            self._emit(depth, "else:")
            self._emit(depth + 1, f"{target} = {self._expression()}")

    def function(self, name: str):
        """The function, with its source where tracebacks look for it."""
        lines = self.source.splitlines(keepends=True)
        linecache.cache[name] = (len(self.source), None, lines, name)
        scope = {"tf": tf, "__name__": "generated"}
        exec(compile(self.source, name, "exec"), scope)
        return scope["f"]


def float_program(seed: int) -> Program:
    """One whose gradient can be taken."""
    return Program(seed, floats=True, size=8, nested_loops=2)
