"""What functions of the extension and of Python give, for tools/stubs: see
stub_types. Those of which nothing is said give anything.

By the names that they have where they are defined; in the words of
_graphkiln.pyi, as all tables.
"""

_BY_RESULT: dict[str, str] = {
    "None": """
        Assert assert_proper_iterable assert_equal_graph_def debug error fatal
        info log warning set_verbosity set_strict set_element_type
        set_loop_options trace
        enable_op_determinism enable_tensor_float_32_execution
        set_device_policy set_memory_growth set_synchronous_execution
        set_visible_devices set_experimental_options set_jit
        set_logical_device_configuration set_soft_device_placement
        set_inter_op_parallelism_threads set_intra_op_parallelism_threads
        disable_check_numerics enable_check_numerics
        disable_traceback_filtering enable_traceback_filtering
        set_log_device_placement unregister_dispatch_for nest_assert_same
        set_seed set_global_generator no_gradient
        register_type_spec_from_value_converter
        """,
    "bool": """
        functions_run_eagerly get_memory_growth get_synchronous_execution
        tensor_float_32_execution_enabled get_soft_device_placement
        get_log_device_placement is_numeric_tensor
        is_traceback_filtering_enabled inside_function is_symbolic_tensor
        nest_is_nested
        """,
    "int": """
        get_inter_op_parallelism_threads get_intra_op_parallelism_threads
        get_verbosity
        """,
    "str": "get_include get_lib write_graph to_code get_device_policy",
    "list[str]": "get_compile_flags get_link_flags",
    "dict[str, Any]": """
        get_build_info get_experimental_options get_device_details as_dict
        """,
    "list[Any]": """
        list_logical_devices list_physical_devices get_visible_devices
        nest_flatten gradients hessians
        """,
    "Tensor": """
        broadcast_dynamic_shape data_cardinality data_to_variant placeholder
        create_rng_state format_values sparse_to_dense
        from_dlpack
        """,
    "TensorShape": "broadcast_static_shape",
    "Callable[..., Any]": "to_graph dispatch_for_api",
    "SparseTensor": "sparse_from_dense sparse_reorder",
    "Generator": "get_global_generator",
    "Graph": "get_default_graph",
    "Dataset[Any]": """
        data_Counter data_from_variant data_choose_from_datasets
        data_sample_from_datasets data_csv_dataset data_load
        data_make_csv_dataset files_dataset
        """,
    "Callable[[Dataset[Any]], Dataset[Any]]": """
        data_assert_cardinality data_bucket_by_sequence_length
        data_copy_to_device data_dense_to_ragged_batch
        data_dense_to_sparse_batch data_enumerate_dataset
        data_group_by_reducer data_group_by_window data_ignore_errors
        data_map_and_batch data_parallel_interleave data_prefetch_to_device
        data_rejection_resample data_scan data_take_while data_unbatch
        data_unique
        """,
}

RESULTS = {
    name: result for result, names in _BY_RESULT.items() for name in names.split()
}
