"""TensorFlow's private functions of graphs in files, over what the public ones do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from graphkiln import _graphkiln, _proto
from graphkiln._src.checkpoint.saver import Saver
from graphkiln._src.function.function import function
from graphkiln._src.function.wrapped_function import WrappedFunction, wrap_function
from graphkiln._src.session import meta_graph
from graphkiln._src.session.graph_keys import GraphKeys
from graphkiln._src.session.graph_parts import convert_variables_to_constants
from graphkiln._src.session.meta_graph import (  # noqa: F401
    add_collection_def,
    name_in_scope,
)
from graphkiln._src.session.meta_graph import (
    read_meta_graph as read_meta_graph_file,
)


def _variables(graph: Any, scope: str | None) -> dict[str, Any]:
    """The global variables in a scope by their names within it."""
    found = graph.get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
    return {name_in_scope(variable.name, scope): variable for variable in found}


def function_from_graph_def(
    graph_def: Any, inputs: Any, outputs: Any, captures: dict[str, Any] | None = None
) -> WrappedFunction:
    """A function of a graph in a message.

    Args:
      graph_def: the GraphDef.
      inputs: tensors that it takes, by their names.
      outputs: tensors that it gives, and operations that run, by their names.
      captures: values of placeholders that are no inputs, by the placeholders'
        names.
    """

    def imported() -> None:
        capture = _graphkiln.current_graph()._capture
        held = {name: capture(value) for name, value in (captures or {}).items()}
        _graphkiln.import_graph_def(graph_def, name="", input_map=held)

    return wrap_function(imported, []).prune(inputs, outputs)


def export_scoped_meta_graph(
    filename: Any = None,
    graph_def: Any = None,
    graph: Any = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str | None = "unbound_inputs",
    clear_devices: bool = False,
    saver_def: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> tuple[Any, dict[str, Any]]:
    """A MetaGraphDef, and the variables that are in it by their names there."""
    if _graphkiln.executing_eagerly() and graph is None and graph_def is None:
        raise ValueError(
            "Exporting/importing meta graphs is not supported when Eager Execution "
            "is enabled."
        )
    graph = graph or _graphkiln.get_default_graph()
    message = meta_graph.export_meta_graph(
        filename=filename,
        graph_def=graph_def,
        saver_def=saver_def,
        as_text=as_text,
        graph=graph,
        export_scope=export_scope,
        clear_devices=clear_devices,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
        save_debug_info=save_debug_info,
        unbound_inputs_col_name=unbound_inputs_col_name,
        **kwargs,
    )
    return message, _variables(graph, export_scope)


def create_meta_graph_def(
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: list[str] | None = None,
    graph: Any = None,
    export_scope: str | None = None,
    exclude_nodes: Any = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> Any:
    """A MetaGraphDef of a graph, whose names stay as they are."""
    return meta_graph.export_meta_graph(
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        graph=graph or _graphkiln.get_default_graph(),
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
    )


def add_exit_callback_to_default_func_graph(fn: Any) -> None:
    """Calls `fn` when the function that is traced is done; RuntimeError if none is."""
    graph = _graphkiln.get_default_graph()
    if not isinstance(graph, _graphkiln.FuncGraph):
        raise RuntimeError(
            "Cannot add scope exit callbacks when not building a function.  "
            f"Default graph: {graph}"
        )
    graph.__dict__.setdefault("_scope_exit_callbacks", []).append(fn)


def stripped_op_list_for_graph(graph_def: Any) -> Any:
    """The signatures of the ops that a GraphDef and its functions use."""
    made = _graphkiln._meta_graph(graph_def.SerializeToString(), "", False, False)
    return _proto.MetaGraphDef.FromString(made).meta_info_def.stripped_op_list


def import_scoped_meta_graph_with_return_elements(
    meta_graph_or_file: Any, graph: Any = None, **kwargs: Any
) -> tuple[dict[str, Any], list | None]:
    """Adds a meta graph to a graph: its variables by their names in the message, and
    what `return_elements` asked for."""
    graph = graph or _graphkiln.get_default_graph()
    with graph.as_default():
        _, scope, elements = meta_graph.import_scoped_meta_graph(
            meta_graph_or_file, savers=Saver.from_proto, **kwargs
        )
    return _variables(graph, scope), elements


def import_scoped_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    graph: Any = None,
    import_scope: str | None = None,
    input_map: dict | None = None,
    unbound_inputs_col_name: str | None = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> dict[str, Any]:
    """Adds a meta graph to a graph, and gives its variables by their names in the
    message."""
    return import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file,
        graph,
        clear_devices=clear_devices,
        import_scope=import_scope,
        input_map=input_map,
        unbound_inputs_col_name=unbound_inputs_col_name,
        restore_collections_predicate=restore_collections_predicate,
    )[0]


def copy_scoped_meta_graph(
    from_scope: str, to_scope: str, from_graph: Any = None, to_graph: Any = None
) -> dict[str, Any]:
    """Adds what is in a scope of a graph to another scope or graph, and gives its
    variables by their names within the scope."""
    from_graph = from_graph or _graphkiln.get_default_graph()
    to_graph = to_graph or _graphkiln.get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            "'from_scope' and 'to_scope' need to be different when performing copy in "
            f"the same graph. Received: 'from_graph': {from_graph}, 'to_graph': "
            f"{to_graph}, 'from_scope': {from_scope}, 'to_scope': {to_scope}."
        )
    message, _ = export_scoped_meta_graph(export_scope=from_scope, graph=from_graph)
    return import_scoped_meta_graph(message, graph=to_graph, import_scope=to_scope)


def convert_variables_to_constants_from_session_graph(
    session: Any,
    graph_def: Any,
    output_node_names: list[str],
    variable_names_allowlist: Any = None,
    variable_names_denylist: Any = None,
) -> Any:
    """A GraphDef with constants in the place of a session's variables."""
    return convert_variables_to_constants(
        session,
        graph_def,
        output_node_names,
        variable_names_allowlist,
        variable_names_denylist,
    )


class Defun:
    """Decorates a function of tensors of these types, of whatever shapes; without
    types of whatever it is called with.

    Args:
      *input_types: dtypes.
      func_name: the name of the function.
      **kwargs: gradients of its own (`grad_func`, `python_grad_func`) are refused.
    """

    def __init__(
        self, *input_types: Any, func_name: str | None = None, **kwargs: Any
    ) -> None:
        if kwargs.get("grad_func") or kwargs.get("python_grad_func"):
            raise NotImplementedError(
                "Defun with a gradient of its own: use tf.custom_gradient"
            )
        self._types = input_types
        self._name = func_name

    def __call__(self, body: Callable) -> Any:
        if self._name:
            body = functools.wraps(body)(lambda *args, body=body: body(*args))
            body.__name__ = self._name
        signature = [_graphkiln.TensorSpec(None, dtype) for dtype in self._types]
        return function(body, input_signature=signature or None, autograph=False)
