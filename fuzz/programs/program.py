"""A whole program from a seed."""

from __future__ import annotations

import dataclasses

from . import containers, effects, functions, gradients, statements
from .comparison import DOUBLE, NEAR, Tolerance
from .expressions import expression
from .kinds import INT, Kind, constant
from .writer import Scope, Writer

# What a program of the simplest sort is made of, and what makes it longer.
_STATEMENTS = [
    (9, statements.assign),
    (4, statements.branch),
    (4.5, statements.loop),
    (0.5, statements.early_return),
    (0.3, statements.assertion),
    (0.6, statements.element),
    (1.0, containers.container),
    (0.5, containers.swap),
    (1.3, containers.tensor_array),
    (0.7, containers.container_loop),
    (1.2, gradients.tape),
    (0.4, gradients.nested_tapes),
    (0.5, gradients.symbolic),
    (0.3, gradients.forward),
    (0.6, gradients.custom),
    (0.8, functions.lambda_once),
    (0.7, functions.define),
]
_EFFECTS = [
    (4, effects.write),
    (2, effects.look),
    (0.5, effects.sparse_look),
    (1.0, effects.tell),
    (0.3, effects.host_call),
    (1.0, effects.ordered),
    (2.0, effects.effect_call),
]


def statement(w: Writer) -> None:
    """One statement, with all that it contains."""
    w.left -= 1
    if w.left < 0 or w.scope.depth > 5:
        return statements.assign(w)
    table = _STATEMENTS
    if w.traits.effects:
        table = _STATEMENTS + _EFFECTS
    make = w.weighted(table)
    if make is functions.define and w.scope.loops:
        make = statements.assign
    if make is statements.loop and w.scope.loops >= 2:
        make = statements.assign
    make(w)


@dataclasses.dataclass(frozen=True)
class Program:
    seed: int
    source: str
    # Shapes are unknown while it is traced.
    unknown: bool

    @property
    def differentiates(self) -> bool:
        """Are its values gradients, or made of them?"""
        return any(word in self.source for word in (
            "gradient(", "gradients(", ".jvp(", ".jacobian("))

    @property
    def tolerance(self) -> Tolerance:
        """How far gradients may be from each other."""
        narrow = ("float32", "half", "bfloat16", "complex64")
        return NEAR if any(n in self.source for n in narrow) else DOUBLE

    @property
    def loses_gradients(self) -> bool:
        """Loops over datasets have gradients only when they run eagerly."""
        return "tf.data" in self.source


def program(seed: int) -> Program:
    w = Writer(seed)
    scope = w.scope
    if w.traits.effects:
        for _ in range(w.choose(1, 1, 2, 3)):
            _variable(w)
    for _ in range(w.choose(0, 0, 1, 1, 2)):
        functions.define(w)
    kinds = [w.float_kind(), *(w.kind() for _ in range(w.choose(0, 1, 2, 3)))]
    parameters = {f"x{i}": kind for i, kind in enumerate(kinds)}
    ints = [n for n in ("n0", "n1") if w.chance(0.3)]
    taken = {
        f"u{i}": (name, kind)
        for i, (name, kind) in enumerate(scope.variables.items())
        if w.chance(0.3)
    }
    grouped = _grouped(w) if len(kinds) > 1 and w.chance(0.25) else None
    options = _options(w, parameters, bool(ints or taken or grouped))
    result = w.float_kind()
    inside = Scope(
        tensors=dict(parameters),
        variables={**scope.variables, **{n: k for n, (_, k) in taken.items()}},
        functions=list(scope.functions), ints=list(ints), result=result,
    )
    outer = w.scope
    names = list(parameters)
    if grouped:
        # The last two come in a container.
        names[-2:] = ["z"]
        for name, place in zip(list(parameters)[-2:], grouped.places,
                               strict=True):
            inside.frozen[place] = inside.tensors.pop(name)
    with w.block(f"def f({', '.join([*names, *ints, *taken])}):"):
        w.scope = inside
        statements.block(w, w.choose(1, 2, 3, 4, 6))
        _give(w, result)
    w.scope = outer
    calls = []
    fixed = [str(w.random.randrange(4)) for _ in ints]
    for _ in range(3):
        arguments = [constant(w.random, kind) for kind in kinds]
        if grouped:
            arguments[-2:] = [grouped.text.format(*arguments[-2:])]
        if w.chance(0.3):
            fixed = [str(w.random.randrange(4)) for _ in ints]
        arguments += [*fixed, *(name for name, _ in taken.values())]
        calls.append(f"        ({', '.join(arguments)},),")
    lines = ["import collections", "", "",
             f"def program(tf, out):  # seed {seed}"]
    for definition in w.prelude.values():
        lines += ["    " + line for line in definition]
    lines += w.lines
    lines += ["    calls = [", *calls, "    ]",
              f"    return f, {options}, calls, "
              f"[{', '.join(scope.variables)}]"]
    return Program(seed, "\n".join(lines) + "\n", w.traits.unknown)


@dataclasses.dataclass(frozen=True)
class _Group:
    """An argument that holds two tensors."""

    text: str
    places: tuple[str, str]


def _grouped(w: Writer) -> _Group:
    way = w.choose("dict", "list", "pair", "nested")
    if way == "dict":
        return _Group("{{'p': {}, 'q': {}}}", ("z['p']", "z['q']"))
    if way == "list":
        return _Group("[{}, {}]", ("z[0]", "z[1]"))
    if way == "nested":
        return _Group("({}, [{{'r': {}}}])", ("z[0]", "z[1][0]['r']"))
    w.need("Pair", "Pair = collections.namedtuple('Pair', 'first second')")
    return _Group("Pair({}, {})", ("z.first", "z.second"))


def _variable(w: Writer) -> None:
    kind = w.float_kind() if w.chance(0.7) else w.kind()
    if kind.dtype in ("string", "complex64", "bool"):
        kind = INT
    name = w.name("w")
    w.emit(f"{name} = tf.Variable({constant(w.random, kind)})")
    w.scope.variables[name] = kind


def _options(w: Writer, parameters: dict[str, Kind], fixed: bool) -> str:
    """What tf.function is told about f."""
    if not w.traits.unknown:
        return "{}" if w.chance(0.9) else "{'reduce_retracing': True}"
    if fixed:
        return "{'reduce_retracing': True}"
    specs = []
    for kind in parameters.values():
        how = w.random.randrange(3)
        shape: object = [None] * kind.rank
        if how == 0 and kind.rank:
            shape = [None, *kind.shape[1:]]
        elif how == 1 and w.chance(0.3):
            shape = None
        specs.append(f"tf.TensorSpec({shape}, tf.{kind.dtype})")
    return f"{{'input_signature': [{', '.join(specs)}]}}"


def _give(w: Writer, result: Kind) -> None:
    """The end of f: some more of its names, if it returns nowhere else."""
    returns = any(
        line.lstrip().startswith("return ") and "def " not in line
        for line in w.lines[_start_of(w):]
    )
    value = expression(w, result, 2)
    names = [n for n, k in w.scope.readable().items()]
    if returns or not names:
        w.emit(f"return {value}")
        return
    w.random.shuffle(names)
    more = ", ".join(names[: w.random.randrange(1, 6)])
    w.emit(f"return {value}, {more}")


def _start_of(w: Writer) -> int:
    return max(i for i, line in enumerate(w.lines)
               if line.startswith("    def f("))
