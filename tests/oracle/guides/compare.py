"""Whether two outcomes of a cell say the same.

Addresses, line numbers of a library's own files, log lines with a time and the
folders in which modules stand are nobody's promise and go. Numbers may differ in
their last digits; where TensorFlow itself prints other numbers from one run to
the next, as timings are, only the words between them count.
"""

from __future__ import annotations

import re

_LOGGED = re.compile(
    r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|[IWEF]\d{4} \d\d:\d\d:\d\d|"
    r"WARNING: All log messages before absl)"
)
_REPLACED = [
    # TensorFlow names the eager call or the function's node; graphkiln says the
    # arguments on a line of its own.
    (re.compile(r"^WARNING:tensorflow:jit_compile=True has no effect.*\n", re.M), ""),
    (re.compile(r"\{\{function_node [^}]*\}\} ?"), ""),
    (re.compile(r"\n\tArguments of .*"), ""),
    (re.compile(r" name: *(\x1b\[0m)?$", re.M), r"\1"),
    (re.compile(r"(__inference_\w+?_)\d+"), r"\1N"),
    (re.compile(r"0x[0-9a-fA-F]+"), "0xADDRESS"),
    (re.compile(r"/tmp/[\w./-]*/cell_"), "cell_"),
    (re.compile(r"/tmp/[\w./-]+"), "/tmp/FILE"),
    (re.compile(r"(/[\w.+-]+)+/site-packages/"), ""),
    (re.compile(r"(/[\w.+-]+)+/python/(?=graphkiln/)"), ""),
    (re.compile(r"\bgraphkiln\b"), "tensorflow"),
    # The module of a class, where a repr names it.
    (re.compile(r"(?<=[<' (])tensorflow(\.\w+)*\.(?=[A-Za-z_]\w*)"), ""),
    (re.compile(r"^tensorflow(\.\w+)*\.(?=[A-Za-z_]\w*)", re.M), ""),
]
_CHAINED = re.compile(
    r"(?s)Traceback \(most recent call last\):(?:(?!\nTraceback ).)*?"
    r"\n\n(?:The above exception was the direct cause of|"
    r"During handling of) the (?:following|above) exception.*?:\n\n"
)
_FRAME = re.compile(r'^\s*File "(?!cell_)[^"]*", line \d+, in .*\n(    .*\n)*', re.M)
_NUMBER = re.compile(
    r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?![\w])", re.I
)


def plain(text: str) -> str:
    lines = [line for line in text.split("\n") if not _LOGGED.match(line)]
    text = "\n".join(lines)
    for pattern, instead in _REPLACED:
        text = pattern.sub(instead, text)
    text = _FRAME.sub("", text)
    # Of a chain of exceptions the last one counts.
    text = _CHAINED.sub("", text)
    # Marks under a line of a traceback.
    text = re.sub(r"^\s*[~^]+\s*$\n?", "", text, flags=re.M)
    return text.strip()


def _words(text: str) -> list[str]:
    """The text between numbers, without what widths of numbers decide."""
    return [re.sub(r"\s+", " ", part).strip() for part in _NUMBER.split(text)]


def same_text(ours: str, theirs: str, tolerance: float) -> bool:
    ours, theirs = plain(ours), plain(theirs)
    if ours == theirs:
        return True
    if _words(ours) != _words(theirs):
        return False
    mine = [float(x) for x in _NUMBER.findall(ours)]
    other = [float(x) for x in _NUMBER.findall(theirs)]
    scale = max((abs(x) for x in other), default=0.0)
    return all(
        abs(a - b) <= tolerance * max(abs(b), 0.1 * min(scale, 1.0))
        for a, b in zip(mine, other, strict=True)
    )


def _masked(text: str) -> str:
    words = " ".join(_NUMBER.sub("#", plain(text)).split())
    return re.sub(r"(?<=\[) | (?=[\],])", "", words)


def _parts(outcome: dict) -> list[tuple[str, str]]:
    error = outcome["error"] or ["", ""]
    return [
        ("printed", outcome["text"]),
        ("value", outcome["value"] or ""),
        ("class of error", error[0]),
        ("text of error", error[1]),
        ("figures", "\n".join(outcome["figures"])),
    ]


def differences(
    ours: dict, theirs: dict, again: dict, tolerance: float = 3e-5
) -> list[tuple[str, str, str]]:
    """What differs of a cell: the part, ours, TensorFlow's."""
    out = []
    rows = zip(_parts(ours), _parts(theirs), _parts(again), strict=True)
    for (part, mine), (_, other), (_, repeated) in rows:
        # Of a figure three digits are shown.
        if same_text(mine, other, 5e-3 if part == "figures" else tolerance):
            continue
        changes = not same_text(other, repeated, 0.0)
        if changes and _masked(mine) == _masked(other):
            continue
        if changes and part == "figures":
            continue
        out.append((part, plain(mine), plain(other)))
    return out
