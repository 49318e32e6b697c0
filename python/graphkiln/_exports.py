"""Which Python module defines which public name.

Each entry maps a module to the public names it supplies, separated by blanks:
"math.reduce_sum" for the attribute `reduce_sum` of the module, or
"math.reduce_sum=reduce_sum_v2" if it is called otherwise there. Ops whose
record gives their public names need no entry.
"""

# Namespaces whose names stand in no table.
OTHER_NAMESPACES = ("raw_ops",)

# Packages of the same kind that have modules of their own, and the modules that
# are public there.
PACKAGES = {
    "": ("autograph", "tensorflow_pickle"),
    "autograph": ("experimental",),
    "data": (),
}

EXPORTS: dict[str, str] = {
    "graphkiln._src.gradients.aggregation_method": "AggregationMethod",
    "graphkiln._src.gradients.unconnected_gradients": "UnconnectedGradients",
    "graphkiln._src.function.function": """
        function compat.v1.function compat.v2.function
        """,
    "graphkiln.autograph.api": """
        autograph.to_graph autograph.to_code autograph.trace
        autograph.experimental.do_not_convert
        autograph.experimental.set_loop_options
        autograph.experimental.set_element_type
        """,
    "graphkiln.autograph.verbosity": """
        autograph.set_verbosity autograph.experimental.set_strict
        """,
    "graphkiln.autograph.feature": "autograph.experimental.Feature",
    "graphkiln.data._constants": """
        data.AUTOTUNE data.INFINITE_CARDINALITY data.UNKNOWN_CARDINALITY
        data.experimental.AUTOTUNE data.experimental.INFINITE_CARDINALITY
        data.experimental.UNKNOWN_CARDINALITY
        """,
    "graphkiln.data._dataset": "data.Dataset",
    "graphkiln._src.function.wrapped_function": "compat.v1.wrap_function",
    "graphkiln._src.types.extension_type": "experimental.ExtensionType",
    "graphkiln._src.types.batchable_extension_type": """
        experimental.BatchableExtensionType
        """,
    "graphkiln._src.host.logging": "get_logger",
    "graphkiln._src.function.callable": "types.experimental.Callable",
    "graphkiln._src.function.polymorphic_function": """
        types.experimental.PolymorphicFunction
        types.experimental.GenericFunction=PolymorphicFunction
        """,
    "graphkiln._src.function.concrete_function": """
        types.experimental.ConcreteFunction
        """,
    "graphkiln._src.function.atomic_function": "types.experimental.AtomicFunction",
    "graphkiln._src.function.trace_type": "types.experimental.TraceType",
    "graphkiln._src.function.tracing_protocol": """
        types.experimental.SupportsTracingProtocol
        """,
    "graphkiln._src.types.tensor_like": "types.experimental.TensorLike",
    "graphkiln._src.variables.module": "Module",
    "graphkiln._src.host.py_function": """
        py_function numpy_function compat.v1.py_func=numpy_function
        compat.v1.py_function compat.v1.numpy_function
        """,
}
