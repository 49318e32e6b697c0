"""No file is long."""

from collections.abc import Iterator
from pathlib import Path

# A file this long has more than one subject: cut it by them.
MAX_LINES = 600
SOURCES = (
    "src", "include", "python", "tests", "fuzz", "benchmarks", "examples", "tools",
    "scripts"
)


def is_source(path: Path) -> bool:
    """Whether it is C++, Python or a script, which may have no suffix."""
    if path.suffix or not path.is_file():
        return path.suffix in (".h", ".cc", ".inc", ".py", ".sh")
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def check_lengths(root: Path) -> Iterator[str]:
    for top in SOURCES:
        for path in sorted((root / top).rglob("*")):
            name = path.relative_to(root).as_posix()
            if "site-packages" in name or not is_source(path):
                continue
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > MAX_LINES:
                yield (
                    f"{name}:{MAX_LINES + 1}: a file of {lines} lines; cut it by "
                    "its subjects"
                )
