#!/usr/bin/env python3
"""Builds the site of all documents: build/site/html/index.html.

usage: PYTHONPATH=build/release/python tools/document_site/build.py [--build FOLDER]

Needs the built package, the group `docs` of pyproject.toml and Doxygen. Ends with an
error if a page is not in the navigation or a link leads nowhere.
"""

import argparse
import ast
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SITE = ROOT / "build" / "site"
PAGES = SITE / "pages"
# Markdown of the checkout, besides docs/.
FILES = [
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "examples/README.md",
    "fuzz/README.md",
    "LICENSE",
]
LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
FENCED = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def run(*command: object, **more: object) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, **more)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def here_or_shown(text: str, source: Path) -> str:
    """Links of a document of the checkout, but those to programs are to the pages
    that show them."""

    def changed(match: re.Match) -> str:
        path, _, place = match[1].partition("#")
        target = (source.parent / path).resolve().relative_to(ROOT)
        if target.suffix == ".py" and target.parent == Path("examples"):
            path = path.removesuffix(".py") + ".md"
        elif target.is_dir() and target == Path("examples/cpp"):
            path += "/README.md"
        elif target == Path("README.md"):
            path = os.path.relpath("index.md", source.parent.relative_to(ROOT))
        return f"]({path}{'#' * bool(place)}{place})"

    parts = FENCED.split(text)
    parts[::2] = [LINK.sub(changed, part) for part in parts[::2]]
    return "".join(parts)


def copy(source: Path, target: Path) -> None:
    if source.suffix == ".md":
        write(target, here_or_shown(source.read_text(encoding="utf-8"), source))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def example_pages() -> None:
    """A page for each example: what its docstring says, and the program."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        says = ast.get_docstring(ast.parse(text)) or ""
        says = re.sub(r"^usage: (.*)$", r"    python examples/\1", says, flags=re.M)
        body = re.sub(r'\A""".*?"""\n', "", text, flags=re.DOTALL).lstrip("\n")
        title = path.name
        write(
            PAGES / "examples" / f"{path.stem}.md",
            f"# {title}\n\n{says}\n\n```python\n{body}```\n",
        )
    lines = ["# Examples in C++", ""]
    for path in sorted((ROOT / "examples" / "cpp").glob("*.cc")):
        lines += [f"## {path.name}", "", "```cpp", path.read_text().rstrip(), "```", ""]
    write(PAGES / "examples" / "cpp" / "README.md", "\n".join(lines))


def gather(build: Path) -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    copy(ROOT / "README.md", PAGES / "index.md")
    for name in FILES:
        copy(ROOT / name, PAGES / name)
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.is_file():
            copy(path, PAGES / path.relative_to(ROOT))
    example_pages()
    reference = PAGES / "docs" / "reference"
    run(sys.executable, HERE / "python_pages.py", reference / "python")
    run(sys.executable, ROOT / "tools" / "api_dump", "--pages", reference / "ops")
    for name in ("site.css", "tables.js", "iframe-worker.js"):
        copy(HERE / name, PAGES / "site" / name)
    cpp_reference(build, reference)
    shutil.copy(HERE / "reference.md", reference / "README.md")


def cpp_reference(build: Path, output: Path) -> None:
    """Doxygen's pages of the headers as they are installed: those of the tree and
    those that are generated."""
    headers = SITE / "headers"
    shutil.rmtree(headers, ignore_errors=True)
    for path in (
        *(ROOT / "include" / "graphkiln").glob("*.h"),
        *(ROOT / build / "generated" / "graphkiln").glob("*.h"),
    ):
        copy(path, headers / "graphkiln" / path.name)
    shutil.copy(HERE / "cpp.md", headers)
    names = {"GK_HEADERS": headers, "GK_OUTPUT": output, "GK_PYTHON": sys.executable}
    run(
        "doxygen",
        HERE / "Doxyfile",
        env=os.environ | {name: str(value) for name, value in names.items()},
    )
    warnings = output / "doxygen_warnings.txt"
    # A base class that is a specialisation of its own template is none of itself.
    told = [
        line
        for line in warnings.read_text(encoding="utf-8").splitlines()
        if line.strip() and "potential recursive class relation" not in line
    ]
    warnings.unlink()
    if told:
        sys.exit("\n".join(["doxygen:", *told[:50]]))


def titled(path: Path) -> dict[str, str]:
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    title = re.sub(r"\s*\{.*\}$|`", "", first.lstrip("# "))
    return {title: path.relative_to(PAGES).as_posix()}


def listing(folder: Path) -> list:
    """The pages of a folder: its README, then the others as it names them."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8")
    rest = [p for p in folder.glob("*.md") if p != readme and f"]({p.name})" in text]
    rest.sort(key=lambda p: text.index(f"]({p.name})"))
    return [readme.relative_to(PAGES).as_posix(), *(titled(path) for path in rest)]


def python_listing() -> list:
    """By namespace: what lies below one is listed below it."""
    folder = PAGES / "docs" / "reference" / "python"
    groups: dict[str, list] = {}
    for path in sorted(folder.glob("tf*.md"), key=lambda p: p.stem.lower()):
        group = ".".join(path.stem.split(".")[:2])
        # A class of the package itself stands with its functions.
        group = "tf" if group == "tf" or group[3].isupper() else group
        groups.setdefault(group, []).append(titled(path))
    out: list = [(folder / "README.md").relative_to(PAGES).as_posix()]
    for group, pages in groups.items():
        out += [{group: pages}] if len(pages) > 1 else pages
    return out


def filled(nav: object, parts: dict[str, list]) -> object:
    if isinstance(nav, list):
        return [filled(item, parts) for item in nav]
    if isinstance(nav, dict):
        return {key: filled(value, parts) for key, value in nav.items()}
    return parts.get(str(nav), nav)


def configure() -> Path:
    source = HERE / "mkdocs.yml"
    text = source.read_text(encoding="utf-8")
    nav = yaml.safe_load(text.partition("\nnav:\n")[2])
    parts = {
        "PYTHON": python_listing(),
        "OPS": listing(PAGES / "docs" / "reference" / "ops"),
        "DECISIONS": listing(PAGES / "docs" / "decisions"),
        "EXAMPLES": [
            *listing(PAGES / "examples"),
            {"In C++": "examples/cpp/README.md"},
        ],
    }
    target = SITE / "mkdocs.yml"
    write(
        target,
        yaml.safe_dump(
            {
                "INHERIT": str(source),
                "docs_dir": str(PAGES),
                "site_dir": str(SITE / "html"),
                "nav": filled(nav, parts),
            },
            sort_keys=False,
        ),
    )
    return target


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--build",
        type=Path,
        default=Path("build/release"),
        help="where the package and the generated headers are",
    )
    options = parser.parse_args()
    begun = time.monotonic()
    gather(options.build)
    # The theme warns of MkDocs 2, which pyproject.toml keeps out. What --quiet does not
    # say does not count for --strict either.
    run(
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--clean",
        "--config-file",
        configure(),
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
    )
    run(sys.executable, HERE / "check.py", SITE / "html")
    pages = len(list((SITE / "html").rglob("*.html")))
    print(
        f"{pages:,} pages in {time.monotonic() - begun:.0f} s: "
        f"{(SITE / 'html' / 'index.html').relative_to(ROOT)}"
    )


if __name__ == "__main__":
    main()
