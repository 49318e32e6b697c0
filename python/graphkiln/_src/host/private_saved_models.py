"""What Keras of the second version asks for when it saves models."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from graphkiln._src.checkpoint.trackable import TrackableReference
from graphkiln._src.host.object_identity import ObjectIdentityDictionary
from graphkiln._src.saved_model import session_loader
from graphkiln._src.saved_model.save import save_objects


def save_and_return_nodes(
    obj: Any,
    export_dir: str | os.PathLike,
    signatures: Any = None,
    options: Any = None,
) -> tuple[list, Mapping]:
    """Saves a model; gives its objects in their order in the file, and for each the
    references that lead to it from the root."""
    protocol = save_objects(obj, export_dir, signatures, options)
    graph = session_loader.parse_saved_model(export_dir).meta_graphs[0]
    saved = graph.object_graph_def.nodes
    nodes: list[Any] = [None] * len(saved)
    nodes[0] = obj
    paths: dict[int, tuple] = {0: ()}
    for number in (waiting := [0]):
        if not saved[number].children:
            continue
        parts = dict(protocol.children(nodes[number]))
        for child in saved[number].children:
            # The core makes the signatures' map.
            part = parts.get(child.local_name)
            if part is None or child.node_id in paths:
                continue
            nodes[child.node_id] = part
            reference = TrackableReference(child.local_name, part)
            paths[child.node_id] = (*paths[number], reference)
            waiting.append(child.node_id)
    by_object = ObjectIdentityDictionary()
    by_object.update((nodes[number], path) for number, path in paths.items())
    return nodes, by_object
