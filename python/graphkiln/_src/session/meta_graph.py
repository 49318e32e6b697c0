"""Meta graphs: a graph with what its program kept beside it, in a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._graphkiln import Graph, Variable
from graphkiln._src.host.logging import get_logger
from graphkiln._src.queue.queue_runner import QueueRunner
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.lifted_variables import lifted_variables
from graphkiln._src.session.scoped_names import name_in_scope, scoped_name
from graphkiln._src.version_one.partitioned_variables import SaveSliceInfo

_VARIABLES = (
    GraphKeys.GLOBAL_VARIABLES,
    GraphKeys.LOCAL_VARIABLES,
    GraphKeys.METRIC_VARIABLES,
    GraphKeys.MODEL_VARIABLES,
    GraphKeys.TRAINABLE_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
    GraphKeys.CONCATENATED_VARIABLES,
)
# Their values are kept as messages; those of other keys by their names.
_OF_MESSAGES = (*_VARIABLES, GraphKeys.SAVERS, GraphKeys.QUEUE_RUNNERS)
_UNBOUND = "unbound_inputs"


def _bytes(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


def _collect(key: str, values: list, definition: Any, scope: str | None) -> None:
    """Writes values of a collection into a CollectionDef."""
    first = values[0]
    if isinstance(first, (str, bytes)):
        definition.bytes_list.value.extend(map(_bytes, values))
    elif isinstance(first, int):
        definition.int64_list.value.extend(values)
    elif isinstance(first, float):
        definition.float_list.value.extend(values)
    elif hasattr(first, "type_url"):
        definition.any_list.value.extend(
            _proto.Any.FromString(value.SerializeToString()) for value in values
        )
    elif key in _OF_MESSAGES and hasattr(first, "to_proto"):
        for value in values:
            message = value.to_proto(export_scope=scope)
            if message is not None:
                definition.bytes_list.value.append(message.SerializeToString())
    else:
        definition.node_list.value.extend(
            name_in_scope(value.name, scope)
            for value in values
            if not scope or value.name.startswith(scope)
        )


def add_collection_def(
    meta_graph_def: Any,
    key: object,
    graph: Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Any = None,
    override_contents: bool = False,
) -> None:
    """Adds a collection of a graph to a MetaGraphDef.

    Raises TypeError if that is none."""
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(
            f"graph must be of type Graph. Received type: {type(graph)}."
        )
    if not isinstance(meta_graph_def, _proto.MetaGraphDef):
        raise TypeError(
            "meta_graph_def must be of type MetaGraphDef. Received type: "
            f"{type(meta_graph_def)}."
        )
    if override_contents and key in meta_graph_def.collection_def:
        del meta_graph_def.collection_def[key]
    graph = graph or _graphkiln.get_default_graph()
    _add_collection(meta_graph_def, key, graph, export_scope)


def _add_collection(message: Any, key: object, graph: Graph, scope: str | None) -> None:
    if not isinstance(key, str):
        get_logger().warning(
            "Only collections with string type keys will be serialized. This key "
            "has %s",
            type(key),
        )
        return
    values = graph.get_collection_ref(key)
    if not values:
        return
    definition = message.collection_def[key]
    try:
        _collect(key, values, definition, scope)
    except Exception as error:  # noqa: BLE001 - whatever a program keeps there
        get_logger().warning(
            "Issue encountered when serializing %s.\nType is unsupported, or the "
            "types of the items don't match field type in CollectionDef. Note this "
            "is a warning and probably safe to ignore.\n%s",
            key,
            error,
        )
        del message.collection_def[key]


def export_meta_graph(
    filename: str | os.PathLike | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: list[str] | None = None,
    as_text: bool = False,
    graph: Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """A graph with its collections, as a MetaGraphDef.

    Collections of variables and savers are kept as their messages; those of
    numbers, texts and bytes as they are; others as names of nodes. One that is of
    none of these kinds is left out, with a warning.

    Args:
      filename: where it is written to, if it is.
      meta_info_def: what it says of itself, but the ops' signatures and versions.
      graph_def: the nodes; those of `graph` unless given.
      saver_def: what restores its variables.
      collection_list: the names of collections; all unless given.
      as_text: is the file text?
      graph: the graph; the default one unless given.
      export_scope: only the nodes and variables in this scope, without it.
      clear_devices: nodes name no device.
      clear_extraneous_savers: the nodes of savers in the collection of savers
        other than the one of `saver_def` are left out.
      strip_default_attrs: attributes that have their defaults are left out.
      save_debug_info: accepted for compatibility; there is none.
      **kwargs: `unbound_inputs_col_name`, of the collection with the names of
        inputs that come from outside of the scope; None: it is left out.

    Raises:
      RuntimeError: eagerly, without a graph.

    >>> with tf.Graph().as_default():
    ...     v = tf.Variable(1.0, name="v")
    ...     message = tf.compat.v1.train.export_meta_graph()
    >>> [node.name for node in message.graph_def.node][:2]
    ['v/Initializer/initial_value', 'v']
    """
    if graph is None:
        if _graphkiln.executing_eagerly() and graph_def is None:
            raise RuntimeError(
                "Exporting/importing meta graphs is not supported when eager "
                "execution is enabled. No graph exists when eager execution is "
                "enabled."
            )
        graph = _graphkiln.get_default_graph()
    if graph_def is None:
        graph_def = graph.as_graph_def(add_shapes=True)
    if clear_extraneous_savers:
        graph_def = _without_other_savers(graph_def, graph, saver_def)
    unbound = kwargs.get("unbound_inputs_col_name", _UNBOUND)
    made = _graphkiln._meta_graph(
        graph_def.SerializeToString(),
        (export_scope or "").rstrip("/"),
        clear_devices,
        strip_default_attrs,
    )
    message = _proto.MetaGraphDef.FromString(made)
    if unbound != _UNBOUND and _UNBOUND in message.collection_def:
        if unbound:
            message.collection_def[unbound].CopyFrom(message.collection_def[_UNBOUND])
        del message.collection_def[_UNBOUND]
    if meta_info_def is not None:
        ops = message.meta_info_def.stripped_op_list
        given = _proto.MetaGraphDef.MetaInfoDef()
        given.CopyFrom(meta_info_def)
        if not given.stripped_op_list.op:
            given.stripped_op_list.CopyFrom(ops)
        given.stripped_default_attrs = strip_default_attrs
        message.meta_info_def.CopyFrom(given)
    message.meta_info_def.tensorflow_version = _graphkiln.VERSION
    message.meta_info_def.tensorflow_git_version = _graphkiln.GIT_VERSION
    if saver_def is not None:
        message.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys()
    for key in keys if collection_list is None else collection_list:
        _add_collection(message, key, graph, export_scope)
    if filename:
        folder, name = os.path.split(os.fspath(filename))
        _graphkiln.write_graph(message, folder or ".", name, as_text)
    return message


def _without_other_savers(graph_def: Any, graph: Graph, saver_def: Any) -> Any:
    def scope_of(definition: Any) -> str:
        return definition.save_tensor_name.rpartition("/")[0]

    own = scope_of(saver_def) if saver_def is not None else None
    others = {
        scope_of(saver.as_saver_def()) + "/"
        for saver in graph.get_collection(GraphKeys.SAVERS)
        if scope_of(saver.as_saver_def()) != own
    }
    kept = _proto.GraphDef()
    kept.CopyFrom(graph_def)
    del kept.node[:]
    kept.node.extend(
        node
        for node in graph_def.node
        if not any(node.name.startswith(scope) for scope in others)
    )
    return kept


def read_message(path: str, kind: Any) -> Any:
    """A message of a class from a file, binary or text.

    Raises OpError if the file cannot be read, OSError if it is no such message.
    """
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    with _graphkiln.GFile(path, "rb") as opened:
        content = opened.read()
    try:
        return kind.FromString(content)
    except DecodeError:
        pass
    try:
        return text_format.Parse(content.decode(), kind())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {path}: {error}.") from error


def read_meta_graph(file: Any) -> Any:
    """A MetaGraphDef, from a file unless it is one: binary or text.

    Raises OSError if there is no such file or it is none.
    """
    if hasattr(file, "SerializeToString"):
        message = _proto.MetaGraphDef()
        message.ParseFromString(file.SerializeToString())
        return message
    path = os.fspath(file)
    try:
        return read_message(path, _proto.MetaGraphDef)
    except _graphkiln.OpError as error:
        raise OSError(f"File does not exist. Received: {path}.") from error


def _import_variables(
    message: Any, key: str, graph: Graph, scope: str | None, made: dict
) -> None:
    for value in message.bytes_list.value:
        variable = made.get(value)
        if variable is None:
            definition = _proto.VariableDef.FromString(value)
            variable = Variable.from_proto(definition, import_scope=scope)
            if definition.HasField("save_slice_info_def"):
                variable._save_slice_info = SaveSliceInfo(
                    save_slice_info_def=definition.save_slice_info_def,
                    import_scope=scope,
                )
            made[value] = variable
        graph.add_to_collection(key, variable)


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    input_map: dict | None = None,
    return_elements: list[str] | None = None,
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
    savers: Callable[[Any, str | None], Any] | None = None,
    graph: Graph | None = None,
    unbound_inputs_col_name: str | None = _UNBOUND,
) -> tuple[Any, str | None, list | None]:
    """Adds a meta graph to a graph, the default one unless given: the message, the
    scope that its names are in now, and what `return_elements` asked for."""
    if graph is not None and graph is not _graphkiln.get_default_graph():
        with graph.as_default():
            return import_scoped_meta_graph(
                meta_graph_or_file,
                clear_devices,
                import_scope,
                input_map,
                return_elements,
                restore_collections_predicate,
                savers,
                unbound_inputs_col_name=unbound_inputs_col_name,
            )
    if _graphkiln.executing_eagerly():
        raise ValueError(
            "Exporting/importing meta graphs is not supported when eager execution "
            "is enabled."
        )
    message = read_meta_graph(meta_graph_or_file)
    unbound = (
        [
            name.decode()
            for name in message.collection_def[unbound_inputs_col_name].bytes_list.value
        ]
        if unbound_inputs_col_name and unbound_inputs_col_name in message.collection_def
        else []
    )
    missing = sorted(set(unbound) - set(input_map or ()))
    if missing:
        raise ValueError(
            "Graph contains unbound inputs: "
            f"{', '.join(missing)}. Must provide these inputs through input_map."
        )
    if clear_devices:
        for node in message.graph_def.node:
            node.device = ""
    graph = _graphkiln.get_default_graph()
    # Below the scopes that the program is in.
    scope = graph.unique_name((import_scope or "").rstrip("/"), mark_as_used=False)
    scope = scope.rstrip("/") or None
    lifted, made = lifted_variables(message, _VARIABLES, scope)
    elements = _graphkiln.import_graph_def(
        message.graph_def,
        input_map={**lifted, **(input_map or {})} or None,
        return_elements=return_elements,
        name=import_scope or (f"{scope}/" if scope else ""),
    )
    for key in sorted(message.collection_def):
        if key == unbound_inputs_col_name or not restore_collections_predicate(key):
            continue
        definition = message.collection_def[key]
        kind = definition.WhichOneof("kind")
        if kind is None:
            get_logger().error(
                "Cannot identify data type for collection %s. Skipping.", key
            )
        elif key in _VARIABLES and kind == "bytes_list":
            _import_variables(definition, key, graph, scope, made)
        elif key == GraphKeys.SAVERS and kind == "bytes_list" and savers:
            for value in definition.bytes_list.value:
                saver = savers(_proto.SaverDef.FromString(value), scope)
                graph.add_to_collection(key, saver)
        elif key == GraphKeys.QUEUE_RUNNERS and kind == "bytes_list":
            for value in definition.bytes_list.value:
                runner = _proto.QueueRunnerDef.FromString(value)
                graph.add_to_collection(key, QueueRunner.from_proto(runner, scope))
        elif kind == "node_list":
            for value in definition.node_list.value:
                element = graph.as_graph_element(scoped_name(value, scope))
                graph.add_to_collection(key, element)
        else:
            for value in getattr(definition, kind).value:
                graph.add_to_collection(key, value)
    return message, scope, elements
