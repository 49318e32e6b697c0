"""Derives the public C++ headers of the op functions; a part of opgen.

  graphkiln/ops.h        gk::ops::AddV2(x, y), ...: one function an op
  api/ops.cc             their bodies
  graphkiln/functions.h  gk::matmul(a, b), gk::nn::relu(x), ...: the functions
                         that have public names, with numbers and lists where
                         tensors may stand
"""

import re
from dataclasses import dataclass, field

STRING = r'"(?:[^"\\]|\\.)*"'
MACRO = re.compile(r"^#define (\w+)((?:\s|\\\n)*(?:" + STRING + r"(?:\s|\\\n)*)+)$", re.M)
PIECES = r"((?:\s*(?:" + STRING + r"|[A-Z]\w*))+)"
COMPOSITE = re.compile(r"\.names\s*=" + PIECES + r"\s*,\s*\.args\s*=" + PIECES)
RESULT = re.compile(r"\.result\s*=" + PIECES)
TYPES = {"bool": "bool", "int": "int64_t", "float": "double",
         "string": "const std::string&", "type": "DataType"}
# Arguments of Python's interface that mean nothing here.
LEFT_OUT = {"name", "layout", "a_is_sparse", "b_is_sparse", "grad_a", "grad_b"}
RESERVED = {"default", "template", "new", "delete", "class", "and", "or", "not",
            "switch", "case", "auto", "const", "return", "operator", "complex"}


@dataclass
class Function:
    names: list[str]
    params: list[str]
    body: list[str]
    result: str
    doc: str = ""


@dataclass
class Public:
    """What a whole tree of records gives the public headers."""

    ops: list = field(default_factory=list)
    functions: list[Function] = field(default_factory=list)


def text_of(pieces: str, macros: dict[str, str]) -> str:
    out = ""
    for piece in re.findall(STRING + r"|[A-Z]\w*", pieces):
        out += piece[1:-1] if piece[0] == '"' else macros[piece]
    return out.replace('\\"', '"')


def safe(name: str) -> str:
    return name + "_" if name in RESERVED else name


def read_composites(text: str) -> list[Function]:
    if not re.search(r"^\s*GK_REGISTER_COMPOSITES\(", text, re.M):
        return []
    text = re.sub(r"//.*", "", text)
    macros = {m[1]: "".join(s[1:-1] for s in re.findall(STRING, m[2]))
              for m in MACRO.finditer(text)}
    out = []
    found = list(COMPOSITE.finditer(text))
    for i, m in enumerate(found):
        end = found[i + 1].start() if i + 1 < len(found) else len(text)
        names = text_of(m[1], macros).split("|")
        result = RESULT.search(text, m.end(), end)
        out.append(composite(names, text_of(m[2], macros), result is not None))
    return out


def composite(names: list[str], args: str, many: bool) -> Function:
    params, passed = [], []
    for arg in args.split(";"):
        name, rest = (p.strip() for p in arg.split(":", 1))
        kind, _, default = (p.strip() for p in rest.partition("="))
        kind = re.sub(r" as .*", "", kind)
        if kind == "name" or name in LEFT_OUT:
            passed.append("Argument()")
            continue
        optional = bool(default) or kind.endswith("?")
        kind = re.sub(r"\(.*", "", kind.rstrip("?"))
        name = safe(name)
        if kind == "tensors":
            params.append(f"const std::vector<Tensor>& {name}")
            passed.append(f"Argument({name})")
        elif kind in TYPES and default and default != "None":
            value = {"bool": default.lower(),
                     "string": '"' + default.strip("'") + '"',
                     "type": "DataType::k" + default.capitalize().replace("Float32", "Float"),
                     }.get(kind, default)
            params.append(f"{TYPES[kind]} {name} = {value}")
            passed.append(name)
        else:
            params.append(f"const Argument& {name}" + (" = {}" if optional else ""))
            passed.append(name)
    for i, param in enumerate(params):
        if any(" = " not in later for later in params[i:]):
            params[i] = param.partition(" = ")[0]
    while passed and passed[-1] == "Argument()":
        passed.pop()
    call = f'detail::CallPublicFunction("{names[0]}", {{{", ".join(passed)}}})'
    body = [f"return {call}" + (";" if many else "[0];")]
    return Function(names, params, body, "std::vector<Tensor>" if many else "Tensor")


def names_elsewhere(exports: str) -> dict[str, list[str]]:
    """Public names of ops from Python's table of exports, by op."""
    names: dict[str, list[str]] = {}
    table = re.search(r'OP_NAMES = """(.*?)"""', exports, re.S)
    for public, op in re.findall(r"(\S+)=(\w+)", table[1]):
        names.setdefault(op, []).append(public)
    return names


def op_functions(text: str, ops: list, elsewhere: dict, signature) -> list[Function]:
    """The functions of ops that have public names themselves."""
    out = []
    faces = {op.name: elsewhere[op.name] for op in ops if op.name in elsewhere}
    for m in re.finditer(r'\.name\s*=\s*"(\w+)"|\.python\s*=\s*\{\.names\s*=((?:\s*' + STRING + ")+)", text):
        if m[1]:
            name = m[1]
        else:
            faces[name] = faces.get(name, []) + text_of(m[2], {}).split("|")
    for op in ops:
        if op.name not in faces or not is_public(op):
            continue
        result, params, _, lists = signature(op, True)
        if result == "void" or lists or any("*" in k for _, k in op.inputs):
            continue
        pieces = public_text(params).split(", ") if params else []
        names = [safe(n) for n, _ in op.inputs]
        rest = re.split(r", (?=[\w:<>]+(?: |&))", ", ".join(pieces[len(names):]))
        rest = [p for p in rest if p]
        given = [re.sub(r" =.*", "", p, flags=re.S).split()[-1].lstrip("&") for p in rest]
        if len(names) == 1:
            head, body, passed = [f"const Tensor& {names[0]}"], [], [names[0]]
        else:
            head = [f"const Argument& {n}" for n in names]
            letters = {k: chr(65 + i) for i, k in enumerate(dict.fromkeys(k for _, k in op.inputs))}
            groups = "".join(letters[k] for _, k in op.inputs)
            body = [f'const auto in = detail::Operands({{{", ".join(names)}}}, "{groups}");']
            passed = [f"in[{i}]" for i in range(len(names))]
        body.append(f'return ops::{op.name}({", ".join(passed + given)});')
        result = result.replace("TensorVector", "std::vector<Tensor>")
        out.append(Function(faces[op.name], head + rest, body, result, op.doc))
    return out


def is_public(op) -> bool:
    """Ops that take functions are made by gk::function."""
    return all(a.type != "func" for a in op.attrs)


def public_text(text: str) -> str:
    text = text.replace("std::span<const Tensor>", "const std::vector<Tensor>&")
    text = re.sub(r"PartialTensorShape\(TensorShape\((\{[^}]*\})\)\)", r"api::Shape\1", text)
    text = text.replace("PartialTensorShape()", "api::Shape::UnknownRank()")
    return text.replace("PartialTensorShape", "api::Shape")


def wrapped(line: str) -> str:
    """A declaration, broken after commas to stay near 80 columns."""
    out, start = "", 0
    while len(line) - start > 80:
        cut = line.rfind(", ", start, start + 80)
        if cut < 0:
            break
        out += line[start:cut + 1] + "\n"
        line = "    " + line[cut + 2:]
        start = 0
    return out + line


def header(guard: str, purpose: str, includes: list[str], body: list[str]) -> str:
    lines = ["// Generated by tools/opgen.py from the op records.", "//"]
    lines += ["// " + l for l in purpose.splitlines()]
    lines += [f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f"#include <{i}>" for i in includes]
    lines += ["", "namespace gk {", "GK_API_NAMESPACE {", ""]
    return "\n".join(lines + body + ["", "}  // GK_API_NAMESPACE", "}  // namespace gk",
                                     "", f"#endif  // {guard}", ""])


STANDARD = ["cstdint", "limits", "string", "string_view", "vector"]


def ops_header(ops: list, signature) -> str:
    body = ["namespace ops {", ""]
    for op in sorted(ops, key=lambda o: o.name):
        if not is_public(op):
            continue
        result, params, _, _ = signature(op, True)
        result = result.replace("TensorVector", "std::vector<Tensor>")
        body += ["// " + l for l in op.doc.splitlines()]
        body.append(wrapped(f"GK_EXPORT {result} {op.name}({public_text(params)});"))
    body += ["", "}  // namespace ops"]
    return header("GRAPHKILN_OPS_H_",
                  "One function an op: runs it, or adds it to the graph being traced.\n"
                  "Throws gk::Error.",
                  STANDARD + ["graphkiln/tensor.h"], body)


def ops_source(ops: list, signature) -> str:
    lines = ["// Generated by tools/opgen.py from the op records.",
             "#include <graphkiln/ops.h>", "", '#include "api/inner.h"',
             '#include "ops/op_functions.h"', "", "namespace gk::api::ops {"]
    for op in sorted(ops, key=lambda o: o.name):
        if not is_public(op):
            continue
        result, params, attrs, lists = signature(op, False)
        passed = []
        for name, _ in op.inputs:
            passed.append(f"Inner({safe(name)})")
        for a in sorted(attrs, key=lambda a: a.default is not None):
            name = safe(a.name)
            if a.type in ("type", "shape", "tensor"):
                name = f"InnerList({name})" if a.is_list else f"Inner({name})"
            passed.append(name)
        call = f"::gk::ops::{op.name}({', '.join(passed)})"
        returned = result.replace("TensorVector", "std::vector<Tensor>")
        lines += ["", f"{returned} {op.name}({public_text(params)}) {{",
                  "  return Guarded([&] {", "    EnsureReady();"]
        lines.append(f"    {call};" if result == "void" else f"    return Outer({call});")
        lines += ["  });", "}"]
    return "\n".join(lines + ["", "}  // namespace gk::api::ops", ""])


def functions_header(functions: list[Function]) -> str:
    by_scope: dict[str, list[tuple[str, Function]]] = {}
    seen = set()
    for f in functions:
        for name in f.names:
            if name in seen:
                continue
            seen.add(name)
            scope, _, last = name.rpartition(".")
            by_scope.setdefault(scope.replace(".", "::"), []).append((last, f))
    body = []
    for scope in sorted(by_scope):
        if scope:
            body += [f"namespace {scope} {{", ""]
        for name, f in sorted(by_scope[scope], key=lambda p: p[0]):
            body += ["// " + l for l in f.doc.splitlines()[:1]]
            body.append(wrapped(f"inline {f.result} {safe(name)}({', '.join(f.params)}) {{"))
            body += [wrapped("  " + line) for line in f.body] + ["}"]
        if scope:
            body += ["", f"}}  // namespace {scope}", ""]
    return header("GRAPHKILN_FUNCTIONS_H_",
                  "The functions with public names: gk::matmul, gk::nn::relu, ...\n"
                  "An Argument that is left out has the default of the Python function of\n"
                  "that name. Throws gk::Error.",
                  STANDARD + ["graphkiln/argument.h", "graphkiln/ops.h"], body)
