#!/usr/bin/env python3
"""Derives the public C++ headers of the op functions.

Usage: opgen_public.py RECORDS SOURCE_DIR OUTPUT_DIR

RECORDS is what gk_write_records wrote of the compiled registry. Writes, if
changed,
  graphkiln/ops.h        gk::ops::AddV2(x, y), ...: one function an op
  api/ops.cc             their bodies
  graphkiln/functions.h  gk::matmul(a, b), gk::nn::relu(x), ...: the functions
                         that have public names, with numbers and lists where
                         tensors may stand
"""

import re
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import op_records
import opgen
from op_records import Composition, Op
from opgen import safe, signature, write_if_changed

TYPES = {"bool": "bool", "int": "int64_t", "float": "double",
         "string": "const std::string&", "type": "DataType"}
# Arguments of Python's interface that mean nothing here.
LEFT_OUT = {"name", "layout", "a_is_sparse", "b_is_sparse", "grad_a", "grad_b", "var"}


@dataclass
class Function:
    names: list[str]
    params: list[str]
    body: list[str]
    result: str
    doc: str = ""


def composition(record: Composition) -> Function:
    params, passed = [], []
    for p in record.parameters:
        if p.kind == "name" or p.name in LEFT_OUT:
            passed.append("Argument()")
            continue
        name = safe(p.name)
        if p.kind == "tensors":
            params.append(f"const std::vector<Tensor>& {name}")
            passed.append(f"Argument({name})")
        elif p.kind in TYPES and p.default and p.default != "None":
            value = {"bool": p.default.lower(),
                     "string": '"' + p.default.strip("'") + '"',
                     "type": "DataType::k" + p.default.capitalize().replace("Float32", "Float"),
                     }.get(p.kind, p.default)
            params.append(f"{TYPES[p.kind]} {name} = {value}")
            passed.append(name)
        else:
            optional = p.optional or p.default
            params.append(f"const Argument& {name}" + (" = {}" if optional else ""))
            passed.append(name)
    for i, param in enumerate(params):
        if any(" = " not in later for later in params[i:]):
            params[i] = param.partition(" = ")[0]
    while passed and passed[-1] == "Argument()":
        passed.pop()
    call = f'detail::CallPublicFunction("{record.names[0]}", {{{", ".join(passed)}}})'
    if record.result in ("operation", "none"):
        return Function(record.names, params, [f"{call};"], "void", record.doc)
    if record.result == "SparseTensor":
        body = [f"const auto made = {call};", "return {made[0], made[1], made[2]};"]
        return Function(record.names, params, body, record.result, record.doc)
    if record.result in ("RaggedTensor", "RaggedTensors"):
        two = record.result.endswith("s")
        body = [f"return detail::{'TwoRaggedOf' if two else 'RaggedOf'}({call});"]
        result = "std::pair<RaggedTensor, RaggedTensor>" if two else "RaggedTensor"
        return Function(record.names, params, body, result, record.doc)
    sparse = "SparseTensor{made[%d], made[%d], made[%d]}"
    if record.result == "SparseTensor?":
        body = [f"auto made = {call};", "if (made.size() == 1) return std::move(made[0]);",
                f"return {sparse % (0, 1, 2)};"]
        return Function(record.names, params, body, "std::variant<Tensor, SparseTensor>",
                        record.doc)
    if record.result == "SparseTensor, Tensor":
        body = [f"const auto made = {call};", f"return {{{sparse % (0, 1, 2)}, made[3]}};"]
        return Function(record.names, params, body, "std::pair<SparseTensor, Tensor>",
                        record.doc)
    if record.result == "SparseTensors":
        body = [f"const auto made = {call};", "std::vector<SparseTensor> list;",
                "for (size_t i = 0; i + 2 < made.size(); i += 3)",
                "  list.emplace_back(made[i], made[i + 1], made[i + 2]);", "return list;"]
        return Function(record.names, params, body, "std::vector<SparseTensor>", record.doc)
    if record.result == "gradients":
        body = [f"auto made = {call};", "Tensor last = made.back();", "made.pop_back();",
                "return {std::move(made), std::move(last)};"]
        return Function(record.names, params, body, "std::pair<std::vector<Tensor>, Tensor>",
                        record.doc)
    many = bool(record.result)
    body = [f"return {call}" + (";" if many else "[0];")]
    result = "std::vector<Tensor>" if many else "Tensor"
    return Function(record.names, params, body, result, record.doc)


def op_function(op: Op) -> Function | None:
    """The function of an op that has public names itself."""
    result, params, _, _ = signature(op, True)
    if not op.names or not is_public(op):
        return None
    pieces = public_text(params).split(", ") if params else []
    names = [safe(n) for n, _ in op.inputs]
    rest = re.split(r", (?=[\w:<>]+(?: |&))", ", ".join(pieces[len(names):]))
    rest = [p for p in rest if p]
    given = [re.sub(r" =.*", "", p, flags=re.S).split()[-1].lstrip("&") for p in rest]
    if not names or any("std::vector" in p for p in pieces[:len(names)]):
        head, body, passed = pieces[:len(names)], [], names
    elif len(names) == 1:
        head, body, passed = [f"const Tensor& {names[0]}"], [], [names[0]]
    else:
        head = [f"const Argument& {n}" for n in names]
        letters = {k: chr(65 + i) for i, k in enumerate(dict.fromkeys(k for _, k in op.inputs))}
        groups = "".join(letters[k] for _, k in op.inputs)
        body = [f'const auto in = detail::Operands({{{", ".join(names)}}}, "{groups}");']
        passed = [f"in[{i}]" for i in range(len(names))]
    call = f'ops::{op.name}({", ".join(passed + given)});'
    body.append(call if result == "void" else f"return {call}")
    result = result.replace("TensorVector", "std::vector<Tensor>")
    return Function(op.names, head + rest, body, result, op.doc)


def is_public(op: Op) -> bool:
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


def comment(doc: str) -> list[str]:
    return ["// " + l for line in doc.splitlines() for l in textwrap.wrap(line, 77)]


def header(guard: str, purpose: str, includes: list[str], body: list[str]) -> str:
    lines = ["// Generated by tools/opgen_public.py from the op records.", "//"]
    lines += ["// " + l for l in purpose.splitlines()]
    lines += [f"#ifndef {guard}", f"#define {guard}", ""]
    lines += [f"#include <{i}>" for i in includes]
    lines += ["", "namespace gk {", "GK_API_NAMESPACE {", ""]
    return "\n".join(lines + body + ["", "}  // GK_API_NAMESPACE", "}  // namespace gk",
                                     "", f"#endif  // {guard}", ""])


STANDARD = ["cstdint", "limits", "string", "string_view", "utility", "variant", "vector"]


def ops_header(ops: list[Op]) -> str:
    body = ["namespace ops {", ""]
    for op in ops:
        if not is_public(op):
            continue
        result, params, _, _ = signature(op, True)
        result = result.replace("TensorVector", "std::vector<Tensor>")
        body += comment(op.doc)
        body += [wrapped(f"GK_EXPORT {result} {op.name}({public_text(params)});"), ""]
    body.append("}  // namespace ops")
    return header("GRAPHKILN_OPS_H_",
                  "One function an op: runs it, or adds it to the graph being traced.\n"
                  "Throws gk::Error.",
                  STANDARD + ["graphkiln/tensor.h"], body)


def ops_source(ops: list[Op]) -> str:
    lines = ["// Generated by tools/opgen_public.py from the op records.",
             "#include <graphkiln/ops.h>", "", '#include "api/inner.h"',
             '#include "ops/op_functions.h"', "", "namespace gk::api::ops {"]
    for op in ops:
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
            if name in seen or name.startswith("compat."):
                continue
            seen.add(name)
            scope, _, last = name.rpartition(".")
            by_scope.setdefault(scope.replace(".", "::"), []).append((last, f))
    body = []
    for scope in sorted(by_scope):
        if scope:
            body += [f"namespace {scope} {{", ""]
        for name, f in sorted(by_scope[scope], key=lambda p: p[0]):
            body += comment(f.doc)
            body.append(wrapped(f"inline {f.result} {safe(name)}({', '.join(f.params)}) {{"))
            body += [wrapped("  " + line) for line in f.body] + ["}", ""]
        if scope:
            body += [f"}}  // namespace {scope}", ""]
    return header("GRAPHKILN_FUNCTIONS_H_",
                  "The functions with public names: gk::matmul, gk::nn::relu, ...\n"
                  "An Argument that is left out has the default of the Python function of\n"
                  "that name. Throws gk::Error.",
                  STANDARD + ["graphkiln/argument.h", "graphkiln/ops.h",
                              "graphkiln/result_rows.h", "graphkiln/sparse_tensor.h"],
                  body)


def plain(value: object) -> object:
    """Of a text: without what the dump leaves out."""
    return re.sub(r" +", " ", value) if isinstance(value, str) else value


def check_fields(compiled: list[Op], read: list[Op]) -> None:
    """Fails if opgen read something other than the compiler did."""
    texts = {op.name: op for op in read}
    for op in compiled:
        text = texts.get(op.name)
        if text is None:
            sys.exit(f"tools/opgen.py reads no record of the op {op.name}: write "
                     "it as the others.")
        for what in ("inputs", "outputs", "attrs", "doc"):
            ours, theirs = getattr(text, what), getattr(op, what)
            if plain(ours) != plain(theirs):
                sys.exit(f"{text.where}: tools/opgen.py reads the {what} of the op "
                         f"{op.name} as {ours!r}, the compiler as {theirs!r}: write "
                         "them as plain literals.")


def main() -> None:
    records = op_records.read(Path(sys.argv[1]).read_text(encoding="utf-8"))
    root, out = Path(sys.argv[2]), Path(sys.argv[3])
    check_fields(records.ops, [op for path in opgen.record_files(root)
                               for op in opgen.read_ops(path)[1]])
    # Names of compositions go before those of ops.
    functions = [composition(c) for c in records.compositions]
    functions += [f for op in records.ops if (f := op_function(op)) is not None]
    write_if_changed(out / "graphkiln/ops.h", ops_header(records.ops))
    write_if_changed(out / "graphkiln/functions.h", functions_header(functions))
    write_if_changed(out / "api/ops.cc", ops_source(records.ops))


if __name__ == "__main__":
    main()
