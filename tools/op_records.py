"""The records of ops and compositions, as the tools see them.

`read(text)` reads what gk_write_records wrote of the compiled registry (its
form: src/ops/record_text.h). `parse_args` and `parse_attr` read the notation
of the records themselves (src/framework/op_def.h).
"""

import re
from dataclasses import dataclass, field


@dataclass
class Attr:
    name: str
    type: str
    is_list: bool
    default: str | None


@dataclass
class Op:
    name: str = ""
    inputs: list[tuple[str, str]] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)
    attrs: list[Attr] = field(default_factory=list)
    doc: str = ""
    family: str = ""
    names: list[str] = field(default_factory=list)  # public ones
    where: str = ""  # FILE:LINE, if read of one


@dataclass
class Parameter:
    name: str
    kind: str  # "tensor", "ints" ...
    optional: bool  # takes None
    default: str  # "" if there is none


@dataclass
class Composition:
    names: list[str]
    parameters: list[Parameter]
    result: str = ""  # "" for one tensor, "list", "TopKV2: values, indices" ...
    doc: str = ""
    op: str = ""  # whose record it is


@dataclass
class Records:
    ops: list[Op] = field(default_factory=list)
    compositions: list[Composition] = field(default_factory=list)


def split(text: str, sep: str) -> list[str]:
    """The parts between separators outside of brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text + sep):
        if c == sep and depth == 0 and not quoted or i == len(text):
            if text[start:i].strip():
                parts.append(text[start:i].strip())
            start = i + 1
        elif c == "'":
            quoted = not quoted
        elif not quoted and c in "[(":
            depth += 1
        elif not quoted and c in "])":
            depth -= 1
    return parts


def parse_args(text: str) -> list[tuple[str, str]]:
    pairs = []
    for arg in split(text, ";"):
        name, colon, kind = arg.partition(":")
        if not colon:
            raise ValueError(f"{arg!r} says no type")
        pairs.append((name.strip(), re.sub(r"\s+", " ", kind.strip())))
    return pairs


def parse_attr(text: str) -> Attr:
    name, _, rest = (p.strip() for p in text.partition(":"))
    kind = re.match(r"list\((\w+)\)|(\w+)", rest)
    if kind is None:
        raise ValueError(f"{text!r} says no type")
    default = None
    tail = re.sub(r"\bin \[[^\]]*\]", "", rest[kind.end():])
    if m := re.search(r"(?<![><])=\s*(.*)$", tail.replace(">=", "  "), re.S):
        default = m.group(1).strip()
    if kind.group(2) == "tensor":
        default = None  # C++ functions are always given one
    return Attr(name, kind.group(1) or kind.group(2), bool(kind.group(1)), default)


def parse_parameter(text: str) -> Parameter:
    name, rest = (p.strip() for p in text.split(":", 1))
    kind, _, default = (p.strip() for p in rest.partition("="))
    kind = re.sub(r" as .*", "", kind)
    optional = kind.endswith("?") or default == "None"
    name = name.lstrip("*")
    return Parameter(name, re.sub(r"\(.*", "", kind.rstrip("?")), optional, default)


def read(text: str) -> Records:
    records = Records()
    for line in text.splitlines():
        word, _, rest = line.strip().replace("\\n", "\n").partition(" ")
        if line.startswith("#"):
            continue
        if word == "op":
            name, inputs, outputs = re.fullmatch(r"(\w+)\((.*)\) -> \((.*)\)", rest).groups()
            current = Op(name, parse_args(inputs), parse_args(outputs))
            records.ops.append(current)
        elif word == "function":
            names, args = re.fullmatch(r"([\w.|]+)\((.*)\)", rest).groups()
            current = Composition(names.split("|"),
                                [parse_parameter(p) for p in split(args, ";")])
            records.compositions.append(current)
        elif word == "attr":
            current.attrs.append(parse_attr(rest))
        elif word == "python:":
            current.names = rest.split("|")
        elif word in ("doc:", "family:", "result:", "op:"):
            setattr(current, word[:-1], rest)
    docs = {op.name: op.doc for op in records.ops}
    for composition in records.compositions:
        composition.doc = composition.doc or docs.get(composition.op, "")
    return records
