"""Which Python module defines which public name.

Each entry maps a module to the public names it supplies, separated by blanks:
"math.reduce_sum" for the attribute `reduce_sum` of the module, or
"math.reduce_sum=reduce_sum_v2" if it is called otherwise there. Ops whose
record gives their public names need no entry.
"""

# Namespaces that have no names yet, or no names that stand in a table.
OTHER_NAMESPACES = """
    audio debugging.experimental dtypes.experimental experimental.numpy
    experimental.numpy.random image io.gfile linalg.experimental lookup
    lookup.experimental profiler profiler.experimental quantization queue
    raw_ops sets signal summary summary.experimental test.experimental train
    train.experimental xla xla.experimental
    """

# Packages of the same kind that have modules of their own.
PACKAGES = ("autograph", "autograph.experimental")

# Functions written in Python that can be dispatched by the types of their
# arguments; assertions about two arguments say so themselves.
DISPATCHED = """
    Assert assert_rank broadcast_dynamic_shape
    broadcast_static_shape case clip_by_global_norm cond debugging.Assert
    debugging.assert_all_finite debugging.assert_integer
    debugging.assert_negative debugging.assert_non_negative
    debugging.assert_non_positive debugging.assert_positive
    debugging.assert_proper_iterable debugging.assert_rank
    debugging.assert_rank_at_least debugging.assert_rank_in
    debugging.assert_same_float_dtype debugging.assert_scalar
    debugging.assert_shapes debugging.assert_type einsum foldl foldr
    linalg.einsum linalg.global_norm math.bincount math.confusion_matrix
    meshgrid nn.embedding_lookup numpy_function print py_function
    ragged.constant repeat scan strided_slice strings.format tuple
    """

EXPORTS: dict[str, str] = {
    "graphkiln._src.variables.variable": """
        Variable VariableSynchronization VariableAggregation
        variable_creator_scope
        """,
    "graphkiln._src.gradients.options": "AggregationMethod UnconnectedGradients",
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
    "graphkiln._src.types.variable_spec": "type_spec_from_value",
    "graphkiln._src.types.dispatch": """
        experimental.dispatch_for_api
        experimental.dispatch_for_unary_elementwise_apis
        experimental.dispatch_for_binary_elementwise_apis
        experimental.dispatch_for_binary_elementwise_assert_apis
        experimental.unregister_dispatch_for""",
    "graphkiln.autograph.scopes": "autograph.experimental.Feature",
    "graphkiln.data._constants": """
        data.AUTOTUNE data.INFINITE_CARDINALITY data.UNKNOWN_CARDINALITY
        data.experimental.AUTOTUNE data.experimental.INFINITE_CARDINALITY
        data.experimental.UNKNOWN_CARDINALITY
        """,
    "graphkiln.data._dataset": "data.Dataset",
    "graphkiln._src.control_flow.map": "map_fn vectorized_map",
    "graphkiln._src.types.type_spec": """
        TypeSpec TensorSpec
        __internal__.CompositeTensor
        __internal__.register_type_spec_from_value_converter
        """,
    "graphkiln._src.function.wrapped_function": "compat.v1.wrap_function",
    "graphkiln._src.types.extension_type": """
        experimental.ExtensionType experimental.ExtensionTypeSpec
        experimental.extension_type.as_dict
        """,
    "graphkiln._src.types.batchable": """
        experimental.BatchableExtensionType
        experimental.ExtensionTypeBatchEncoder
        """,
    "graphkiln._src.host.logging": "get_logger",
    "graphkiln._src.function.types": """
        types.experimental.Callable types.experimental.PolymorphicFunction
        types.experimental.GenericFunction=PolymorphicFunction
        types.experimental.ConcreteFunction types.experimental.AtomicFunction
        types.experimental.FunctionType types.experimental.TraceType
        types.experimental.SupportsTracingProtocol
        types.experimental.TensorLike
        """,
    "graphkiln._src.math.slicing": "strided_slice",
    "graphkiln._src.variables.module": "Module",
    "graphkiln._src.host.py_function": """
        py_function numpy_function compat.v1.py_func=numpy_function
        compat.v1.py_function compat.v1.numpy_function
        """,
    "graphkiln._src.variables.compat_assign": """
        compat.v1.assign compat.v1.assign_add compat.v1.assign_sub
        """,
    "graphkiln._src.random.seed": "random.set_seed",
    "graphkiln._src.random.generator": """
        random.Generator random.Algorithm random.create_rng_state
        random.get_global_generator random.set_global_generator
        random.experimental.Generator random.experimental.Algorithm
        random.experimental.create_rng_state
        random.experimental.get_global_generator
        random.experimental.set_global_generator
        """,
    "graphkiln._src.math.math_functions": """
        einsum linalg.einsum clip_by_global_norm linalg.global_norm meshgrid
        repeat
        """,
    "graphkiln._src.random.initializers": """
        zeros_initializer=Zeros ones_initializer=Ones
        constant_initializer=Constant
        random_uniform_initializer=RandomUniformOfVersion2
        random_normal_initializer=RandomNormalOfVersion2
        initializers.Zeros initializers.Ones initializers.Constant
        initializers.RandomUniform initializers.RandomNormal
        initializers.TruncatedNormal initializers.VarianceScaling
        initializers.GlorotUniform initializers.GlorotNormal
        initializers.HeUniform initializers.HeNormal
        initializers.LecunUniform initializers.LecunNormal
        compat.v1.glorot_uniform_initializer=GlorotUniformOfVersion1
        compat.v1.glorot_normal_initializer=GlorotNormalOfVersion1
        compat.v1.variance_scaling_initializer=VarianceScalingOfVersion1
        compat.v1.truncated_normal_initializer=TruncatedNormalOfVersion1
        compat.v1.zeros_initializer=Zeros compat.v1.ones_initializer=Ones
        compat.v1.to_float compat.v1.to_double compat.v1.to_int32
        compat.v1.to_int64
        """,
    "graphkiln._src.math.bincount": "math.bincount sparse.bincount=sparse_bincount",
    "graphkiln._src.math.counting": """
        math.confusion_matrix nn.embedding_lookup histogram_fixed_width_bins
        """,
}
