#!/usr/bin/env python3
"""Shows a public header to Doxygen: its comments as documentation.

usage: cpp_comments.py HEADER

The first comment is the file's. One that touches a declaration is the declaration's,
one behind it on the line as well; others, and those inside of functions, are left
alone. What is marked "For the library itself" is left out.
"""

import re
import sys
from pathlib import Path

COMMENT = re.compile(r"^(\s*)//(?!/)( ?.*)$")
BEHIND = re.compile(
    r"^(?=.*\S)((?:[^\"/]|\"(?:[^\"\\]|\\.)*\"|/(?!/))*[;,}{])\s+// (.*)$"
)
OWN = re.compile(r"^\s*// --- For the library itself")
# The inline namespace of versions, which nobody writes.
VERSIONS = re.compile(r"^(GK_API_NAMESPACE \{|\}  // GK_API_NAMESPACE)$")
END = re.compile(r"^\s*(?: private:| protected:|private:|protected:|};)")


def _text(comment: str) -> str:
    """Words that Doxygen would take for commands or tags."""
    parts = re.split(r"(`[^`]*`|\"[^\"]*\")", comment)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\@<>#&])", r"\\\1", parts[i])
    for i in range(1, len(parts), 2):
        parts[i] = (
            parts[i]
            if parts[i][0] == "`"
            else re.sub(r"([\\@<>#&])", r"\\\1", parts[i])
        )
    return "".join(parts)


def _block(texts: list[str]) -> list[str]:
    """Lines of a comment; those that stand deeper than the prose are code."""
    out: list[str] = []
    code = False
    for i, text in enumerate(texts):
        before = texts[i - 1].strip() if i else ""
        deep = text.startswith("   ")
        if deep and not code and (not before or before.endswith(":")):
            out.append(" \\code{.cpp}")
            code = True
        elif code and text.strip() and not deep:
            out.append(" \\endcode")
            code = False
        out.append(text if code else _text(text))
    return [*out, " \\endcode"] if code else out


def shown(text: str, name: str) -> str:
    lines = ["" if VERSIONS.match(line) else line for line in text.splitlines()]
    out: list[str] = []
    at, hidden = 0, False
    while at < len(lines):
        line = lines[at]
        end = at
        while end < len(lines) and COMMENT.match(lines[end]):
            end += 1
        if at == 0 and end:
            body = _block([part[2:] for part in lines[:end]])
            out += [f"/// \\file {name}", *(f"///{part}" for part in body)]
        elif OWN.match(line):
            out.append("/// \\cond")
            out += [""] * (end - at - 1)
            hidden = True
        elif end > at:
            touches = end < len(lines) and lines[end].strip() not in ("", "}")
            if touches:
                space = line[: len(line) - len(line.lstrip())]
                body = _block([part.strip()[2:] for part in lines[at:end]])
                out += [f"{space}///{part}" for part in body]
            else:
                out += lines[at:end]
        else:
            if hidden and END.match(line):
                out.append("/// \\endcond")
                hidden = False
            behind = BEHIND.match(line)
            is_member = behind and behind[1].rstrip()[-1] in ";,"
            if behind and is_member:
                out.append(f"{behind[1]}  ///< {_text(behind[2])}")
            else:
                out.append(line)
            end = at + 1
        at = end
    if hidden:
        raise ValueError(f"{name}: no end of what is the library's own")
    return "\n".join(out) + "\n"


def main() -> None:
    path = Path(sys.argv[1])
    sys.stdout.write(shown(path.read_text(encoding="utf-8"), path.name))


if __name__ == "__main__":
    main()
