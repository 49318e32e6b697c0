"""tf.compat.v1.wrap_function: functions of parts of a graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graphkiln import _graphkiln, _proto, nest
from graphkiln._graphkiln import Function, Graph, Tensor, TensorSpec
from graphkiln._src.function import function
from graphkiln._src.function.concrete_function import ConcreteFunction
from graphkiln._src.function.variable_holder import VariableHolder
from graphkiln._src.version_one.kept_names import variables_kept_in


class WrappedFunction:
    """A function of a graph, of which others can be cut out.

    Nothing but what the results need runs, in the order that the graph's
    edges give: effects are not ordered as they were written.
    """

    def __init__(self, concrete, fetches, holder: VariableHolder):
        self._concrete = concrete
        self._fetches = fetches
        self._holder = holder
        self._cut: Callable | None = None
        self._is_pruned = False
        # Tensors of the graph, and what parts use instead.
        self._replaced: Sequence[tuple[Tensor, Tensor]] = ()

    @property
    def structured_input_signature(self) -> tuple | None:
        """What the wrapped function was called with; None after a cut."""
        if self._is_pruned:
            return None
        return self._concrete.structured_input_signature

    @property
    def graph(self) -> Graph:
        """The graph that was traced."""
        return self._concrete.graph

    @property
    def inputs(self) -> list:
        """The tensors that stand for the arguments, then those for what is
        captured."""
        return self._concrete.inputs

    @property
    def outputs(self) -> list:
        """The results as tensors of the graph."""
        return [t for t in nest.flatten(self._fetches, True) if t is not None]

    @property
    def structured_outputs(self) -> object:
        """The results in the structure that was returned."""
        return self._fetches

    @property
    def captured_inputs(self) -> list:
        """The tensors of elsewhere that the function uses."""
        return self._concrete.captured_inputs

    @property
    def variables(self) -> tuple:
        """The variables that it uses."""
        return self._concrete.variables

    @property
    def trainable_variables(self) -> tuple:
        """Those that tapes watch by themselves."""
        return self._concrete.trainable_variables

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._concrete.name

    @property
    def function_def(self) -> object:
        """The function as a FunctionDef."""
        return self._concrete.function_def

    def __call__(self, *args, **kwargs):
        feeds = self._feeds()
        names = [feed.op.name for feed in feeds]
        if kwargs and not (self._is_pruned and set(kwargs) <= set(names[len(args) :])):
            raise NotImplementedError(
                "Keyword arguments are not supported when calling a "
                f"wrap_function-decorated function. Got {kwargs}."
            )
        args = [*args, *(kwargs[name] for name in names if name in kwargs)]
        tensors = nest.flatten(args, expand_composites=True)
        if len(tensors) != len(feeds):
            raise ValueError(
                f"Signature specifies {len(feeds)} arguments, got: "
                f"{len(tensors)}. Expected inputs: {feeds}. Received inputs: "
                f"{args}."
            )
        return self._part()(*tensors)

    def _part(self):
        """The ConcreteFunction that runs."""
        if self._cut is None:
            self._cut = _cut(self.graph, self._feeds(), self._fetches)
        return self._cut

    def _feeds(self) -> list:
        return self._without_captured(self.inputs)

    def _without_captured(self, tensors) -> list:
        captured = {inside.name for _, inside in self.graph.captures}
        return [t for t in tensors if t.name not in captured]

    def prune(
        self, feeds, fetches, name=None, input_signature=None
    ) -> WrappedFunction:
        """A function of `feeds` that gives `fetches`, of that part of the
        graph that lies between.

        Args:
          feeds: tensors of the graph, or their names ("x:0"), in the order
            in which the function takes them. What is captured is none.
          fetches: a structure of tensors and operations, of their names or of
            tf.compat.v1.TensorInfos; operations run and give None.
          name: of the function.
          input_signature: of the feeds if less is to be known of them.

        Raises KeyError or ValueError for what is not in the graph.

        >>> w = tf.compat.v1.wrap_function(
        ...     lambda x: tf.identity(x * 2.0, name="y") + 1.0,
        ...     [tf.TensorSpec([], name="x")])
        >>> w.prune("x:0", "y:0")(tf.constant(3.0)).numpy().item()
        6.0
        """
        graph = self.graph

        def element(fetch):
            if isinstance(fetch, _proto.TensorInfo):
                fetch = fetch.name
            return graph.as_graph_element(fetch)

        given = [element(feed) for feed in nest.flatten(feeds, True)]
        for feed in given:
            if not isinstance(feed, Tensor):
                raise ValueError(
                    f"All members of argument `feeds` must be tensors. Got "
                    f"{feed}."
                )
        given = self._without_captured(given)
        wanted = nest.map_structure(element, fetches, expand_composites=True)
        specs = input_signature and nest.flatten(input_signature, True)
        cut = _cut(
            graph, given, wanted, name or "pruned", specs, self._replaced
        )
        pruned = WrappedFunction(cut, None, self._holder)
        pruned._cut = cut
        pruned._is_pruned = True
        pruned._fetches = nest.map_structure(
            lambda element: None if isinstance(element, _graphkiln.Operation)
            else _output(cut.graph, element.name),
            wanted, expand_composites=True,
        )
        return pruned

    def __repr__(self) -> str:
        return f"<WrappedFunction {self.name}>"


def wrap_function(fn, signature, name=None) -> WrappedFunction:
    """Wraps what a function builds, with the variables that it makes.

    Args:
      fn: called once, in the graph of the function.
      signature: what `fn` is called with: tf.TensorSpecs for tensors.
      name: of the function.

    Variables of a meta graph that `fn` imports are those of the function; they
    have no values until these are assigned or restored.

    Graphs from files run like this:

        wrapped = tf.compat.v1.wrap_function(
            lambda: tf.graph_util.import_graph_def(graph_def, name=""), [])
        run = wrapped.prune("x:0", "y:0")

    >>> double = tf.compat.v1.wrap_function(
    ...     lambda x: x * 2.0, [tf.TensorSpec([], tf.float32)])
    >>> double(tf.constant(3.0)).numpy().item()
    6.0
    """
    holder = VariableHolder()

    def build(*args):
        holder.graph = _graphkiln.current_graph()
        with holder.wrapping(), variables_kept_in({}):
            holder.result = nest.map_structure(_own_leaf, fn(*args))
        return holder.result

    build.__name__ = f"wrapped_function_{name}" if name else "wrapped_function"
    concrete = Function(
        build,
        {"of_graph": True, "attributes": {"_disable_acd": True},
         "autograph": False},
    ).get_concrete_function(*signature)
    return WrappedFunction(concrete, holder.result, holder)


ConcreteFunction.register(WrappedFunction)


def _own_leaf(value: object) -> object:
    """A result as a tensor of the graph that is built."""
    leaf = _graphkiln._as_leaf(value)
    if not isinstance(leaf, Tensor):
        return leaf
    return _graphkiln.current_graph()._capture(leaf)


def _output(graph: Graph, name: str) -> Tensor | None:
    try:
        return graph.get_tensor_by_name(name)
    except KeyError:
        return None  # fed and given back


def _cut(
    graph: Graph,
    feeds: Sequence,
    fetches: object,
    name: str = "pruned",
    specs: Sequence | None = None,
    replaced: Sequence[tuple[Tensor, Tensor]] = (),
) -> Callable:
    """A concrete function of `feeds` that gives `fetches`, where other tensors
    stand for some of the graph's."""
    wanted = [
        f for f in nest.flatten(fetches, expand_composites=True)
        if f is not None
    ]
    names = _graphkiln.part_arguments(graph, feeds, wanted)
    inside, instead = zip(*replaced) if replaced else ((), ())

    def build(*tensors):
        results = iter(
            _graphkiln.copy_part(
                graph, [*feeds, *inside], wanted, [*tensors, *instead]
            )
        )
        return nest.map_structure(
            lambda fetch: fetch if fetch is None else next(results),
            fetches, expand_composites=True,
        )

    build.__name__ = name
    if specs is None:
        specs = [
            TensorSpec(feed.shape, feed.dtype, argument)
            for feed, argument in zip(feeds, names)
        ]
    return function.function(build, autograph=False).get_concrete_function(
        *specs
    )
