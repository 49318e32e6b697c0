"""Private modules of TensorFlow that packages import although they should not, with
what they take from there, which graphkiln has under public names."""

from graphkiln import _namespaces
from graphkiln._src.host.private_names_of_files import NAMES_OF_FILES

_DTYPES = " ".join(_namespaces.DTYPE_NAMES)

_ERRORS = " ".join(
    f"{name}=errors.{name}"
    for name in """
    AbortedError AlreadyExistsError CancelledError DataLossError
    DeadlineExceededError FailedPreconditionError InternalError
    InvalidArgumentError NotFoundError OpError OutOfRangeError
    PermissionDeniedError ResourceExhaustedError UnauthenticatedError
    UnavailableError UnimplementedError UnknownError
    """.split()
)

# By module below "tensorflow.", names in it: each the last part of a public name,
# or "name=public"; "name=@module.own" is of a module beside this one, and
# "name=@folder.module.own" of one in a folder beside this one's.
NAMES = {
    **NAMES_OF_FILES,
    "compiler.tf2xla.python.xla": """
        call_module=@jax_functions.*
        call_module_disable_check_platform=@jax_functions.*
        call_module_maximum_supported_version=@jax_functions.*
        dynamic_update_slice=@private_parts.*
        """,
    "compiler.xla.xla_data_pb2": "OpSharding=@jax_functions.*",
    "python.data.ops.dataset_ops": """
        _VariantDataset=@private_datasets.variant_dataset get_legacy_output_classes=@private_datasets.* get_legacy_output_shapes=@private_datasets.* get_legacy_output_types=@private_datasets.*
        make_initializable_iterator=compat.v1.data.make_initializable_iterator
        """
    """
        Dataset=data.Dataset
        make_one_shot_iterator=compat.v1.data.make_one_shot_iterator
        """
    "DatasetV2=data.Dataset",
    "python.data.ops.iterator_ops": """
        Iterator=compat.v1.data.Iterator
        _IteratorSaveable=@version_one.iterators.IteratorSaveable
        """,
    "python.data.experimental.ops.distribute": """
        compute_batch_size=@private_parts.*
        """,
    "python.autograph.converters.break_statements": "",
    "python.autograph.converters.continue_statements": "",
    "python.autograph.converters.return_statements": "",
    "python.autograph.core.converter": "",
    "python.autograph.pyct.anno": "",
    "python.autograph.pyct.common_transformers.anf": "",
    "python.autograph.pyct.inspect_utils": "",
    "python.autograph.pyct.loader": "",
    "python.autograph.pyct.naming": "",
    "python.autograph.pyct.parser": "",
    "python.autograph.pyct.qual_names": "",
    "python.autograph.pyct.static_analysis.activity": "",
    "python.autograph.pyct.templates": "",
    "python.autograph.pyct.transformer": "Base=@private_parts.Absent",
    "python.compiler.xla.experimental.xla_sharding": """
        Sharding=@jax_functions.* replicate=@jax_functions.* tile=@jax_functions.*
        """,
    "python.client.device_lib": """
        list_local_devices=@tensorflow_private._list_local_devices
        """,
    "python.eager.context": """
        get_config=@internal.contexts.* get_device_name=@internal.contexts.*
        is_tfrt_enabled=@tensorflow_private._false
        """
    """
        LogicalDeviceConfiguration=config.LogicalDeviceConfiguration
        eager_mode=@both_modes.* graph_mode=@both_modes.*
        """
    """
        _EagerDeviceContext=device _reset_context=@tensorflow_private._nothing
        async_wait=@tensorflow_private._nothing
        context=@tensorflow_private._context executing_eagerly
        in_eager_mode=executing_eagerly
        """,
    "python.eager.record": """
        should_record_backprop=@tensorflow_private._should_record_backprop
        """,
    "python.eager.tape": "",
    "python.framework.composite_tensor": """
        CompositeTensor=__internal__.CompositeTensor
        replace_composites_with_components=@private_parts.*
        """,
    "python.framework.config": """
        list_physical_devices=config.list_physical_devices
        get_soft_device_placement=config.get_soft_device_placement
        set_logical_device_configuration=config.set_logical_device_configuration
        """
    """
        disable_op_determinism=@private_parts.*
        enable_op_determinism=config.experimental.enable_op_determinism
        is_op_determinism_enabled=@private_parts.*
        """,
    "python.framework.dtypes": f"DType as_dtype {_DTYPES}",
    "python.framework.errors": _ERRORS,
    "python.framework.errors_impl": _ERRORS,
    "python.framework.ops": """
        convert_to_tensor_or_composite=@internal.functions.*
        GraphKeys=compat.v1.GraphKeys add_to_collection=compat.v1.add_to_collection
        add_to_collections=compat.v1.add_to_collections
        enable_eager_execution=compat.v1.enable_eager_execution
        get_collection=compat.v1.get_collection
        get_collection_ref=compat.v1.get_collection_ref
        get_default_session=compat.v1.get_default_session
        reset_default_graph=compat.v1.reset_default_graph
        """
    """
        Graph EagerTensor=__internal__.EagerTensor IndexedSlices Operation
        RegisterGradient SymbolicTensor=@tensorflow_private.SymbolicTensor Tensor control_dependencies convert_to_tensor
        convert_to_tensor_v2_with_dispatch=convert_to_tensor device
        executing_eagerly_outside_functions=\
@tensorflow_private._executing_eagerly_outside_functions
        get_default_graph=compat.v1.get_default_graph init_scope
        uid=@private_parts.* name_scope=@private_parts.* name_scope_v2=name_scope
        register_tensor_conversion_function
        """,
    "python.framework.indexed_slices": "IndexedSlices",
    "python.framework.sparse_tensor": "SparseTensor SparseTensorSpec",
    "python.framework.tensor": "Tensor TensorSpec",
    "python.framework.tensor_shape": """
        Dimension=compat.v1.Dimension TensorShape as_shape=TensorShape
        dimension_at_index=compat.dimension_at_index
        dimension_value=compat.dimension_value
        """,
    "python.framework.tensor_spec": "DenseSpec=@private_parts.* TensorSpec",
    "python.framework.tensor_util": """
        make_tensor_proto make_ndarray
        """
    """
        constant_value=get_static_value
        constant_value_as_shape=@private_parts.*
        is_tf_type=is_tensor try_evaluate_constant=@private_parts.*
        """,
    "python.framework.test_util": """
        disable_cudnn_autotune=@private_test_util.* enable_control_flow_v2=@private_test_util.* with_control_flow_v2=@private_test_util.* enable_output_all_intermediates=@private_test_util.* assert_no_garbage_created=@private_test_util.* run_in_async_and_sync_mode=@private_test_util.* disable_mlir_bridge=@private_test_util.* enable_eager_op_as_function=@private_test_util.* enable_nested_function_shape_inference=@private_test_util.* matmul_without_tf32=@private_test_util.* run_without_tensor_float_32=@private_test_util.* run_all_without_tensor_float_32=@private_test_util.* xla_allow_fallback=@private_test_util.* disable_xla_with_reason=@private_test_util.* is_xla_enabled=@private_test_util.* IsMklEnabled=@private_test_util.* IsGoogleCudaEnabled=@private_test_util.* IsBuiltWithROCm=@private_test_util.* gpu_device_name=@private_test_util.* device=@private_test_util.* force_cpu=@private_test_util.* force_gpu=@private_test_util.* deterministic_ops=@private_test_util.* set_producer_version=@private_test_util.* NHWCToNCHW=@private_test_util.* NCHWToNHWC=@private_test_util.* 
        assert_meta_graph_protos_equal=@private_tests.*
        get_node_def_from_graph=@private_tests.*
        """
    """
        TensorFlowTestCase=test.TestCase is_gpu_available=test.is_gpu_available
        run_deprecated_v1=@both_modes.deprecated_graph_mode_only assert_no_new_pyobjects_executing_eagerly=@both_modes.*
        use_gpu=@both_modes.*
        run_v1_only=@both_modes.* run_v2_only=@both_modes.* run_gpu_only=@both_modes.*
        disable_xla=@both_modes.* disable_tfrt=@both_modes.*
        """
    """
        deprecated_graph_mode_only=@both_modes.*
        run_all_in_graph_and_eager_modes=@both_modes.*
        run_in_graph_and_eager_modes=@both_modes.*
        """,
    "python.framework.type_spec": """
        BatchableTypeSpec=@private_parts.* TypeSpec
        register_type_spec_from_value_converter=\
__internal__.register_type_spec_from_value_converter
        type_spec_from_value
        """,
    "python.framework.type_spec_registry": """
        _NAME_TO_TYPE_SPEC=@private_parts.NAME_TO_TYPE_SPEC
        _TYPE_SPEC_TO_NAME=@private_parts.TYPE_SPEC_TO_NAME
        get_name=@private_parts.get_type_spec_name
        lookup=@private_parts.lookup_type_spec
        register=@private_parts.register_type_spec
        """,
    "python.ops.array_ops": """
        concat constant expand_dims=compat.v1.expand_dims identity ones pad
        placeholder=compat.v1.placeholder reshape shape size
        sparse_placeholder=compat.v1.sparse_placeholder split tile transpose zeros
        """
    "prevent_gradient=@private_parts.*",
    "python.ops.control_flow_case": """
        case=compat.v1.case
        """
    "_case_helper=@private_parts.case_by",
    "python.ops.control_flow_util": """
        GraphOrParentsInXlaContext=@private_parts.in_xla_context
        """,
    "python.ops.linalg.linear_operator": """
        LinearOperator=linalg.LinearOperator
        make_composite_tensor=@private_parts.*
        """,
    "python.ops.linalg.linear_operator_addition": """
        add_operators=@private_parts.*
        """,
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": """
        csr_sparse_matrix_to_sparse_tensor=@private_parts.*
        sparse_matrix_sparse_mat_mul=@private_parts.*
        sparse_tensor_to_csr_sparse_matrix=@private_parts.*
        """,
    "python.ops.math_ops": """
        add add_n cast complex exp less log=math.log matmul mul=multiply multiply range
        reduce_mean reduce_sum square subtract
        """
    "is_nan=math.is_nan",
    "python.ops.nn_ops": """
        softmax_cross_entropy_with_logits=nn.softmax_cross_entropy_with_logits
        relu=nn.relu softmax=nn.softmax
        """
    "",
    "python.ops.numpy_ops.np_config": """
        enable_numpy_behavior=experimental.numpy.experimental_enable_numpy_behavior
        """,
    "python.ops.parallel_for.control_flow_ops": """
        pfor=@private_parts.vectorized_loop
        """,
    "python.ops.random_ops": """
        random_normal=random.normal random_uniform=random.uniform
        truncated_normal=random.truncated_normal
        """
    "parameterized_truncated_normal=@private_parts.*",
    "python.ops.ragged.ragged_tensor": "RaggedTensor RaggedTensorSpec",
    "python.ops.resource_variable_ops": """
        BaseResourceVariable=@tensorflow_private.ResourceVariable
        assign_add_variable_op=@private_ops.*
        assign_variable_op=@private_ops.*
        destroy_resource_op=@private_ops.*
        read_variable_op=@private_ops.*
        var_handle_op=@private_ops.*
        """
    """
        UninitializedVariable=@private_checkpoints.*
        """
    """
        ResourceVariable=@tensorflow_private.ResourceVariable
        VariableSpec=@private_parts.*
        """,
    "python.ops.variables": """
        PartitionedVariable=@version_one.partitioned_variables.*
        """
    """
        VariableAggregation VariableSynchronization
        global_variables=compat.v1.global_variables
        global_variables_initializer=compat.v1.global_variables_initializer
        local_variables_initializer=compat.v1.local_variables_initializer
        report_uninitialized_variables=compat.v1.report_uninitialized_variables
        variables_initializer=compat.v1.variables_initializer
        """
    """
        BaseVariable=@tensorflow_private.BaseVariable Variable
        """,
    "python.types.core": """
        ConcreteFunction=types.experimental.ConcreteFunction
        Tensor=__internal__.types.Tensor
        """,
    "python.util.all_util": """
        remove_undocumented=@tensorflow_private._remove_undocumented
        """,
    "python.util.deprecation": " ".join(
        f"{name}=@deprecation.*"
        for name in (
            "deprecated", "deprecated_alias", "deprecated_arg_values",
            "deprecated_args", "deprecated_argument_lookup",
            "deprecated_endpoints", "silence",
        )
    ),
    "python.util.nest": """
        _is_namedtuple=@nest_paths.is_namedtuple
        _sequence_like=@nest_paths.sequence_like
        _yield_sorted_items=@nest_paths.yield_sorted_items
        _yield_value=@nest_paths.yield_value
        assert_same_structure=nest.assert_same_structure
        flatten=nest.flatten flatten_dict_items=@private_parts.*
        is_nested=nest.is_nested is_sequence=nest.is_nested
        map_structure=nest.map_structure
        pack_sequence_as=nest.pack_sequence_as
        """
    + " ".join(
        f"{name}=@nest_paths.*"
        for name in (
            "assert_shallow_structure", "flatten_up_to",
            "flatten_with_joined_string_paths", "flatten_with_tuple_paths",
            "flatten_with_tuple_paths_up_to", "get_traverse_shallow_structure",
            "is_attrs", "is_mapping", "is_namedtuple", "is_nested_or_composite",
            "map_structure_up_to", "map_structure_with_paths",
            "map_structure_with_tuple_paths",
            "map_structure_with_tuple_paths_up_to", "sequence_like",
            "yield_flat_paths",
        )
    ),
    "python.util.tf_inspect": " ".join(
        f"{name}=@private_parts.*"
        for name in (
            "Parameter", "currentframe", "getargspec", "getcallargs", "getdoc",
            "getfile", "getfullargspec", "getmembers", "getmodule", "getmro",
            "getsource", "isbuiltin", "isclass", "isfunction", "isgenerator",
            "ismethod", "ismodule", "isroutine", "signature", "stack",
        )
    ) + " _inspect=@private_parts.inspect",
    "python.util.variable_utils": """
        convert_variables_to_tensors=@private_parts.*
        replace_variables_with_atoms=@private_parts.*
        """,
    "python.client.session": """
        InteractiveSession=compat.v1.InteractiveSession Session=compat.v1.Session
        """,
    "python.data.ops.readers": """
        TFRecordDataset=data.TFRecordDataset TextLineDataset=data.TextLineDataset
        """,
    "python.eager.backprop": "GradientTape",
    "python.eager.def_function": """
        Function=@private_parts.Function function
        run_functions_eagerly=config.run_functions_eagerly
        """,
    "python.eager.test": """
        TestCase=test.TestCase get_temp_dir=@private_tests.* main=test.main
        mock=@private_tests.* test_src_dir_path=@private_tests.*
        is_gpu_available=test.is_gpu_available
        """,
    "python.eager.wrap_function": "wrap_function=compat.v1.wrap_function",
    "python.feature_column.feature_column_lib": "",
    "python.framework.constant_op": "constant",
    "python.framework.device": "DeviceSpec",
    "python.framework.importer": "import_graph_def=graph_util.import_graph_def",
    "python.framework.stack": "default_session=@private_parts.*",
    "python.framework.versions": """
        __git_version__=version.GIT_VERSION __version__=version.VERSION
        COMPILER_VERSION=version.COMPILER_VERSION GIT_VERSION=version.GIT_VERSION
        VERSION=version.VERSION
        """,
    "python.module.module": "Module _is_variable=@private_parts.is_variable",
    "python.ops.array_ops_stack": """
        stack unstack
        """,
    "python.ops.cond": "cond=compat.v1.cond",
    "python.ops.control_flow_ops": """
        get_enclosing_xla_context=@internal.contexts.*
        group no_op tuple=compat.v1.tuple
        """,
    "python.ops.control_flow_switch_case": "switch_case",
    "python.ops.control_flow_v2_toggles": """
        disable_control_flow_v2=compat.v1.disable_control_flow_v2
        """
    """
        enable_control_flow_v2=compat.v1.enable_control_flow_v2
        """,
    "python.ops.custom_gradient": "custom_gradient",
    "python.ops.data_flow_ops": "FIFOQueue=compat.v1.FIFOQueue",
    "python.ops.gradients_impl": "gradients=compat.v1.gradients",
    "python.ops.init_ops": """
        constant_initializer=compat.v1.constant_initializer
        ones_initializer=compat.v1.ones_initializer
        random_uniform_initializer=compat.v1.random_uniform_initializer
        truncated_normal_initializer=compat.v1.truncated_normal_initializer
        zeros_initializer=compat.v1.zeros_initializer
        """,
    "python.ops.io_ops": """
        read_file=io.read_file write_file=io.write_file
        """,
    "python.ops.lookup_ops": """
        LookupInterface=@lookup.tables.*
        HashTable=lookup.StaticHashTable
        TextFileIdTableInitializer=@private_warm_start.*
        TextFileStringTableInitializer=@private_warm_start.*
        """
    """
        HashTable=compat.v1.lookup.StaticHashTable
        KeyValueTensorInitializer=lookup.KeyValueTensorInitializer
        MutableHashTable=lookup.experimental.MutableHashTable
        StaticHashTable=lookup.StaticHashTable
        StaticVocabularyTable=lookup.StaticVocabularyTable
        TextFileIndex=lookup.TextFileIndex
        TextFileInitializer=lookup.TextFileInitializer
        tables_initializer=compat.v1.tables_initializer
        """,
    "python.ops.partitioned_variables": """
        fixed_size_partitioner=compat.v1.fixed_size_partitioner
        min_max_variable_partitioner=compat.v1.min_max_variable_partitioner
        """,
    "python.ops.ragged.ragged_factory_ops": """
        placeholder=compat.v1.ragged.placeholder
        """
    "constant=ragged.constant",
    "python.ops.ref_variable": "RefVariable=compat.v1.Variable",
    "python.ops.sparse_ops": "sparse_to_dense=compat.v1.sparse_to_dense",
    "python.ops.state_ops": """
        assign=compat.v1.assign assign_add=compat.v1.assign_add
        assign_sub=compat.v1.assign_sub
        """,
    "python.ops.string_ops": """
        string_join=strings.join string_length=strings.length
        """,
    "python.ops.template": "",
    "python.ops.variable_scope": """
        get_variable=compat.v1.get_variable variable_creator_scope
        variable_creator_scope_v1=compat.v1.variable_creator_scope
        variable_scope=compat.v1.variable_scope
        """,
    "python.ops.variable_v1": "VariableV1=compat.v1.Variable",
    "python.ops.while_loop": "while_loop=compat.v1.while_loop",
    "python.summary.summary": "scalar=compat.v1.summary.scalar",
    "python.tf2": "enabled=@tensorflow_private._true",
    "python.trackable.asset": "Asset=saved_model.Asset",
    "python.trackable.python_state": "PythonState=train.experimental.PythonState",
    "python.trackable.resource": """
        RestoredResource=@saved_model.resources.*
        TrackableResource=saved_model.experimental.TrackableResource
        """,
    "python.training.adam": "AdamOptimizer=compat.v1.train.AdamOptimizer",
    "python.training.checkpoint_state_pb2": "CheckpointState=@private_messages.*",
    "python.training.checkpoint_utils": """
        checkpoints_iterator=train.checkpoints_iterator
        init_from_checkpoint=compat.v1.train.init_from_checkpoint
        list_variables=train.list_variables load_checkpoint=train.load_checkpoint
        load_variable=train.load_variable
        """,
    "python.training.gradient_descent": """
        GradientDescentOptimizer=compat.v1.train.GradientDescentOptimizer
        """,
    "python.training.py_checkpoint_reader": """
        NewCheckpointReader=compat.v1.train.NewCheckpointReader
        """,
    "python.training.saver": """
        BaseSaverBuilder=@private_checkpoints.*
        Saver=compat.v1.train.Saver export_meta_graph=compat.v1.train.export_meta_graph
        import_meta_graph=compat.v1.train.import_meta_graph
        """,
    "python.training.warm_starting_util": "warm_start=compat.v1.train.warm_start",
    "python.util.compat": """
        as_bytes=compat.as_bytes as_str=compat.as_str as_str_any=compat.as_str_any
        as_text=compat.as_text path_to_str=compat.path_to_str
        """,
    "python.util.serialization": "get_json_type=@private_parts.*",
    "python.framework.function": """
        Defun=@private_graphs.*
        """,
    "python.ops.cond_v2": """
        cond_v2=cond
        """,
    "python.ops.while_v2": """
        while_loop
        """,
    "python.distribute.mirrored_strategy": """
        MirroredStrategy=distribute.MirroredStrategy
        """,
    "python.ops.rnn": """
        dynamic_rnn=compat.v1.nn.dynamic_rnn
        static_rnn=compat.v1.nn.static_rnn
        """,
    "python.util.tf_export": """
        api_export=@private_exports.* get_canonical_name=@private_exports.*
        get_canonical_name_for_symbol=@private_exports.*
        get_symbol_from_name=@private_exports.*
        keras_export=@private_exports.* tf_export=@private_exports.*
        """,
    "tools.docs.doc_controls": """
        do_not_doc_in_subclasses=@private_exports.*
        do_not_doc_inheritable=@private_exports.*
        do_not_generate_docs=@private_exports.* doc_private=@private_exports.*
        doc_in_current_and_subclasses=@private_exports.*
        for_subclass_implementers=@private_exports.* header=@private_exports.*
        inheritable_header=@private_exports.*
        """,
    "python.util.tf_decorator": """
        TFDecorator=@internal.decorator.* make_decorator=@internal.decorator.*
        rewrap=@internal.decorator.* unwrap=@internal.decorator.*
        """,
    "python.util.dispatch": """
        GlobalOpDispatcher=@internal.dispatch.* OpDispatcher=@internal.dispatch.*
        add_dispatch_support=@internal.dispatch.*
        dispatch_for_types=@internal.dispatch.*
        """,
    "python.framework.combinations": """
        EagerGraphCombination=@internal.combinations.*
        NamedObject=@internal.combinations.* TFVersionCombination=@internal.combinations.*
        combine=@internal.combinations.* generate=@internal.combinations.*
        times=@internal.combinations.*
        """,
    "python.framework.test_combinations": """
        NamedObject=@internal.combinations.* OptionalParameter=@internal.combinations.*
        ParameterModifier=@internal.combinations.*
        TestCombination=@internal.combinations.* combine=@internal.combinations.*
        generate=@internal.combinations.* times=@internal.combinations.*
        """,
    "python.distribute.distribute_utils": """
        cache_variable_reads=@private_keras.*
        """,
    "python.distribute.input_lib": """
        DistributedDataset=distribute.DistributedDataset
        """,
    "python.distribute.input_ops": "auto_shard_dataset=@private_keras.*",
    "python.pywrap_tfe": "TF_ListPluggablePhysicalDevices=@private_keras.list_pluggable_devices",
    "python.data.ops.from_generator_op": "_GeneratorDataset=@private_parts.Absent",
    "python.data.ops.from_sparse_tensor_slices_op": """
        _SparseTensorSliceDataset=@private_parts.Absent
        """,
    "python.data.ops.from_tensor_slices_op": """
        _TensorSliceDataset=@private_parts.Absent
        """,
    "python.data.ops.from_tensors_op": "_TensorDataset=@private_parts.Absent",
    "python.data.ops.range_op": "_RangeDataset=@private_parts.Absent",
    "python.ops.ragged.ragged_map_ops": "map_fn",
    "python.ops.ragged.ragged_util": "assert_splits_match=@private_keras.*",
    "python.saved_model.model_utils.mode_keys": """
        EstimatorModeKeys=@private_keras.* KerasModeKeys=@private_keras.*
        """,
    "python.util.tf_contextlib": "contextmanager=@private_parts.contextmanager",
    "python.data.util.structure": """
        NoneTensorSpec are_compatible=@private_datasets.*
        convert_legacy_structure=@private_datasets.*
        get_flat_tensor_shapes=@private_datasets.*
        get_flat_tensor_specs=@private_datasets.*
        get_flat_tensor_types=@private_datasets.*
        type_spec_from_value=@private_datasets.*
        """,
    "python.data.util.nest": """
        assert_same_structure=@private_datasets.*
        assert_shallow_structure=@private_datasets.* flatten=@private_datasets.*
        flatten_up_to=@private_datasets.* is_nested=@private_datasets.*
        map_structure=@private_datasets.* map_structure_up_to=@private_datasets.*
        pack_sequence_as=@private_datasets.*
        """,
    "python.data.ops.test_mode": """
        toggle_test_mode=@private_datasets.*
        """,
}
# Ops of TensorFlow's, one function each.
NAMES.update(
    dict.fromkeys(
        (
            f"python.ops.gen_{family}_ops"
            for family in """
            array bitwise checkpoint control_flow data_flow dataset
            experimental_dataset functional image io linalg list logging lookup math nn
            parsing ragged_array ragged_conversion random resource_variable sparse
            state stateless_random string
            """.split()
        ),
        "",
    )
)
