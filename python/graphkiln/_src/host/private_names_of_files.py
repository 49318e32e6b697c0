"""The same as tensorflow_private_names, of modules of files, messages and training."""

NAMES_OF_FILES = {
    "core.config.flags": "config=@private_flags.config",
    "core.framework.function_pb2": """
        FunctionDef=@private_messages.* FunctionDefLibrary=@private_messages.*
        """,
    "core.framework.op_def_pb2": "OpDef=@private_messages.*",
    "core.framework.summary_pb2": "HistogramProto=compat.v1.HistogramProto",
    "core.framework.types_pb2": """
        DT_BFLOAT16=@private_messages.* DT_BOOL=@private_messages.*
        DT_COMPLEX128=@private_messages.* DT_COMPLEX64=@private_messages.*
        DT_DOUBLE=@private_messages.* DT_FLOAT=@private_messages.*
        DT_HALF=@private_messages.* DT_INT16=@private_messages.*
        DT_INT32=@private_messages.* DT_INT64=@private_messages.*
        DT_INT8=@private_messages.* DT_INVALID=@private_messages.*
        DT_QINT32=@private_messages.* DT_QINT8=@private_messages.*
        DT_QUINT8=@private_messages.* DT_RESOURCE=@private_messages.*
        DT_STRING=@private_messages.* DT_UINT16=@private_messages.*
        DT_UINT32=@private_messages.* DT_UINT64=@private_messages.*
        DT_UINT8=@private_messages.* DT_VARIANT=@private_messages.*
        """,
    "core.framework.variable_pb2": "VariableDef=@private_messages.*",
    "core.protobuf.config_pb2": """
        CallableOptions=@private_messages.* TensorConnection=@private_messages.*
        """,
    "core.protobuf.meta_graph_pb2": """
        AssetFileDef=@private_messages.* CollectionDef=@private_messages.* SignatureDef=@private_messages.*
        """,
    "core.protobuf.queue_runner_pb2": "QueueRunnerDef=@private_messages.*",
    "core.protobuf.rewriter_config_pb2": "RewriterConfig=@private_messages.*",
    "core.protobuf.saved_model_pb2": "SavedModel=@private_messages.*",
    "python.checkpoint.checkpoint": """
        add_variable=@private_checkpoints.* gather_initializers=@private_checkpoints.*
        list_objects=@private_checkpoints.* object_metadata=@private_checkpoints.*
        """,
    "python.checkpoint.checkpoint_management": """
        meta_graph_filename=@private_checkpoints.*
        update_checkpoint_state_internal=@private_checkpoints.*
        """,
    "python.checkpoint.saveable_compat": """
        force_checkpoint_conversion=@private_checkpoints.*
        force_checkpoint_conversion_enabled=@private_checkpoints.*
        """,
    "python.framework.convert_to_constants": """
        convert_variables_to_constants_from_session_graph=@private_graphs.*
        convert_variables_to_constants_v2=graph_util.convert_variables_to_constants_v2
        convert_variables_to_constants_v2_as_graph=\
@tensorflow_private._convert_variables_to_constants_v2_as_graph
        """,
    "python.framework.graph_util": """
        graph_defs_equal=@private_parts.*
        must_run_on_cpu=compat.v1.graph_util.must_run_on_cpu
        """,
    "python.framework.meta_graph": """
        add_collection_def=@private_graphs.* copy_scoped_meta_graph=@private_graphs.*
        create_meta_graph_def=@private_graphs.*
        export_scoped_meta_graph=@private_graphs.*
        import_scoped_meta_graph=@private_graphs.*
        import_scoped_meta_graph_with_return_elements=@private_graphs.*
        read_meta_graph_file=@private_graphs.*
        stripped_op_list_for_graph=@private_graphs.*
        """,
    "python.lib.io.file_io": """
        FileIO=@private_files.* atomic_write_string_to_file=@private_files.*
        copy=io.gfile.copy create_dir=@private_files.* delete_file=io.gfile.remove
        delete_recursively=io.gfile.rmtree file_crc32=@private_files.*
        file_exists=io.gfile.exists filecmp=@private_files.*
        get_matching_files=io.gfile.glob has_atomic_move=@private_files.*
        is_directory=io.gfile.isdir list_directory=io.gfile.listdir
        read_file_to_string=@private_files.* recursive_create_dir=io.gfile.makedirs
        rename=io.gfile.rename stat=io.gfile.stat write_string_to_file=@private_files.*
        """,
    "python.platform.gfile": """
        Copy=compat.v1.gfile.Copy GFile=compat.v1.gfile.GFile Open=compat.v1.gfile.Open
        Rename=compat.v1.gfile.Rename
        """,
    "python.platform.test": """
        mock=@private_tests.*
        test_src_dir_path=@private_tests.*
        """,
    "python.saved_model.builder": """
        _SavedModelBuilder=@saved_model.session_builder.SavedModelBuilder
        """,
    "python.saved_model.builder_impl": """
        _SavedModelBuilder=@saved_model.session_builder.SavedModelBuilder
        copy_assets_to_destination_dir=@saved_model.session_assets.copy_assets
        get_asset_filename_to_add=@saved_model.session_assets.name_of_file
        """,
    "python.saved_model.constants": """
        INIT_OP_SIGNATURE_KEY=@saved_model.constants.*
        TRAIN_OP_KEY=@saved_model.constants.*
        TRAIN_OP_SIGNATURE_KEY=@saved_model.constants.*
        """,
    "python.saved_model.loader": """
        get_asset_tensors=@saved_model.session_assets.*
        get_init_op=@saved_model.session_loader.*
        get_train_op=@saved_model.session_loader.*
        maybe_saved_model_directory=compat.v1.saved_model.maybe_saved_model_directory
        """,
    "python.saved_model.loader_impl": """
        SavedModelLoader=@saved_model.session_loader.*
        get_asset_tensors=@saved_model.session_assets.*
        get_init_op=@saved_model.session_loader.*
        get_train_op=@saved_model.session_loader.*
        """,
    "python.saved_model.registration": "",
    "python.saved_model.save": "save_and_return_nodes=@private_saved_models.*",
    "python.saved_model.tag_constants": "EVAL=@private_checkpoints.*",
    "python.trackable.base": """
        NoDependency=@checkpoint.tracked_containers.*
        TrackableReference=@checkpoint.trackable.*
        VARIABLE_VALUE_KEY=@checkpoint.trackable.*
        """,
    "python.trackable.data_structures": """
        List=@checkpoint.tracked_containers.* ListWrapper=@checkpoint.data_structures.*
        Mapping=@checkpoint.tracked_containers.*
        NoDependency=@checkpoint.tracked_containers.*
        TrackableDataStructure=@checkpoint.tracked_containers.*
        _DictWrapper=@checkpoint.data_structures.*
        _TupleWrapper=@checkpoint.data_structures.*
        sticky_attribute_assignment=@checkpoint.tracked_containers.*
        wrap_or_unwrap=@checkpoint.tracked_containers.*
        """,
    "python.training.saving.saveable_object": """
        SaveSpec=@private_checkpoints.* SaveableObject=@private_checkpoints.*
        """,
}
