"""Docstrings as Markdown: prose, sections of named things, examples."""

import re

SECTION = re.compile(
    r"^(Args|Arguments|Attributes|Raises|Returns|Yields|Fields|Call arguments):(.*)$"
)
ITEM = re.compile(r"^([*\w.`, ]+): (.*)$")
CODE = re.compile(r"(`+[^`]*`+)")
SPECIAL = re.compile(r"([\\*_\[\]#])")


def escaped(text: str) -> str:
    """Prose in which only what stands between backticks is Markdown."""
    parts = CODE.split(text)
    for i in range(0, len(parts), 2):
        plain = parts[i].replace("&", "&amp;").replace("<", "&lt;")
        parts[i] = SPECIAL.sub(r"\\\1", plain)
    return "".join(parts)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items(lines: list[str]) -> list[str]:
    """The lines of a section: a list, where they have names, or prose."""
    depth = min((_indent(line) for line in lines if line.strip()), default=0)
    out: list[str] = []
    for line in lines:
        text = line.strip()
        named = ITEM.match(text) if _indent(line) == depth else None
        if named:
            name = named[1].strip("`")
            out.append(f"- `{name}`: {escaped(named[2])}")
        elif text:
            out.append(f"  {escaped(text)}" if out else escaped(text))
    return out


def _example(lines: list[str]) -> list[str]:
    return ["```pycon", *lines, "```", ""]


def markdown(text: str) -> list[str]:
    """Lines of Markdown."""
    lines = text.splitlines()
    out: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        begin = at
        if line.lstrip().startswith(">>>"):
            # Up to a blank line behind which no example goes on.
            while at < len(lines) and (
                lines[at].strip()
                or at + 1 < len(lines)
                and lines[at + 1].lstrip().startswith(">>>")
            ):
                at += 1
            depth = _indent(line)
            out += _example([part[depth:] for part in lines[begin:at]])
        elif section := SECTION.match(line):
            at += 1
            while at < len(lines) and (
                lines[at].startswith(" ")
                or not lines[at].strip()
                and at + 1 < len(lines)
                and lines[at + 1].startswith(" ")
            ):
                at += 1
            rest = [section[2].strip()] if section[2].strip() else []
            out += [f"**{section[1]}**", "", *_items(rest + lines[begin + 1 : at]), ""]
        elif line.startswith("    ") and not (out and out[-1]):
            while at < len(lines) and (lines[at].startswith("    ") or not lines[at]):
                at += 1
            out += ["```text", *(part[4:] for part in lines[begin:at]), "```", ""]
        else:
            mark = re.match(r"^(\s*)[-*] (.*)$", line)
            out.append(f"{mark[1]}- {escaped(mark[2])}" if mark else escaped(line))
            at += 1
    return out


def first_sentence(text: str) -> str:
    """What a table says of a thing, on one line."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    if paragraph.startswith(">>>"):
        return ""
    sentence = re.match(r".*?[.;:](?= |$)", paragraph)
    shown = escaped(sentence[0].rstrip(";:") if sentence else paragraph)
    return shown.replace("|", "\\|")
