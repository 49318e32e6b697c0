"""Hooks: lower layers call upward through the interfaces in HOOKS alone."""

import re
from collections.abc import Iterator
from pathlib import Path

# What a lower layer asks, where it is set, and what sets it. Another one belongs
# into an interface that is there: a virtual of OpBuilder, HostLanguage or
# FunctionRunner.
HOOKS = {
    ("src/framework/op_builder.h", "SetEager"): "OpBuilder",
    ("src/framework/host_language.h", "Set"): "HostLanguage",
    ("src/framework/function_runner.h", "Set"): "FunctionRunner",
    ("src/base/interrupt.h", "SetInterruptCheck"): (
        "base knows no HostLanguage, which alone sets this"
    ),
}

# A function of the process (of no value of a class) that takes one argument.
SETTER = re.compile(
    r"^(?:  static )?void (Set\w*|Install\w*)\(\s*([\w:<>()*& ,]+?)(?:\s+\w+)?\);",
    re.MULTILINE,
)
FUNCTION_TYPE = re.compile(
    r"\busing (\w+) =\s*(?:[\w:<>*& ]+\(\*\)\(|std::function<|FunctionRef<)"
)


def _is_called(type_name: str, function_types: set[str]) -> bool:
    """Is it a pointer, or a function under a name or none?"""
    if "*" in type_name or "function<" in type_name.lower():
        return True
    return type_name.rsplit("::", 1)[-1].strip() in function_types


def _is_list(arguments: str) -> bool:
    """Are there several?"""
    return "," in re.sub(r"[<(][^<>()]*[>)]", "", arguments)


def check_hooks(root: Path) -> Iterator[str]:
    headers = sorted((root / "src").rglob("*.h"))
    texts = {path: path.read_text(encoding="utf-8") for path in headers}
    function_types = {
        name for text in texts.values() for name in FUNCTION_TYPE.findall(text)
    }
    for path, text in texts.items():
        name = path.relative_to(root).as_posix()
        for found in SETTER.finditer(text):
            setter, argument = found[1], " ".join(found[2].split())
            if _is_list(argument) or not _is_called(argument, function_types):
                continue
            if (name, setter) in HOOKS:
                continue
            line = text.count("\n", 0, found.start()) + 1
            yield (
                f"{name}:{line}: {setter}({argument}) is a hook beside "
                "HostLanguage, OpBuilder and FunctionRunner: make it a virtual of "
                "one of these"
            )
