"""Generated functions and calls, and what a module makes of them."""

from __future__ import annotations

import functools
import random
import re
import types
from typing import Any, NamedTuple

import signature_values as values


class Parameter(NamedTuple):
    name: str
    kind: str  # "/", "", "*", "k" or "**": as Python orders them
    default: tuple | None


class Call(NamedTuple):
    how: str  # "call" or "concrete"
    args: tuple
    kwargs: tuple  # of (name, recipe)


class Program(NamedTuple):
    parameters: tuple[Parameter, ...]
    form: str  # "plain", "method", "static" or "partial"
    reduce_retracing: bool
    input_signature: tuple | None
    calls: tuple[Call, ...]

    def source(self) -> str:
        """The parameters as Python writes them."""
        parts, slash, star = [], False, False
        for p in self.parameters:
            if slash and p.kind != "/":
                parts.append("/")
                slash = False
            slash |= p.kind == "/"
            if p.kind == "k" and not star:
                parts.append("*")
                star = True
            star |= p.kind == "*"
            prefix = p.kind if p.kind in ("*", "**") else ""
            default = "" if p.default is None else f"=defaults[{p.name!r}]"
            parts.append(f"{prefix}{p.name}{default}")
        if slash:
            parts.append("/")
        return ", ".join(parts)


def _parameters(rng: random.Random) -> tuple[Parameter, ...]:
    def default() -> tuple | None:
        recipe = values._leaf(rng)
        return recipe if recipe[0] in ("literal", "special") else ("literal", 2)

    result, with_default = [], False
    positional_only = rng.random() < 0.15
    for name in "abc"[: rng.choice((0, 1, 1, 2, 2, 3))]:
        with_default |= rng.random() < 0.3
        kind = "/" if positional_only and name == "a" else ""
        result.append(
            Parameter(name, kind, default() if with_default else None)
        )
    if rng.random() < 0.25:
        result.append(Parameter("more", "*", None))
    if rng.random() < 0.25:
        result.append(
            Parameter("key", "k", default() if rng.random() < 0.5 else None)
        )
    if rng.random() < 0.2:
        result.append(Parameter("others", "**", None))
    if not result:
        result.append(Parameter("a", "", None))
    return tuple(result)


def _call(rng: random.Random, parameters: tuple[Parameter, ...]) -> Call:
    args, kwargs, by_name = [], [], False
    for p in parameters:
        recipe = values.value(rng)
        if p.kind == "*":
            if not by_name:
                args += [values.value(rng) for _ in range(rng.randrange(3))]
        elif p.kind == "**":
            for name in rng.sample("pqr", rng.randrange(3)):
                kwargs.append((name, values.value(rng)))
        elif p.default is not None and rng.random() < 0.5:
            by_name = True
        elif p.kind == "k":
            kwargs.append((p.name, recipe))
        else:
            by_name |= p.kind == "" and rng.random() < 0.2
            if by_name:
                kwargs.append((p.name, recipe))
            else:
                args.append(recipe)
    rng.shuffle(kwargs)
    return Call("call", tuple(args), tuple(kwargs))


def _broken(rng: random.Random, call: Call) -> Call:
    """A call that may not bind."""
    which = rng.randrange(4)
    if which == 0:
        return call._replace(args=call.args + (("literal", 7),) * 3)
    if which == 1:
        return call._replace(args=call.args[1:])
    name = ("zz", "b")[which - 2]
    if name in dict(call.kwargs):
        return call
    return call._replace(kwargs=call.kwargs + ((name, ("literal", 7)),))


def _specs(rng: random.Random) -> tuple:
    def one(depth: int) -> tuple:
        which = rng.random()
        if which < 0.2 and depth < 2:
            kind = rng.choice(("list", "tuple", "dict", "pair"))
            if kind == "dict":
                return (kind, "dict", ("x", one(depth + 1)))
            if kind == "pair":
                return (kind, "Pair", one(depth + 1), one(depth + 1))
            return (kind, one(depth + 1))
        if which < 0.3:
            return ("ragged_spec", (None, None), "int32")
        if which < 0.4:
            return ("sparse_spec", (None, None))
        return (
            "spec", rng.choice(("float32", "int32")),
            rng.choice(((), (2,), (None,), (2, None), None)),
        )

    return tuple(one(0) for _ in range(rng.choice((1, 1, 2, 3))))


def _fitting(rng: random.Random, spec: tuple) -> tuple:
    """A value that fits a spec, mostly."""
    if rng.random() < 0.15:
        return values.value(rng, depth=1)
    kind, *args = spec
    if kind == "spec":
        shape = args[1] if args[1] is not None else (2,)
        shape = tuple(2 if size is None else size for size in shape)
        if shape == () and rng.random() < 0.3:
            return ("literal", 2 if args[0] == "int32" else 2.5)
        return (rng.choice(("tensor", "tensor", "array")), args[0], shape)
    if kind == "ragged_spec":
        return ("ragged", ((2, 3), (4,)), "int32")
    if kind == "sparse_spec":
        return ("sparse", rng.choice((1, 2)), (2, 3))
    if kind == "dict":
        return (
            kind, args[0],
            *((key, _fitting(rng, item)) for key, item in args[1:]),
        )
    if kind == "pair":
        return (kind, args[0], *(_fitting(rng, item) for item in args[1:]))
    return (kind, *(_fitting(rng, item) for item in args))


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    parameters = _parameters(rng)
    form = rng.choice(("plain",) * 5 + ("method", "static", "partial"))
    signature = None
    calls: list[Call] = []
    if rng.random() < 0.3:
        signature = _specs(rng)
        # TensorFlow gives specs to keyword-only parameters, but then refuses
        # every call, and refuses defaults before variable arguments.
        parameters = tuple(
            p._replace(default=None)
            if any(q.kind == "*" for q in parameters) and p.kind != "k"
            else p
            for p in parameters if p.kind != "k"
        ) or (Parameter("a", "", None),)
        for _ in range(rng.randrange(3, 6)):
            args = tuple(_fitting(rng, spec) for spec in signature)
            calls.append(Call("call", args, ()))
            if rng.random() < 0.15:
                calls.append(_broken(rng, calls[-1]))
            if rng.random() < 0.2:
                calls.append(Call("concrete", (), ()))
    else:
        first = _call(rng, parameters)
        calls.append(first)
        for _ in range(rng.randrange(3, 7)):
            which = rng.random()
            if which < 0.15:
                calls.append(_broken(rng, first))
            elif which < 0.25:
                calls.append(_call(rng, parameters))
            elif which < 0.4:
                calls.append(
                    Call(
                        "concrete",
                        tuple(values.spec_for(rng, r) for r in first.args),
                        tuple(
                            (name, values.spec_for(rng, r))
                            for name, r in first.kwargs
                        ),
                    )
                )
            else:
                calls.append(
                    Call(
                        "call",
                        tuple(values.similar(rng, r) for r in first.args),
                        tuple(
                            (name, values.similar(rng, r))
                            for name, r in first.kwargs
                        ),
                    )
                )
    # TensorFlow stumbles over calls with other numbers of variable arguments
    # and over other metadata when it looks for a more general type.
    fixed = all(p.kind not in ("*", "**") for p in parameters)
    fixed &= "masked" not in repr(calls)
    reduce_retracing = fixed and rng.random() < 0.5
    return Program(parameters, form, reduce_retracing, signature, tuple(calls))


class _Owner:
    """Has the method."""


def _function(tf: types.ModuleType, program: Program, made: values.Values):
    """The tf.function of a program; its results are numbers of traces."""
    traces: list[int] = []
    defaults = {
        p.name: made.get(p.default)
        for p in program.parameters if p.default is not None
    }
    scope = {"tf": tf, "traces": traces, "defaults": defaults}
    source = program.source()
    if program.form == "method":
        source = "self, " + source
    exec(
        f"def f({source}):\n"
        "    traces.append(len(traces))\n"
        "    return tf.constant(traces[-1])\n",
        scope,
    )
    f = scope["f"]
    options: dict[str, Any] = {
        "autograph": False, "reduce_retracing": program.reduce_retracing,
    }
    if program.input_signature is not None:
        options["input_signature"] = [
            made.get(spec) for spec in program.input_signature
        ]
    if program.form == "partial":
        last = program.parameters[-1]
        if last.kind in ("", "k") and program.input_signature is None:
            f = functools.partial(f, **{last.name: made.get(("literal", 3))})
    decorated = tf.function(f, **options)
    if program.form == "method":
        owner = type("Owner", (_Owner,), {"f": decorated})()
        scope["owner"] = owner
        decorated = owner.f
        decorated_keep = owner  # a method does not keep its object alive
        made.get(("literal", "owner"))
        made._kept["owner"] = decorated_keep
    elif program.form == "static":
        owner = type("Owner", (_Owner,), {"f": staticmethod(decorated)})
        decorated = owner.f
    return decorated


_PHRASES = (
    "missing a required argument", "too many positional arguments",
    "multiple values for argument", "got an unexpected keyword argument",
    "Can not cast TensorSpec", "has different keys with the TraceType",
    "to list type", "to tuple type", "to a Dict type", "weakref input",
    "Could not generate a generic TraceType", "extra type constraints",
    "missing type constraint", "must have a default value",
    "with an unsupported type", "Cannot convert", "Cannot cast",
)


def _error(e: Exception) -> tuple:
    phrases = tuple(p for p in _PHRASES if p in str(e).partition("Received")[0])
    return ("error", type(e).__name__, phrases)


def _printed(text: str) -> str:
    text = re.sub(r"Weakref\[<[^\]]*\]\)", "Weakref", text)
    # These are held strongly here.
    text = re.sub(r"Literal\[tf\.\w+\]", "Weakref", text)
    text = re.sub(r"Literal\[TensorShape\([^)]*\)\]", "Weakref", text)
    # Not-a-numbers are one object there.
    return re.sub(r"Literal\[<object object at \w+>\]", "Literal[nan]", text)


def run(tf: types.ModuleType, program: Program) -> list:
    """What comes out of each call, then the traces that there are."""
    made = values.Values(tf)
    try:
        f = _function(tf, program, made)
    except (TypeError, ValueError) as e:
        return [_error(e)]
    results: list = []
    for call in program.calls:
        args = [made.get(recipe) for recipe in call.args]
        kwargs = {name: made.get(recipe) for name, recipe in call.kwargs}
        try:
            if call.how == "concrete":
                f.get_concrete_function(*args, **kwargs)
                results.append(("concrete",))
            else:
                results.append(("trace", int(f(*args, **kwargs).numpy())))
        except Exception as e:
            results.append(_error(e))
    count = f.experimental_get_tracing_count()
    printed = f.pretty_printed_concrete_signatures()
    signatures = sorted(
        _printed(text) for text in re.split(r"\n\n", printed)
    )
    return [*results, count, signatures]


def agree(ours: object, theirs: object) -> bool:
    """Equal, or an error of the same class that says at least as much."""
    if not (isinstance(ours, tuple) and isinstance(theirs, tuple)):
        return ours == theirs
    if ours[0] == theirs[0] == "error":
        return ours[1] == theirs[1] and set(theirs[2]) <= set(ours[2])
    return ours == theirs
