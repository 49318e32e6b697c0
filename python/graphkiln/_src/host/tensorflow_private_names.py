"""Private modules of TensorFlow that packages import although they should not, with
what they take from there, which graphkiln has under public names."""

from graphkiln import _namespaces

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
    "compiler.tf2xla.python.xla": """
        call_module=@jax_functions.*
        call_module_disable_check_platform=@jax_functions.*
        call_module_maximum_supported_version=@jax_functions.*
        dynamic_update_slice=@private_parts.*
        """,
    "compiler.xla.xla_data_pb2": "OpSharding=@jax_functions.*",
    "core.util.event_pb2": "Event=compat.v1.Event",
    "python.data.ops.dataset_ops": """
        Dataset=data.Dataset
        make_one_shot_iterator=compat.v1.data.make_one_shot_iterator
        """
    "DatasetV2=data.Dataset",
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
    "python.framework.convert_to_constants": """
        convert_variables_to_constants_v2=graph_util.convert_variables_to_constants_v2
        convert_variables_to_constants_v2_as_graph=\
@tensorflow_private._convert_variables_to_constants_v2_as_graph
        """,
    "python.framework.dtypes": f"DType as_dtype {_DTYPES}",
    "python.framework.errors": _ERRORS,
    "python.framework.errors_impl": _ERRORS,
    "python.framework.ops": """
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
    "python.lib.io.tf_record": """
        TFRecordCompressionType=compat.v1.io.TFRecordCompressionType
        TFRecordOptions=io.TFRecordOptions TFRecordWriter=io.TFRecordWriter
        """
    "tf_record_iterator=compat.v1.io.tf_record_iterator",
    "python.ops.array_ops": """
        concat constant expand_dims=compat.v1.expand_dims identity ones pad
        placeholder=compat.v1.placeholder reshape shape size
        sparse_placeholder=compat.v1.sparse_placeholder split tile transpose zeros
        """
    "prevent_gradient=@private_parts.*",
    "python.ops.control_flow_case": "_case_helper=@private_parts.case_by",
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
        UninitializedVariable=@private_checkpoints.*
        """
    """
        ResourceVariable=@tensorflow_private.ResourceVariable
        VariableSpec=@private_parts.*
        """,
    "python.ops.variables": """
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
    "python.trackable.autotrackable": """
        AutoTrackable=__internal__.tracking.AutoTrackable
        """,
    "python.trackable.base": """
        VARIABLE_VALUE_KEY=@checkpoint.trackable.*
        """
    """
        NoDependency=@checkpoint.tracked_containers.*
        Trackable=__internal__.tracking.Trackable
        TrackableReference=@checkpoint.trackable.*
        no_automatic_dependency_tracking=\
__internal__.tracking.no_automatic_dependency_tracking
        """,
    "python.trackable.data_structures": """
        List=@checkpoint.tracked_containers.* Mapping=@checkpoint.tracked_containers.*
        TrackableDataStructure=@checkpoint.tracked_containers.*
        _TupleWrapper=@checkpoint.data_structures.*
        sticky_attribute_assignment=@checkpoint.tracked_containers.*
        wrap_or_unwrap=@checkpoint.tracked_containers.*
        """
    """
        ListWrapper=@checkpoint.data_structures.*
        NoDependency=@checkpoint.tracked_containers.*
        _DictWrapper=@checkpoint.data_structures.*
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
            "deprecated_args", "deprecated_argument_lookup", "silence",
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
    "core.config.flags": "config=@private_flags.config",
    "core.framework.attr_value_pb2": "AttrValue=compat.v1.AttrValue",
    "core.framework.function_pb2": """
        FunctionDef=@private_messages.* FunctionDefLibrary=@private_messages.*
        """,
    "core.framework.graph_pb2": "GraphDef=compat.v1.GraphDef",
    "core.framework.node_def_pb2": "NodeDef=compat.v1.NodeDef",
    "core.framework.op_def_pb2": "OpDef=@private_messages.*",
    "core.framework.summary_pb2": """
        HistogramProto=compat.v1.HistogramProto Summary=compat.v1.Summary
        """,
    "core.framework.variable_pb2": "VariableDef=@private_messages.*",
    "core.protobuf.config_pb2": """
        ConfigProto=compat.v1.ConfigProto GPUOptions=compat.v1.GPUOptions
        RunOptions=compat.v1.RunOptions
        """,
    "core.protobuf.meta_graph_pb2": """
        CollectionDef=@private_messages.* MetaGraphDef=compat.v1.MetaGraphDef
        SignatureDef=@private_messages.* TensorInfo=compat.v1.TensorInfo
        """,
    "core.protobuf.rewriter_config_pb2": "RewriterConfig=@private_messages.*",
    "core.protobuf.queue_runner_pb2": "QueueRunnerDef=@private_messages.*",
    "core.protobuf.saved_model_pb2": "SavedModel=@private_messages.*",
    "core.protobuf.saver_pb2": "SaverDef=compat.v1.train.SaverDef",
    "python.checkpoint.checkpoint": """
        Checkpoint=train.Checkpoint CheckpointV1=compat.v1.train.Checkpoint
        add_variable=@private_checkpoints.* gather_initializers=@private_checkpoints.*
        list_objects=@private_checkpoints.*
        object_metadata=@private_checkpoints.*
        """,
    "python.checkpoint.checkpoint_management": """
        CheckpointManager=train.CheckpointManager
        checkpoint_exists=compat.v1.train.checkpoint_exists
        generate_checkpoint_state_proto=compat.v1.train.generate_checkpoint_state_proto
        get_checkpoint_mtimes=compat.v1.train.get_checkpoint_mtimes
        get_checkpoint_state=train.get_checkpoint_state
        latest_checkpoint=train.latest_checkpoint
        remove_checkpoint=compat.v1.train.remove_checkpoint
        update_checkpoint_state=compat.v1.train.update_checkpoint_state
        update_checkpoint_state_internal=@private_checkpoints.*
        meta_graph_filename=@private_checkpoints.*
        """,
    "python.checkpoint.checkpoint_options": """
        CheckpointOptions=train.CheckpointOptions
        """,
    "python.checkpoint.checkpoint_view": "CheckpointView=train.CheckpointView",
    "python.checkpoint.graph_view": "",
    "python.checkpoint.sharding.sharding_policies": """
        MaxShardSizePolicy=train.experimental.MaxShardSizePolicy
        ShardByTaskPolicy=train.experimental.ShardByTaskPolicy
        """,
    "python.checkpoint.sharding.sharding_util": """
        ShardableTensor=train.experimental.ShardableTensor
        ShardingCallback=train.experimental.ShardingCallback
        """,
    "python.checkpoint.trackable_view": "TrackableView=train.TrackableView",
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
    "python.framework.graph_io": "write_graph=io.write_graph",
    "python.framework.graph_util": """
        graph_defs_equal=@private_parts.*
        extract_sub_graph=compat.v1.graph_util.extract_sub_graph
        graph_defs_equal=@private_parts.*
        must_run_on_cpu=compat.v1.graph_util.must_run_on_cpu
        remove_training_nodes=compat.v1.graph_util.remove_training_nodes
        tensor_shape_from_node_def_name=compat.v1.graph_util.tensor_shape_from_node_def_name
        """,
    "python.framework.graph_util_impl": "",
    "python.framework.importer": "import_graph_def=graph_util.import_graph_def",
    "python.framework.stack": "default_session=@private_parts.*",
    "python.framework.versions": """
        __git_version__=version.GIT_VERSION __version__=version.VERSION
        COMPILER_VERSION=version.COMPILER_VERSION GIT_VERSION=version.GIT_VERSION
        VERSION=version.VERSION
        """,
    "python.lib.io.file_io": """
        FileIO=@private_files.* atomic_write_string_to_file=@private_files.*
        copy=io.gfile.copy copy_v2=io.gfile.copy create_dir=@private_files.*
        create_dir_v2=io.gfile.mkdir delete_file=io.gfile.remove
        delete_file_v2=io.gfile.remove delete_recursively=io.gfile.rmtree
        delete_recursively_v2=io.gfile.rmtree file_crc32=@private_files.*
        file_exists=io.gfile.exists file_exists_v2=io.gfile.exists
        filecmp=@private_files.* get_matching_files=io.gfile.glob
        get_matching_files_v2=io.gfile.glob
        get_registered_schemes=io.gfile.get_registered_schemes
        has_atomic_move=@private_files.* is_directory=io.gfile.isdir
        is_directory_v2=io.gfile.isdir join=io.gfile.join
        list_directory=io.gfile.listdir list_directory_v2=io.gfile.listdir
        read_file_to_string=@private_files.* recursive_create_dir=io.gfile.makedirs
        recursive_create_dir_v2=io.gfile.makedirs rename=io.gfile.rename
        rename_v2=io.gfile.rename stat=io.gfile.stat stat_v2=io.gfile.stat
        walk=compat.v1.gfile.Walk walk_v2=io.gfile.walk
        write_string_to_file=@private_files.*
        """,
    "python.module.module": "Module _is_variable=@private_parts.is_variable",
    "python.ops.array_ops_stack": """
        stack unstack
        """,
    "python.ops.cond": "cond=compat.v1.cond",
    "python.ops.control_flow_ops": """
        group no_op tuple=compat.v1.tuple
        """,
    "python.ops.control_flow_switch_case": "switch_case",
    "python.ops.control_flow_v2_toggles": """
        enable_control_flow_v2=compat.v1.enable_control_flow_v2
        """,
    "python.ops.custom_gradient": "custom_gradient",
    "python.ops.data_flow_ops": "FIFOQueue=compat.v1.FIFOQueue",
    "python.ops.gen_resource_variable_ops": "",
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
        HashTable=lookup.StaticHashTable
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
    "python.ops.ragged.ragged_factory_ops": "constant=ragged.constant",
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
    "python.platform.gfile": """
        Copy=compat.v1.gfile.Copy DeleteRecursively=compat.v1.gfile.DeleteRecursively
        Exists=compat.v1.gfile.Exists FastGFile=compat.v1.gfile.FastGFile
        GFile=compat.v1.gfile.GFile Glob=compat.v1.gfile.Glob
        IsDirectory=compat.v1.gfile.IsDirectory
        ListDirectory=compat.v1.gfile.ListDirectory MakeDirs=compat.v1.gfile.MakeDirs
        MkDir=compat.v1.gfile.MkDir Open=compat.v1.gfile.Open
        Remove=compat.v1.gfile.Remove Rename=compat.v1.gfile.Rename
        Stat=compat.v1.gfile.Stat Walk=compat.v1.gfile.Walk
        """,
    "python.platform.test": """
        TestCase=test.TestCase get_temp_dir=@private_tests.*
        gpu_device_name=test.gpu_device_name is_gpu_available=test.is_gpu_available
        main=test.main mock=@private_tests.* test_src_dir_path=@private_tests.*
        """,
    "python.platform.tf_logging": """
        debug=compat.v1.logging.debug error=compat.v1.logging.error
        info=compat.v1.logging.info log=compat.v1.logging.log
        warn=compat.v1.logging.warn warning=compat.v1.logging.warning
        """,
    "python.saved_model.builder_impl": """
        SavedModelBuilder=compat.v1.saved_model.Builder
        """,
    "python.saved_model.constants": """
        SAVED_MODEL_FILENAME_PB=saved_model.SAVED_MODEL_FILENAME_PB
        SAVED_MODEL_FILENAME_PBTXT=saved_model.SAVED_MODEL_FILENAME_PBTXT
        VARIABLES_DIRECTORY=saved_model.VARIABLES_DIRECTORY
        VARIABLES_FILENAME=saved_model.VARIABLES_FILENAME
        ASSETS_DIRECTORY=saved_model.ASSETS_DIRECTORY
        """,
    "python.saved_model.load": "load=saved_model.load",
    "python.saved_model.load_options": "LoadOptions=saved_model.LoadOptions",
    "python.saved_model.loader": """
        load=compat.v1.saved_model.load
        maybe_saved_model_directory=compat.v1.saved_model.maybe_saved_model_directory
        """,
    "python.saved_model.loader_impl": """
        contains_saved_model=saved_model.contains_saved_model
        parse_saved_model=@private_checkpoints.*
        """,
    "python.saved_model.registration": "",
    "python.saved_model.save": "save=saved_model.save",
    "python.saved_model.save_options": """
        SaveOptions=saved_model.SaveOptions
        VariablePolicy=saved_model.experimental.VariablePolicy
        """,
    "python.saved_model.signature_constants": """
        DEFAULT_SERVING_SIGNATURE_DEF_KEY=saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        """,
    "python.saved_model.signature_def_utils": """
        build_signature_def=compat.v1.saved_model.build_signature_def
        """,
    "python.saved_model.simple_save": """
        simple_save=compat.v1.saved_model.simple_save
        """,
    "python.saved_model.tag_constants": """
        GPU=saved_model.GPU SERVING=saved_model.SERVING TRAINING=saved_model.TRAINING
        """,
    "python.saved_model.utils_impl": """
        build_tensor_info=compat.v1.saved_model.build_tensor_info
        """,
    "python.summary.summary": "scalar=compat.v1.summary.scalar",
    "python.tf2": "enabled=@tensorflow_private._true",
    "python.trackable.asset": "Asset=saved_model.Asset",
    "python.trackable.python_state": "PythonState=train.experimental.PythonState",
    "python.trackable.resource": """
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
    "python.training.saving.saveable_object": """
        SaveSpec=@private_checkpoints.* SaveableObject=@private_checkpoints.*
        """,
}
