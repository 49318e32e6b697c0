"""Writer: the text of a program while it is being made, and what is in scope."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections.abc import Iterator

from .kinds import BOOL, FLOATS, INT, Kind, constant


@dataclasses.dataclass(frozen=True)
class Signature:
    """A function of the program: what it takes and gives."""

    name: str
    parameters: tuple[Kind, ...]
    result: Kind
    # Kinds of the variables it takes after the tensors.
    variables: tuple[Kind, ...] = ()
    # Takes a Python int in front that it counts down.
    recursive: bool = False
    writes: bool = False


@dataclasses.dataclass
class Scope:
    """Names that a statement may use."""

    tensors: dict[str, Kind] = dataclasses.field(default_factory=dict)
    # Tensors that stay what they are: sources of gradients, loop items.
    frozen: dict[str, Kind] = dataclasses.field(default_factory=dict)
    variables: dict[str, Kind] = dataclasses.field(default_factory=dict)
    # Names that are assigned somewhere inside, for nobody's use.
    hidden: dict[str, Kind] = dataclasses.field(default_factory=dict)
    functions: list[Signature] = dataclasses.field(default_factory=list)
    ints: list[str] = dataclasses.field(default_factory=list)
    # Places in containers that hold tensors: "d['a']".
    items: dict[str, Kind] = dataclasses.field(default_factory=dict)
    # None outside functions.
    result: Kind | None = None
    loops: int = 0
    # Is the next enclosing loop one of Python's own?
    python_loop: bool = False
    depth: int = 0
    # Inside a tape, map_fn and the like: no returns.
    closed: bool = False

    def inner(self, **changes) -> Scope:
        made = dataclasses.replace(
            self, tensors=dict(self.tensors), frozen=dict(self.frozen),
            hidden=dict(self.hidden),
            variables=dict(self.variables), functions=list(self.functions),
            ints=list(self.ints), items=dict(self.items),
            depth=self.depth + 1,
        )
        return dataclasses.replace(made, **changes)

    def readable(self) -> dict[str, Kind]:
        return {**self.tensors, **self.frozen, **self.items}


@dataclasses.dataclass(frozen=True)
class Traits:
    """What a whole program keeps to."""

    # Only what the original's AutoGraph takes.
    tame: bool
    # Sizes of the axes.
    wide: int
    rows: int
    # Are shapes unknown while tracing?
    unknown: bool
    # Do names of blocks have a value in front of the block?
    hoists: bool
    # Rarely used element types.
    exotic: bool
    effects: bool
    # Most floats are of this type.
    floating: str


class Writer:
    def __init__(self, seed: int):
        r = random.Random(seed)
        self.random = r
        self.traits = Traits(
            tame=r.random() < 0.7,
            wide=r.choice((3, 3, 3, 3, 4, 7, 33, 2100)),
            rows=r.choice((2, 2, 3, 5)),
            unknown=r.random() < 0.2,
            hoists=r.random() < 0.8,
            exotic=r.random() < 0.25,
            effects=r.random() < 0.75,
            floating=r.choice(("float32", "float64")),
        )
        self.lines: list[str] = []
        self.prelude: dict[str, tuple[str, ...]] = {}
        self.scope = Scope()
        self._indent = 1
        self._numbers: dict[str, int] = {}
        self.left = r.choice((3, 5, 8, 12, 18))
        # Few kinds in one program, so that its names meet.
        self._palette = [self._any_kind() for _ in range(r.choice((2, 3, 5)))]
        floats = [k for k in self._palette if k.is_wide]
        self._floats = floats or [self._wide_kind()]

    # --- Text.

    def emit(self, line: str) -> None:
        self.lines.append("    " * self._indent + line)

    @contextlib.contextmanager
    def block(self, head: str, hoist: int | None = None, **changes
              ) -> Iterator[Scope]:
        """Lines under `head`, with a scope of their own. With `hoist`, a line
        number, the names that it makes get a value there, mostly: what a loop
        makes and a lambda uses must have one."""
        self.emit(head)
        outer = self.scope
        self.scope = inner = outer.inner(**changes)
        self._indent += 1
        before = len(self.lines)
        yield inner
        if len(self.lines) == before:
            self.emit("pass")
        self._indent -= 1
        self.scope = outer
        if hoist is not None and self.traits.hoists:
            self._hoist(hoist, inner, outer)

    def _hoist(self, at: int, inner: Scope, outer: Scope) -> None:
        here = "    " * self._indent
        known = {**outer.readable(), **outer.hidden}
        for kinds, kept in (
            (inner.hidden, outer.hidden), (inner.frozen, outer.hidden),
            (inner.tensors, outer.tensors),
        ):
            for name, kind in kinds.items():
                if name in known or not name.isidentifier():
                    continue
                value = constant(self.random, kind)
                self.lines.insert(at, f"{here}{name} = {value}")
                kept[name] = kind

    def name(self, stem: str) -> str:
        number = self._numbers.get(stem, 0)
        self._numbers[stem] = number + 1
        return f"{stem}{number}"

    def need(self, name: str, *lines: str) -> str:
        """A definition in front of everything."""
        self.prelude.setdefault(name, lines)
        return name

    # --- Choices.

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def choose(self, *items):
        return self.random.choice(items)

    def weighted(self, table: list):
        """One of [(weight, item)]."""
        return self.random.choices(
            [item for _, item in table], [weight for weight, _ in table]
        )[0]

    def shapes(self) -> list[tuple[int, ...]]:
        wide, rows = self.traits.wide, self.traits.rows
        shapes = [(), (wide,), (wide,)]
        if wide < 1000:
            shapes += [(rows, wide)]
        if wide <= 7:
            shapes += [(wide, wide)]
        return shapes

    def kind(self) -> Kind:
        """Of a new value."""
        return self.choose(*self._palette, *self._floats)

    def float_kind(self) -> Kind:
        return self.choose(*self._floats)

    def _wide_kind(self) -> Kind:
        return Kind(self.traits.floating, self.choose(*self.shapes()))

    def _any_kind(self) -> Kind:
        floating = self.traits.floating
        table = [(6, floating), (2, "int32"), (0.5, "bool"), (0.6, "int64")]
        if self.traits.exotic:
            table += [
                (1, "float64"), (1, "bfloat16"), (1, "half"),
                (1, "complex64"), (0.6, "string"),
            ]
        dtype = self.weighted(table)
        if dtype == "string":
            return Kind(dtype)
        return Kind(dtype, self.choose(*self.shapes()))

    def names_of(self, kind: Kind) -> list[str]:
        return [n for n, k in self.scope.readable().items() if k == kind]

    def variables_of(self, kind: Kind) -> list[str]:
        return [n for n, k in self.scope.variables.items() if k == kind]


__all__ = ["BOOL", "FLOATS", "INT", "Kind", "Scope", "Signature", "Writer"]
