"""What objects say has to be there before they are loaded."""

from __future__ import annotations

from typing import Any


def check_dependencies(root: Any, children_of: Any, dependencies_of: Any) -> None:
    """Raises ValueError if an object's `_deserialization_dependencies` name what is
    not saved, or wait for one another.

    Args:
      root: what is saved.
      children_of: gives what is in an object, as pairs of names and objects.
      dependencies_of: gives what it waits for, by names.
    """
    paths = {id(root): "root"}
    objects = [root]
    for value in objects:
        for name, child in children_of(value):
            if id(child) not in paths:
                paths[id(child)] = f"{paths[id(value)]}.{name}"
                objects.append(child)
    numbers = {id(value): number for number, value in enumerate(objects)}
    waits: dict[int, set[int]] = {}
    for number, value in enumerate(objects):
        for needed in dependencies_of(value).values():
            if id(needed) not in numbers:
                raise ValueError(
                    "Found an untracked dependency. Object "
                    f"{_name(paths[id(value)])} depends on {needed}, but this "
                    "dependency isn't listed as a child. Please track this child by "
                    "overriding `_trackable_children` or use `._track_trackable`."
                )
            waits.setdefault(number, set()).add(numbers[id(needed)])
    while free := [n for n, needed in waits.items() if not needed & waits.keys()]:
        for number in free:
            del waits[number]
    if waits:
        raise ValueError(_cycle(waits, objects, paths))


def _name(path: str) -> str:
    return "root object" if path == "root" else path


def _cycle(waits: dict[int, set[int]], objects: list, paths: dict[int, str]) -> str:
    lines = [
        "There is one or more dependency cycle in the saved Trackable object. Saving "
        "cannot continue until this cycle is resolved.",
        ">> Unresolved nodes:",
    ]
    lines += [
        f"\tNode {n} = {_name(paths[id(objects[n])])} (type {type(objects[n])})"
        for n in waits
    ]
    lines.append(">> Unresolved cyclic dependencies:")
    lines += [f"\tNode {n} depends on nodes {sorted(waits[n])}" for n in waits]
    return "\n".join(lines)
