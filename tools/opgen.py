#!/usr/bin/env python3
"""Derives what the op records themselves need: registration, op functions.

Usage: opgen.py SOURCE_DIR OUTPUT_DIR

Writes, if changed,
  ops/registration.cc   RegisterAllOps(): one call for each record file
  ops/fn/<Op>.h         the op's function: gk::ops::AddV2(x, y), which throws
                        gk::Error, and AddV2(OpName("sum"), x, y)
  ops/with_attrs/<Op>.h the same that takes all attributes at once, where the op
                        has such: Conv2D(OpAttrs(attrs), x, filter)
  ops/fn/<file>.h, .cc  all those of a record file
  ops/op_functions.h    all of them
One header for each op keeps an added op from rebuilding every file.

Records call each other's op functions, so these are there before any record is
compiled: signatures and documentation, and nothing else, are read from the
files' text (docs/decisions/records_as_text.md). What cannot be read so is an
error with its place. Everything else is derived of the compiled registry
(opgen_public.py), which refuses to build if a field was read wrongly.
"""
import re
import sys
from pathlib import Path

from op_records import Attr, Op, parse_args, parse_attr, split

STRING = r'"(?:[^"\\]|\\.)*"'
FIELD = re.compile(r"(?<=[\s{,(])\.(name|inputs|outputs|attrs|doc)\s*=(?!=)")
# Literals, and names of macros and constants that are literals.
PIECES = re.compile(
    r"((?:\s*(?:" + STRING + r"|(?!R\")[A-Za-z]\w*))+)(?=\s*[,}])")
# Macros and constants that may be made of these.
NAMED = re.compile(
    r"^\s*(?:#define (\w+)(?=\s)((?:[^\\\n]|\\(?:.|\n))*)$"
    r"|constexpr (?:char|std::string_view) (\w+)(?:\[\])?\s*="
    r"((?:" + STRING + r'|[^;"])*);)', re.M)

CPP_TYPES = {
    "int": ("int64_t", "int64_t"),
    "float": ("float", "float"),
    "bool": ("bool", "bool"),
    "string": ("std::string_view", "std::string"),
    "type": ("DataType", "DataType"),
    "shape": ("const PartialTensorShape&", "PartialTensorShape"),
    "tensor": ("const Tensor&", "Tensor"),
    "func": ("const FunctionAttr&", "FunctionAttr"),
}
WITH_DEFAULT = {"int", "float", "bool", "string", "type"}  # as OpArg takes it
CPP_NAMES = {"float": "kFloat", "double": "kDouble", "half": "kHalf"}
RESERVED = {"default", "template", "new", "delete", "class", "and", "or",
            "not", "switch", "case", "auto", "const", "return", "operator",
            "complex", "union"}


class Unreadable(Exception):
    """FILE:LINE and what stands there."""


def text_of(pieces: str, named: dict[str, str]) -> str:
    def joined(pieces: str) -> str:
        found = re.findall(STRING + r"|[A-Za-z]\w*", pieces)
        return "".join(p[1:-1] if p[0] == '"' else joined(named[p]) for p in found)

    return joined(pieces).replace('\\"', '"').replace("\\n", "\n")


def read_ops(path: Path) -> tuple[list[str], list[Op]]:
    text = path.read_text()
    files = re.findall(r"^\s*GK_REGISTER_(?:OPS|COMPOSITIONS)\((\w+)\)", text, re.M)
    headers = "".join(h.read_text() for h in sorted(path.parent.glob("*.h")))
    named = {m[1] or m[3]: m[2] or m[4] for m in NAMED.finditer(headers + text)}
    ops: list[Op] = []
    for field in FIELD.finditer(text):
        key = field[1]
        if key != "name" and not ops:  # of a composition
            continue
        where = f"{path}:{text.count(chr(10), 0, field.start()) + 1}"
        pieces = PIECES.match(text, field.end())
        try:
            if pieces is None:
                raise ValueError("no literals alone")
            value = text_of(pieces[1], named)
            if key == "name":
                ops.append(Op(name=value, where=where))
            elif key == "attrs":
                ops[-1].attrs = [parse_attr(a) for a in split(value, ";")]
            elif key == "doc":
                ops[-1].doc = value
            else:
                setattr(ops[-1], key, parse_args(value))
        except KeyError as name:
            raise Unreadable(
                f"{where}: .{key} names {name}, which neither this file nor a "
                "header beside it defines as literals") from None
        except ValueError as error:
            raise Unreadable(
                f"{where}: .{key} is not written as opgen reads it, before "
                f"anything is compiled: {error}") from None
    return files, ops


def cpp_default(attr: Attr) -> str:
    d = attr.default
    if attr.is_list:
        items = split(d.strip("[]"), ",")
        return "{" + ", ".join(cpp_scalar(attr.type, i) for i in items) + "}"
    return cpp_scalar(attr.type, d)


def cpp_scalar(kind: str, d: str) -> str:
    if kind == "bool":
        return d.lower()
    if kind == "string":
        return '"' + d.strip("'").replace("\n", "\\n") + '"'
    if kind == "type":
        return "DataType::" + CPP_NAMES.get(d, "k" + d.capitalize())
    if kind == "float":
        return "std::numeric_limits<float>::infinity()" if d == "inf" else f"{float(d)!r}f"
    if kind == "shape":
        inner = d.strip("[]")
        return "PartialTensorShape()" if d in ("None", "unknown", "<unknown>") \
            else f"PartialTensorShape(TensorShape({{{inner}}}))"
    return d


def signature(op: Op, defaults: bool) -> tuple[str, str, list[Attr], set[str]]:
    inferred = set()
    params = []
    list_attrs = {a.name for a in op.attrs if a.is_list}
    for name, kind in op.inputs:
        number, _, base = kind.rpartition("*")
        number, base = number.strip(), base.strip()
        inferred |= {n for n in (number, base) if n}
        is_list = bool(number) or base in list_attrs
        cpp = "std::span<const Tensor>" if is_list else "const Tensor&"
        params.append(f"{cpp} {safe(name)}")
    attrs = [a for a in op.attrs if a.name not in inferred]
    for a in sorted(attrs, key=lambda a: a.default is not None):
        param, stored = CPP_TYPES[a.type]
        cpp = f"std::vector<{stored}>" if a.is_list else param
        tail = f" = {cpp_default(a)}" if defaults and a.default is not None else ""
        params.append(f"{cpp} {safe(a.name)}{tail}")
    out_lists = any("*" in k or k.strip() in list_attrs for _, k in op.outputs)
    result = "void" if not op.outputs else "Tensor" \
        if len(op.outputs) == 1 and not out_lists else "TensorVector"
    return result, ", ".join(params), attrs, list_attrs


def safe(name: str) -> str:
    return name + "_" if name in RESERVED else name


def write_if_changed(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def with_attrs(op: Op) -> str:
    """The header of the op's function that takes all attributes at once; none if
    it has no attributes of its own, or lists of inputs."""
    result, params, attrs, list_attrs = signature(op, False)
    lists = any("*" in k or k.strip() in list_attrs for _, k in op.inputs)
    if not attrs or lists or result == "void":
        return ""
    guard = f"GK_OPS_WITH_ATTRS_{op.name}_H_"
    inputs = split(params, ",")[:len(op.inputs)]
    names = "{" + ", ".join(p.split()[-1].lstrip("&") for p in inputs) + "}"
    made = f'MakeOp1("{op.name}", {names}' if result == "Tensor" \
        else f'MakeOp("{op.name}", TensorVector{names}'
    return "\n".join([
        "// Generated by tools/opgen.py from the op records.",
        f"#ifndef {guard}", f"#define {guard}", "", "#include <utility>", "",
        '#include "framework/op_attrs.h"', '#include "framework/op_builder.h"', "",
        "namespace gk::ops {", "",
        f"inline {result} {op.name}({', '.join(['OpAttrs attrs_', *inputs])}) {{",
        f"  return {made}, std::move(attrs_.attrs), attrs_.name);", "}", "",
        "}  // namespace gk::ops", "", f"#endif  // {guard}", ""])


def op_header(op: Op) -> str:
    guard = f"GK_OPS_FN_{op.name}_OP_H_"
    result, params, _, _ = signature(op, True)
    _, plain, _, _ = signature(op, False)
    passed = ", ".join(["OpName({})", *(p.split()[-1] for p in split(plain, ","))])
    named = f"OpName name_, {params}" if params else "OpName name_"
    return "\n".join([
        "// Generated by tools/opgen.py from the op records.",
        f"#ifndef {guard}", f"#define {guard}", "",
        "#include <limits>", "#include <span>", "#include <string>",
        "#include <string_view>", "#include <vector>", "",
        '#include "framework/op_builder.h"', '#include "framework/op_name.h"', "",
        "namespace gk::ops {", "",
        "// Made with the current builder; throws gk::Error.",
        *("// " + l for l in op.doc.splitlines()),
        f"{result} {op.name}({named});",
        f"inline {result} {op.name}({params}) {{",
        f"  return {op.name}({passed});", "}", "",
        "}  // namespace gk::ops", "", f"#endif  // {guard}", ""])


def header(stem: str, ops: list[Op]) -> str:
    guard = f"GK_OPS_FN_{stem.upper()}_H_"
    return "\n".join([
        "// Generated by tools/opgen.py from the op records.",
        f"#ifndef {guard}", f"#define {guard}", "",
        '#include "framework/op_builder.h"',
        *(f'#include "ops/fn/{op.name}.h"' for op in ops), "",
        f"#endif  // {guard}", ""])


def umbrella(stems: list[str]) -> str:
    lines = ["// Generated by tools/opgen.py: every op function.",
             "#ifndef GK_OPS_OP_FUNCTIONS_H_", "#define GK_OPS_OP_FUNCTIONS_H_", ""]
    lines += [f'#include "ops/fn/{s}.h"' for s in stems]
    return "\n".join(lines + ["", "#endif  // GK_OPS_OP_FUNCTIONS_H_", ""])


def input_of(op: Op, i: int, list_attrs: set[str]) -> str:
    name, kind = op.inputs[i]
    number, kind = kind.rpartition("*")[0].strip(), kind.strip()
    if not number and kind not in list_attrs:
        return safe(name)
    if any(k.strip() == kind for _, k in op.inputs[:i]):  # its attribute is set
        return f"OpInput({safe(name)})"
    return f'{{{safe(name)}, "{number}"}}' if number \
        else f'{{{safe(name)}, nullptr, "{kind}"}}'


def op_arg(attr: Attr) -> str:
    said = [f'"{attr.name}"', safe(attr.name)]
    if attr.default is not None and attr.type in WITH_DEFAULT and not attr.is_list:
        said.append(cpp_default(attr))
    return "{" + ", ".join(said) + "}"


def source(stem: str, ops: list[Op]) -> str:
    lines = ["// Generated by tools/opgen.py from the op records.",
             f'#include "ops/fn/{stem}.h"', "",
             '#include "framework/op_call.h"', "", "namespace gk::ops {", ""]
    for op in ops:
        result, params, attrs, list_attrs = signature(op, False)
        named = f"OpName name_, {params}" if params else "OpName name_"
        lines.append(f"{result} {op.name}({named}) {{")
        lines.append(f'  static constinit OpSite site_("{op.name}");')
        singles = all("*" not in k and k.strip() not in list_attrs for _, k in op.inputs)
        if op.inputs and singles and result == "Tensor":
            names = ", ".join(f"&{safe(n)}" for n, _ in op.inputs)
            lines.append(f"  const Tensor* const in_[] = {{{names}}};")
        elif op.inputs:
            given = ", ".join(input_of(op, i, list_attrs) for i in range(len(op.inputs)))
            lines.append(f"  const OpInput in_[] = {{{given}}};")
        if attrs:
            given = ", ".join(op_arg(a) for a in attrs)
            lines.append(f"  const OpArg args_[] = {{{given}}};")
        passed = ["site_", "name_", "in_" if op.inputs else "std::span<const OpInput>()"]
        passed += ["args_"] * bool(attrs)
        call = f"{'CallOp1' if result == 'Tensor' else 'CallOp'}({', '.join(passed)})"
        lines.append(f"  {call};" if result == "void" else f"  return {call};")
        lines += ["}", ""]
    return "\n".join(lines + ["}  // namespace gk::ops", ""])


def registration(families: dict[str, list[str]]) -> str:
    files = [f for members in families.values() for f in members]
    lines = ["// Generated by tools/opgen.py: every record file, by family.",
             "#include <mutex>", "", '#include "framework/missing_op.h"',
             '#include "framework/op_registry.h"',
             '#include "ops/composition.h"', '#include "ops/record_family.h"', "",
             "namespace gk {"]
    lines += [f"void RegisterOps_{f}(OpRegistry& registry);" for f in files]
    lines += ["", "static size_t family_ends[] = {", f"    {', '.join('0' * len(families))}}};",
              "", "void RegisterAllOps() {", "  static std::once_flag once;",
              "  std::call_once(once, [] {", "    OpRegistry& r = OpRegistry::Get();"]
    for i, members in enumerate(families.values()):
        lines += [f"    RegisterOps_{f}(r);" for f in members]
        lines.append(f"    family_ends[{i}] = r.all().size();")
    lines.append("    CompositionRegistry::Get().AddOps(r.all());")
    lines += ["  });", "}", "", "std::string MissingOpCure(std::string_view) { return {}; }",
              "", "std::string_view RecordFamily(int op) {",
              "  static constexpr std::string_view kNames[] = {",
              "      " + ",\n      ".join(f'"{f}"' for f in families) + "};",
              "  int i = 0;",
              "  while (family_ends[i] <= static_cast<size_t>(op)) ++i;",
              "  return kNames[i];", "}"]
    return "\n".join([*lines, "", "}  // namespace gk", ""])


def record_files(root: Path) -> list[Path]:
    found = (root / "src/ops").glob("*/*.cc")
    return sorted((p for p in found if not p.stem.endswith("_test")), key=lambda p: p.stem)


def main() -> None:
    root, out = Path(sys.argv[1]), Path(sys.argv[2])
    families: dict[str, list[str]] = {}
    stems: list[str] = []
    for path in record_files(root):
        try:
            found, ops = read_ops(path)
        except Unreadable as error:
            sys.exit(str(error))
        if found and found != [path.stem]:
            sys.exit(f"{path}: GK_REGISTER_OPS must name the file: {path.stem}")
        if path.stem in stems:
            sys.exit(f"{path}: another record file has this name")
        families.setdefault(path.parent.name, []).extend(found)
        stems.append(path.stem)
        for op in ops:
            write_if_changed(out / f"ops/fn/{op.name}.h", op_header(op))
            if text := with_attrs(op):
                write_if_changed(out / f"ops/with_attrs/{op.name}.h", text)
        write_if_changed(out / f"ops/fn/{path.stem}.h", header(path.stem, ops))
        write_if_changed(out / f"ops/fn/{path.stem}.cc", source(path.stem, ops))
    write_if_changed(out / "ops/registration.cc", registration(families))
    write_if_changed(out / "ops/op_functions.h", umbrella(stems))


if __name__ == "__main__":
    main()
