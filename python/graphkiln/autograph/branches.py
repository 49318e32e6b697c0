"""if statements and expressions."""

import graphkiln as tf
from graphkiln import _control_flow
from graphkiln import _graphkiln
from graphkiln import nest
from graphkiln.autograph import places
from graphkiln.autograph import staged_list
from graphkiln.autograph import staging
from graphkiln.autograph import symbols


def if_stmt(
    cond, body, orelse, get_state, set_state, symbol_names, nouts, lists=(),
    moved=(),
):
    """An if statement. `nouts` of the symbols are used behind it. The branches
    change those in `lists` in place. What assigns those in `moved` stands
    behind the statement in the source: to users that is the main branch of one
    that asks whether there was a break."""
    if staging.is_staged(cond):
        _staged_statement(
            cond, body, orelse, get_state, set_state, symbol_names, nouts,
            lists=lists, moved=moved,
        )
    elif cond:
        body()
    else:
        orelse()


def guard(
    cond, body, get_state, set_state, symbol_names, lists=()
) -> None:
    """`body()` if `cond`; symbols that only it assigns are zeros else."""
    _staged_statement(
        cond, body, lambda: None, get_state, set_state, symbol_names,
        len(symbol_names), fill=True, lists=lists,
    )


def if_exp(cond, body, orelse, source: str):
    """A conditional expression; `source` is its condition's text."""
    if not staging.is_staged(cond):
        return body() if cond else orelse()
    try:
        return choose(
            checked_condition(cond, "conditional expression"),
            lambda: (body(),), lambda: (orelse(),), (source,), 1, False,
        )[0]
    except (TypeError, ValueError) as error:
        if getattr(error, "symbol", None) == source:
            places.tell(error, [])
        raise


def checked_condition(cond, what: str):
    """`cond` as a bool scalar; ValueError if it is none."""
    if isinstance(cond, _graphkiln.BaseVariable):
        cond = tf.convert_to_tensor(cond)
    hint = cure = ""
    if cond.dtype != tf.bool:
        hint = " to use as boolean Tensor, use `tf.cast`;"
    elif cond.shape.rank in (None, 0):
        return cond
    elif cond.shape.num_elements() == 1:
        return tf.reshape(cond, ())
    else:
        cure = "; tf.reduce_all and tf.reduce_any make a scalar of it"
    raise ValueError(
        f"condition of {what} expected to be `tf.bool` scalar, got {cond};"
        f"{hint} to check for None, use `is not None`{cure}"
    )


def _staged_statement(
    cond, body, orelse, get_state, set_state, symbol_names, nouts, fill=False,
    lists=(), moved=(),
):
    cond = checked_condition(cond, "if statement")
    before = get_state()
    start = staged_list.started(symbol_names, before, lists)

    def run(branch):
        def result():
            set_state(staged_list.copies(start))
            branch()
            return get_state()[:nouts]

        return result

    try:
        results = choose(
            cond, run(body), run(orelse), symbol_names, nouts, fill, moved
        )
        results = staged_list.kept(results, start, before)
    except BaseException as error:
        set_state(before)
        main, other = _branch_names(getattr(error, "symbol", None), moved)
        places.tell(
            error, [(f"{main} branch", body), (f"{other} branch", orelse)]
        )
        raise
    set_state(tuple(results) + tuple(before[nouts:]))


def _branch_names(symbol: str | None, moved) -> tuple[str, str]:
    """What users know the two branches as, where a symbol is concerned."""
    return ("else", "main") if symbol in moved else ("main", "else")


def choose(
    cond, body, orelse, symbol_names, nouts, fill, moved=()
) -> list:
    """The results of the branch that `cond` chooses, one a symbol."""
    with _graphkiln._BranchBuilder(True, "cond") as builder:
        parts, raw = [], []
        for branch, suffix in ((body, "true"), (orelse, "false")):
            part = _control_flow.Part(builder.add(suffix), builder.scope)
            with part:
                raw.append(branch())
            parts.append(part)
        results: list = [None] * nouts
        chosen: list[int] = []
        values: list = [[], []]
        for i in range(nouts):
            if symbols.is_lost(raw[0][i]) and symbols.is_lost(raw[1][i]):
                which = _branch_names(symbol_names[i], moved)
                results[i] = symbols.Undefined(
                    symbol_names[i], raw[0][i].pending,
                    _uninitialised(symbol_names[i], which[0]),
                )
            elif _passes(raw[0][i], raw[1][i]):
                results[i] = raw[0][i]
            else:
                chosen.append(i)
        for part, given, made in zip(parts, raw, values):
            with part:
                made += [staging.staged_value(given[i]) for i in chosen]
        for k, i in enumerate(chosen):
            pair = values[0][k], values[1][k]
            names = _branch_names(symbol_names[i], moved)
            pair = _filled(symbol_names[i], pair, parts, fill, names)
            if names[0] == "main":
                _check(symbol_names[i], *pair)
            else:
                _check(symbol_names[i], *reversed(pair))
            values[0][k], values[1][k] = pair
        outputs = iter(builder.finish(
            cond, [[t for v in made for t in v.tensors] for made in values]
        ))
        for k, i in enumerate(chosen):
            results[i] = values[0][k].packed(outputs)
    return results


def _passes(a: object, b: object) -> bool:
    """Is there nothing to choose?"""
    if symbols.is_undefined(a) and symbols.is_undefined(b):
        return True
    if staged_list.are_same(a, b):
        return True
    if a is not b:
        return False
    if a is None or isinstance(a, _graphkiln.BaseVariable):
        return True
    if isinstance(a, (bool, int, float, complex, str, bytes)):
        return False
    if isinstance(a, _graphkiln.Tensor) or isinstance(a, (list, tuple, dict)):
        return False
    return callable(a)


def _none_in(name: str, which: str) -> Exception:
    return places.disagreement(
        ValueError, name, f"'{name}' is None at the end of the {which} branch.",
        "Both branches must give a tensor: use a value that stands for "
        "nothing, such as a constant, and a flag.",
    )


def _uninitialised(name: str, which: str) -> str:
    return f"'{name}' must also be initialized in the {which} branch"


def _filled(
    name: str, pair: tuple, parts: list, fill: bool, names: tuple[str, str]
) -> tuple:
    """The pair with zeros in place of a value that one branch lacks, where
    that may be; the error where not."""
    for here, there in ((0, 1), (1, 0)):
        value, other = pair[here], pair[there]
        if not isinstance(value, staging.Missing):
            continue
        if isinstance(value.value, staged_list.StagedList) and isinstance(
            other, staging.Staged
        ):
            with parts[here]:
                value = staging.Staged(
                    value.value.closed(other.structure.elements)
                )
            made = [value, other]
            return tuple(made if here == 0 else reversed(made))
        which = names[here]
        if value.is_none:
            raise _none_in(name, which)
        is_return = type(value.value) is symbols.UndefinedReturnValue
        pending = symbols.is_undefined(value.value) and value.value.pending
        if pending or fill:
            if isinstance(other, staging.Staged):
                with parts[here]:
                    value = staging.Staged(
                        other.packed([staging.zeros(t) for t in other.tensors])
                    )
                made = [value, other]
                return tuple(made if here == 0 else reversed(made))
        if is_return:
            error = places.disagreement(
                ValueError, name,
                f"the {which} branch must also have a return statement.",
                "Add one, or assign to a variable and return it at the end "
                "of the function.",
            )
            # A loop around may have more to say.
            error.undefined_symbol = name
            raise error
        error = places.disagreement(
            ValueError, name, _uninitialised(name, which),
            f"Assign '{name}' in both branches, or before the if statement.",
        )
        # A loop around may have more to say.
        error.undefined_symbol = name
        raise error
    return pair


def _check(name: str, a, b) -> None:
    """TypeError unless a symbol's values in both branches are alike."""
    for value in (a, b):
        if isinstance(value, staging.Fixed):
            error = staging.not_a_tensor(
                name, value.value, "a branch of an if statement"
            )
            error.symbol, error.cure = name, (
                "A graph chooses between tensors only: keep the object outside "
                "of the branches, and choose between its tensors."
            )
            raise error
    try:
        nest.assert_same_structure(
            a.structure, b.structure, expand_composites=True
        )
    except (TypeError, ValueError) as error:
        raise places.disagreement(
            TypeError, name,
            f"'{name}' must have the same nested structure in the main and "
            "else branches:\n\n"
            + staging.different(name, a.structure, b.structure, error),
            "Let both branches give the same structure of tensors.",
        ) from None
    for x, y in zip(a.flat, b.flat):
        if (x is None) != (y is None):
            raise _none_in(name, "main" if x is None else "else")
    for x, y in zip(a.tensors, b.tensors):
        if x.dtype != y.dtype:
            raise places.disagreement(
                TypeError, name,
                f"'{name}' has dtype {x.dtype.name} in the main branch, but "
                f"dtype {y.dtype.name} in the else branch",
                "Give both the same dtype, for example with tf.cast.",
            )
