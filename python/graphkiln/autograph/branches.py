"""if statements and expressions. What branches must agree in is the core's."""

from graphkiln import _graphkiln
from graphkiln.autograph import places, staged_list, staging, symbols


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
    return choose(cond, "conditional expression", body, orelse, source)


def choose(cond, statement: str, body, orelse, name: str):
    """What one of two functions returns. `statement` is what the condition is
    of, in errors."""
    return _graphkiln._choose(
        cond, statement, lambda: (body(),), lambda: (orelse(),), (name,),
        False, (), lambda symbol: [],
    )[0]


def _staged_statement(
    cond, body, orelse, get_state, set_state, symbol_names, nouts, fill=False,
    lists=(), moved=(),
):
    before = get_state()
    start = staged_list.started(symbol_names, before, lists)

    def run(branch):
        def result():
            set_state(staged_list.copies(start))
            branch()
            return get_state()[:nouts]

        return result

    def lines(symbol: str) -> list[str]:
        main, other = ("else", "main") if symbol in moved else ("main", "else")
        return places.lines(
            symbol, [(f"{main} branch", body), (f"{other} branch", orelse)]
        )

    try:
        results = _graphkiln._choose(
            cond, "if statement", run(body), run(orelse),
            symbol_names[:nouts], fill, moved, lines,
        )
    except BaseException:
        set_state(before)
        raise
    results = staged_list.kept(results, start, before)
    set_state(tuple(results) + tuple(before[nouts:]))


def choice_of(a: object, b: object) -> int:
    """What is there to choose? 0: between tensors, 1: nothing, 2: a name that
    neither branch assigns."""
    if symbols.is_lost(a) and symbols.is_lost(b):
        return 2
    if symbols.is_undefined(a) and symbols.is_undefined(b):
        return 1
    if staged_list.are_same(a, b):
        return 1
    if a is not b or isinstance(
        a, (bool, int, float, complex, str, bytes, tuple, dict)
    ):
        return 0
    return int(callable(a))


_graphkiln.provide(choice_of)
