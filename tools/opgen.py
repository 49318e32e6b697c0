#!/usr/bin/env python3
"""Derives C++ from the op records: registration and op functions.

Usage: opgen.py SOURCE_DIR OUTPUT_DIR

Reads every record in src/ops/<family>/*.cc as text (the records' strings are
plain literals by rule) and writes, if changed,
  ops/registration.cc   RegisterAllOps(): one call for each record file
  ops/fn/<file>.h, .cc  the file's op functions: gk::ops::AddV2(x, y), ...
                        that throw gk::Error
  ops/op_functions.h    all of them
  graphkiln/*.h, api/ops.cc  the public C++ functions: see opgen_public.py
One header for each record file keeps an added op from rebuilding every file.
"""
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import opgen_public

FIELDS = ("name", "inputs", "outputs", "attrs", "doc")
LITERAL = r'((?:\s*"(?:[^"\\]|\\.)*")+)'
FIELD = re.compile(r"\.(" + "|".join(FIELDS) + r")\s*=" + LITERAL)
RAW = re.compile(r'"((?:[^"\\]|\\.)*)"')

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
CPP_NAMES = {"float": "kFloat", "double": "kDouble", "half": "kHalf"}
RESERVED = {"default", "template", "new", "delete", "class", "and", "or",
            "not", "switch", "case", "auto", "const", "return", "operator"}


@dataclass
class Attr:
    name: str
    type: str
    is_list: bool
    default: str | None


@dataclass
class Op:
    name: str = ""
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    attrs: list = field(default_factory=list)
    doc: str = ""


def text_of(literals: str) -> str:
    joined = "".join(RAW.findall(literals))
    return joined.replace('\\"', '"').replace("\\n", "\n")


def split(text: str, sep: str) -> list[str]:
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
    return [tuple(p.strip() for p in a.split(":", 1)) for a in split(text, ";")]


def parse_attr(text: str) -> Attr:
    name, rest = (p.strip() for p in text.split(":", 1))
    kind = re.match(r"list\((\w+)\)|(\w+)", rest)
    default = None
    tail = re.sub(r"\bin \[[^\]]*\]", "", rest[kind.end():])
    if m := re.search(r"(?<![><])=\s*(.*)$", tail.replace(">=", "  "), re.S):
        default = m.group(1).strip()
    return Attr(name, kind.group(1) or kind.group(2), bool(kind.group(1)), default)


def read_ops(path: Path) -> tuple[list[str], list[Op]]:
    text = path.read_text()
    files = re.findall(r"^\s*GK_REGISTER_(?:OPS|COMPOSITES)\((\w+)\)", text, re.M)
    ops: list[Op] = []
    for key, literals in FIELD.findall(text):
        value = text_of(literals)
        if key == "name":
            ops.append(Op(name=value))
        elif not ops:
            continue
        elif key == "attrs":
            ops[-1].attrs = [parse_attr(a) for a in split(value, ";")]
        elif key == "doc":
            ops[-1].doc = value
        else:
            setattr(ops[-1], key, parse_args(value))
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


def header(stem: str, ops: list[Op]) -> str:
    guard = f"GK_OPS_FN_{stem.upper()}_H_"
    lines = ["// Generated by tools/opgen.py from the op records.",
             f"#ifndef {guard}", f"#define {guard}", "",
             "#include <limits>", "#include <span>", "#include <string>",
             "#include <string_view>", "#include <vector>", "",
             '#include "framework/op_builder.h"', "",
             "// One function an op: makes it with the current builder; throws gk::Error.",
             "namespace gk::ops {", ""]
    for op in ops:
        result, params, _, _ = signature(op, True)
        if op.doc:
            lines += ["// " + l for l in op.doc.splitlines()]
        lines.append(f"{result} {op.name}({params});")
    return "\n".join(lines + ["", "}  // namespace gk::ops", "", f"#endif  // {guard}", ""])


def umbrella(stems: list[str]) -> str:
    lines = ["// Generated by tools/opgen.py: every op function.",
             "#ifndef GK_OPS_OP_FUNCTIONS_H_", "#define GK_OPS_OP_FUNCTIONS_H_", ""]
    lines += [f'#include "ops/fn/{s}.h"' for s in stems]
    return "\n".join(lines + ["", "#endif  // GK_OPS_OP_FUNCTIONS_H_", ""])


def source(stem: str, ops: list[Op]) -> str:
    lines = ["// Generated by tools/opgen.py from the op records.",
             f'#include "ops/fn/{stem}.h"', "",
             '#include "framework/op_registry.h"', "", "namespace gk::ops {", ""]
    for op in ops:
        result, params, attrs, list_attrs = signature(op, False)
        lines.append(f"{result} {op.name}({params}) {{")
        lines.append("  static const OpRecord& record =")
        lines.append(f'      *ValueOrThrow(OpRegistry::Get().LookUp("{op.name}"));')
        singles = all("*" not in k and k.strip() not in list_attrs for _, k in op.inputs)
        if singles:
            names = ", ".join(safe(n) for n, _ in op.inputs)
            lines.append(f"  const std::vector<Tensor> in{{{names}}};")
        else:
            lines.append("  std::vector<Tensor> in;")
            for name, kind in op.inputs:
                if "*" in kind or kind.strip() in list_attrs:
                    lines.append(f"  in.insert(in.end(), {safe(name)}.begin(), {safe(name)}.end());")
                else:
                    lines.append(f"  in.push_back({safe(name)});")
        lines.append("  AttrMap attrs;")
        for _, kind in op.inputs:  # lengths that the split of inputs needs
            number = kind.rpartition("*")[0].strip()
            if number:
                arg = next(n for n, k in op.inputs if k == kind)
                lines.append(f'  attrs.Set("{number}", static_cast<int64_t>({safe(arg)}.size()));')
            elif kind.strip() in list_attrs:
                arg = next(n for n, k in op.inputs if k == kind)
                lines.append("  {")
                lines.append("    std::vector<DataType> types;")
                lines.append(f"    for (const Tensor& t : {safe(arg)}) types.push_back(t.dtype());")
                lines.append(f'    attrs.Set("{kind.strip()}", std::move(types));')
                lines.append("  }")
        for a in attrs:
            value = safe(a.name)
            if a.type == "string" and not a.is_list:
                value = f"std::string({value})"
            lines.append(f'  attrs.Set("{a.name}", {value});')
        call = f'ValueOrThrow(Dispatch(record, in, std::move(attrs)))'
        if result == "void":
            lines.append(f"  {call};")
        elif result == "Tensor":
            lines.append(f"  return {call}[0];")
        else:
            lines.append(f"  return {call};")
        lines += ["}", ""]
    return "\n".join(lines + ["}  // namespace gk::ops", ""])


def registration(files: list[str]) -> str:
    lines = ["// Generated by tools/opgen.py: every record file, by name.",
             "#include <mutex>", "", '#include "framework/op_registry.h"', "", "namespace gk {"]
    lines += [f"void RegisterOps_{f}(OpRegistry& registry);" for f in files]
    lines += ["", "void RegisterAllOps() {", "  static std::once_flag once;",
              "  std::call_once(once, [] {", "    [[maybe_unused]] OpRegistry& r = OpRegistry::Get();"]
    lines += [f"    RegisterOps_{f}(r);" for f in files]
    return "\n".join(lines + ["  });", "}", "", "}  // namespace gk", ""])


def main() -> None:
    root, out = Path(sys.argv[1]), Path(sys.argv[2])
    registered: list[str] = []
    stems: list[str] = []
    public = opgen_public.Public()
    elsewhere = opgen_public.names_elsewhere((root / "python/graphkiln/_exports.py").read_text())
    for path in sorted((root / "src/ops").glob("*/*.cc"), key=lambda p: p.stem):
        if path.stem.endswith("_test"):
            continue
        found, ops = read_ops(path)
        if found and found != [path.stem]:
            sys.exit(f"{path}: GK_REGISTER_OPS must name the file: {path.stem}")
        if path.stem in stems:
            sys.exit(f"{path}: another record file has this name")
        registered += found
        text = path.read_text()
        public.functions += opgen_public.read_composites(text)
        if "GK_REGISTER_COMPOSITES" not in text:
            public.ops += ops
            public.functions += opgen_public.op_functions(text, ops, elsewhere, signature)
        stems.append(path.stem)
        write_if_changed(out / f"ops/fn/{path.stem}.h", header(path.stem, ops))
        write_if_changed(out / f"ops/fn/{path.stem}.cc", source(path.stem, ops))
    # Names of composites go before those of ops.
    public.functions.sort(key=lambda f: "CallPublicFunction" not in f.body[0])
    write_if_changed(out / "graphkiln/ops.h", opgen_public.ops_header(public.ops, signature))
    write_if_changed(out / "graphkiln/functions.h", opgen_public.functions_header(public.functions))
    write_if_changed(out / "api/ops.cc", opgen_public.ops_source(public.ops, signature))
    write_if_changed(out / "ops/registration.cc", registration(registered))
    write_if_changed(out / "ops/op_functions.h", umbrella(stems))


if __name__ == "__main__":
    main()
