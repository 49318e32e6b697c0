"""Functions of a program: decorated or not, with captured variables or with
variables as arguments, recursive by a Python int."""

from __future__ import annotations

from .expressions import condition, expression
from .kinds import Kind
from .statements import block
from .writer import Scope, Signature, Writer


def define(w: Writer) -> None:
    """Adds a function to the scope."""
    outer = w.scope
    name = w.name("g")
    parameters = tuple(w.kind() for _ in range(w.choose(0, 1, 1, 2)))
    taken: tuple[Kind, ...] = ()
    if outer.variables and w.chance(0.35):
        taken = (w.choose(*outer.variables.values()),)
    result = w.float_kind() if w.chance(0.7) else w.kind()
    decorated = w.chance(0.7)
    recursive = w.chance(0.1)
    if decorated:
        w.emit(w.choose(
            "@tf.function", "@tf.function", "@tf.function",
            "@tf.function(reduce_retracing=True)",
        ))
    names = {f"a{i}": kind for i, kind in enumerate(parameters)}
    given = {f"b{i}": kind for i, kind in enumerate(taken)}
    first = ["n"] if recursive else []
    head = f"def {name}({', '.join([*first, *names, *given])}):"
    # Variables that are captured: any of those outside.
    captured = {n: k for n, k in outer.variables.items() if w.chance(0.6)}
    tensors = {n: k for n, k in outer.readable().items() if w.chance(0.5)
               and "[" not in n and "." not in n}
    inside = Scope(
        tensors=dict(names), frozen=tensors, variables={**captured, **given},
        functions=list(outer.functions), result=result,
    )
    with w.block(head):
        w.scope = inside
        if recursive:
            with w.block("if n <= 0:"):
                w.emit(f"return {expression(w, result, 1)}")
        lines = len(w.lines)
        budget, w.left = w.left, min(w.left, w.choose(1, 2, 4))
        block(w)
        w.left = budget - 2
        writes = any(
            mark in line for line in w.lines[lines:]
            for mark in (".assign", ".scatter_", "tf.print", "note")
        )
        if recursive:
            arguments = [
                "n - 1", *(expression(w, k, 1) for k in parameters), *given,
            ]
            again = f"{name}({', '.join(arguments)})"
            made = w.name("y")
            w.emit(f"{made} = {again}")
            inside.tensors[made] = result
        w.emit(f"return {expression(w, result, 2)}")
    w.scope = outer
    outer.functions.append(Signature(
        name, parameters, result, taken, recursive, writes))


def lambda_once(w: Writer) -> None:
    """The value of a function made on the spot."""
    kind = w.float_kind()
    body = expression(w, kind, 2)
    made = w.name("y")
    made_of = w.choose("tf.function(lambda: {})()", "(lambda: {})()",
                       "tf.cond({c}, lambda: {}, lambda: tf.zeros({s}, {d}))")
    w.emit(f"{made} = " + made_of.format(
        body, c=condition(w), s=list(kind.shape), d=f"tf.{kind.dtype}"))
    w.scope.tensors[made] = kind
