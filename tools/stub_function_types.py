"""Types of functions, tapes and variables, for tools/stubs: see stub_types."""

# Sources of gradients decide the structure of what comes out. It is a tensor
# but where a source is unconnected (None) or was gathered from (IndexedSlices):
# `Gradient` is Tensor or anything, so that who knows better need not prove it.
_SOURCES = (
    ("Tensor | BaseVariable", "Gradient"),
    ("list[Any]", "list[Gradient]"),
    ("tuple[Any, ...]", "tuple[Gradient, ...]"),
    ("_c.Mapping[_K, object]", "dict[_K, Gradient]"),
    ("Any", "Any"),
)


def _by_sources(rest: str) -> tuple[str, ...]:
    return tuple(
        f"(self, target: Any, sources: {sources}, {rest}) -> {result}"
        for sources, result in _SOURCES
    )


_UNCONNECTED = "unconnected_gradients: str | UnconnectedGradients = 'none'"
_ROWS = (
    f"{_UNCONNECTED}, parallel_iterations: int | None = None, "
    "experimental_use_pfor: bool = True"
)


def _assignment(operand: str) -> tuple[str, ...]:
    before = (
        f"(self, {operand}: TensorLike, use_locking: bool = False, "
        "name: str | None = None, "
    )
    return (
        before + "read_value: Literal[True] = True) -> BaseVariable",
        before + "*, read_value: bool) -> Any",
    )


METHODS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "Function": {
        "__init__": "(self, python_function: Callable[_P, _R], "
        "options: dict[str, Any]) -> None",
        "__call__": "(self, *args: _P.args, **kwargs: _P.kwargs) -> _R",
        "__get__": (
            "(self, instance: None, owner: Any = None) -> Function[_P, _R]",
            "(self: Function[Concatenate[_S, _Q], _R], instance: _S, "
            "owner: Any = None) -> Function[_Q, _R]",
        ),
        "get_concrete_function": "(self, *args: Any, **kwargs: Any) -> "
        "ConcreteFunction",
        "experimental_get_tracing_count": "(self) -> int",
        "pretty_printed_concrete_signatures": "(self, verbose: bool = True) -> str",
        "profile": "(self, *args: _P.args, **kwargs: _P.kwargs) -> FunctionProfile",
        "memory_report": "(self) -> MemoryReport",
    },
    "ConcreteFunction": {
        "pretty_printed_signature": "(self, verbose: bool = True) -> str",
        "profile": "(self, *args: Any, **kwargs: Any) -> FunctionProfile",
        "memory_report": "(self) -> MemoryReport",
        "__call__": "(self, *args: Any, **kwargs: Any) -> Any",
    },
    "GradientTape": {
        "__init__": "(self, persistent: bool = False, "
        "watch_accessed_variables: bool = True) -> None",
        "__enter__": "(self) -> GradientTape",
        "__exit__": "(self, kind: Any, value: Any, traceback: Any) -> None",
        "watch": "(self, tensor: Any) -> None",
        "reset": "(self) -> None",
        "watched_variables": "(self) -> tuple[Any, ...]",
        "gradient": _by_sources(f"output_gradients: Any = None, {_UNCONNECTED}"),
        "jacobian": _by_sources(_ROWS),
        "batch_jacobian": f"(self, target: Tensor, source: Tensor, {_ROWS}) "
        "-> Gradient",
    },
    "ForwardAccumulator": {
        "__init__": "(self, primals: Any, tangents: Any) -> None",
        "__enter__": "(self) -> ForwardAccumulator",
        "__exit__": "(self, kind: Any, value: Any, traceback: Any) -> None",
    },
    "BaseVariable": {
        "assign": _assignment("value"),
        "assign_add": _assignment("delta"),
        "assign_sub": _assignment("delta"),
        "read_value": "(self) -> Tensor",
        "value": "(self) -> Tensor",
    }
    | {
        f"__{name}__": "(self, other: Any, /) -> Any"  # refused
        for name in ("iadd", "isub", "imul", "itruediv", "ipow")
    },
    "Variable": {
        "__init__": "(self, "
        "initial_value: TensorLike | Callable[[], TensorLike] | None = None, "
        "trainable: bool | None = None, validate_shape: bool = True, "
        "caching_device: Any = None, name: str | None = None, "
        "variable_def: Any = None, dtype: DTypeLike | None = None, "
        "import_scope: str | None = None, "
        "constraint: Callable[[Tensor], Any] | None = None, "
        "synchronization: Any = None, aggregation: Any = None, "
        "shape: ShapeLike | None = None, "
        "experimental_enable_variable_lifting: bool = True) -> None",
    },
}

# `tf.function`, whose result depends on whether it gets the function.
_OPTIONS = """input_signature: _ty.Any = None,
    autograph: _b.bool = True, jit_compile: _b.bool | None = None,
    reduce_retracing: _b.bool = False,
    experimental_implements: _b.str | None = None,
    experimental_autograph_options: _ty.Any = None,
    experimental_attributes: _c.Mapping[_b.str, _ty.Any] | None = None,
    experimental_relax_shapes: _b.bool | None = None,
    experimental_compile: _b.bool | None = None,
    experimental_follow_type_hints: _b.bool | None = None,
    *, max_traces: _b.int | None = None,
    on_baked_change: _b.str | None = None,
"""
DECORATOR = f"""\
_P = _ty.ParamSpec("_P")
_R = _ty.TypeVar("_R")
@_ty.overload
def function(
    func: _c.Callable[_P, _R], {_OPTIONS}) -> _t.Function[_P, _R]: ...
@_ty.overload
def function(
    func: None = None, {_OPTIONS}
) -> _c.Callable[[_c.Callable[_P, _R]], _t.Function[_P, _R]]: ...
"""

# Functions that give back what they are given, by attribute of the extension.
FUNCTIONS: dict[str, str | tuple[str, ...]] = {
    "custom_gradient": (
        "(f: Callable[_P, Any]) -> Callable[_P, Any]",
        "(f: None = None) -> Callable[[Callable[_P, Any]], Callable[_P, Any]]",
    ),
    "grad_pass_through": "(f: Callable[_P, _R]) -> Callable[_P, _R]",
    "recompute_grad": "(f: Callable[_P, _R]) -> Callable[_P, _R]",
    "cond": "(pred: Any, true_fn: Callable[[], _R], false_fn: Callable[[], _R], "
            "name: str | None = None) -> _R",
    "run_functions_eagerly": "(run_eagerly: bool) -> None",
}
