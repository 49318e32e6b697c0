"""The Python blocks of the documents run and print what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
EXPECTED = re.compile(r"^print\(.*\)\s+# (.*)$", re.MULTILINE)


DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Its blocks are one program.
FROM_SCRATCH = ROOT / "docs" / "from_scratch.md"
PATH = re.compile(
    r"`((?:src|python|include|tests|tools|fuzz|examples|docs|benchmarks|scripts)"
    r"/[\w./*-]+)`"
)
# Made by whoever follows the document; folders of other packages.
NOT_IN_THE_TREE = ("src/ops/example/", "src/distribute/")
COMMENT = re.compile(r"^\s*//(.*)", re.MULTILINE)
FILE = re.compile(r"(?<![\w/.<-])(?:\w+/)*([a-z]\w+\.(?:h|cc|inc))\b")
GENERATED = {"functions.h", "op_functions.h", "ops.h", "example_cube.cc"}
EXAMPLES = {"net.cc", "train.cc"}  # of a user's programs
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)[^)]*\)")
PLACE = re.compile(r"\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.*?) *$", re.MULTILINE)
# What else people read beside the code.
BESIDE = [
    ROOT / name
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
                 "examples/README.md", "fuzz/README.md")
]


def blocks() -> list[tuple[str, str]]:
    """(where, text) of each Python program in README.md and docs/."""
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        where = str(path.relative_to(ROOT))
        matches = list(BLOCK.finditer(text))
        if path == FROM_SCRATCH:
            found.append((where, "\n".join(match[1] for match in matches)))
            continue
        for match in matches:
            line = text.count("\n", 0, match.start()) + 1
            found.append((f"{where}:{line}", match[1]))
    return found


def test_there_are_blocks():
    assert any(where.startswith("README.md") for where, _ in blocks())


@pytest.mark.parametrize("where,text", blocks(), ids=[w for w, _ in blocks()])
def test_block(where: str, text: str, tmp_path: Path) -> None:
    # A file, because tf.function reads the source of what it traces.
    program = tmp_path / "block.py"
    program.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 0, f"{where}\n{done.stderr}"
    printed = done.stdout.splitlines()
    for expected in EXPECTED.findall(text):
        assert expected in printed, f"{where}: {expected!r} not in {printed}"


def test_from_scratch_is_short() -> None:
    text = dict(blocks())["docs/from_scratch.md"]
    assert sum(bool(line.strip()) for line in text.splitlines()) <= 500


def places(path: Path) -> set[str]:
    """Where links into a document may lead: its headings, as the site and others
    name them."""
    found: set[str] = set()
    for title in HEADING.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
        found.add(re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-"))
    return found


@pytest.mark.parametrize(
    "path", [*DOCUMENTS, *BESIDE], ids=lambda p: str(p.relative_to(ROOT))
)
def test_links_of_documents_lead_somewhere(path: Path) -> None:
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    missing = [to for to in LINK.findall(text) if not (path.parent / to).exists()]
    for to, place in PLACE.findall(text):
        target = path.parent / to if to else path
        if target.suffix == ".md" and place not in places(target):
            missing.append(f"{to}#{place}")
    assert missing == []


def test_a_place_that_is_missing_would_be_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One `tf.add`: two, [three](x.md)\n\n```\n# no heading\n```\n")
    assert places(page) == {"one-tfadd-two-three"}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: str(p.relative_to(ROOT)))
def test_what_documents_name_is_there(path: Path) -> None:
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    assert [
        name for name in PATH.findall(text)
        if not name.startswith(NOT_IN_THE_TREE) and not any(ROOT.glob(name))
    ] == []


def test_the_reading_list_has_all_pages_inside() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = text.partition("\nInside:\n")[2].partition("\n#")[0]
    pages = sorted((ROOT / "docs" / "internals").glob("*.md"))
    assert [p.name for p in pages if f"`docs/internals/{p.name}`" not in listed] == []


def test_the_site_has_all_pages() -> None:
    """In its menu, or in the list of their folder, after which it makes one."""
    listed = (ROOT / "tools" / "document_site" / "mkdocs.yml").read_text()
    pages = {
        str(path.relative_to(ROOT))
        for path in [*DOCUMENTS, *BESIDE]
        if path.parent.name not in ("decisions", "examples") and path.name != "README.md"
    }
    assert {page for page in pages if f" {page}\n" not in listed} == set()
    for folder in ROOT / "docs" / "decisions", ROOT / "examples":
        listed = (folder / "README.md").read_text(encoding="utf-8")
        files = [p for p in folder.iterdir() if p.suffix in (".md", ".py")]
        assert [
            p.name for p in files
            if p.name != "README.md" and f"]({p.name})" not in listed
        ] == []


def test_the_layout_names_the_folders_there_are() -> None:
    text = (ROOT / "docs" / "internals" / "layout.md").read_text(encoding="utf-8")
    quoted = set(re.findall(r"`([\w/.]+)`", text))

    def folders(path: str) -> set[str]:
        return {
            p.name for p in (ROOT / path).iterdir()
            if p.is_dir() and not p.name.startswith((".", "__"))
        }

    assert {f"src/{name}" for name in folders("src")} <= quoted
    made = {"build", "shared", "CMakeFiles"}
    assert folders(".") - made - {"src", "python", "include"} <= quoted
    # What stands between the brackets behind the two folders of rooms.
    rooms = re.search(
        r"room of `python/src`\s+\(([^)]*)\)"
        r".*?`python/graphkiln/_src`\s+\(([^)]*)\)",
        text, re.DOTALL,
    )
    for path, listed in zip(("python/src", "python/graphkiln/_src"), rooms.groups()):
        named = set(re.findall(r"`(\w+)`", listed)) - {"protobuf"}
        assert named == folders(path)


def test_files_that_comments_name_are_there() -> None:
    files = [
        p for folder in ("src", "include", "python", "tests", "fuzz", "benchmarks")
        for p in (ROOT / folder).rglob("*") if p.suffix in (".h", ".cc", ".inc")
    ]
    known = {p.name for p in files} | GENERATED | EXAMPLES
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in files
        for comment in COMMENT.findall(path.read_text(encoding="utf-8"))
        for name in FILE.findall(comment)
        if name not in known
    ]
    assert missing == []


def test_generated_code_is_what_is_generated(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block, shown = re.search(
        r"^```python\n([^`]*to_code[^`]*)^```\n\n```\n(.*?)^```", text,
        re.MULTILINE | re.DOTALL,
    ).groups()
    program = tmp_path / "block.py"
    program.write_text(block, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == shown.strip()
