"""Which globals, closure cells and attributes a code object reads.

Read off the bytecode, without running it: names, and the attributes taken of
them right away (`config.model.rate`).
"""

import dataclasses
import dis
import weakref
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


def _root(opname: str, argval: object) -> tuple[str, str] | None:
    if opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return GLOBAL, argval
    if opname in ("LOAD_DEREF", "LOAD_CLASSDEREF"):
        return CLOSURE, argval
    if opname.startswith("LOAD_FAST") and opname != "LOAD_FAST_AND_CLEAR":
        # Newer versions load two at once: attributes are of the second.
        return ARGUMENT, argval[-1] if isinstance(argval, tuple) else argval
    return None


def _reads(code: CodeType) -> list[Read]:
    instructions = list(dis.get_instructions(code))
    stored = {
        name
        for i in instructions
        if i.opname.startswith("STORE_")
        for name in (i.argval if isinstance(i.argval, tuple) else (i.argval,))
    }
    own_arguments = _arguments(code)
    reads = []
    line = code.co_firstlineno
    for at, instruction in enumerate(instructions):
        if instruction.positions and instruction.positions.lineno:
            line = instruction.positions.lineno
        if isinstance(instruction.argval, CodeType):
            reads += _outside(
                code, _reads(instruction.argval), own_arguments - stored
            )
            continue
        root = _root(instruction.opname, instruction.argval)
        if root is None:
            continue
        kind, name = root
        if kind == CLOSURE and name not in code.co_freevars:
            kind = ARGUMENT  # a cell of its own
        if kind == ARGUMENT and (name in stored or name not in own_arguments):
            continue
        attributes = []
        for follower in instructions[at + 1:]:
            if follower.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                break
            attributes.append(follower.argval)
        reads.append(Read(kind, name, tuple(attributes), line, code.co_name))
    return reads


def _outside(
    code: CodeType, inner: list[Read], arguments: set[str]
) -> list[Read]:
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
