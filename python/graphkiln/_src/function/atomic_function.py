"""ConcreteFunction.inference_fn: the function of flat tensors that a trace
became, its captures among its arguments."""

from collections.abc import Mapping, Sequence

from graphkiln import raw_ops
from graphkiln._graphkiln import ConcreteFunction
from graphkiln._src.function import function_type_parts  # adds binding to types


class AtomicFunction:
    """A function of tensors as it runs: a definition, and its type."""

    def __init__(self, function: ConcreteFunction):
        self._function = function

    @property
    def name(self) -> bytes:
        """Of the definition."""
        return self._function.name

    @property
    def definition(self):
        """The FunctionDef."""
        return self._function.function_def

    @property
    def cached_definition(self):
        """The FunctionDef, the same each time."""
        known = self.__dict__.get("_definition")
        if known is None:
            known = self._definition = self.definition
        return known

    @property
    def graph(self):
        """What was traced."""
        return self._function.graph

    @property
    def function_type(self):
        """Parameters, captures and output with their types."""
        return self._function.function_type

    @property
    def attributes(self) -> dict:
        """The attributes that tf.function was given, as far as readers of the
        definition know them."""
        return {
            key: value for key, value in self.definition.attr.items()
            if not key.startswith("_")
        }

    def __call__(self, *args, **kwargs):
        """Calls with arguments like those of the Python function.

        Raises:
          ValueError: there are captures.
        """
        if self.function_type.captures:
            raise ValueError(
                "The FunctionType defines captured inputs. Use "
                "call_with_captures instead."
            )
        return self.call_with_captures(args, kwargs, [])

    def call_with_captures(
        self, args: Sequence, kwargs: Mapping, captures: Sequence
    ):
        """The same with values for the captures."""
        type_ = self.function_type
        bound = type_.bind(*args, **kwargs)
        return self.call_preflattened(
            [*type_.unpack_inputs(bound), *captures]
        )

    def call_preflattened(self, args: Sequence):
        """Takes flat tensors; returns what the Python function does."""
        return self.function_type.pack_output(self.call_flat(*args))

    def call_flat(self, *args) -> list:
        """Takes and returns flat tensors, the captures last."""
        expected = self.definition.signature.input_arg
        if len(args) != len(expected):
            raise ValueError(
                f"Signature specifies {len(expected)} arguments, got: "
                f"{len(args)}. Expected inputs: {list(expected)}. Received "
                f"inputs: {args}. Function Type: {self.function_type!r}"
            )
        return raw_ops.StatefulPartitionedCall(
            args=list(args), Tout=[t.dtype for t in self._function.outputs],
            f=self._function,
        )

    def __str__(self) -> str:
        return f"<AtomicFunction> {self.name.decode()}{self.function_type}"

    def __repr__(self) -> str:
        return (
            f"AtomicFunction(name={self.name!r},\n"
            f"function_type={self.function_type!r},\n"
            f"cached_graph={self.graph!r})"
        )


def _inference_fn(function: ConcreteFunction) -> AtomicFunction:
    known = vars(function).get("_inference_fn")
    if known is None:
        known = function._inference_fn = AtomicFunction(function)
    return known


ConcreteFunction.inference_fn = property(
    _inference_fn, doc="The function that runs when no tape watches."
)
