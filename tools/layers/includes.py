"""C++: who may include whom, and no circle of pairs of files."""

import re
from collections.abc import Iterator
from pathlib import Path

# Ranks from below to above; layers of one rank may not include one another.
RANKS = [
    ["base"],
    ["proto", "kernels"],
    ["framework"],
    ["io"],
    ["graph", "data"],
    ["checkpoint"],
    ["ops"],
    ["grappler"],
    ["runtime", "codegen"],
    ["eager"],
    ["function"],
    ["saved_model", "summary", "profiler"],
    ["api", "command_line"],
]
LAYERS = {
    layer: {layer} | {below for rank in RANKS[:i] for below in rank}
    for i, rank in enumerate(RANKS)
    for layer in rank
}
PUBLIC = "public headers"  # include/graphkiln
BINDING = "python binding"  # python/src
LAYERS["api"] |= {PUBLIC}
LAYERS["command_line"] |= {PUBLIC}  # the version
LAYERS[PUBLIC] = {PUBLIC}
LAYERS[BINDING] = {BINDING} | set(LAYERS)

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def layer_of_file(path: Path) -> str:
    """The layer that the file, relative to the root, belongs to."""
    top = path.parts[0]
    if top == "include":
        return PUBLIC
    if top == "python":
        return BINDING
    return path.parts[1]


def layer_of_include(name: str, system: bool) -> str | None:
    """The layer an include line reaches into; None: not our own file."""
    folder = name.split("/")[0] if "/" in name else ""
    if folder == "graphkiln":
        return PUBLIC
    if not system and folder == "python":
        return BINDING
    if not system and folder in LAYERS:
        return folder
    return None


def check_cpp(root: Path) -> Iterator[str]:
    for top in ("src", "include", "python/src"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in (".h", ".cc", ".inc"):
                continue
            name = path.relative_to(root)
            layer = layer_of_file(name)
            if layer not in LAYERS or (top == "src" and len(name.parts) < 3):
                yield f"{name}:1: {layer} is not a layer; the layers are " + (
                    ", ".join(LAYERS)
                )
                continue
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                system = found[1] == "<"
                if layer == PUBLIC and not system:
                    target = layer_of_include(found[2], system)
                    if target != PUBLIC:
                        yield (
                            f"{name}:{number}: {PUBLIC} include only one "
                            f'another and the standard library, not "{found[2]}"'
                        )
                    continue
                target = layer_of_include(found[2], system)
                if target and target not in LAYERS[layer]:
                    allowed = ", ".join(sorted(LAYERS[layer] - {layer}))
                    yield (
                        f"{name}:{number}: {layer} may not include "
                        f'"{found[2]}" (layer {target}); it may include '
                        f"{allowed or 'no other layer'}"
                    )


def file_edges(root: Path) -> dict[str, dict[str, str]]:
    """For each pair of files, by its path without suffix, the pairs that it
    includes and where it does."""
    folders = {top: root / top for top in ("src", "include", "python/src")}
    edges: dict[str, dict[str, str]] = {}
    for top, folder in folders.items():
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".h", ".cc", ".inc") or (
                path.stem.endswith("_test")
            ):
                continue
            name = path.relative_to(root)
            pair = str(name.with_suffix(""))
            targets = edges.setdefault(pair, {})
            lines = path.read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                found = INCLUDE.match(line)
                if not found:
                    continue
                for prefix in (["include"] if top == "include" else ["src", ""]):
                    target = root / prefix / found[2]
                    if target.is_file():
                        other = str(target.relative_to(root).with_suffix(""))
                        if other != pair:
                            targets.setdefault(other, f"{name}:{number}")
                        break
    return edges


def circles(edges: dict[str, dict[str, str]]) -> Iterator[set[str]]:
    """Sets of nodes that reach one another (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    trail: list[str] = []
    for start in edges:
        pending = [(start, iter(edges[start]))] if start not in number else []
        while pending:
            node, targets = pending[-1]
            if node not in number:
                number[node] = low[node] = len(number)
                trail.append(node)
            step = next((t for t in targets if t in edges), None)
            if step is None:
                pending.pop()
                if pending:
                    below = pending[-1][0]
                    low[below] = min(low[below], low[node])
                if low[node] == number[node]:
                    at = trail.index(node)
                    circle, trail[at:] = set(trail[at:]), []
                    for done in circle:
                        low[done] = len(edges)
                    if len(circle) > 1:
                        yield circle
            elif step not in number:
                pending.append((step, iter(edges[step])))
            else:
                low[node] = min(low[node], low[step])


def shortest(edges: dict[str, dict[str, str]], start: str, end: str) -> list[str]:
    """The nodes of a shortest way; there is one."""
    came_from = {start: start}
    queue = [start]
    for node in queue:
        for target in edges[node]:
            if target in edges and target not in came_from:
                came_from[target] = node
                queue.append(target)
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def check_cycles(root: Path) -> Iterator[str]:
    edges = file_edges(root)
    for circle in circles(edges):
        for pair in sorted(circle):
            for target, place in sorted(edges[pair].items()):
                if target in circle:
                    back = " -> ".join(shortest(edges, target, pair))
                    yield (
                        f"{place}: include closes the cycle {pair} -> {back}; "
                        "move what both need into a file of its own"
                    )
