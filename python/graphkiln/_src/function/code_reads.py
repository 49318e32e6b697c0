"""Which globals, closure cells and attributes a code object reads.

Read off the bytecode, without running it: names, and the attributes taken of
them right away (`config.model.rate`).
"""

import dataclasses
import opcode
import weakref
from collections.abc import Iterator
from types import CodeType

GLOBAL = "global"
CLOSURE = "closure"
ARGUMENT = "argument"


@dataclasses.dataclass(frozen=True)
class Read:
    """One name that a function reads, with the attributes taken of it."""

    kind: str  # GLOBAL, CLOSURE or ARGUMENT
    name: str
    attributes: tuple[str, ...]
    line: int
    function: str  # the one it stands in: a lambda, a comprehension


# Without a lock: finalisers may come here from inside of any access.
_known: weakref.WeakKeyDictionary[CodeType, tuple[Read, ...]] = (
    weakref.WeakKeyDictionary()
)


def reads_of(code: CodeType) -> tuple[Read, ...]:
    """What the function of `code` reads, functions defined in it included."""
    known = _known.get(code)
    if known is None:
        known = tuple(dict.fromkeys(_reads(code)))
        _known[code] = known
    return known


def _arguments(code: CodeType) -> set[str]:
    count = code.co_argcount + code.co_kwonlyargcount
    return set(code.co_varnames[:count])


# What an instruction's argument names: a plain index of names, one above a
# flag, a variable of the function, two of them, a constant.
_NAME, _FLAGGED_NAME, _VARIABLE, _TWO_VARIABLES, _CONSTANT = range(5)


def _meaning(name: str) -> tuple[str, int] | None:
    """What an instruction does (a kind of read, "store", "attribute" or
    "constant"), and what its argument names; None if it names nothing."""
    flagged = {"LOAD_GLOBAL"}
    if opcode.opmap.get("LOAD_METHOD", 256) > 255:  # since 3.12
        flagged.add("LOAD_ATTR")
    names = _FLAGGED_NAME if name in flagged else _NAME
    if name.startswith(("LOAD_FAST", "STORE_FAST")):
        pair = name.count("_FAST") > 1
        variables = _TWO_VARIABLES if pair else _VARIABLE
        if name.startswith("STORE"):
            return "store", variables
        return None if name == "LOAD_FAST_AND_CLEAR" else (ARGUMENT, variables)
    if name in ("LOAD_GLOBAL", "LOAD_NAME"):
        return GLOBAL, names
    if name in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return CLOSURE, _VARIABLE
    if name in ("LOAD_ATTR", "LOAD_METHOD"):
        return "attribute", names
    if name == "STORE_DEREF":
        return "store", _VARIABLE
    if name in ("STORE_NAME", "STORE_GLOBAL", "STORE_ATTR"):
        return "store", _NAME
    return ("constant", _CONSTANT) if name == "LOAD_CONST" else None


_MEANINGS = {
    number: meaning
    for name, number in opcode.opmap.items()
    if number < 256 and (meaning := _meaning(name))
}
_CACHE = opcode.opmap["CACHE"]
_EXTENDED_ARG = opcode.opmap["EXTENDED_ARG"]


def _instructions(code: CodeType) -> Iterator[tuple[str, object, int]]:
    """What each does, "" for all that name nothing, what it names, its line.

    As `dis` has it, which takes five times as long: it prepares to print.
    """
    of_variable = code._varname_from_oparg
    lines = code.co_lines()
    line, end = code.co_firstlineno, 0
    extended = 0
    bytecode = code.co_code
    for at in range(0, len(bytecode), 2):
        number = bytecode[at]
        if number == _CACHE:
            continue
        argument = bytecode[at + 1] | extended
        extended = 0
        if number == _EXTENDED_ARG:
            extended = argument << 8
            continue
        meaning = _MEANINGS.get(number)
        if meaning is None:
            yield "", None, 0
            continue
        while end <= at:
            _, end, found = next(lines)
            line = found or line
        what, of = meaning
        if of == _NAME:
            named = code.co_names[argument]
        elif of == _FLAGGED_NAME:
            named = code.co_names[argument >> 1]
        elif of == _VARIABLE:
            named = of_variable(argument)
        elif of == _TWO_VARIABLES:
            named = of_variable(argument >> 4), of_variable(argument & 15)
        else:
            named = code.co_consts[argument]
        yield what, named, line


def _reads(code: CodeType) -> list[Read]:
    instructions = list(_instructions(code))
    stored = {
        name
        for what, named, _ in instructions
        if what == "store"
        for name in (named if isinstance(named, tuple) else (named,))
    }
    own_arguments = _arguments(code)
    reads = []
    for at, (what, named, line) in enumerate(instructions):
        if what == "constant":
            if isinstance(named, CodeType):
                reads += _outside(code, _reads(named), own_arguments - stored)
            continue
        if what not in (GLOBAL, CLOSURE, ARGUMENT):
            continue
        # Newer versions load two at once: attributes are of the second.
        name = named[-1] if isinstance(named, tuple) else named
        kind = what
        if kind == CLOSURE and name not in code.co_freevars:
            kind = ARGUMENT  # a cell of its own
        if kind == ARGUMENT and (name in stored or name not in own_arguments):
            continue
        attributes = []
        follower = at + 1
        while follower < len(instructions) and (
            instructions[follower][0] == "attribute"
        ):
            attributes.append(instructions[follower][1])
            follower += 1
        reads.append(Read(kind, name, tuple(attributes), line, code.co_name))
    return reads


def _outside(code: CodeType, inner: list[Read], arguments: set[str]) -> list[Read]:
    """Reads of a function defined in `code`, seen from `code`."""
    reads = []
    for read in inner:
        if read.kind == GLOBAL:
            reads.append(read)
        elif read.kind == CLOSURE and read.name in code.co_freevars:
            reads.append(read)
        elif read.kind == CLOSURE and read.name in arguments:
            reads.append(dataclasses.replace(read, kind=ARGUMENT))
    return reads
