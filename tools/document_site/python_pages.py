"""The reference of the Python package, a page for each namespace, from docstrings.

usage: PYTHONPATH=build/release/python python_pages.py FOLDER

A thing that has several names stands under one of them, and the pages of the others
point there. Docstrings of ops are those of their records.
"""

import enum
import importlib
import inspect
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import docstrings  # noqa: E402
import public_api  # noqa: E402

import graphkiln as tf  # noqa: E402

# A class with more members than these has a page of its own.
FEW_MEMBERS = 12
PRIVATE = "__internal__"
# What is in a namespace, where its name does not say it.
SPACES = {
    "": "tensors, variables, functions, and the ops of everyday",
    "audio": "WAV files",
    "autodiff": "gradients, forwards and backwards",
    "autograph": "Python's control flow as the graph's",
    "compat": "strings and paths; versions of names",
    "compat.v1": "names of the first version: graphs, sessions, collections",
    "config": "devices, threads, how functions run",
    "data": "input pipelines",
    "debugging": "assertions, checks of numbers",
    "distribute": "strategies, with one replica",
    "dtypes": "types of elements",
    "errors": "exceptions, and their codes",
    "experimental.numpy": "NumPy's functions on tensors",
    "graph_util": "GraphDefs changed",
    "image": "pictures: files, colours, sizes, boxes",
    "initializers": "first values of variables",
    "io": "files, serialized examples, encodings",
    "io.gfile": "files and folders by paths of any file system",
    "linalg": "products, factors, and operators that act as matrices",
    "lookup": "tables of keys and values",
    "math": "element-wise mathematics, reductions, segments",
    "math.special": "special functions",
    "nest": "structures of values",
    "nn": "convolution, pooling, activations, losses",
    "profiler.experimental": "where time and memory go",
    "quantization": "numbers of few bits",
    "queue": "queues between threads",
    "ragged": "rows of different lengths",
    "random": "random numbers, equal to TensorFlow's for equal seeds",
    "saved_model": "models as files",
    "sets": "sets in the rows of tensors",
    "signal": "Fourier transforms, windows, spectrograms",
    "sparse": "sparse tensors",
    "strings": "strings as elements",
    "summary": "event files that TensorBoard shows",
    "sysconfig": "where headers and libraries are",
    "test": "helps tests",
    "train": "checkpoints, examples, moving averages",
    "types.experimental": "types for annotations",
    "version": "versions",
}
DUNDERS = {"__call__", "__getitem__", "__enter__", "__exit__", "__iter__"}


@dataclass
class Thing:
    name: str  # the one under which it stands
    value: object
    aliases: list[str] = field(default_factory=list)

    @property
    def space(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def document(self) -> str:
        own = isinstance(self.value, type) or callable(self.value)
        return inspect.getdoc(self.value) or "" if own else ""


def found(name: str) -> object:
    value: object = tf
    for part in name.split("."):
        value = getattr(value, part)
    return value


def _rank(name: str, value: object) -> tuple:
    """The least one is where a thing stands: classes as high as they can, functions
    as low."""
    depth = name.count(".")
    return (
        name.startswith("compat."),
        "experimental" in name,
        depth if isinstance(value, type) else -depth,
        not name.startswith("math."),
        name,
    )


def things() -> list[Thing]:
    names = {n.name for n in public_api.public_names()}
    names |= set(public_api.top_level_names())
    groups: dict[object, list[str]] = {}
    for name in names:
        if not name.startswith(PRIVATE):
            value = found(name)
            if inspect.ismodule(value):
                continue
            shared = isinstance(value, type) or callable(value)
            groups.setdefault(id(value) if shared else name, []).append(name)
    out = []
    for group in groups.values():
        value = found(group[0])
        first, *others = sorted(group, key=lambda n: _rank(n, value))
        out.append(Thing(first, value, sorted(others)))
    return sorted(out, key=lambda thing: (thing.name.lower(), thing.name))


def signature(value: object, bound: bool = False) -> str:
    """Parameters as text, without annotations; "" where nobody knows them."""
    try:
        known = inspect.signature(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return ""
    parameters = list(known.parameters.values())
    if bound and parameters and parameters[0].name in ("self", "cls"):
        del parameters[0]
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in parameters]
    text = str(inspect.Signature(bare))
    text = re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", text)
    return re.sub(r"<(?:function |bound method )?([\w.]+)[^>]*>", r"\1", text)


def call(name: str, text: str) -> list[str]:
    """A call as code, a parameter a line where one line is too long for a page."""
    line = f"{name}{text}"
    if len(line) > 88:
        try:
            inner = public_api.parameters_of(text)
        except (SyntaxError, TypeError, ValueError):
            inner = []
        if inner:
            parts = re.split(r", (?=[\w*]+(?:=|,|\)|$))", text[1:-1])
            line = "\n".join([f"{name}(", *(f"    {p}," for p in parts), ")"])
    return ["```python", line, "```", ""]


def members(cls: type) -> dict[str, object]:
    """What a class has of its own, or of bases that have no entry."""
    out: dict[str, object] = {}
    for home in cls.__mro__:
        if home is not cls and (home in ENTRIES or home.__module__ == "builtins"):
            continue
        if not home.__module__.startswith("graphkiln"):
            continue
        for name, value in vars(home).items():
            public = not name.startswith("_") or name in DUNDERS
            if public and name not in out:
                part = (
                    value.__func__
                    if isinstance(value, classmethod | staticmethod)
                    else value
                )
                text = getattr(part, "__doc__", None)
                if isinstance(text, str) and text is not type(part).__doc__:
                    out[name] = part
    return dict(sorted(out.items(), key=lambda item: (item[0].lower(), item[0])))


def bases(cls: type) -> list[str]:
    return [ENTRIES[base].name for base in cls.__mro__[1:] if base in ENTRIES]


ENTRIES: dict[object, Thing] = {}


def page_of(thing: Thing) -> str:
    """The file, without a folder, of a thing."""
    value = thing.value
    if isinstance(value, type) and len(members(value)) > FEW_MEMBERS:
        return f"tf.{thing.name}.md"
    return f"{'.'.join(filter(None, ['tf', thing.space]))}.md"


def link(thing: Thing, page: str) -> str:
    target = page_of(thing)
    anchor = f"#tf.{thing.name}"
    return anchor if target == page else f"{target}{anchor}"


def heading(level: int, shown: str, anchor: str) -> list[str]:
    anchor = anchor.replace("__", "")  # which would make it bold
    return [f"{'#' * level} `{shown}` {{ #{anchor} }}", ""]


def entry(thing: Thing, page: str, level: int = 3) -> list[str]:
    value, name = thing.value, f"tf.{thing.name}"
    lines = heading(level, name, name)
    if isinstance(value, type):
        text = signature(value)
        kind = "class "
    else:
        text, kind = signature(value), ""
    if text and not (isinstance(value, type) and issubclass(value, enum.Enum)):
        lines += call(name, text)
    about = [f"also {', '.join(f'`tf.{n}`' for n in thing.aliases)}"] * bool(
        thing.aliases
    )
    if isinstance(value, type):
        above = [f"[`tf.{n}`]({link(BY_NAME[n], page)})" for n in bases(value)]
        about += [f"a {kind}of the kind {', '.join(above)}"] * bool(above)
    if about:
        sentence = "; ".join(about)
        lines += [f"*{sentence[0].upper()}{sentence[1:]}.*", ""]
    lines += [*docstrings.markdown(thing.document), ""]
    if isinstance(value, type):
        for member, part in members(value).items():
            lines += heading(level + 1, member, f"{name}.{member}")
            if callable(part):
                lines += call(member, signature(part, bound=True) or "(...)")
            lines += [*docstrings.markdown(inspect.getdoc(part) or ""), ""]
    return lines


BY_NAME: dict[str, Thing] = {}


def values_table(values: list[Thing]) -> list[str]:
    lines = ["## Values", "", "| name | value |", "|---|---|"]
    for thing in values:
        shown = repr(thing.value)
        shown = shown if len(shown) < 60 and "0x" not in shown else ""
        shown = f"`{shown}`" if shown else ""
        lines.append(f"| `tf.{thing.name}` {{ #tf.{thing.name} }} | {shown} |")
    return [*lines, ""]


def space_page(space: str, names: list[str]) -> list[str]:
    """A namespace: a table of all of its names, then what stands here."""
    title = ".".join(filter(None, ["tf", space]))
    page = f"{title}.md"
    lines = [f"# {title}", ""]
    if space in SPACES:
        lines += [f"{SPACES[space][0].upper()}{SPACES[space][1:]}.", ""]
    listed = [(name, BY_NAME[name]) for name in names]
    callables = [
        (n, t) for n, t in listed if isinstance(t.value, type) or callable(t.value)
    ]
    if callables:
        lines += ["| name | |", "|---|---|"]
        lines += [
            f"| [`tf.{name}`]({link(thing, page)}) "
            f"| {docstrings.first_sentence(thing.document)} |"
            for name, thing in callables
        ]
        lines.append("")
    for kind, title in (True, "Classes"), (False, "Functions"):
        here = [
            t
            for n, t in callables
            if n == t.name and page_of(t) == page and isinstance(t.value, type) == kind
        ]
        if here:
            lines += [f"## {title}", ""]
            for thing in here:
                lines += entry(thing, page)
    values = [t for n, t in listed if (n, t) not in callables]
    return lines + (values_table(values) if values else [])


def pages() -> dict[str, str]:
    everything = things()
    for thing in everything:
        if isinstance(thing.value, type):
            ENTRIES[thing.value] = thing
        for name in (thing.name, *thing.aliases):
            BY_NAME[name] = thing
    spaces: dict[str, list[str]] = {}
    for name in sorted(BY_NAME, key=lambda n: (n.lower(), n)):
        spaces.setdefault(name.rpartition(".")[0], []).append(name)
    classes = {
        tuple(t.name.split(".")) for t in everything if isinstance(t.value, type)
    }
    out: dict[str, list[str]] = {}
    index = [
        "# The Python package",
        "",
        "`import graphkiln as tf`. Made from the docstrings of the package and the records",
        "of its ops; every example in them runs in the tests. A thing with several names",
        "stands under one of them.",
        "",
        "`tf.keras` is the real Keras, whose reference is [its own](https://keras.io/api);",
        "the ops of `tf.raw_ops` are [among all ops](../ops/README.md).",
        "",
        "| namespace | names | |",
        "|---|---|---|",
    ]
    for space, names in sorted(spaces.items()):
        if tuple(space.split(".")) in classes:
            continue
        lines = space_page(space, names)
        title = ".".join(filter(None, ["tf", space]))
        out[f"{title}.md"] = lines
        index.append(
            f"| [`{title}`]({title}.md) | {len(names)} | {SPACES.get(space, '')} |"
        )
    for thing in everything:
        page = page_of(thing)
        if page == f"tf.{thing.name}.md" and isinstance(thing.value, type):
            if page in out:
                raise ValueError(f"a class and a namespace are both named {page}")
            out[page] = entry(thing, page, level=1)
    out["README.md"] = [*index, ""]
    return {name: "\n".join(lines) for name, lines in out.items()}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    importlib.import_module("graphkiln.raw_ops")
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
