"""Which members of Python's public classes the C++ classes of their names have.

Members are read from the public headers as parity.py reads names: functions, fields
and enumerators, those of bases included. They are the same where their letters are:
`from_row_splits`, `Stop` for `stop`, `kAutoSelect` for `AUTO_SELECT`.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import parity


@dataclass
class Class:
    name: str  # Python's
    cpp: str
    have: list[str]
    lack: list[str]


def letters(name: str) -> str:
    """What of a name counts."""
    return name.replace("_", "").lower()


def split(words: list[str]) -> Iterator[list[str]]:
    """What stands between commas, but for those in brackets."""
    part: list[str] = []
    depth = 0
    for word in words:
        depth += (word in "<({") - (word in ">)}")
        if word == "," and depth == 0:
            yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part


def fields(words: list[str]) -> Iterator[str]:
    """The names that a declaration of fields or enumerators gives."""
    for part in split(words):
        names = [w for w in part[: (part + ["="]).index("=")] if re.match(r"[A-Za-z_]", w)]
        if names:
            yield names[-1]


def facts_in(text: str) -> Iterator[tuple[str, str, str]]:
    """(class, "has" or "is", member or other class) of a header."""
    scopes: list[tuple[str, str]] = []  # kind, name
    words: list[str] = []
    depth = 0
    for token in parity.tokens(text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        if depth or token not in "{};":
            words.append(token)
            continue
        words = parity.without_template(words)
        kind, inside = scopes[-1] if scopes else ("namespace", "gk")
        if kind == "class" and words and token != "}":
            while words[1:2] == [":"]:
                words = words[2:]
            name = parity.declared(words)
            for member in [name] if name else fields(words):
                yield inside, "has", member
        elif kind == "enum" and token == "}":
            for member in fields(words):
                yield inside, "has", member.removeprefix("k")
        elif kind == "namespace" and words[:1] == ["using"] and "=" in words:
            other = [w for w in words[3:] if re.match(r"[A-Z]", w)]
            if other:
                yield words[1], "is", other[-1]
        if token == "{":
            name = parity.declared(words) or ""
            if words[:1] in (["class"], ["struct"]) and name:
                scopes.append(("class", name))
                for base in split(words[words.index(":") + 1:] if ":" in words else []):
                    yield name, "is", base[: (base + ["<"]).index("<")][-1]
            elif words[:2] == ["enum", "class"]:
                scopes.append(("enum", name))
            else:
                space = words[:1] in (["namespace"], ["GK_API_NAMESPACE"])
                scopes.append(("namespace" if space else "", ""))
        elif token == "}":
            scopes.pop()
        words = []


@functools.cache
def cpp_members() -> dict[str, set[str]]:
    """The letters of the members of each class, by its last name."""
    has: dict[str, set[str]] = {}
    same: dict[str, set[str]] = {}
    for header in sorted(parity.HEADERS.glob("*.h")):
        for name, what, other in facts_in(header.read_text(encoding="utf-8")):
            if what == "has":
                has.setdefault(name, set()).add(letters(other))
            else:
                same.setdefault(name, set()).add(other)
    for _ in range(3):  # bases of bases
        for name, others in same.items():
            for other in others - {name}:
                has.setdefault(name, set()).update(has.get(other, ()))
    return has


def python_members(cls: type) -> list[str]:
    found = [
        member
        for home in cls.__mro__
        if home.__module__.startswith("graphkiln")
        for member in vars(home)
        if not member.startswith("_")
    ]
    return sorted(set(found))


@functools.cache
def classes() -> list[Class]:
    """The public classes that C++ has as such."""
    out = []
    for entry in parity.entries():
        value = functools.reduce(getattr, entry.names[0].split("."), parity.package())
        last = entry.cpp.rpartition("::")[2]
        if isinstance(value, type) and last in cpp_members():
            members = python_members(value)
            have = [m for m in members if letters(m) in cpp_members()[last]]
            lack = [m for m in members if m not in have]
            if members:
                out.append(Class(entry.names[0], entry.cpp, have, lack))
    return out


def totals() -> tuple[int, int]:
    """How many members C++ has, of how many."""
    have = sum(len(c.have) for c in classes())
    return have, have + sum(len(c.lack) for c in classes())


def section() -> str:
    have, of = totals()
    lines = [
        "## Members of classes", "",
        f"Of {of} public methods and attributes of {len(classes())} classes that both "
        f"have {have} have the same name in C++ ({100 * have / of:.0f} %). Others are "
        "functions there, go by operators, or are Python's protocols.", "",
        "| Python | C++ | has | has not by that name |", "|---|---|---|---|",
    ]
    for c in classes():
        lack = ", ".join(f"`{m}`" for m in c.lack)
        lines.append(
            f"| `tf.{c.name}` | `{c.cpp}` | {len(c.have)} of {len(c.have + c.lack)} "
            f"| {lack} |")
    return "\n".join(["", *lines, ""])
