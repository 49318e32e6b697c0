"""Two texts that ship: sonnets of Shakespeare (1609) and the beginning of Lewis
Carroll's Alice in Wonderland (1865)."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "texts"


def read(name: str) -> str:
    """A text in small letters, its lines as they stand in the file."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").lower()


def pieces(text: str, length: int, step: int) -> list[str]:
    """Parts of a text, each beginning `step` letters after the one before."""
    text = " ".join(text.split())
    return [text[i : i + length] for i in range(0, len(text) - length + 1, step)]
