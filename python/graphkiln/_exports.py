"""Which Python module defines which public name.

Each entry maps a module to the public names it supplies, separated by blanks:
"math.reduce_sum" for the attribute `reduce_sum` of the module, or
"math.reduce_sum=reduce_sum_v2" if it is called otherwise there. Ops whose
record gives their public names need no entry.
"""

# Parents come before their children.
NAMESPACES = (
    "audio", "autodiff", "autograph", "autograph.experimental", "bitwise",
    "config", "config.experimental", "config.optimizer", "config.threading",
    "debugging", "debugging.experimental", "dtypes", "dtypes.experimental",
    "experimental", "experimental.dlpack", "experimental.numpy",
    "experimental.numpy.random", "experimental.extension_type", "graph_util",
    "image", "io", "io.gfile", "linalg", "linalg.experimental", "lookup",
    "lookup.experimental", "math", "math.special", "nn", "nn.experimental",
    "profiler", "profiler.experimental", "quantization", "queue", "ragged",
    "random", "random.experimental", "raw_ops", "sets", "signal", "sparse",
    "strings", "summary", "summary.experimental", "sysconfig", "test",
    "test.experimental", "train", "train.experimental", "types",
    "types.experimental", "version", "xla", "xla.experimental",
    "__internal__", "__internal__.types", "compat", "compat.v1",
)

EXPORTS: dict[str, str] = {
    "graphkiln._graphkiln": """
        dtypes.DType dtypes.as_dtype TensorSpec TypeSpec
        Operation
        experimental.dlpack.to_dlpack experimental.dlpack.from_dlpack
        types.experimental.TensorLike=Tensor
        __internal__.types.Tensor=AbstractTensor
        __internal__.EagerTensor=EagerTensor
        """,
    "graphkiln._variable": """
        Variable VariableSynchronization VariableAggregation
        variable_creator_scope
        """,
    "graphkiln._gradient_tape": """
        GradientTape UnconnectedGradients custom_gradient grad_pass_through
        """,
    "graphkiln._name_scope": "name_scope init_scope device",
    "graphkiln._function": """
        function config.run_functions_eagerly config.functions_run_eagerly
        """,
    "graphkiln._indexed_slices": "IndexedSlices",
    "graphkiln._dimension": "compat.v1.Dimension compat.dimension_value",
    "graphkiln._slicing": "boolean_mask",
}
