"""What all sessions can do: they run parts of graphs."""

from __future__ import annotations

import contextlib
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from graphkiln import _graphkiln, _loading, nest
from graphkiln._graphkiln import Graph, IndexedSlices, RaggedTensor
from graphkiln._graphkiln import SparseTensor, SparseTensorValue, Tensor, Variable
from graphkiln._src.session.default_session import DefaultSession
from graphkiln._src.session.session_tensors import TensorHandle, handle_of, is_handle
from graphkiln._src.session.values import IndexedSlicesValue, ragged_value


# How messages name what failed.
_NODE = re.compile(r"\{\{node ([^{}\s]+)\}\}")


class _Leaf(NamedTuple):
    """A fetch: the graph's elements that it needs, and what is made of their
    values."""

    elements: list
    build: Callable


_sessions: weakref.WeakSet = weakref.WeakSet()


def sessions() -> list[BaseSession]:
    """Those of this process that live."""
    return list(_sessions)


def _first(values: list) -> object:
    return values[0]


class DeviceAttributes(NamedTuple):
    """A device that a session may use."""

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int


class BaseSession:
    """What all sessions can do."""

    def __init__(
        self,
        target: str = "",
        graph: Graph | None = None,
        config: object = None,
    ) -> None:
        if graph is None:
            graph = _graphkiln.get_default_graph()
        elif not isinstance(graph, Graph):
            raise TypeError(
                "Argument `graph` must be a tf.Graph, but got "
                f'"{type(graph).__name__}"'
            )
        if not isinstance(target, (str, bytes)):
            raise TypeError(
                "Argument `target` must be a string, but got "
                f'"{type(target).__name__}"'
            )
        if target:
            raise _graphkiln.UnimplementedError(
                None, None,
                f"Sessions run in this process; target {target!r} is elsewhere.",
            )
        if config is not None and type(config).__name__ != "ConfigProto":
            raise TypeError(
                "Argument `config` must be a tf.ConfigProto, but got "
                f'"{type(config).__name__}"'
            )
        self._graph = graph
        self._config = config
        self._runs = None
        self._closed = False
        self._was_reset = False
        # What was read of variables, by their ids.
        self._reads: dict[int, tuple] = {}
        _sessions.add(self)

    @property
    def graph(self) -> Graph:
        """The graph that it runs."""
        return self._graph

    @property
    def graph_def(self) -> object:
        """The graph as a GraphDef; with shapes if the config says so."""
        shapes = self._config is not None and self._config.graph_options.infer_shapes
        return self._graph.as_graph_def(add_shapes=shapes)

    @property
    def sess_str(self) -> bytes:
        """The target: none."""
        return b""

    def as_default(self) -> DefaultSession:
        """A `with` statement in which `eval()` and `run()` use this session. It
        stays open, and the default graph stays as it was."""
        return DefaultSession(self)

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices that it may use."""
        return [
            DeviceAttributes(
                f"/job:localhost/replica:0/task:0/device:{d.name.split(':', 1)[1]}",
                d.device_type, 256 << 20, 0,
            )
            for d in _graphkiln.list_logical_devices()
        ]

    def close(self) -> None:
        """Drops the values of the session's variables. Nothing runs any
        more."""
        self._closed = True
        self._drop_values()

    def _drop_values(self) -> None:
        if self._runs is not None:
            self._runs.close()

    def run(
        self,
        fetches: object,
        feed_dict: Mapping | None = None,
        options: object = None,
        run_metadata: object = None,
    ) -> object:
        """The values of what is fetched, as arrays in the same structure.

        Nothing but what the fetches need runs.

        Args:
          fetches: a structure of tensors, operations (which run and give None),
            variables, sparse or ragged tensors, slices, or names of elements of
            the graph.
          feed_dict: values of tensors of the graph for this run, by the tensors
            or their names.
          options: a RunOptions; a `trace_level` above NO_TRACE and
            `output_partition_graphs` say what `run_metadata` gets, and
            `timeout_in_ms` (else the config's `operation_timeout_in_ms`) is how
            long it may take.
          run_metadata: a RunMetadata, which becomes what was asked for:
            `step_stats` of what ran, unless a profile is being made meanwhile,
            and `partition_graphs` as they run.

        Raises RuntimeError once closed and for an empty graph, TypeError or
        ValueError for what is not in the graph, InvalidArgumentError for a
        placeholder that is needed and not fed, DeadlineExceededError if it takes
        too long, CancelledError if the session is closed meanwhile.

        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [])
        ...     y = x * 2.0
        ...     with tf.compat.v1.Session() as session:
        ...         print(session.run({"y": y}, {x: 3.0})["y"].item())
        6.0
        """
        self._check_open()
        leaves = [self._leaf(f) for f in nest.flatten(fetches)]
        fed = self._fed(feed_dict or {}) if feed_dict else []
        given = {t.name: value for t, value in fed}
        wanted = [e for e in _elements(leaves) if _fed_name(e) not in given]
        made = iter(
            self._run_traced(fed, wanted, options, run_metadata) if wanted else ()
        )
        return _packed(fetches, leaves, (
            given[e.name] if _fed_name(e) in given else _made(next(made))
            for e in _elements(leaves)
        ))  # fmt: skip

    def partial_run_setup(self, fetches: object, feeds: object = None) -> str:
        """Begins a run in steps; the handle that `partial_run` takes.

        Args:
          fetches: all that the steps will fetch.
          feeds: the tensors of the graph that they will feed, or their names.

        Raises what `run` raises, InvalidArgumentError if nothing is fetched.
        """
        self._check_open()
        leaves = [self._leaf(f) for f in nest.flatten(fetches)]
        if feeds is None:
            feeds = []
        tensors = []
        for feed in feeds if isinstance(feeds, (list, tuple)) else [feeds]:
            for part in _tensors_of(feed):
                tensors.append(
                    self._graph.as_graph_element(part, allow_operation=False)
                )
        return self._running().partial_run_setup(tensors, _elements(leaves))

    def partial_run(
        self, handle: str, fetches: object, feed_dict: Mapping | None = None
    ) -> object:
        """The values of what is fetched, as `run` gives them. Each operation runs
        once, in the first step that needs it.

        Args:
          handle: from `partial_run_setup`. Operations that were declared there
            run in the first step that can run them.
          fetches: some of the tensors that were declared there.
          feed_dict: values of some of the feeds that were declared there.

        Raises what `run` raises, InvalidArgumentError for what was not declared,
        is fed or fetched twice, or needs what no step has fed yet; that ends it,
        as does the step that feeds and fetches what is left. RuntimeError for
        operations.

        >>> with tf.Graph().as_default():
        ...     a = tf.compat.v1.placeholder(tf.float32, [])
        ...     b = tf.compat.v1.placeholder(tf.float32, [])
        ...     double, product = a * 2.0, a * 2.0 * b
        ...     session = tf.compat.v1.Session()
        ...     run = session.partial_run_setup([double, product], [a, b])
        ...     first = session.partial_run(run, double, {a: 3.0})
        ...     print(session.partial_run(run, product, {b: first}).item())
        36.0
        """
        self._check_open()
        leaves = [self._leaf(f) for f in nest.flatten(fetches)]
        fed = self._fed(feed_dict) if feed_dict else []
        wanted = _elements(leaves)
        targets = [e for e in wanted if isinstance(e, _graphkiln.Operation)]
        if targets:
            raise RuntimeError(
                "partial_run() requires empty `target_list`. Received: "
                f"target_list={targets} (non-empty)"
            )
        with self._naming_operations():
            made = self._running().partial_run(
                handle, [t for t, _ in fed], [v for _, v in fed], wanted
            )
        return _packed(fetches, leaves, map(_made, made))

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if self._was_reset:
            raise _graphkiln.CancelledError(None, None, "Session has been closed.")
        if self._graph.version == 0:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before "
                "calling run()."
            )

    @contextlib.contextmanager
    def _naming_operations(self) -> Iterator[None]:
        """Errors inside know the operation of the graph that failed."""
        try:
            yield
        except _graphkiln.OpError as e:
            named = _NODE.search(e.message)
            try:
                op = named and self._graph.get_operation_by_name(named.group(1))
            except KeyError:  # of a function, or of a rewritten graph
                op = None
            if op is None:
                raise
            raise type(e)(op.node_def, op, e.message) from None

    def _running(self) -> _graphkiln._GraphSession:
        if self._runs is None:
            self._runs = _graphkiln._GraphSession(self._graph)
        return self._runs

    def _run_traced(
        self, fed: list, wanted: list, options: object, run_metadata: object
    ) -> list:
        """The values of `wanted`."""
        stats = options is not None and options.trace_level > 0
        graphs = options is not None and options.output_partition_graphs
        if run_metadata is None:
            stats = graphs = False
        timeout = 0 if options is None else options.timeout_in_ms
        if timeout <= 0 and self._config is not None:
            timeout = self._config.operation_timeout_in_ms
        with self._naming_operations():
            made = self._running().run(
                [t for t, _ in fed], [v for _, v in fed], wanted, stats, graphs, timeout
            )
        if run_metadata is None:
            return made
        values, metadata = made if stats or graphs else (made, b"")
        run_metadata.ParseFromString(metadata)
        return values

    def make_callable(
        self,
        fetches: object,
        feed_list: list | None = None,
        accept_options: bool = False,
    ) -> Callable:
        """A function of the values of `feed_list` that gives what `run` gives.

        >>> with tf.Graph().as_default():
        ...     x = tf.compat.v1.placeholder(tf.float32, [])
        ...     f = tf.compat.v1.Session().make_callable(x + 1.0, [x])
        >>> f(2.0).item()
        3.0
        """
        if feed_list is not None and not isinstance(feed_list, (list, tuple)):
            raise TypeError("Argument `feed_list` must be a list or tuple.")
        feeds = list(feed_list or ())

        def call(*values: object, **kwargs: object) -> object:
            if len(values) != len(feeds):
                raise ValueError(
                    f"Expected {len(feeds)} values of feeds, got {len(values)}."
                )
            return self.run(
                fetches, dict(zip(feeds, values)) if feeds else None, **kwargs
            )

        names = [getattr(f, "name", f) for f in feeds]
        # Tensors compare element by element and cannot be keys of a dict.
        feeds[:] = names if all(isinstance(n, str) for n in names) else feeds
        return call

    def _make_callable_from_options(self, callable_options: object) -> Callable:
        """A function that runs what a CallableOptions names. Keras calls it."""
        # Few programs do.
        module = _loading.load("graphkiln._src.session.options_callable")
        return module.OptionsCallable(self, callable_options)

    # ---- Fetches and feeds ----

    def _leaf(self, fetch: object) -> _Leaf:
        if fetch is None:
            raise TypeError(
                f"Argument `fetch` = {fetch} has invalid type "
                f'"{type(fetch).__name__}". Cannot be None'
            )
        def elements() -> list:
            return [self._element(part) for part in _tensors_of(fetch)]

        if isinstance(fetch, SparseTensor):
            return _Leaf(elements(), lambda v: SparseTensorValue(*v))
        if isinstance(fetch, RaggedTensor):
            return _Leaf(elements(), lambda v: ragged_value(v[0], v[1:]))
        if isinstance(fetch, IndexedSlices):
            return _Leaf(
                elements(), lambda v: IndexedSlicesValue(*v, *[None] * (3 - len(v)))
            )
        element = self._element(fetch)
        if is_handle(element):
            return _Leaf([element], lambda v: handle_of(v[0], element, self._running()))
        return _Leaf([element], _first)

    def _element(self, fetch: object) -> object:
        try:
            if isinstance(fetch, Variable):
                return self._read(fetch)
            element = self._graph.as_graph_element(fetch)
        except TypeError as e:
            raise TypeError(
                f"Argument `fetch` = {fetch} has invalid type "
                f'"{type(fetch).__name__}" must be a string or Tensor. ({e})'
            ) from None
        except (ValueError, KeyError) as e:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. "
                f"({e})"
            ) from None
        if not self._graph.is_fetchable(element):
            raise ValueError(f"Operation {element.name!r} has been marked as not "
                             "fetchable.")
        return element

    def _read(self, variable: Variable) -> Tensor:
        known = self._reads.get(id(variable))
        if known is None:
            handle = variable.handle
            if getattr(handle, "graph", None) is not self._graph:
                raise ValueError(f"{variable!r} is not an element of this graph.")
            # Behind an assignment there is a read of what it wrote.
            value = getattr(variable, "_graph_element", None)
            if value is not None:
                return value
            try:
                value = self._graph.get_tensor_by_name(
                    f"{handle.op.name}/Read/ReadVariableOp:0"
                )
            except KeyError:
                with self._graph.as_default():
                    value = _graphkiln.convert_to_tensor(variable)
            known = self._reads[id(variable)] = (variable, value)
        return known[1]

    def _fed(self, feed_dict: Mapping) -> list[tuple]:
        """Pairs of tensors of the graph and arrays."""
        if not isinstance(feed_dict, Mapping):
            raise TypeError(
                "FlattenDictItems: 'dict' must be a dictionary or "
                "collection.Mapping type object, instead of "
                f"'{type(feed_dict).__name__}'."
            )
        pairs: list[tuple] = []
        for key, value in feed_dict.items():
            if hasattr(key, "deref"):
                key = key.deref()
            if isinstance(key, (tuple, list)):
                keys, values = nest.flatten(key), nest.flatten(value)
                if len(keys) != len(values):
                    raise ValueError(
                        "Could not flatten dictionary. Key had "
                        f"{len(keys)} elements, but value had {len(values)} "
                        f"elements. Key: {key}, value: {value}."
                    )
                pairs.extend(zip(keys, values))
            else:
                pairs.append((key, value))
        fed: list[tuple] = []
        for key, value in pairs:
            for part, of_part in _parts(key, value):
                fed.append(self._feed(part, of_part))
        return fed

    def _feed(self, key: object, value: object) -> tuple:
        try:
            tensor = self._graph.as_graph_element(key, allow_operation=False)
        except Exception as e:
            raise TypeError(
                f"Cannot interpret feed_dict key as Tensor: {e.args[0]}"
            ) from None
        dtype = tensor.dtype
        if isinstance(value, TensorHandle):
            return tensor, value.tensor()
        if isinstance(value, Tensor):
            if dtype.name in ("resource", "variant"):
                return tensor, value
            raise TypeError(
                "The value of a feed cannot be a tf.Tensor object. Acceptable "
                "feed values include Python scalars, strings, lists, numpy "
                "ndarrays, or TensorHandles. For reference, the tensor object "
                f"was {value!s} which was passed to the argument `feed_dict` with "
                f"key {key}."
            )
        kind = dtype.as_numpy_dtype
        if isinstance(value, int) and not _holds(kind, value):
            raise TypeError(
                f"Type of feed value {value} with type {type(value)} is not "
                f"compatible with Tensor type {kind}. Try explicitly setting "
                "the type of the feed tensor to a larger type (e.g. int64)."
            )
        array = np.asarray(value, dtype=kind)
        if not tensor.shape.is_compatible_with(array.shape):
            raise ValueError(
                f"Cannot feed value of shape {array.shape} for Tensor "
                f"{tensor.name}, which has shape {tensor.shape}"
            )
        if not self._graph.is_feedable(tensor):
            raise ValueError(f"Tensor {tensor.name} may not be fed.")
        return tensor, array


def _elements(leaves: list[_Leaf]) -> list:
    return [e for leaf in leaves for e in leaf.elements]


def _fed_name(element: object) -> str | None:
    """What a tensor that is fed is called; operations have the name of none."""
    return element.name if isinstance(element, Tensor) else None


def _made(value: Tensor | None) -> object:
    return None if value is None else _array(value)


def _packed(fetches: object, leaves: list[_Leaf], values: Iterable) -> object:
    """The values of the leaves' elements in the structure of the fetches."""
    rest = iter(values)
    results = [leaf.build([next(rest) for _ in leaf.elements]) for leaf in leaves]
    return nest.pack_sequence_as(fetches, results)


def _array(tensor: Tensor) -> object:
    return tensor if tensor.dtype.name in ("resource", "variant") else tensor.numpy()


def _holds(kind: type, value: int) -> bool:
    if kind is object:
        return True
    try:
        return kind(value) == value
    except (OverflowError, ValueError):
        return False


def _parts(key: object, value: object) -> list[tuple]:
    """The tensors of a key with the parts of its value."""
    if not isinstance(key, (SparseTensor, RaggedTensor, IndexedSlices)):
        return [(key, value)]
    if isinstance(key, RaggedTensor) and hasattr(value, "nested_row_splits"):
        value = (value.flat_values, *value.nested_row_splits)
    return list(zip(_tensors_of(key), value))


def _tensors_of(key: object) -> list:
    if isinstance(key, SparseTensor):
        return [key.indices, key.values, key.dense_shape]
    if isinstance(key, RaggedTensor):
        return [key.flat_values, *key.nested_row_splits]
    if isinstance(key, IndexedSlices):
        parts = [key.values, key.indices]
        return parts if key.dense_shape is None else [*parts, key.dense_shape]
    return [key]
