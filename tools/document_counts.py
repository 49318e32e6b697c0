"""The counts that documents give of what there is, for tools/api_dump.

Public names are those of TensorFlow's namespaces but for what belongs to tf.keras,
tf.raw_ops and tf.compat; python/graphkiln/_tensorflow_names.txt has them.
"""

import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass

import public_api


def ops() -> int:
    """Ops of the registry."""
    return len(public_api.extension().op_names())  # type: ignore[attr-defined]


def raw_ops() -> int:
    """TensorFlow's ops."""
    return len(tensorflow_names()["raw_ops"])


def tensorflow_names() -> dict[str, set[str]]:
    names: dict[str, set[str]] = importlib.import_module(
        "graphkiln._tensorflow_names").NAMES
    return names


def public_names() -> list[str]:
    """TensorFlow's functions, classes and values, without its namespaces."""
    spaces = tensorflow_names()
    return [
        name
        for space, names in spaces.items()
        if space.partition(".")[0] not in ("compat", "raw_ops")
        for last in names
        if (name := f"{space}.{last}".removeprefix(".")) not in (*spaces, "keras")
    ]


def answered() -> int:
    """How many of them there are here."""
    return sum(is_here(name) for name in public_names())


def is_here(name: str) -> bool:
    space, _, last = name.rpartition(".")
    if space == "initializers" and last not in dir(
        importlib.import_module("graphkiln.initializers")
    ):
        return False  # the package keras has it
    value: object = importlib.import_module("graphkiln")
    for part in name.split("."):
        try:
            value = getattr(value, part)
        except AttributeError:
            return False
    return True


@dataclass
class Count:
    """A number in a document: the second group of `text`."""

    text: str
    number: Callable[[], int]


COUNTS = {
    "README.md": [
        Count(r"(Tensors and )([\d,]+)( ops)", ops),
        Count(r"()([\d,]+)( of the [\d,]+ public names)", answered),
        Count(r"(of the )([\d,]+)( public names)", lambda: len(public_names())),
        Count(r"(the )([\d,]+)( ops of `tf.raw_ops`)", raw_ops),
    ],
    "docs/from_scratch.md": [
        Count(r"(\*In graphkiln:\* )([\d,]+)( records)", ops),
    ],
}


def refreshed(path: str) -> str:
    """A document with the numbers that hold now."""
    text = (public_api.ROOT / path).read_text(encoding="utf-8")
    for count in COUNTS[path]:
        number = f"{count.number():,}"
        text, found = re.subn(
            count.text, lambda m: m[1] + number + m[3], text)
        if found != 1:
            raise ValueError(f"{path} has {found} times what {count.text!r} finds")
    return text
