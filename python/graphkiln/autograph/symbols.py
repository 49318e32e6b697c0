"""Values of names that nothing has been assigned to yet."""

from collections.abc import Callable

from graphkiln import _graphkiln
from graphkiln.autograph.undefined_return_value import UndefinedReturnValue


class Undefined:
    """The value of a local name before its first assignment. Any use of it
    is the error that Python would raise.

    With `pending`, every way on assigns the name before it is read, so that
    zeros may stand in. With `lost`, a staged branch or loop would have had to
    assign it: the text says so.
    """

    __slots__ = ("lost", "pending", "symbol_name")

    def __init__(
        self, symbol_name: str, pending: bool = False, lost: str = ""
    ):
        self.symbol_name = symbol_name
        self.pending = pending
        self.lost = lost

    def read(self):
        if self.lost:
            raise ValueError(self.lost)
        raise UnboundLocalError(
            f"'{self.symbol_name}' is used before assignment"
        )

    def read_outside(self):
        """By a function in the one whose name it is."""
        if self.lost:
            raise ValueError(self.lost)
        raise NameError(
            f"cannot access free variable '{self.symbol_name}' where it is "
            "not associated with a value in enclosing scope"
        )

    def __repr__(self) -> str:
        return self.symbol_name

    def __getattribute__(self, name: str):
        if name in (
            "symbol_name", "pending", "lost", "read", "read_outside",
            "__class__",
        ):
            return object.__getattribute__(self, name)
        return Undefined.read(self)

    def __getitem__(self, key):
        self.read()

    def __call__(self, *args, **kwargs):
        self.read()


def is_undefined(value: object) -> bool:
    return type(value) in (Undefined, UndefinedReturnValue)


def is_lost(value: object) -> bool:
    """Is it a name, not a result, without a value?"""
    return type(value) is Undefined


def ld(value: object) -> object:
    """The value of a name that is read."""
    if type(value) is Undefined:
        value.read()
    return value


def ldf(value: object) -> object:
    """The same in a function nested in the one that assigns the name."""
    if type(value) is Undefined:
        value.read_outside()
    return value


def ldu(load: Callable, name: str) -> object:
    """The value of an expression such as `d['k']`, `Undefined` if there is
    none yet."""
    try:
        value = load()
    except (AttributeError, IndexError, KeyError, NameError):
        return Undefined(name)
    return Undefined(name) if type(value) is Undefined else value


_graphkiln.provide(Undefined)
