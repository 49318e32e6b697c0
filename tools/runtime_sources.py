#!/usr/bin/env python3
"""Chooses what the small runtime is built of: op records and source files.

Usage: runtime_sources.py SOURCE_DIR OUTPUT_DIR OPS [ROOT...]

OPS is a file with an op's name a line (what follows # is a comment), or names
with semicolons between them. ROOTs are source files below src: the
library's interface. Prints assignments for CMake,
  GK_RUNTIME_SOURCES   the files to compile
  GK_RUNTIME_HEADERS   the headers of others' libraries that they read
  GK_RUNTIME_NUM_OPS   how many ops there are
  GK_RUNTIME_INPUTS    what all this was read from
and writes below OUTPUT_DIR, if changed,
  kept/<family>/<file>.cc  record files with the records wanted alone
  kept/registration.cc     RegisterAllOps() over these
  runtime_include/graphkiln/*.h  the public headers of the interface; the others
                           as errors that say that this library lacks them
An op that is not known is an error that names one like it.

Kept are, beside the wanted ops, those that the library makes or asks for by itself:
the ones with a trait or kind of control that OpRegistry::The and Of are asked
for, and those whose op functions the files outside of src/ops call to run a
model. Nobody lists them: they are read from the files that are compiled.

Files are found by includes: a header brings the source of its name, and those of
its folder that include it and have no header of their own (of several headers
those count whose names begin as the source's if not each has one itself). What nobody calls the linker leaves
out.
"""

import difflib
import re
import sys
from pathlib import Path

import opgen

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
# What the small library's headers leave out.
WHOLE_ONLY = re.compile(r"^#ifndef GRAPHKILN_RUNTIME_ONLY\n.*?^#endif.*?$", re.M | re.S)
RUNTIME_ONLY = """#ifndef GRAPHKILN_RUNTIME_ONLY
#define GRAPHKILN_RUNTIME_ONLY 1
#endif
"""
# Public headers that the build of the whole library makes.
GENERATED = ("functions.h", "ops.h")
START = re.compile(r'^    \{\.name = "(\w+)"', re.M)
FIELD = re.compile(r"^     \.(\w+) =", re.M)
# What is for people, tests and derivatives.
UNREAD = {"gradient", "python", "doc", "example", "test"}
# Of a record: comments, literals, braces.
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\]|\\.)*"'
    r"|'(?:[^'\\]|\\.)+'|[{}]",
    re.S,
)
ASKED = re.compile(r"\bThe\((k\w+)\)")
CONTROL = re.compile(r"\bOf\(\s*Control::(k\w+)")
LEVEL = re.compile(r"_v\d$")
# What is in these folders nobody below needs: their files are named as roots, or
# (of ops) are not of a runtime.
INTERFACE = {"api", "command_line", "composition"}
# What the library does by itself it does by the op functions that these call.
CALLERS = re.compile(r"/saved_model/\w+\.cc$|/function/make_variable\.cc$")


def wanted_ops(given: str, known: set[str]) -> set[str]:
    """The names in OPS. SystemExit for one that is no op."""
    path = Path(given)
    names: list[tuple[str, str]] = []  # with their places
    if ";" not in given and path.is_file():
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for name in line.partition("#")[0].split():
                names.append((name, f"{path}:{number}"))
    elif "/" in given or given.endswith(".txt"):
        sys.exit(f"GK_OPS: there is no file {given}")
    else:
        names = [(n.strip(), "GK_OPS") for n in given.split(";") if n.strip()]
    if not names:
        sys.exit(
            "GK_OPS names no op; `graphkiln trim MODEL` lists those that a model needs"
        )
    wrong = [(name, place) for name, place in names if name not in known]
    for name, place in wrong:
        near = difflib.get_close_matches(name, known, 1)
        cure = f"; do you mean {near[0]}?" if near else ""
        print(f"{place}: there is no op {name}{cure}", file=sys.stderr)
    if wrong:
        sys.exit(1)
    return {name for name, _ in names}


def end_of_record(text: str, start: int) -> int:
    """Behind the brace that closes the one at `start`, and the comma after it."""
    depth = 0
    for token in TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            end = token.end()
            return end + text.startswith(",", end)
    raise ValueError("a record has no end")


def kept_text(path: Path, kept: set[str]) -> str:
    """The file with the records of `kept` alone, without what a runtime does not
    read of them; lines keep their numbers."""
    text = path.read_text()
    parts, done = [f'#line 1 "{path}"\n'], 0

    def leave_out(begin: int, end: int) -> None:
        nonlocal done
        parts.extend([text[done:begin], "\n" * text.count("\n", begin, end)])
        done = end

    for start in START.finditer(text):
        begin, end = text.index("{", start.start()), end_of_record(text, start.start())
        if start[1] not in kept:
            leave_out(begin, end)
            continue
        fields = [*FIELD.finditer(text, begin, end)]
        ends = [f.start() for f in fields[1:]] + [text.rindex("}", begin, end)]
        for field, after in zip(fields, ends, strict=True):
            if field[1] in UNREAD:
                leave_out(field.start(), after)
    return "".join([*parts, text[done:]])


def registration(files: list[str]) -> str:
    lines = [
        "// Generated by tools/runtime_sources.py: the record files that are kept.",
        "#include <mutex>",
        "",
        '#include "base/format.h"',
        '#include "framework/missing_op.h"',
        '#include "framework/op_registry.h"',
        "",
        "namespace gk {",
        *(f"void RegisterOps_{f}(OpRegistry& registry);" for f in files),
        "",
        "void RegisterAllOps() {",
        "  static std::once_flag once;",
        "  std::call_once(once, [] {",
        "    OpRegistry& r = OpRegistry::Get();",
        *(f"    RegisterOps_{f}(r);" for f in files),
        "  });",
        "}",
        "",
        "std::string MissingOpCure(std::string_view op) {",
        "  return Format(",
        '      ": it is none of the {} ops that this library was built with. Build it "',
        "      \"with '{}' in GK_OPS; `graphkiln trim MODEL` lists all that a model \"",
        '      "needs.",',
        "      OpRegistry::Get().all().size(), op);",
        "}",
        "",
        "}  // namespace gk",
        "",
    ]
    return "\n".join(lines)


class Records:
    """The record files: which ops they have, and what these are asked for."""

    def __init__(self, root: Path) -> None:
        self.files: dict[Path, list[str]] = {}
        self.traits: dict[str, set[str]] = {}  # trait or kind of control: ops
        for path in opgen.record_files(root):
            text = path.read_text()
            if not re.search(r"^GK_REGISTER_OPS\(", text, re.M):
                continue
            starts = list(START.finditer(text))
            self.files[path] = [s[1] for s in starts]
            for start in starts:
                record = text[start.start() : end_of_record(text, start.start())]
                for field in re.findall(r"\.(?:traits|control) =([^,]*),", record):
                    for trait in re.findall(r"\bk\w+", field):
                        self.traits.setdefault(trait, set()).add(start[1])
        self.file_of = {op: path for path, ops in self.files.items() for op in ops}


class Sources:
    """The files that are compiled: all that the given ones lead to."""

    def __init__(self, root: Path, out: Path, records: Records) -> None:
        self.src, self.out, self.records = root / "src", out, records
        self.folders = (root / "src", root / "include")
        self.seen: set[Path] = set()
        self.external: set[str] = set()
        self.op_functions: set[str] = set()  # stems of record files
        self.called: set[str] = set()  # ops that the library makes by functions
        self.asked: set[str] = set()  # traits and kinds of control
        self.of_header: dict[Path, list[Path]] = {}
        for source in sorted(self.src.glob("**/*.cc")):
            if source.stem.endswith("_test") or source in records.files:
                continue
            if source.parent.name in INTERFACE:
                continue
            for header in self.headers_of(source):
                self.of_header.setdefault(header, []).append(source)

    def headers_of(self, source: Path) -> list[Path]:
        own = source.with_name(LEVEL.sub("", source.stem) + ".h")
        if own.exists():
            return [own]
        folder = source.parent.relative_to(self.src).as_posix() + "/"
        names = INCLUDE.findall(source.read_text())
        own = [name for _, name in names if name.startswith(folder)]
        family = folder + source.stem.partition("_")[0]
        same = [name for name in own if re.match(family + r"[_.]", name)]
        if all((self.src / name).with_suffix(".cc").exists() for name in same):
            same = own
        return [self.src / name for name in same]

    def find(self, name: str) -> Path | None:
        return next((f / name for f in self.folders if (f / name).exists()), None)

    def add(self, path: Path) -> None:
        todo = [path]
        while todo:
            file = todo.pop()
            if file in self.seen:
                continue
            self.seen.add(file)
            text = WHOLE_ONLY.sub("", file.read_text())
            self.asked.update(ASKED.findall(text), CONTROL.findall(text))
            for quote, name in INCLUDE.findall(text):
                found = self.find(name)
                op = re.fullmatch(r"ops/(fn|with_attrs)/(\w+)\.h", name)
                if op:
                    stem = self.records.file_of.get(op[2], Path(op[2])).stem
                    self.op_functions.add(stem)
                    if CALLERS.search(str(file)):
                        self.called.add(op[2])
                elif found:
                    todo.append(found)
                elif quote == "<" or not name.startswith(("proto/", "ops/")):
                    self.external.add(name)
            todo += self.of_header.get(file, [])


def write_kept(out: Path, records: Records, kept: set[str], src: Path) -> list[Path]:
    """Writes the record files that hold an op of `kept`, and their registration."""
    written = []
    for path, ops in records.files.items():
        if not kept.intersection(ops):
            continue
        copy = out / "kept" / path.relative_to(src / "ops")
        opgen.write_if_changed(copy, kept_text(path, kept))
        written.append(copy)
    text = registration([p.stem for p in written])
    opgen.write_if_changed(out / "kept/registration.cc", text)
    return [*written, out / "kept/registration.cc"]


def error_header(name: str) -> str:
    """In the place of a header: says that the library lacks what it declares."""
    lacks = (
        f"<graphkiln/{name}>: this is the small library (graphkiln_runtime), which "
        "only loads models and runs them; link the whole one, graphkiln"
    )
    # A missing header is the one error that compilers stop at.
    return f'#error "{lacks}"\n#include <graphkiln needs the whole library>\n'


def write_public(out: Path, root: Path, kept: set[str]) -> None:
    """Writes the headers that programs with the small library see."""
    folder = out / "runtime_include/graphkiln"
    headers = {path.name: path for path in (root / "include/graphkiln").glob("*.h")}
    for name, path in headers.items():
        text = path.read_text() if name in kept else error_header(name)
        if name == "export.h":
            text = RUNTIME_ONLY + text
        opgen.write_if_changed(folder / name, text)
    for name in GENERATED:
        opgen.write_if_changed(folder / name, error_header(name))


def main() -> None:
    root, out, given, *roots = sys.argv[1:]
    src, out = Path(root) / "src", Path(out)
    records = Records(Path(root))
    kept = wanted_ops(given, set(records.file_of))
    sources = Sources(Path(root), out, records)
    for name in roots:
        sources.add(src / name)
    before = -1
    while before != len(kept):  # record files bring sources, which ask for ops
        before = len(kept)
        for path, ops in records.files.items():
            if kept.intersection(ops):
                sources.add(path)
        kept |= sources.called
        for trait in sources.asked:
            kept |= records.traits.get(trait, set())
    sources.add(src / "framework/op_call.h")  # of op functions
    own = [
        f for f in sorted(sources.seen) if f.suffix == ".cc" and f not in records.files
    ]
    own += write_kept(out, records, kept, src)
    own += [out / f"ops/fn/{stem}.cc" for stem in sorted(sources.op_functions)]
    inputs = [given] if Path(given).is_file() else []
    public = Path(root) / "include/graphkiln"
    headers = {f for f in sources.seen if f.is_relative_to(public)}
    write_public(out, Path(root), {f.name for f in headers})
    for name, values in {
        "SOURCES": own,
        "HEADERS": sorted(sources.external),
        "INPUTS": [*records.files, *sorted(public.glob("*.h")), *inputs],
    }.items():
        print(f"set(GK_RUNTIME_{name}", *(f'"{v}"' for v in values), ")", sep="\n  ")
    print(f"set(GK_RUNTIME_NUM_OPS {len(kept)})")


if __name__ == "__main__":
    main()
