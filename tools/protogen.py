#!/usr/bin/env python3
"""Makes C++ structs and a descriptor set from src/proto/*.proto.

    protogen.py --cpp DIR --descriptors FILE a.proto b.proto ...

Reads a subset of proto3: messages, enums, oneof, map, repeated, optional,
imports and `//` comments. Needs Python alone. Files that would not change are
left alone, so that nothing is rebuilt for nothing.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
from collections.abc import Iterable, Iterator

# Name -> (number in FieldDescriptorProto.Type, C++ type, codec).
SCALARS = {
    "double": (1, "double", "FixedCodec<double>"),
    "float": (2, "float", "FixedCodec<float>"),
    "int64": (3, "int64_t", "IntCodec<int64_t>"),
    "uint64": (4, "uint64_t", "IntCodec<uint64_t>"),
    "int32": (5, "int32_t", "IntCodec<int32_t>"),
    "fixed64": (6, "uint64_t", "FixedCodec<uint64_t>"),
    "fixed32": (7, "uint32_t", "FixedCodec<uint32_t>"),
    "bool": (8, "bool", "IntCodec<bool>"),
    "string": (9, "std::string", "StringCodec"),
    "bytes": (12, "std::string", "StringCodec"),
    "uint32": (13, "uint32_t", "IntCodec<uint32_t>"),
    "sfixed32": (15, "int32_t", "FixedCodec<int32_t>"),
    "sfixed64": (16, "int64_t", "FixedCodec<int64_t>"),
    "sint32": (17, "int32_t", "ZigZagCodec<int32_t>"),
    "sint64": (18, "int64_t", "ZigZagCodec<int64_t>"),
}
MESSAGE, ENUM = 11, 14
KEYWORDS = set(
    "auto bool case char class const default delete double else enum explicit"
    " export float for if int long namespace new operator private public"
    " register return short signed static struct switch template this throw"
    " try typename union unsigned using virtual void while".split()
)


@dataclasses.dataclass
class Field:
    name: str
    number: int
    type: str  # A scalar's name, or the full name once resolved.
    label: str = ""  # "", "repeated", "optional" or "map"
    key: str = ""  # Key type of a map.
    oneof: str = ""
    kind: int = 0  # The number of FieldDescriptorProto.Type.

    @property
    def cpp_name(self) -> str:
        return self.name + "_" if self.name in KEYWORDS else self.name


@dataclasses.dataclass
class Enum:
    full_name: str
    values: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Message:
    full_name: str
    fields: list[Field] = dataclasses.field(default_factory=list)
    messages: list[Message] = dataclasses.field(default_factory=list)
    enums: list[Enum] = dataclasses.field(default_factory=list)

    def walk(self) -> Iterator[Message]:
        """Inner messages first."""
        for message in self.messages:
            yield from message.walk()
        yield self

    def oneofs(self) -> list[str]:
        return list(dict.fromkeys(f.oneof for f in self.fields if f.oneof))


@dataclasses.dataclass
class File:
    stem: str
    package: str = ""
    imports: list[str] = dataclasses.field(default_factory=list)
    messages: list[Message] = dataclasses.field(default_factory=list)
    enums: list[Enum] = dataclasses.field(default_factory=list)

    def all_messages(self) -> list[Message]:
        return [m for top in self.messages for m in top.walk()]

    def all_enums(self) -> list[Enum]:
        return self.enums + [e for m in self.all_messages() for e in m.enums]


class Parser:
    def __init__(self, path: pathlib.Path) -> None:
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        self.tokens = re.findall(r'"[^"]*"|-?\d+|[\w.]+|\S', text)
        self.path = path
        self.at = 0

    def next(self) -> str:
        if self.at == len(self.tokens):
            raise SyntaxError(f"{self.path}: unexpected end of file")
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token: str) -> None:
        got = self.next()
        if got != token:
            raise SyntaxError(f"{self.path}: expected {token!r}, got {got!r}")

    def take(self, token: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def file(self) -> File:
        result = File(self.path.stem)
        while self.at < len(self.tokens):
            word = self.next()
            if word == "syntax":
                self.expect("=")
                self.expect('"proto3"')
            elif word == "package":
                result.package = self.next()
            elif word == "import":
                result.imports.append(self.next()[1:-1].removesuffix(".proto"))
            elif word == "message":
                result.messages.append(self.message(result.package))
                continue
            elif word == "enum":
                result.enums.append(self.enum(result.package))
                continue
            else:
                raise SyntaxError(f"{self.path}: unexpected {word!r}")
            self.expect(";")
        return result

    def enum(self, scope: str) -> Enum:
        result = Enum(f"{scope}.{self.next()}")
        self.expect("{")
        while not self.take("}"):
            name = self.next()
            self.expect("=")
            result.values[name] = int(self.next())
            self.expect(";")
        return result

    def message(self, scope: str) -> Message:
        result = Message(f"{scope}.{self.next()}")
        self.expect("{")
        while not self.take("}"):
            if self.take("message"):
                result.messages.append(self.message(result.full_name))
            elif self.take("enum"):
                result.enums.append(self.enum(result.full_name))
            elif self.take("oneof"):
                name = self.next()
                self.expect("{")
                while not self.take("}"):
                    result.fields.append(self.field(name))
            else:
                result.fields.append(self.field())
        result.fields.sort(key=lambda field: field.number)
        return result

    def field(self, oneof: str = "") -> Field:
        label = key = ""
        kind = self.next()
        if kind in ("repeated", "optional"):
            label, kind = kind, self.next()
        elif kind == "map":
            self.expect("<")
            label, key = "map", self.next()
            self.expect(",")
            kind = self.next()
            self.expect(">")
        name = self.next()
        self.expect("=")
        number = int(self.next())
        self.expect(";")
        return Field(name, number, kind, label, key, oneof)


def load(paths: Iterable[pathlib.Path]) -> list[File]:
    """Parses and resolves the files, imported ones first."""
    parsed = {path.stem: Parser(path).file() for path in paths}
    ordered: dict[str, File] = {}

    def add(stem: str) -> None:
        if stem not in ordered:
            for other in parsed[stem].imports:
                add(other)
            ordered[stem] = parsed[stem]

    for stem in sorted(parsed):
        add(stem)
    files = list(ordered.values())
    kinds = {m.full_name: MESSAGE for f in files for m in f.all_messages()}
    kinds |= {e.full_name: ENUM for f in files for e in f.all_enums()}

    def resolve(message: Message, field: Field) -> None:
        if field.type in SCALARS:
            field.kind = SCALARS[field.type][0]
            return
        scope = message.full_name
        while True:
            name = f"{scope}.{field.type}" if scope else field.type
            if name in kinds:
                field.type, field.kind = name, kinds[name]
                return
            if not scope:
                raise SyntaxError(f"{message.full_name}: no {field.type}")
            scope = scope.rpartition(".")[0]

    for file in files:
        for message in file.all_messages():
            for field in message.fields:
                resolve(message, field)
    return files


def camel(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def flat(full_name: str) -> str:
    """tensorflow.AttrValue.ListValue -> AttrValue_ListValue."""
    for package in ("tensorflow.", "google.protobuf."):
        full_name = full_name.removeprefix(package)
    return full_name.replace(".", "_")


# ---- C++ -------------------------------------------------------------------


def cpp_type(field: Field) -> str:
    scalar = SCALARS.get(field.type)
    return scalar[1] if scalar else flat(field.type)


def codec(field: Field) -> str:
    scalar = SCALARS.get(field.type)
    if scalar:
        return scalar[2]
    kind = "MessageCodec" if field.kind == MESSAGE else "EnumCodec"
    return f"{kind}<{flat(field.type)}>"


def map_codecs(field: Field) -> str:
    return f"{SCALARS[field.key][2]}, {codec(field)}"


def wire(field: Field) -> int:
    if field.label == "map" or field.kind in (9, 12, MESSAGE):
        return 2
    return 1 if field.kind in (1, 6, 16) else 5 if field.kind in (2, 7, 15) else 0


def is_sub(field: Field) -> bool:
    return field.kind == MESSAGE and field.label in ("", "optional")


def member(field: Field) -> str:
    kind, name = cpp_type(field), field.cpp_name
    if field.label == "repeated":
        return f"std::vector<{kind}> {name};"
    if field.label == "map":
        return f"std::map<{SCALARS[field.key][1]}, {kind}> {name};"
    if is_sub(field):
        return f"Sub<{kind}> {name};"
    if field.label == "optional":
        return f"std::optional<{kind}> {name};"
    return f"{kind} {name};" if kind == "std::string" else f"{kind} {name}{{}};"


def case(field: Field) -> str:
    return f"{camel(field.oneof)}Case::k{camel(field.name)}"


def struct_lines(message: Message) -> Iterator[str]:
    name = flat(message.full_name)
    yield f"struct {name} : Message<{name}> {{"
    yield f'  static constexpr const char* kName = "{message.full_name}";'
    for inner in [*message.messages, *message.enums]:
        simple = inner.full_name.rpartition(".")[2]
        if simple not in {f.cpp_name for f in message.fields}:
            yield f"  using {simple} = {flat(inner.full_name)};"
    for oneof in message.oneofs():
        cases = [f for f in message.fields if f.oneof == oneof]
        yield f"  enum class {camel(oneof)}Case : uint8_t {{"
        yield "    kNone,"
        yield from (f"    k{camel(f.name)}," for f in cases)
        yield "  };"
    yield from (f"  {member(field)}" for field in message.fields)
    for oneof in message.oneofs():
        kind = f"{camel(oneof)}Case"
        yield f"  {kind} {oneof}_case = {kind}::kNone;"
    yield "  UnknownFields unknown_fields_;"
    yield ""
    for oneof in message.oneofs():
        yield f"  void clear_{oneof}();"
        for f in message.fields:
            if f.oneof != oneof:
                continue
            if is_sub(f):
                yield f"  {cpp_type(f)}& mutable_{f.name}();"
            else:
                yield f"  void set_{f.name}({cpp_type(f)} value);"
    yield "  bool Merge(Reader& in);"
    yield "  void WriteTo(Writer& out) const;"
    yield "  void PrintTo(TextWriter& out) const;"
    yield "};"


def header(file: File) -> str:
    guard = f"GK_PROTO_{file.stem.upper()}_GK_H_"
    lines = [
        f"// Generated by protogen.py from proto/{file.stem}.proto.",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        '#include "proto/message.h"',
        *(f'#include "proto/{stem}.gk.h"' for stem in file.imports),
        "",
        "namespace gk::proto {",
        "",
    ]
    top = {enum.full_name for enum in file.enums}
    for enum in file.all_enums():
        name = flat(enum.full_name)
        scoped = "" if enum.full_name in top else "class "
        lines.append(f"enum {scoped}{name} : int32_t {{")
        lines += [f"  {value} = {n}," for value, n in enum.values.items()]
        lines += ["};", "// Empty for a number without a name."]
        lines += [f"std::string_view EnumName({name} value);", ""]
    messages = file.all_messages()
    lines += [f"struct {flat(m.full_name)};" for m in messages]
    for message in in_order(messages):
        lines += ["", *struct_lines(message)]
    lines += ["", "}  // namespace gk::proto", "", f"#endif  // {guard}", ""]
    return "\n".join(lines)


def in_order(messages: list[Message]) -> list[Message]:
    """Map and vector elements before their users, as far as they can be."""
    by_name = {m.full_name: m for m in messages}
    done: dict[str, Message] = {}
    open_names: set[str] = set()

    def add(message: Message) -> None:
        if message.full_name in done or message.full_name in open_names:
            return
        open_names.add(message.full_name)
        for field in message.fields:
            if field.type in by_name:
                add(by_name[field.type])
        done[message.full_name] = message

    for message in messages:
        add(message)
    return list(done.values())


def merge_lines(message: Message) -> Iterator[str]:
    name = flat(message.full_name)
    yield f"bool {name}::Merge(Reader& in) {{"
    yield "  while (!in.done()) {"
    yield "    const char* start = in.position();"
    yield "    uint32_t tag;"
    yield "    if (!in.Tag(&tag)) return false;"
    yield "    switch (tag) {"
    for f in message.fields:
        target = "this->" + f.cpp_name
        tag = f.number << 3 | wire(f)
        if f.label == "map":
            call = f"ReadMapEntry<{map_codecs(f)}>(in, &{target})"
        elif f.label == "repeated":
            call = f"ReadRepeated<{codec(f)}>(in, &{target})"
        elif f.oneof and is_sub(f):
            call = f"{codec(f)}::Read(in, &mutable_{f.name}())"
        elif is_sub(f):
            call = f"{codec(f)}::Read(in, &{target}.mut())"
        elif f.label == "optional":
            call = f"{codec(f)}::Read(in, &{target}.emplace())"
        else:
            call = f"{codec(f)}::Read(in, &{target})"
        yield f"      case {tag}:"
        if f.oneof and not is_sub(f):
            yield f"        if ({f.oneof}_case != {case(f)}) {{"
            yield f"          clear_{f.oneof}();"
            yield f"          {f.oneof}_case = {case(f)};"
            yield "        }"
        yield f"        if (!{call}) {{"
        yield "          return false;"
        yield "        }"
        yield "        break;"
        if f.label == "repeated" and wire(f) != 2:
            yield f"      case {f.number << 3 | 2}:"
            yield f"        if (!ReadPacked<{codec(f)}>(in, &{target})) {{"
            yield "          return false;"
            yield "        }"
            yield "        break;"
    yield "      default:"
    yield "        if (!in.Keep(tag, start, &unknown_fields_.mut())) {"
    yield "          return false;"
    yield "        }"
    yield "    }"
    yield "  }"
    yield "  return true;"
    yield "}"


def visit(message: Message, verb: str, label: str) -> Iterator[str]:
    """Lines of WriteTo (fields last to first) or PrintTo (first to last)."""
    step = -1 if verb == "Write" else 1
    for f in message.fields[::step]:
        name = "this->" + f.cpp_name
        tag = f.number if label == "number" else f'"{f.name}"'
        if f.label == "map":
            yield f"  {verb}Map<{map_codecs(f)}>(out, {tag}, {name});"
        elif f.label == "repeated":
            yield f"  {verb}Repeated<{codec(f)}>(out, {tag}, {name});"
        elif f.oneof:
            value = f"*{name}" if is_sub(f) else name
            yield f"  if ({f.oneof}_case == {case(f)}) {{"
            yield f"    {verb}Field<{codec(f)}>(out, {tag}, {value});"
            yield "  }"
        elif is_sub(f) or f.label == "optional":
            yield f"  if ({name}) {verb}Field<{codec(f)}>(out, {tag}, *{name});"
        else:
            yield f"  {verb}Scalar<{codec(f)}>(out, {tag}, {name});"


def oneof_lines(message: Message) -> Iterator[str]:
    name = flat(message.full_name)
    for oneof in message.oneofs():
        cases = [f for f in message.fields if f.oneof == oneof]
        yield f"void {name}::clear_{oneof}() {{"
        for f in cases:
            reset = ".reset()" if is_sub(f) else " = {}"
            yield f"  this->{f.cpp_name}{reset};"
        yield f"  {oneof}_case = {camel(oneof)}Case::kNone;"
        yield "}"
        for f in cases:
            if is_sub(f):
                yield f"{cpp_type(f)}& {name}::mutable_{f.name}() {{"
                yield f"  if ({oneof}_case != {case(f)}) clear_{oneof}();"
                yield f"  {oneof}_case = {case(f)};"
                yield f"  return this->{f.cpp_name}.mut();"
            else:
                yield f"void {name}::set_{f.name}({cpp_type(f)} value) {{"
                yield f"  if ({oneof}_case != {case(f)}) clear_{oneof}();"
                yield f"  {oneof}_case = {case(f)};"
                yield f"  this->{f.cpp_name} = std::move(value);"
            yield "}"


def source(file: File) -> str:
    lines = [
        f"// Generated by protogen.py from proto/{file.stem}.proto.",
        f'#include "proto/{file.stem}.gk.h"',
        "",
        "namespace gk::proto {",
        "",
    ]
    for enum in file.all_enums():
        name = flat(enum.full_name)
        lines += [f"std::string_view EnumName({name} value) {{"]
        lines += ["  switch (static_cast<int32_t>(value)) {"]
        for number in dict.fromkeys(enum.values.values()):
            value = next(v for v, n in enum.values.items() if n == number)
            lines.append(f'    case {number}: return "{value}";')
        lines += ["    default: return {};", "  }", "}", ""]
    for message in file.all_messages():
        name = flat(message.full_name)
        lines += [*oneof_lines(message), *merge_lines(message)]
        lines += [f"void {name}::WriteTo(Writer& out) const {{"]
        lines += ["  out.Raw(*unknown_fields_);"]
        lines += [*visit(message, "Write", "number"), "}"]
        lines += [f"void {name}::PrintTo(TextWriter& out) const {{"]
        lines += [*visit(message, "Print", "name"), "}", ""]
    lines += ["}  // namespace gk::proto", ""]
    return "\n".join(lines)


# ---- Descriptor set, in the wire format of descriptor.proto ----------------


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def put(number: int, value: int | str | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def enum_descriptor(enum: Enum) -> bytes:
    out = put(1, enum.full_name.rpartition(".")[2])
    for name, number in enum.values.items():
        out += put(2, put(1, name) + put(2, number))
    return out


def field_descriptor(
    name: str, number: int, kind: int, type_name: str, extra: bytes, label: int
) -> bytes:
    out = put(1, name) + put(3, number) + put(4, label) + put(5, kind)
    if kind in (MESSAGE, ENUM):
        out += put(6, "." + type_name)
    return out + extra


def message_descriptor(message: Message) -> bytes:
    out = put(1, message.full_name.rpartition(".")[2])
    oneofs = message.oneofs()
    nested = [message_descriptor(m) for m in message.messages]
    for f in message.fields:
        kind, type_name, extra = f.kind, f.type, b""
        label = 3 if f.label in ("repeated", "map") else 1
        if f.label == "map":
            entry = camel(f.name) + "Entry"
            key = field_descriptor("key", 1, SCALARS[f.key][0], "", b"", 1)
            value = field_descriptor("value", 2, kind, type_name, b"", 1)
            nested.append(
                put(1, entry) + put(2, key) + put(2, value) + put(7, put(7, 1))
            )
            kind, type_name = MESSAGE, f"{message.full_name}.{entry}"
        elif f.oneof:
            extra = put(9, oneofs.index(f.oneof))
        elif f.label == "optional":
            # proto3 expresses presence by a oneof of one field; such oneofs
            # come after the real ones.
            oneofs.append("_" + f.name)
            extra = put(9, len(oneofs) - 1) + put(17, 1)
        out += put(2, field_descriptor(f.name, f.number, kind, type_name, extra, label))
    for inner in nested:
        out += put(3, inner)
    for enum in message.enums:
        out += put(4, enum_descriptor(enum))
    for oneof in oneofs:
        out += put(8, put(1, oneof))
    return out


def descriptor_set(files: Iterable[File]) -> bytes:
    """A serialized google.protobuf.FileDescriptorSet."""
    out = b""
    for file in files:
        data = put(1, f"graphkiln/{file.stem}.proto") + put(2, file.package)
        for stem in file.imports:
            data += put(3, f"graphkiln/{stem}.proto")
        for message in file.messages:
            data += put(4, message_descriptor(message))
        for enum in file.enums:
            data += put(5, enum_descriptor(enum))
        out += put(1, data + put(12, "proto3"))
    return out


def write(path: pathlib.Path, data: bytes) -> None:
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpp", type=pathlib.Path)
    parser.add_argument("--descriptors", type=pathlib.Path)
    parser.add_argument("protos", nargs="+", type=pathlib.Path)
    args = parser.parse_args()
    files = load(args.protos)
    if args.cpp:
        for file in files:
            write(args.cpp / f"{file.stem}.gk.h", header(file).encode())
            write(args.cpp / f"{file.stem}.gk.cc", source(file).encode())
    if args.descriptors:
        write(args.descriptors, descriptor_set(files))


if __name__ == "__main__":
    main()
