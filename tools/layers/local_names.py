"""Names that files compiled together keep to themselves."""

import re
from collections.abc import Iterator
from pathlib import Path

# What a file keeps to itself: it stands in an unnamed namespace, or is static.
# A release compiles files of a folder several at a time, but for these folders
# and what the calls of gk_unity name (cmake/compiler.cmake); and the tests of a
# folder.
APART = re.compile(r"src/(kernels|ops/(array|variable))\b")
UNITY = re.compile(r"gk_unity\([^)]* ALONE ([^)]*)\)")
CMAKE_LIST = re.compile(r"set\((GK_\w+) ([^)$]*)\)")
NO_CODE = re.compile(
    r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\''
    r"|//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*",
    re.S | re.M,
)
NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*)$")
LOCAL_TYPE = re.compile(r"(?:enum (?:class )?|struct |class |union )(\w+)")
LOCAL_ALIAS = re.compile(r"using (\w+) ?=")
LOCAL_FUNCTION = re.compile(r"[\w:<>,*& ]+[ *&](\w+) ?\((.*)\)(?: \w+)*$")
LOCAL_VALUE = re.compile(r"[ *&>](\w+) ?(?:\[[^\]]*\] ?)*$")
MACRO = re.compile(r"^#define (\w+)((?:\\\n|[^\n])*)", re.M)
PARAMETER_NAME = re.compile(r"(?<=[ *&>])\w+(?: ?=.*)?$")


def cut(text: str, at: str) -> list[str]:
    """The parts between the characters `at` outside of all brackets."""
    depth, parts = 0, [""]
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == at and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return parts


def declared(head: str) -> str | None:
    """What a declaration defines, read up to its body or value: a name, of a
    function with the types of its parameters, of an alias with all of it."""
    if head.startswith("namespace") or "operator" in head:
        return None  # may be overloads, or said again
    if head.startswith("template"):
        # Of functions alone: types may be said again, for some arguments.
        head = head.partition("<")[2]
        ends = [i for i, c in enumerate(head) if c == ">"
                and head[:i].count("<") == head[:i].count(">")]
        if not ends:
            return None
        given, rest = head[:ends[0]], head[ends[0] + 1:].strip()
        rest = re.sub(r"^requires .*?\) (?=\w)", "", rest)
        function = LOCAL_FUNCTION.match(cut(rest, "=")[0].rstrip())
        if function is None or LOCAL_TYPE.match(rest):
            return None
        kinds = ",".join(p.strip().rpartition(" ")[0] for p in cut(given, ","))
        return f"<{kinds}>{declared(rest)}"
    if found := LOCAL_ALIAS.match(head):
        return head
    if found := LOCAL_TYPE.match(head):
        return found[1]
    head = cut(head, "=")[0].rstrip()
    if found := LOCAL_FUNCTION.match(head):
        types = [PARAMETER_NAME.sub("", p.strip()) for p in cut(found[2], ",")]
        # nb::handle may be Handle elsewhere, gk::Tensor Tensor.
        name = f"{found[1]}({','.join(types)})".replace(" ", "")
        return found[1] + re.sub(r"\w+::", "", name[len(found[1]):]).lower()
    found = LOCAL_VALUE.search(head)
    return found[1] if found and found[1] != "const" else None


def local_names(text: str) -> Iterator[tuple[str, int]]:
    """What a file with this text keeps to itself, and in which lines."""
    text = NO_CODE.sub(
        lambda m: ('""' if m[0][0] in "\"'R" else "") + "\n" * m[0].count("\n"), text
    )
    spaces: list[str] = []
    depth = start = 0  # of brackets that are no namespace's; of a declaration
    for bracket in re.finditer("[{};]", text):
        at, c = bracket.start(), bracket[0]
        raw = text[start:at]
        head = " ".join(raw.split())
        if depth == 0 and c == "{" and (found := NAMESPACE.match(head)):
            spaces.append(found[1])
        elif depth == 0 and c == "}":
            spaces = spaces[:-1]
        else:
            local = "" in spaces or re.match(r"(?:constexpr )?static\b", head)
            # A function or type that ends here is not defined here.
            defines = c == "{" or "=" in head or not re.search(r"\)|^\w+ \w+$", head)
            begun = depth == 0 and re.match(r"[\w:\[]", head)
            name = declared(head) if begun and local and defines else None
            if name:
                begins = start + len(raw) - len(raw.lstrip())
                line = text.count("\n", 0, begins) + 1
                yield "::".join([*filter(None, spaces), name]), line
            depth += (c == "{") - (c == "}")
        if depth == 0:
            start = at + 1


def macros(text: str) -> Iterator[tuple[str, int]]:
    """The macros that are still there at the end of a file, and their lines."""
    for found in MACRO.finditer(text):
        if not re.search(rf"^#undef {found[1]}\b", text, re.M):
            body = " ".join(found[2].replace("\\\n", " ").split()) or "nothing"
            yield f"#define {found[1]} = {body}", text.count("\n", 0, found.start()) + 1


def compiled_alone(root: Path) -> Iterator[str]:
    """Regular expressions of files that a release compiles by themselves."""
    for file in ("cmake/layers.cmake", "python/CMakeLists.txt"):
        if (root / file).exists():
            text = (root / file).read_text(encoding="utf-8")
            lists = dict(CMAKE_LIST.findall(text))
            for names in UNITY.findall(text):
                for name in names.split():
                    own = re.fullmatch(r"\$\{(\w+)\}", name)
                    yield from lists[own[1]].split() if own else [name]


# Public functions (gk::api::ops) and the library's (gk::ops) in one file.
UNCLEAR_OPS = re.compile(r"(?<![\w:])ops::\w+")


def check_api_ops(root: Path) -> Iterator[str]:
    for path in sorted((root / "src/api").glob("*.cc")):
        if path.name.endswith("_test.cc"):
            continue
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            found = UNCLEAR_OPS.search(NO_CODE.sub("", line))
            if found and not line.startswith("namespace"):
                yield (
                    f"{path.relative_to(root).as_posix()}:{number}: {found[0]} is one "
                    "of two functions where a release compiles neighbouring files "
                    "together; write ::gk::ops:: or gk::api::ops::"
                )


def check_local_names(root: Path) -> Iterator[str]:
    alone = "|".join(compiled_alone(root))
    first: dict[tuple[str, bool, str], tuple[str, int, str]] = {}
    for path in sorted(
        [*(root / "src").rglob("*.cc"), *(root / "python/src").rglob("*.cc")]
    ):
        name = path.relative_to(root).as_posix()
        folder = path.parent.relative_to(root).as_posix()
        is_test = name.endswith("_test.cc")
        if not is_test and (
            APART.match(folder) or re.fullmatch(alone, path.stem)
        ):
            continue
        text = path.read_text(encoding="utf-8")
        for local, line in [*local_names(text), *macros(text)]:
            # Records' tables get names of their files.
            if local.endswith("::kRecords"):
                continue
            # Aliases and macros may be the same, but not of other meanings.
            local, _, meaning = local.partition(" = ")
            other, at, meant = first.setdefault(
                (folder, is_test, local), (name, line, meaning)
            )
            if other != name and not (meaning and meaning == meant):
                yield (
                    f"{name}:{line}: {local} is the name of something in "
                    f"{other}:{at}, too, and a release compiles neighbouring files "
                    "together (docs/decisions/build_time.md); name it otherwise, or "
                    "let both use one"
                )
