"""Python values that traces froze."""

from collections.abc import Callable

from graphkiln import _graphkiln

MISSING = object()


def shown(value: object) -> str:
    """`value` in a line of text."""
    if value is MISSING:
        return "<gone>"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


class BakedValue:
    """A Python value that a trace froze.

    Attributes:
      name: how the code names it, as `config.rate` or `self.scale`.
      value: what it was when the function was traced; of a large array only
        a `LargeArray` with its shape and dtype.
      kind: "global", "closure" or "attribute".
      file, line, function: where the code reads it.
    """

    __slots__ = (
        "name", "value", "kind", "file", "line", "function", "_look_up",
        "_expected", "_guarded", "_functions",
    )

    def __init__(
        self,
        name: str,
        kind: str,
        value: object,
        place: tuple[str, int, str],
        look_up: Callable[[], object],
        functions: tuple[Callable[[], object], ...],
    ):
        self.name = name
        self.kind = kind
        self.value = value
        self.file, self.line, self.function = place
        self._look_up = look_up
        # What later values are compared with.
        self._expected = value
        self._guarded = True
        # What finds the Functions between the traced one and the read.
        self._functions = functions

    def current(self) -> object:
        """What it is now. LookupError if it is gone."""
        value = self._look_up()
        if value is MISSING:
            raise LookupError(f"{self.name} is gone")
        return value

    def __repr__(self) -> str:
        return (
            f"BakedValue({self.name} = {shown(self.value)}, {self.kind}, "
            f'File "{self.file}", line {self.line}, in {self.function})'
        )


_graphkiln.provide(shown)
