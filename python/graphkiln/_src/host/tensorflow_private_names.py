"""Private modules of TensorFlow that packages import although they should not, with
what they take from there that is not public elsewhere (tensorflow_homes.txt)."""

from graphkiln._src.host.private_names_of_files import NAMES_OF_FILES
from graphkiln._src.host.private_names_of_layers import NAMES_OF_LAYERS
from graphkiln._src.host.private_names_of_ops import NAMES_OF_OPS

# By module below "tensorflow.", names in it: each the last part of a public name,
# or "name=public"; "name=@module.own" is of a module beside this one, and
# "name=@folder.module.own" of one in a folder beside this one's. "*" is the same name.
NAMES = {
    **NAMES_OF_FILES,
    **NAMES_OF_LAYERS,
    **NAMES_OF_OPS,
    "compiler.tf2xla.python.xla": """
        call_module=@jax_functions.* call_module_disable_check_platform=@jax_functions.*
        call_module_maximum_supported_version=@jax_functions.*
        dynamic_update_slice=@private_parts.*
        """,
    "compiler.xla.xla_data_pb2": "OpSharding=@jax_functions.*",
    "python.autograph.converters.break_statements": "",
    "python.autograph.converters.continue_statements": "",
    "python.autograph.converters.return_statements": "",
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
    "python.client.device_lib": """
        list_local_devices=@tensorflow_private._list_local_devices
        """,
    "python.client.timeline": "Timeline=@private_parts.Absent",
    "python.compiler.xla.experimental.xla_sharding": """
        Sharding=@jax_functions.* replicate=@jax_functions.* tile=@jax_functions.*
        """,
    "python.data.experimental.ops.distribute": "compute_batch_size=@private_parts.*",
    "python.data.ops.dataset_ops": """
        DatasetSource=@private_datasets.* UnaryDataset=@private_datasets.*
        UnaryUnchangedStructureDataset=@private_datasets.*
        _VariantDataset=@private_datasets.variant_dataset
        make_initializable_iterator=compat.v1.data.make_initializable_iterator
        """,
    "python.data.ops.from_generator_op": "_GeneratorDataset=@private_parts.Absent",
    "python.data.ops.from_sparse_tensor_slices_op": """
        _SparseTensorSliceDataset=@private_parts.Absent
        """,
    "python.data.ops.from_tensor_slices_op": """
        _TensorSliceDataset=@private_parts.Absent
        """,
    "python.data.ops.from_tensors_op": "_TensorDataset=@private_parts.Absent",
    "python.data.ops.iterator_ops": """
        Iterator=compat.v1.data.Iterator OwnedIterator=data.Iterator
        _IteratorSaveable=@version_one.iterators.IteratorSaveable
        """,
    "python.data.ops.range_op": "_RangeDataset=@private_parts.Absent",
    "python.data.ops.test_mode": "toggle_test_mode=@private_datasets.*",
    "python.data.util.nest": """
        assert_same_structure=@private_datasets.*
        assert_shallow_structure=@private_datasets.* flatten=@private_datasets.*
        flatten_up_to=@private_datasets.* is_nested=@private_datasets.*
        map_structure=@private_datasets.* map_structure_up_to=@private_datasets.*
        pack_sequence_as=@private_datasets.*
        """,
    "python.data.util.structure": """
        NoneTensorSpec are_compatible=@private_datasets.*
        convert_legacy_structure=@private_datasets.*
        get_flat_tensor_shapes=@private_datasets.*
        get_flat_tensor_specs=@private_datasets.*
        get_flat_tensor_types=@private_datasets.*
        type_spec_from_value=@private_datasets.*
        """,
    "python.distribute.distribute_utils": "cache_variable_reads=@private_keras.*",
    "python.distribute.input_lib": "DistributedDataset=distribute.DistributedDataset",
    "python.distribute.input_ops": "auto_shard_dataset=@private_keras.*",
    "python.eager.backprop": """
        gradients_function=@private_backprop.* implicit_grad=@private_backprop.*
        implicit_val_and_grad=@private_backprop.* make_vjp=@private_backprop.*
        val_and_grad_function=@private_backprop.*
        """,
    "python.eager.cancellation": "CancellationManager=@private_parts.*",
    "python.eager.context": """
        _EagerDeviceContext=device _reset_context=@tensorflow_private._nothing
        async_wait=@tensorflow_private._nothing context=@tensorflow_private._context
        device=device
        eager_mode=@both_modes.* get_config=@internal.contexts.*
        get_device_name=@internal.contexts.* graph_mode=@both_modes.*
        in_eager_mode=executing_eagerly is_tfrt_enabled=__internal__.is_tfrt_enabled
        """,
    "python.eager.def_function": "Function=@private_parts.Function",
    "python.eager.lift_to_graph": "UnliftableError=@private_parts.*",
    "python.eager.record": """
        should_record_backprop=@tensorflow_private._should_record_backprop
        """,
    "python.eager.tape": "",
    "python.eager.wrap_function": "function_from_graph_def=@private_graphs.*",
    "python.eager.test": """
        get_temp_dir=compat.v1.test.get_temp_dir main=test.main mock=@private_tests.*
        test_src_dir_path=@private_tests.*
        """,
    "python.feature_column.feature_column_lib": "",
    "python.framework.combinations": """
        EagerGraphCombination=@internal.combinations.*
        NamedObject=@internal.combinations.*
        TFVersionCombination=@internal.combinations.* combine=@internal.combinations.*
        generate=@internal.combinations.* times=@internal.combinations.*
        """,
    "python.framework.composite_tensor": """
        convert_variables_to_tensors=@private_parts.*
        replace_composites_with_components=@private_parts.*
        """,
    "python.framework.config": """
        disable_op_determinism=@private_parts.*
        is_op_determinism_enabled=@private_parts.*
        """,
    "python.framework.dtypes": """
        bfloat16 bool complex128 complex64 float16 float32 float64 int16 int32 int64
        int8 qint16 qint32 qint8 quint16 quint8 resource string uint16 uint32 uint64
        uint8 variant
        """,
    "python.framework.function": "Defun=@private_graphs.*",
    "python.framework.importer": "import_graph_def=graph_util.import_graph_def",
    "python.framework.ops": """
        IndexedSlices SymbolicTensor=@tensorflow_private.SymbolicTensor Tensor
        add_exit_callback_to_default_func_graph=@private_graphs.*
        colocate_with=compat.v1.colocate_with
        convert_to_tensor convert_to_tensor_or_composite=@internal.functions.*
        convert_to_tensor_v2_with_dispatch=convert_to_tensor
        executing_eagerly_outside_functions=\
@tensorflow_private._executing_eagerly_outside_functions
        name_scope=@private_parts.* register_tensor_conversion_function
        uid=@private_parts.*
        """,
    "python.framework.sparse_tensor": "is_sparse=@private_parts.*",
    "python.framework.stack": "default_session=@private_parts.*",
    "python.framework.tensor_spec": "DenseSpec=@private_parts.*",
    "python.framework.tensor_util": """
        constant_value_as_shape=@private_parts.* make_ndarray
        try_evaluate_constant=@private_parts.*
        """,
    "python.framework.test_combinations": """
        NamedObject=@internal.combinations.* OptionalParameter=@internal.combinations.*
        ParameterModifier=@internal.combinations.*
        TestCombination=@internal.combinations.* combine=@internal.combinations.*
        generate=@internal.combinations.* times=@internal.combinations.*
        """,
    "python.framework.test_util": """
        GpuSupportsHalfMatMulAndConv=@private_test_util.*
        IsBuiltWithROCm=@private_test_util.* IsGoogleCudaEnabled=@private_test_util.*
        IsMklEnabled=@private_test_util.* NCHWToNHWC=@private_test_util.*
        NHWCToNCHW=@private_test_util.* assert_meta_graph_protos_equal=@private_tests.*
        assert_no_garbage_created=@private_test_util.*
        assert_no_new_pyobjects_executing_eagerly=@both_modes.*
        deprecated_graph_mode_only=@both_modes.* deterministic_ops=@private_test_util.*
        device=@private_test_util.* disable_cudnn_autotune=@private_test_util.*
        disable_mlir_bridge=@private_test_util.* disable_tfrt=@both_modes.*
        disable_xla=@both_modes.* disable_xla_with_reason=@private_test_util.*
        enable_control_flow_v2=@private_test_util.*
        enable_eager_op_as_function=@private_test_util.*
        enable_nested_function_shape_inference=@private_test_util.*
        enable_output_all_intermediates=@private_test_util.*
        force_cpu=@private_test_util.* force_gpu=@private_test_util.*
        get_node_def_from_graph=@private_tests.* gpu_device_name=@private_test_util.*
        is_xla_enabled=@private_test_util.* matmul_without_tf32=@private_test_util.*
        AbstractGradientTape=@private_test_util.*
        also_run_as_tf_function=@private_test_util.*
        assert_no_new_tensors=@private_test_util.*
        assert_ops_in_graph=@private_test_util.* disable_asan=@private_test_util.*
        disable_msan=@private_test_util.* disable_tsan=@private_test_util.*
        disable_ubsan=@private_test_util.* for_all_test_methods=@private_test_util.*
        is_asan_enabled=@private_test_util.* is_msan_enabled=@private_test_util.*
        is_tsan_enabled=@private_test_util.* is_ubsan_enabled=@private_test_util.*
        run_functions_eagerly=@private_test_util.* skip_if=@private_test_util.*
        skip_if_error=@private_test_util.*
        pick_unused_port=@private_test_util.*
        run_all_in_graph_and_eager_modes=@both_modes.*
        run_all_without_tensor_float_32=@private_test_util.*
        run_deprecated_v1=@both_modes.deprecated_graph_mode_only
        run_gpu_only=@both_modes.* run_in_async_and_sync_mode=@private_test_util.*
        run_in_graph_and_eager_modes=@both_modes.* run_v1_only=@both_modes.*
        run_v2_only=@both_modes.* run_without_tensor_float_32=@private_test_util.*
        set_producer_version=@private_test_util.* use_gpu=@both_modes.*
        with_control_flow_v2=@private_test_util.*
        xla_allow_fallback=@private_test_util.*
        """,
    "python.framework.type_spec": """
        BatchableTypeSpec=@private_parts.*
        register_type_spec_from_value_converter=\
__internal__.register_type_spec_from_value_converter
        """,
    "python.framework.type_spec_registry": """
        _NAME_TO_TYPE_SPEC=@private_parts.NAME_TO_TYPE_SPEC
        _TYPE_SPEC_TO_NAME=@private_parts.TYPE_SPEC_TO_NAME
        get_name=@private_parts.get_type_spec_name
        lookup=@private_parts.lookup_type_spec
        register=@private_parts.register_type_spec
        """,
    "python.framework.versions": """
        __git_version__=version.GIT_VERSION __version__=version.VERSION
        """,
    "python.module.module": "_is_variable=@private_parts.is_variable",
    "python.ops.array_ops": """
        constant prevent_gradient=@private_parts.*
        """,
    "python.ops.cond_v2": "cond_v2=cond",
    "python.ops.control_flow_case": "_case_helper=@private_parts.case_by",
    "python.ops.control_flow_ops": """
        get_enclosing_xla_context=@internal.contexts.*
        with_dependencies=@private_numbers.*
        """,
    "python.ops.control_flow_util": """
        GraphOrParentsInXlaContext=@private_parts.in_xla_context
        """,
    "python.ops.data_flow_ops": "FIFOQueue=compat.v1.FIFOQueue",
    "python.ops.linalg.linear_operator": "make_composite_tensor=@private_parts.*",
    "python.ops.linalg.linear_operator_addition": "add_operators=@private_parts.*",
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": """
        csr_sparse_matrix_to_sparse_tensor=@private_parts.*
        sparse_matrix_sparse_mat_mul=@private_parts.*
        sparse_tensor_to_csr_sparse_matrix=@private_parts.*
        """,
    "python.ops.lookup_ops": """
        HashTable=compat.v1.lookup.StaticHashTable LookupInterface=@lookup.tables.*
        TextFileIdTableInitializer=@private_warm_start.*
        TextFileStringTableInitializer=@private_warm_start.*
        """,
    "python.ops.parallel_for.control_flow_ops": """
        for_loop=@private_parts.* pfor=@private_parts.vectorized_loop
        """,
    "python.ops.random_ops": "parameterized_truncated_normal=@private_parts.*",
    "python.ops.ref_variable": "RefVariable=compat.v1.Variable",
    "python.ops.resource_variable_ops": """
        BaseResourceVariable=@tensorflow_private.ResourceVariable
        ResourceVariable=@tensorflow_private.ResourceVariable
        UninitializedVariable=@private_checkpoints.* VariableSpec=@private_parts.*
        """,
    "python.ops.template": """
        EagerTemplate=@version_one.templates.* Template=@version_one.templates.*
        make_template_internal=@version_one.templates.*
        """,
    "python.ops.variables": """
        _all_saveable_objects=@checkpoint.saved_variables.all_saved
        BaseVariable=@tensorflow_private.BaseVariable
        PartitionedVariable=@version_one.partitioned_variables.* VariableAggregation
        """,
    "python.ops.while_v2": "while_loop",
    "python.pywrap_tfe": """
        TF_ListPluggablePhysicalDevices=@private_keras.list_pluggable_devices
        """,
    "python.saved_model.model_utils.mode_keys": """
        EstimatorModeKeys=@private_keras.* KerasModeKeys=@private_keras.*
        """,
    "python.trackable.resource": "RestoredResource=@saved_model.resources.*",
    "python.training.checkpoint_management": """
        CheckpointManager=train.CheckpointManager
        checkpoint_exists=compat.v1.train.checkpoint_exists
        generate_checkpoint_state_proto=compat.v1.train.generate_checkpoint_state_proto
        get_checkpoint_mtimes=compat.v1.train.get_checkpoint_mtimes
        get_checkpoint_state=train.get_checkpoint_state
        latest_checkpoint=train.latest_checkpoint
        remove_checkpoint=compat.v1.train.remove_checkpoint
        update_checkpoint_state=compat.v1.train.update_checkpoint_state
        """,
    "python.training.checkpoint_state_pb2": "CheckpointState=@private_messages.*",
    "python.training.evaluation": """
        _StopAfterNEvalsHook=@private_evaluation.StopAfterNEvalsHook
        _evaluate_once=@private_evaluation.evaluate_once
        _get_or_create_eval_step=@private_evaluation.get_or_create_eval_step
        """,
    "python.training.sync_replicas_optimizer": """
        SyncReplicasOptimizer=@private_parts.Absent
        """,
    "python.training.saver": """
        latest_checkpoint=train.latest_checkpoint
        BaseSaverBuilder=@private_checkpoints.* _SAVER_LABEL=@private_checkpoints.*
        """,
    "python.training.warm_starting_util": """
        _get_var_info=@private_warm_start.*
        _warm_start_var_with_vocab=@private_warm_start.*
        """,
    "python.util.compat": "collections_abc=@private_parts.*",
    "python.util.all_util": """
        make_all=@tensorflow_private._make_all
        remove_undocumented=@tensorflow_private._remove_undocumented
        """,
    "python.util.deprecation": """
        deprecated=@deprecation.* deprecated_alias=@deprecation.*
        deprecated_arg_values=@deprecation.* deprecated_args=@deprecation.*
        deprecated_argument_lookup=@deprecation.* deprecated_endpoints=@deprecation.*
        silence=@deprecation.*
        """,
    "python.util.dispatch": """
        GlobalOpDispatcher=@internal.dispatch.* OpDispatcher=@internal.dispatch.*
        add_dispatch_support=@internal.dispatch.*
        dispatch_for_types=@internal.dispatch.*
        """,
    "python.util.nest": """
        _is_namedtuple=@nest_paths.is_namedtuple
        _sequence_like=@nest_paths.sequence_like
        _yield_sorted_items=@nest_paths.yield_sorted_items
        _yield_value=@nest_paths.yield_value assert_shallow_structure=@nest_paths.*
        flatten_dict_items=@private_parts.* flatten_up_to=@nest_paths.*
        flatten_with_joined_string_paths=@nest_paths.*
        flatten_with_tuple_paths=@nest_paths.*
        flatten_with_tuple_paths_up_to=@nest_paths.*
        get_traverse_shallow_structure=@nest_paths.* is_attrs=@nest_paths.*
        is_mapping=@nest_paths.* is_namedtuple=@nest_paths.*
        is_nested_or_composite=@nest_paths.* is_sequence=nest.is_nested
        map_structure_up_to=@nest_paths.* map_structure_with_paths=@nest_paths.*
        map_structure_with_tuple_paths=@nest_paths.*
        map_structure_with_tuple_paths_up_to=@nest_paths.* sequence_like=@nest_paths.*
        yield_flat_paths=@nest_paths.*
        """,
    "python.util.object_identity": """
        ObjectIdentityDictionary=@object_identity.*
        ObjectIdentitySet=@object_identity.*
        ObjectIdentityWeakKeyDictionary=@object_identity.*
        ObjectIdentityWeakSet=@object_identity.* Reference=@object_identity.*
        """,
    "python.saved_model.nested_structure_coder": """
        decode_proto=__internal__.saved_model.decode_proto
        encode_structure=__internal__.saved_model.encode_structure
        """,
    "python.util.serialization": "get_json_type=@private_parts.*",
    "python.util.tf_contextlib": "contextmanager=@private_parts.contextmanager",
    "python.util.tf_decorator": """
        TFDecorator=@internal.decorator.* make_decorator=@internal.decorator.*
        rewrap=@internal.decorator.* unwrap=@internal.decorator.*
        """,
    "python.util.tf_export": """
        api_export=@private_exports.* get_canonical_name=@private_exports.*
        get_canonical_name_for_symbol=@private_exports.*
        get_symbol_from_name=@private_exports.* keras_export=@private_exports.*
        tf_export=@private_exports.*
        """,
    "python.util.tf_inspect": """
        ArgSpec=@private_inspect.* FullArgSpec=@private_inspect.*
        Parameter=@private_parts.* Signature=@private_inspect.*
        _inspect=@private_parts.inspect currentframe=@private_parts.*
        getargspec=@private_inspect.* getsourcefile=@private_inspect.*
        getsourcelines=@private_inspect.*
        getcallargs=@private_parts.* getdoc=@private_parts.* getfile=@private_parts.*
        getfullargspec=@private_inspect.* getmembers=@private_parts.*
        getmodule=@private_parts.* getmro=@private_parts.* getsource=@private_parts.*
        isbuiltin=@private_parts.* isclass=@private_parts.* isfunction=@private_parts.*
        isgenerator=@private_parts.* ismethod=@private_parts.* ismodule=@private_parts.*
        isroutine=@private_parts.* signature=@private_parts.* stack=@private_parts.*
        """,
    "python.util.variable_utils": """
        convert_variables_to_tensors=@private_parts.*
        replace_variables_with_atoms=@private_parts.*
        """,
    "tools.docs.doc_controls": """
        do_not_doc_in_subclasses=@private_exports.*
        do_not_doc_inheritable=@private_exports.*
        do_not_generate_docs=@private_exports.*
        doc_in_current_and_subclasses=@private_exports.* doc_private=@private_exports.*
        for_subclass_implementers=@private_exports.* header=@private_exports.*
        inheritable_header=@private_exports.*
        """,
}
