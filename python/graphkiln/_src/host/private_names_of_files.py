"""The same as tensorflow_private_names, of modules of files, messages and training."""

NAMES_OF_FILES = {
    "core.util.event_pb2": "Event=compat.v1.Event",
    "python.framework.convert_to_constants": """
        convert_variables_to_constants_from_session_graph=@private_graphs.*
        """
    """
        convert_variables_to_constants_v2=graph_util.convert_variables_to_constants_v2
        convert_variables_to_constants_v2_as_graph=\
@tensorflow_private._convert_variables_to_constants_v2_as_graph
        """,
    "python.lib.io.tf_record": """
        TFRecordCompressionType=compat.v1.io.TFRecordCompressionType
        TFRecordOptions=io.TFRecordOptions TFRecordWriter=io.TFRecordWriter
        """
    "tf_record_iterator=compat.v1.io.tf_record_iterator",
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
        EVAL=@private_checkpoints.*
        """
    """
        GPU=saved_model.GPU SERVING=saved_model.SERVING TRAINING=saved_model.TRAINING
        """,
    "python.saved_model.utils_impl": """
        build_tensor_info=compat.v1.saved_model.build_tensor_info
        """,
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
        _SAVER_LABEL=@private_checkpoints.*
        """
    """
        BaseSaverBuilder=@private_checkpoints.*
        Saver=compat.v1.train.Saver export_meta_graph=compat.v1.train.export_meta_graph
        import_meta_graph=compat.v1.train.import_meta_graph
        """,
    "python.training.warm_starting_util": """
        VocabInfo=compat.v1.train.VocabInfo
        _get_var_info=@private_warm_start.*
        _warm_start_var_with_vocab=@private_warm_start.*
        """
    "warm_start=compat.v1.train.warm_start",
    "python.training.saving.saveable_object": """
        SaveSpec=@private_checkpoints.* SaveableObject=@private_checkpoints.*
        """,
    "python.framework.meta_graph": """
        add_collection_def=@private_graphs.*
        copy_scoped_meta_graph=@private_graphs.*
        create_meta_graph_def=@private_graphs.*
        export_scoped_meta_graph=@private_graphs.*
        import_scoped_meta_graph=@private_graphs.*
        import_scoped_meta_graph_with_return_elements=@private_graphs.*
        read_meta_graph_file=@private_graphs.*
        stripped_op_list_for_graph=@private_graphs.*
        """,
    "python.training.monitored_session": """
        MonitoredSession=compat.v1.train.MonitoredSession
        """,
    "python.checkpoint.saveable_compat": """
        force_checkpoint_conversion=@private_checkpoints.*
        force_checkpoint_conversion_enabled=@private_checkpoints.*
        """,
}
