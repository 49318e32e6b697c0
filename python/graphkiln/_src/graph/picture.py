"""Pictures of graphs: Graphviz text, SVG where `dot` is installed, and a view
in plain text, layer by layer. Notebooks show graphs by these."""

from __future__ import annotations

import html
import shutil
import subprocess
from collections.abc import Iterator

import numpy as np

from graphkiln import _graphkiln
from graphkiln._graphkiln import ConcreteFunction, Graph, Operation

_LAYOUT_SECONDS = 20
# Layout takes more than linear time; larger graphs are shown as text.
_MAX_DRAWN = 1500
_MAX_CONSTANT = 24  # characters of a constant's value

_CALLS = "#f6d6a8"
_STATE = "#f3c2c2"
_KINDS = {
    "placeholder": "#cfe3f7",
    "constant": "#e6e6e6",
    "identity": "#ffffff",
    "only_orders": "#ffffff",
}
_PLAIN = "#dcefd6"


def _graph_of(what: Graph | ConcreteFunction) -> Graph:
    return what.graph if isinstance(what, ConcreteFunction) else what


def _shape_text(tensor: object) -> str:
    return f"{tensor.dtype.name} {tensor.shape}"


def _value_text(value: np.ndarray) -> str:
    if value.ndim == 0:
        return str(value[()])
    text = np.array2string(
        value, separator=", ", threshold=_MAX_CONSTANT,
        formatter={"float_kind": str},
    )
    return " ".join(text.split())


def _details(op: Operation) -> list[str]:
    """Lines below the op's type and name."""
    if _graphkiln.has_trait(op.type, "constant"):
        value = _graphkiln.plain_attr(op, "value")
        text = _value_text(np.asarray(value.numpy()))
        if len(text) > _MAX_CONSTANT:
            text = text[: _MAX_CONSTANT - 1] + "…"
        return [text, _shape_text(op.outputs[0])]
    return [_shape_text(t) for t in op.outputs[:4]] + (
        [f"… {len(op.outputs)} outputs"] if len(op.outputs) > 4 else []
    )


def _color(op: Operation) -> str:
    for trait, color in _KINDS.items():
        if _graphkiln.has_trait(op.type, trait):
            return color
    if _graphkiln.called_functions(op):
        return _CALLS
    if any(t.dtype == _graphkiln.resource for t in (*op.inputs, *op.outputs)):
        return _STATE
    return _PLAIN


def _functions(graph: Graph) -> dict[str, Graph]:
    """Functions called, directly or not, by name."""
    found: dict[str, Graph] = {}
    pending = [graph]
    while pending:
        for op in pending.pop().get_operations():
            for _, name, body in _graphkiln.called_functions(op):
                if name not in found:
                    found[name] = body
                    pending.append(body)
    return found


def _node_lines(
    graph: Graph, owner: str, indent: str, ids: dict[object, str]
) -> Iterator[str]:
    for op in graph.get_operations():
        ids[op] = f"{owner}_{len(ids)}"
        details = "".join(
            f'<BR/><FONT POINT-SIZE="9">{html.escape(line)}</FONT>'
            for line in _details(op)
        )
        name = "" if op.name == op.type else f"<BR/>{html.escape(op.name)}"
        yield (
            f"{indent}{ids[op]} [label=<<B>{html.escape(op.type)}</B>{name}"
            f'{details}>, fillcolor="{_color(op)}"];'
        )


def _edge_lines(
    graph: Graph, indent: str, ids: dict[object, str]
) -> Iterator[str]:
    for op in graph.get_operations():
        for tensor in op.inputs:
            index = tensor.name.rpartition(":")[2]
            label = "" if index == "0" else f' [label=":{index}"]'
            yield f"{indent}{ids[tensor.op]} -> {ids[op]}{label};"
        for before in op.control_inputs:
            yield f"{indent}{ids[before]} -> {ids[op]} [style=dashed];"


def to_dot(what: Graph | ConcreteFunction) -> str:
    """The graph in Graphviz's language; functions it calls as clusters."""
    graph = _graph_of(what)
    functions = _functions(graph)
    ids: dict[object, str] = {}
    lines = [
        "digraph {",
        "  compound=true; rankdir=TB; nodesep=0.25; ranksep=0.35;",
        '  node [shape=box, style="filled,rounded", fontname="Helvetica", '
        'fontsize=11, color="#666666", margin="0.12,0.06"];',
        '  edge [color="#555555", arrowsize=0.7, fontname="Helvetica", '
        "fontsize=9];",
        *_node_lines(graph, "n", "  ", ids),
        *_edge_lines(graph, "  ", ids),
    ]
    clusters = {}
    for number, (name, body) in enumerate(functions.items()):
        clusters[name] = f"cluster_{number}"
        label = html.escape(name)
        lines += [
            f"  subgraph {clusters[name]} {{",
            f'    label=<<B>{label}</B>>; fontname="Helvetica"; fontsize=11;',
            '    style="rounded"; color="#999999"; bgcolor="#fafafa";',
            *_node_lines(body, f"f{number}", "    ", ids),
            *_edge_lines(body, "    ", ids),
            "  }",
        ]
    for caller in (graph, *functions.values()):
        for op in caller.get_operations():
            for attribute, name, body in _graphkiln.called_functions(op):
                inside = body.get_operations()
                if not inside:
                    continue
                lines.append(
                    f"  {ids[op]} -> {ids[inside[0]]} "
                    f"[lhead={clusters[name]}, style=dotted, "
                    f'label="{attribute}", constraint=true];'
                )
    lines.append("}")
    return "\n".join(lines) + "\n"


def to_svg(what: Graph | ConcreteFunction) -> str | None:
    """An SVG drawing, or None where it cannot be made: `dot` is not installed
    or the graph is too large to lay out."""
    program = shutil.which("dot")
    graph = _graph_of(what)
    size = sum(
        len(g.get_operations()) for g in (graph, *_functions(graph).values())
    )
    if program is None or size > _MAX_DRAWN:
        return None
    try:
        done = subprocess.run(
            [program, "-Tsvg"], input=to_dot(what), capture_output=True,
            check=True, encoding="utf-8", timeout=_LAYOUT_SECONDS,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout[done.stdout.index("<svg"):]


def _layers(graph: Graph) -> list[list[Operation]]:
    """Ops by the length of the longest way that leads to them."""
    depth: dict[Operation, int] = {}
    layers: list[list[Operation]] = []
    for op in graph.get_operations():  # producers come first
        before = [t.op for t in op.inputs] + list(op.control_inputs)
        depth[op] = 1 + max((depth.get(b, -1) for b in before), default=-1)
        while len(layers) <= depth[op]:
            layers.append([])
        layers[depth[op]].append(op)
    return layers


def _op_line(op: Operation) -> str:
    inputs = [t.name.removesuffix(":0") for t in op.inputs]
    inputs += [f"^{c.name}" for c in op.control_inputs]
    called = [name for _, name, _ in _graphkiln.called_functions(op)]
    text = f"{op.name} = {op.type}({', '.join(inputs)})"
    if called:
        text += f" calls {', '.join(called)}"
    details = _details(op)
    return text + (f"  -> {', '.join(details)}" if details else "")


def to_text(what: Graph | ConcreteFunction) -> str:
    """The ops in layers, then those of each function called."""
    graph = _graph_of(what)
    lines: list[str] = []
    for name, body in {graph.name or "graph": graph, **_functions(graph)}.items():
        lines.append(f"{name}:")
        for number, layer in enumerate(_layers(body)):
            for op in layer:
                lines.append(f"  {number:3}  {_op_line(op)}")
    return "\n".join(lines) + "\n"


def to_html(what: Graph | ConcreteFunction) -> str:
    """The drawing, or where there is none the text."""
    drawing = to_svg(what)
    if drawing is not None:
        # Wide graphs scroll; their colours are made for a white page.
        return (
            '<div style="overflow-x:auto;background:white;color:black;'
            f'display:inline-block;max-width:100%">{drawing}</div>'
        )
    return f"<pre>{html.escape(to_text(what))}</pre>"
