"""while and for statements whose condition or length is a tensor: one While
node. `staged_loop` is what all of them become."""

from graphkiln import _graphkiln
from graphkiln.autograph import places, staged_list


def staged_loop(
    test, body, get_state, set_state, symbol_names, opts, code=None,
    asks_first=False,
) -> bool:
    """Repeats `body(counter)` while `test(counter)`. `code` is the generated
    function of the body.

    Both are called once, with the symbols set to placeholders. Symbols that
    have no value yet get the type that the body gives them. With `asks_first`
    the test is called first, and if it gives no tensor there is no loop: then
    this returns False.
    """
    before = get_state()
    start = staged_list.started(symbol_names, before, opts.get("lists", ()))
    loop = state(symbol_names, before, start, opts, code or body)
    behind: list = []

    def put(values) -> None:
        behind[:] = values
        set_state(staged_list.copies(values))

    try:
        made = loop.repeat(
            test, body, get_state, put, opts.get("maximum_iterations"),
            opts.get("parallel_iterations") or 10, asks_first,
        )
    except BaseException:
        set_state(before)
        raise
    set_state(staged_list.kept(behind, start, before) if made else before)
    return made


def state(names, before, start, opts, code, shapes_vary=False):
    """What the core knows of the symbols of a loop. `before` are their values,
    `start` those that the loop begins with."""
    return _graphkiln._LoopState(
        names, start,
        _invariants(names, before, opts.get("shape_invariants")),
        _iterates(opts), shapes_vary,
        lambda symbol: places.lines(
            symbol, [("before the loop", None), ("in the loop", code)]
        ),
    )


def _iterates(opts) -> set[str]:
    text = opts.get("iterate_names", "")
    return set(text.replace("(", " ").replace(")", " ").replace(",", " ")
               .replace("*", " ").replace("[", " ").replace("]", " ").split())


def checked(body, get_state, set_state, names):
    """`body`, which then fails in a loop's terms if a symbol has become
    something else than it was before it."""

    def run() -> None:
        values = get_state()
        loop = state(names, values, values, {}, body)
        body()
        set_state(loop.check(get_state()))

    return run


def _invariants(names, before, given) -> list:
    """(number of the symbol, shape) of set_loop_options."""
    found = []
    for item in given or ():
        if not isinstance(item, (tuple, list)) or len(item) not in (2, 3):
            raise ValueError(
                "shape_invariants must be a list of pairs (variable, shape), "
                f"got {item!r}"
            )
        value, shape = item[:2]
        wanted = item[2] if len(item) == 3 else None
        for i, (name, old) in enumerate(zip(names, before)):
            if name == wanted or (wanted is None and old is value):
                found.append((i, shape))
    return found
