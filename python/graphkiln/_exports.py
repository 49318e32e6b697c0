"""Which Python module defines which public name.

Each entry maps a module to the public names it supplies, separated by blanks:
"math.reduce_sum" for the attribute `reduce_sum` of the module, or
"math.reduce_sum=reduce_sum_v2" if it is called otherwise there. Ops whose
record gives their public names need no entry.
"""

from graphkiln import _exports_of_internal, _exports_of_version_one

# Namespaces whose names stand in no table.
OTHER_NAMESPACES = ("raw_ops",)

# What the package keras supplies when it is asked for, by which module of ours. No
# list shows these names: to look through a list must not import it.
KERAS = "graphkiln._src.host.keras_modules"
FROM_KERAS = (
    "keras", "losses", "metrics", "optimizers", "compat.v1.keras",
    "compat.v1.layers", "compat.v1.nn.rnn_cell",
)

# Packages of the same kind that have modules of their own, and the modules that
# are public there.
PACKAGES = {
    "": ("autograph", "pytest_plugin", "tensorflow_pickle"),
    "autograph": ("experimental",),
    "data": (),
}

EXPORTS: dict[str, str] = {
    "graphkiln._src.gradients.aggregation_method": "AggregationMethod",
    "graphkiln._src.gradients.unconnected_gradients": "UnconnectedGradients",
    "graphkiln._src.image.resize_method": "image.ResizeMethod",
    "graphkiln._src.function.function": """
        function compat.v1.function compat.v2.function
        """,
    "graphkiln.autograph.api": """
        autograph.to_graph autograph.to_code autograph.trace
        autograph.experimental.do_not_convert autograph.experimental.set_loop_options
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
    "graphkiln.data._csv": """
        data.experimental.CsvDataset compat.v1.data.experimental.CsvDataset
        """,
    "graphkiln.data._experimental": """
        data.experimental.DatasetInitializer data.experimental.RandomDataset
        data.experimental.SHARD_HINT data.experimental.at
        data.experimental.index_table_from_dataset
        data.experimental.make_batched_features_dataset
        compat.v1.data.experimental.make_batched_features_dataset
        data.experimental.pad_to_cardinality data.experimental.parse_example_dataset
        data.experimental.shuffle_and_repeat data.experimental.table_from_dataset
        """,
    "graphkiln.data._files": """
        compat.v1.data.FixedLengthRecordDataset compat.v1.data.TFRecordDataset
        compat.v1.data.TextLineDataset data.TFRecordDataset data.TextLineDataset
        data.FixedLengthRecordDataset data.experimental.SqlDataset
        compat.v1.data.experimental.SqlDataset
        data.experimental.TFRecordWriter compat.v1.io.tf_record_iterator
        compat.v1.python_io.tf_record_iterator compat.v1.io.TFRecordCompressionType
        compat.v1.python_io.TFRecordCompressionType
        """,
    "graphkiln._src.function.wrapped_function": "compat.v1.wrap_function",
    "graphkiln._src.types.extension_type": "experimental.ExtensionType",
    "graphkiln._src.types.batchable_extension_type": """
        experimental.BatchableExtensionType
        """,
    "graphkiln._src.types.flat_values": "sparse.map_values ragged.map_flat_values",
    "graphkiln._src.distribute.values": """
        distribute.DistributedDataset distribute.DistributedIterator
        distribute.InputContext distribute.ReduceOp distribute.RunOptions
        distribute.experimental.ValueContext
        """,
    "graphkiln._src.distribute.contexts": "distribute.ReplicaContext",
    "graphkiln._src.distribute.current": """
        __internal__.distribute.interim.maybe_merge_call
        __internal__.distribute.strategy_supports_no_merge_call
        __internal__.distribute.variable_sync_on_read_context
        distribute.experimental_set_strategy distribute.get_replica_context
        distribute.get_strategy distribute.has_strategy
        distribute.in_cross_replica_context
        """,
    "graphkiln._src.distribute.dtensor": """
        experimental.dtensor.DTensorDataset experimental.dtensor.DVariable
        experimental.dtensor.Layout experimental.dtensor.MATCH experimental.dtensor.Mesh
        experimental.dtensor.UNSHARDED experimental.dtensor.create_distributed_mesh
        experimental.dtensor.create_mesh experimental.dtensor.is_dtensor
        """,
    "graphkiln._src.distribute.strategy": """
        distribute.MirroredStrategy distribute.MultiWorkerMirroredStrategy
        distribute.experimental.MultiWorkerMirroredStrategy
        compat.v1.distribute.experimental.MultiWorkerMirroredStrategy
        distribute.OneDeviceStrategy distribute.Strategy distribute.StrategyExtended
        distribute.TPUStrategy distribute.experimental.TPUStrategy
        """,
    "graphkiln._src.host.logging": """
        get_logger compat.v1.logging.TaskLevelStatusMessage compat.v1.logging.flush
        compat.v1.logging.log_every_n compat.v1.logging.log_first_n
        compat.v1.logging.log_if compat.v1.logging.vlog
        """,
    "graphkiln._src.host.tensorflow_alias": """
        as_tensorflow load_ipython_extension unload_ipython_extension
        """,
    "graphkiln._src.function.callable": "types.experimental.Callable",
    "graphkiln._src.function.polymorphic_function": """
        types.experimental.PolymorphicFunction
        types.experimental.GenericFunction=PolymorphicFunction
        """,
    "graphkiln._src.function.concrete_function": "types.experimental.ConcreteFunction",
    "graphkiln._src.function.atomic_function": "types.experimental.AtomicFunction",
    "graphkiln._src.function.trace_type": "types.experimental.TraceType",
    "graphkiln._src.function.tracing_protocol": """
        types.experimental.SupportsTracingProtocol
        """,
    "graphkiln._src.types.tensor_like": "types.experimental.TensorLike",
    "graphkiln._src.types.distributed": """
        distribute.DistributedValues types.experimental.distributed.Mirrored
        types.experimental.distributed.PerReplica
        """,
    "graphkiln._src.variables.module": "Module",
    "graphkiln._src.files.matched_files": """
        io.match_filenames_once compat.v1.train.match_filenames_once
        """,
    "graphkiln._src.files.version_one": """
        compat.v1.gfile.Copy=copy compat.v1.gfile.DeleteRecursively=delete_recursively
        compat.v1.gfile.Exists=exists compat.v1.gfile.Glob=glob
        compat.v1.gfile.IsDirectory=is_directory
        compat.v1.gfile.ListDirectory=list_directory compat.v1.gfile.MakeDirs=make_dirs
        compat.v1.gfile.MkDir=mk_dir compat.v1.gfile.Remove=remove
        compat.v1.gfile.Rename=rename compat.v1.gfile.Stat=stat
        compat.v1.gfile.Walk=walk
        """,
    "graphkiln._src.training.cluster": "train.ClusterSpec compat.v1.train.ClusterSpec",
    "graphkiln._src.training.coordinator": """
        train.Coordinator compat.v1.train.Coordinator
        """,
    "graphkiln._src.training.optimizer": "compat.v1.train.Optimizer",
    "graphkiln._src.training.plain_optimizers": """
        compat.v1.train.GradientDescentOptimizer compat.v1.train.MomentumOptimizer
        compat.v1.train.ProximalGradientDescentOptimizer
        """,
    "graphkiln._src.training.adaptive_optimizers": """
        compat.v1.train.AdagradOptimizer compat.v1.train.ProximalAdagradOptimizer
        compat.v1.train.AdagradDAOptimizer compat.v1.train.AdadeltaOptimizer
        compat.v1.train.AdamOptimizer compat.v1.train.RMSPropOptimizer
        compat.v1.train.FtrlOptimizer
        """,
    "graphkiln._src.training.global_step": """
        compat.v1.train.assert_global_step compat.v1.train.create_global_step
        compat.v1.train.get_global_step compat.v1.train.get_or_create_global_step
        compat.v1.train.global_step
        """,
    "graphkiln._src.training.moving_averages": """
        train.ExponentialMovingAverage compat.v1.train.ExponentialMovingAverage
        """,
    "graphkiln._src.checkpoint.checkpoint": "train.Checkpoint",
    "graphkiln._src.checkpoint.initial_values": "compat.v1.train.init_from_checkpoint",
    "graphkiln._src.checkpoint.manager": "train.CheckpointManager",
    "graphkiln._src.checkpoint.objects": "train.experimental.PythonState",
    "graphkiln._src.checkpoint.options": "train.CheckpointOptions",
    "graphkiln._src.checkpoint.sharding": """
        train.experimental.MaxShardSizePolicy train.experimental.ShardByTaskPolicy
        train.experimental.ShardableTensor train.experimental.ShardingCallback
        compat.v1.train.experimental.MaxShardSizePolicy
        compat.v1.train.experimental.ShardByTaskPolicy
        compat.v1.train.experimental.ShardableTensor
        compat.v1.train.experimental.ShardingCallback
        """,
    "graphkiln._src.version_one.partitioned_variables": """
        compat.v1.fixed_size_partitioner compat.v1.min_max_variable_partitioner
        compat.v1.variable_axis_size_partitioner
        """,
    "graphkiln._src.checkpoint.reading": """
        train.list_variables train.load_checkpoint train.load_variable
        """,
    "graphkiln._src.checkpoint.old_checkpoints": """
        compat.v1.train.NewCheckpointReader=new_checkpoint_reader
        compat.v1.train.checkpoint_exists
        compat.v1.train.generate_checkpoint_state_proto
        compat.v1.train.get_checkpoint_mtimes compat.v1.train.remove_checkpoint
        """,
    "graphkiln._src.checkpoint.imported_saver": "compat.v1.train.import_meta_graph",
    "graphkiln._src.checkpoint.saver": "compat.v1.train.Saver",
    "graphkiln._src.checkpoint.state_file": """
        train.checkpoints_iterator train.get_checkpoint_state train.latest_checkpoint
        compat.v1.train.update_checkpoint_state
        """,
    "graphkiln._src.checkpoint.views": "train.CheckpointView train.TrackableView",
    "graphkiln._src.checkpoint.warm_start": """
        compat.v1.train.VocabInfo compat.v1.train.warm_start
        """,
    "graphkiln._src.saved_model.constants": """
        saved_model.ASSETS_DIRECTORY saved_model.ASSETS_KEY saved_model.CLASSIFY_INPUTS
        saved_model.CLASSIFY_METHOD_NAME saved_model.CLASSIFY_OUTPUT_CLASSES
        saved_model.CLASSIFY_OUTPUT_SCORES saved_model.DEBUG_DIRECTORY
        saved_model.DEBUG_INFO_FILENAME_PB saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        saved_model.GPU saved_model.PREDICT_INPUTS saved_model.PREDICT_METHOD_NAME
        saved_model.PREDICT_OUTPUTS saved_model.REGRESS_INPUTS
        saved_model.REGRESS_METHOD_NAME saved_model.REGRESS_OUTPUTS
        saved_model.SAVED_MODEL_FILENAME_PB saved_model.SAVED_MODEL_FILENAME_PBTXT
        saved_model.SAVED_MODEL_SCHEMA_VERSION saved_model.SERVING saved_model.TPU
        saved_model.TRAINING saved_model.VARIABLES_DIRECTORY
        saved_model.VARIABLES_FILENAME compat.v1.saved_model.ASSETS_DIRECTORY
        compat.v1.saved_model.ASSETS_KEY compat.v1.saved_model.CLASSIFY_INPUTS
        compat.v1.saved_model.CLASSIFY_METHOD_NAME
        compat.v1.saved_model.CLASSIFY_OUTPUT_CLASSES
        compat.v1.saved_model.CLASSIFY_OUTPUT_SCORES
        compat.v1.saved_model.DEBUG_DIRECTORY
        compat.v1.saved_model.DEBUG_INFO_FILENAME_PB
        compat.v1.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        compat.v1.saved_model.GPU compat.v1.saved_model.LEGACY_INIT_OP_KEY
        compat.v1.saved_model.MAIN_OP_KEY compat.v1.saved_model.PREDICT_INPUTS
        compat.v1.saved_model.PREDICT_METHOD_NAME compat.v1.saved_model.PREDICT_OUTPUTS
        compat.v1.saved_model.REGRESS_INPUTS compat.v1.saved_model.REGRESS_METHOD_NAME
        compat.v1.saved_model.REGRESS_OUTPUTS
        compat.v1.saved_model.SAVED_MODEL_FILENAME_PB
        compat.v1.saved_model.SAVED_MODEL_FILENAME_PBTXT
        compat.v1.saved_model.SAVED_MODEL_SCHEMA_VERSION compat.v1.saved_model.SERVING
        compat.v1.saved_model.TPU compat.v1.saved_model.TRAINING
        compat.v1.saved_model.VARIABLES_DIRECTORY
        compat.v1.saved_model.VARIABLES_FILENAME compat.v1.saved_model.tag_constants.GPU
        compat.v1.saved_model.tag_constants.SERVING
        compat.v1.saved_model.tag_constants.TPU
        compat.v1.saved_model.tag_constants.TRAINING
        compat.v1.saved_model.signature_constants.CLASSIFY_INPUTS
        compat.v1.saved_model.signature_constants.CLASSIFY_METHOD_NAME
        compat.v1.saved_model.signature_constants.CLASSIFY_OUTPUT_CLASSES
        compat.v1.saved_model.signature_constants.CLASSIFY_OUTPUT_SCORES
        compat.v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        compat.v1.saved_model.signature_constants.PREDICT_INPUTS
        compat.v1.saved_model.signature_constants.PREDICT_METHOD_NAME
        compat.v1.saved_model.signature_constants.PREDICT_OUTPUTS
        compat.v1.saved_model.signature_constants.REGRESS_INPUTS
        compat.v1.saved_model.signature_constants.REGRESS_METHOD_NAME
        compat.v1.saved_model.signature_constants.REGRESS_OUTPUTS
        compat.v1.saved_model.constants.ASSETS_DIRECTORY
        compat.v1.saved_model.constants.ASSETS_KEY
        compat.v1.saved_model.constants.DEBUG_DIRECTORY
        compat.v1.saved_model.constants.DEBUG_INFO_FILENAME_PB
        compat.v1.saved_model.constants.LEGACY_INIT_OP_KEY
        compat.v1.saved_model.constants.MAIN_OP_KEY
        compat.v1.saved_model.constants.SAVED_MODEL_FILENAME_PB
        compat.v1.saved_model.constants.SAVED_MODEL_FILENAME_PBTXT
        compat.v1.saved_model.constants.SAVED_MODEL_SCHEMA_VERSION
        compat.v1.saved_model.constants.VARIABLES_DIRECTORY
        compat.v1.saved_model.constants.VARIABLES_FILENAME
        """,
    "graphkiln._src.saved_model.fingerprint": """
        saved_model.experimental.Fingerprint saved_model.experimental.read_fingerprint
        """,
    "graphkiln._src.saved_model.load": """
        saved_model.contains_saved_model saved_model.load
        compat.v1.saved_model.contains_saved_model compat.v1.saved_model.load_v2=load
        compat.v1.saved_model.loader.maybe_saved_model_directory=contains_saved_model
        compat.v1.saved_model.maybe_saved_model_directory=contains_saved_model
        """,
    "graphkiln._src.saved_model.options": """
        saved_model.LoadOptions saved_model.SaveOptions
        saved_model.experimental.VariablePolicy compat.v1.saved_model.SaveOptions
        compat.v1.saved_model.experimental.VariablePolicy
        """,
    "graphkiln._src.saved_model.resources": """
        saved_model.Asset saved_model.experimental.TrackableResource
        compat.v1.saved_model.Asset compat.v1.saved_model.experimental.TrackableResource
        """,
    "graphkiln._src.saved_model.signature_defs": """
        compat.v1.saved_model.build_signature_def
        compat.v1.saved_model.build_tensor_info
        compat.v1.saved_model.classification_signature_def
        compat.v1.saved_model.get_tensor_from_tensor_info
        compat.v1.saved_model.is_valid_signature
        compat.v1.saved_model.predict_signature_def
        compat.v1.saved_model.regression_signature_def
        compat.v1.saved_model.signature_def_utils.build_signature_def
        compat.v1.saved_model.signature_def_utils.classification_signature_def
        compat.v1.saved_model.signature_def_utils.is_valid_signature
        compat.v1.saved_model.signature_def_utils.predict_signature_def
        compat.v1.saved_model.signature_def_utils.regression_signature_def
        compat.v1.saved_model.utils.build_tensor_info
        compat.v1.saved_model.utils.get_tensor_from_tensor_info
        """,
    "graphkiln._src.saved_model.session_builder": """
        compat.v1.saved_model.Builder
        compat.v1.saved_model.builder.SavedModelBuilder=Builder
        compat.v1.saved_model.simple_save
        """,
    "graphkiln._src.saved_model.session_loader": """
        compat.v1.saved_model.load compat.v1.saved_model.loader.load
        """,
    "graphkiln._src.saved_model.save": "saved_model.save compat.v1.saved_model.save",
    "graphkiln._src.lookup.initializers": """
        lookup.KeyValueTensorInitializer lookup.TextFileIndex lookup.TextFileInitializer
        """,
    "graphkiln._src.lookup.tables": """
        lookup.StaticHashTable lookup.StaticVocabularyTable
        lookup.experimental.DenseHashTable lookup.experimental.MutableHashTable
        """,
    "graphkiln._src.queue.queues": """
        queue.FIFOQueue queue.PaddingFIFOQueue queue.PriorityQueue queue.QueueBase
        queue.RandomShuffleQueue
        """,
    "graphkiln._src.queue.critical_section": "CriticalSection",
    "graphkiln._src.queue.accumulators": """
        compat.v1.ConditionalAccumulator compat.v1.ConditionalAccumulatorBase
        compat.v1.SparseConditionalAccumulator
        compat.v1.sparse.SparseConditionalAccumulator
        """,
    "graphkiln._src.host.py_function": """
        py_function numpy_function compat.v1.py_func=numpy_function
        compat.v1.py_function compat.v1.numpy_function
        """,
    "graphkiln._src.graph.tensor_message": "make_ndarray make_tensor_proto",
    "graphkiln._proto": """
        train.BytesList train.ClusterDef train.Example train.Feature train.FeatureList
        train.FeatureLists train.Features train.FloatList train.Int64List train.JobDef
        train.SequenceExample train.ServerDef compat.v1.train.SaverDef=SaverDef
        compat.v1.train.ClusterDef=ClusterDef compat.v1.train.JobDef=JobDef
        compat.v1.train.ServerDef=ServerDef compat.v1.summary.Event=Event
        compat.v1.summary.SessionLog=SessionLog compat.v1.summary.Summary=Summary
        compat.v1.summary.SummaryDescription=SummaryDescription
        compat.v1.summary.TaggedRunMetadata=TaggedRunMetadata
        """,
    "graphkiln._src.example.features": """
        io.FixedLenFeature io.FixedLenSequenceFeature io.RaggedFeature io.SparseFeature
        io.VarLenFeature io.parse_example io.parse_single_example
        compat.v1.io.parse_example=parse_example_v1
        compat.v1.io.parse_single_example=parse_single_example_v1
        compat.v1.parse_example=parse_example_v1
        compat.v1.parse_single_example=parse_single_example_v1
        """,
    "graphkiln._src.example.sequences": """
        io.parse_sequence_example io.parse_single_sequence_example
        compat.v1.io.parse_sequence_example compat.v1.io.parse_single_sequence_example
        compat.v1.parse_single_sequence_example
        """,
    "graphkiln._src.function.batch_function": "nondifferentiable_batch_function",
    "graphkiln._src.types.quantized": "dtypes.QUANTIZED_DTYPES",
    "graphkiln._src.host.switches": """
        load_library load_op_library config.experimental.ClusterDeviceFilters
        config.experimental.disable_mlir_bridge config.experimental.enable_mlir_bridge
        config.experimental.get_memory_info config.experimental.get_memory_usage
        config.experimental.reset_memory_stats
        debugging.experimental.disable_dump_debug_info experimental.async_clear_error
        experimental.async_scope experimental.enable_strict_mode
        experimental.function_executor_type experimental.register_filesystem_plugin
        """,
    "graphkiln._src.host.compat": """
        compat.as_bytes compat.as_str compat.as_str_any compat.as_text
        compat.bytes_or_text_types compat.complex_types compat.dimension_at_index
        compat.forward_compatibility_horizon compat.forward_compatible
        compat.integral_types compat.path_to_str compat.real_types
        compat.v1.dimension_at_index
        """,
    "graphkiln._src.summary.state": """
        summary.experimental.get_step summary.experimental.set_step summary.record_if
        summary.should_record_summaries
        """,
    "graphkiln._src.summary.writers": """
        summary.SummaryWriter summary.create_file_writer summary.create_noop_writer
        summary.flush
        """,
    "graphkiln._src.summary.write": """
        summary.audio summary.experimental.summary_scope
        summary.experimental.write_raw_pb summary.histogram summary.image summary.scalar
        summary.text summary.write
        """,
    "graphkiln._src.summary.graphs": """
        summary.graph summary.trace_export summary.trace_off summary.trace_on
        """,
    "graphkiln._src.profiler.session": """
        profiler.experimental.Profile profiler.experimental.ProfilerOptions
        profiler.experimental.Trace profiler.experimental.start
        profiler.experimental.stop
        """,
    "graphkiln._src.profiler.remote": """
        profiler.experimental.client.monitor profiler.experimental.client.trace
        profiler.experimental.server.start=start_server
        """,
    "graphkiln._src.summary.event_files": """
        compat.v1.summary.FileWriter compat.v1.summary.FileWriterCache
        compat.v1.train.summary_iterator
        """,
    "graphkiln._src.summary.version_one": """
        compat.v1.summary.all_v2_summary_ops compat.v1.summary.audio
        compat.v1.summary.get_summary_description compat.v1.summary.histogram
        compat.v1.summary.image compat.v1.summary.initialize compat.v1.summary.merge
        compat.v1.summary.merge_all compat.v1.summary.scalar
        compat.v1.summary.tensor_summary compat.v1.summary.text
        """,
    "graphkiln._src.structured.structures": "experimental.StructuredTensor",
    "graphkiln._src.version_one.iterators": """
        data.experimental.make_saveable_from_iterator
        compat.v1.data.experimental.make_saveable_from_iterator
        """,
    "graphkiln._src.version_one.functions": """
        compat.v1.convert_to_tensor_or_indexed_slices
        compat.v1.convert_to_tensor_or_sparse_tensor
        compat.v1.div compat.v1.floor_div
        compat.v1.name_scope=NameScope compat.v1.multinomial
        compat.v1.random.multinomial compat.v1.batch_to_space
        compat.v1.nn.space_to_batch compat.v1.space_to_batch
        compat.v1.nn.ctc_beam_search_decoder compat.v1.nn.ctc_loss compat.v1.nn.dropout
        compat.v1.nn.softmax_cross_entropy_with_logits compat.v1.random.set_random_seed
        compat.v1.scatter_add compat.v1.scatter_div compat.v1.scatter_max
        compat.v1.scatter_min compat.v1.scatter_mul compat.v1.scatter_sub
        compat.v1.scatter_update compat.v1.setdiff1d compat.v1.set_random_seed
        compat.v1.sparse.placeholder=sparse_placeholder compat.v1.sparse_placeholder
        compat.v1.where compat.v1.while_loop
        """,
    "graphkiln._src.version_one.initializers": """
        compat.v1.constant_initializer compat.v1.glorot_normal_initializer
        compat.v1.glorot_uniform_initializer
        compat.v1.initializers.constant=constant_initializer
        compat.v1.initializers.glorot_normal=glorot_normal_initializer
        compat.v1.initializers.glorot_uniform=glorot_uniform_initializer
        compat.v1.initializers.he_normal compat.v1.initializers.he_uniform
        compat.v1.initializers.identity=identity_initializer
        compat.v1.initializers.lecun_normal compat.v1.initializers.lecun_uniform
        compat.v1.initializers.ones=ones_initializer
        compat.v1.initializers.orthogonal=orthogonal_initializer
        compat.v1.initializers.random_normal=random_normal_initializer
        compat.v1.initializers.random_uniform=random_uniform_initializer
        compat.v1.initializers.truncated_normal=truncated_normal_initializer
        compat.v1.initializers.uniform_unit_scaling=uniform_unit_scaling_initializer
        compat.v1.initializers.variance_scaling=variance_scaling_initializer
        compat.v1.initializers.zeros=zeros_initializer compat.v1.ones_initializer
        compat.v1.orthogonal_initializer compat.v1.random_normal_initializer
        compat.v1.random_uniform_initializer compat.v1.truncated_normal_initializer
        compat.v1.uniform_unit_scaling_initializer
        compat.v1.variance_scaling_initializer compat.v1.zeros_initializer
        """,
    "graphkiln._src.version_one.nn": """
        compat.v1.nn.embedding_lookup compat.v1.nn.fused_batch_norm
        """,
    "graphkiln._src.version_one.image": """
        compat.v1.extract_image_patches compat.v1.image.draw_bounding_boxes
        compat.v1.image.extract_glimpse compat.v1.image.sample_distorted_bounding_box
        compat.v1.image.extract_image_patches compat.v1.image.resize=resize_images
        compat.v1.image.resize_area compat.v1.image.resize_bicubic
        compat.v1.image.resize_bilinear compat.v1.image.resize_image_with_pad
        compat.v1.image.resize_images compat.v1.image.resize_nearest_neighbor
        """,
    "graphkiln._src.version_one.checks": """
        compat.v1.Print compat.v1.assert_integer compat.v1.assert_type
        compat.v1.clip_by_average_norm compat.v1.debugging.assert_integer
        compat.v1.debugging.assert_type compat.v1.get_seed compat.v1.nn.relu_layer
        compat.v1.nn.xw_plus_b compat.v1.random.get_seed compat.v1.sparse_to_dense
        compat.v1.string_split
        """,
    "graphkiln._src.version_one.variable_store": """
        compat.v1.AUTO_REUSE compat.v1.VariableScope compat.v1.get_local_variable
        compat.v1.get_variable compat.v1.get_variable_scope compat.v1.no_regularizer
        compat.v1.variable_scope
        """,
    "graphkiln._src.session.session": "compat.v1.Session compat.v1.InteractiveSession",
    "graphkiln._src.session.default_session": "compat.v1.get_default_session",
    "graphkiln._src.session.values": """
        compat.v1.IndexedSlicesValue compat.v1.ragged.RaggedTensorValue
        compat.v1.ragged.constant_value
        """,
    "graphkiln._src.session.graph_parts": """
        compat.v1.graph_util.convert_variables_to_constants
        compat.v1.graph_util.extract_sub_graph compat.v1.graph_util.must_run_on_cpu
        compat.v1.graph_util.remove_training_nodes
        compat.v1.graph_util.tensor_shape_from_node_def_name
        """,
    "graphkiln._src.session.meta_graph": "compat.v1.train.export_meta_graph",
    "graphkiln._src.session.graph_keys": "compat.v1.GraphKeys",
    "graphkiln._src.session.graph_variables": """
        compat.v1.add_to_collection compat.v1.add_to_collections compat.v1.all_variables
        compat.v1.assert_variables_initialized compat.v1.colocate_with
        compat.v1.get_collection compat.v1.get_collection_ref compat.v1.global_variables
        compat.v1.global_variables_initializer compat.v1.initialize_all_variables
        compat.v1.initialize_local_variables compat.v1.initialize_variables
        compat.v1.initializers.global_variables=global_variables_initializer
        compat.v1.initializers.local_variables=local_variables_initializer
        compat.v1.initializers.tables_initializer
        compat.v1.initializers.variables=variables_initializer
        compat.v1.is_variable_initialized compat.v1.local_variables
        compat.v1.local_variables_initializer compat.v1.model_variables
        compat.v1.moving_average_variables compat.v1.report_uninitialized_variables
        compat.v1.tables_initializer compat.v1.trainable_variables
        compat.v1.variables_initializer
        """,
    "graphkiln._src.session.eager_switch": """
        compat.v1.control_flow_v2_enabled compat.v1.disable_control_flow_v2
        compat.v1.disable_eager_execution compat.v1.disable_resource_variables
        compat.v1.disable_tensor_equality compat.v1.disable_v2_tensorshape
        compat.v1.disable_v2_behavior compat.v1.enable_control_flow_v2
        compat.v1.enable_eager_execution compat.v1.enable_resource_variables
        compat.v1.enable_tensor_equality compat.v1.enable_v2_behavior
        compat.v1.enable_v2_tensorshape compat.v1.executing_eagerly_outside_functions
        compat.v1.reset_default_graph compat.v1.resource_variables_enabled
        """,
    "graphkiln._src.testing.test_case": """
        test.TestCase compat.v1.test.get_temp_dir=temporary_directory
        """,
    "graphkiln._src.testing.benchmark": "test.Benchmark test.benchmark_config",
    "graphkiln._src.testing.gradient_check": "test.compute_gradient",
    "graphkiln._src.testing.machine": """
        test.disable_with_predicate test.experimental.sync_devices test.gpu_device_name
        test.is_built_with_cuda test.is_built_with_gpu_support test.is_built_with_rocm
        test.is_built_with_xla test.is_cpu_target_available test.is_gpu_available
        test.with_eager_op_as_function
        """,
    "graphkiln._src.testing.run_tests": "test.main",
    "graphkiln._src.signal.short_time": """
        signal.stft signal.inverse_stft signal.inverse_stft_window_fn signal.mdct
        signal.inverse_mdct
        """,
    "graphkiln._src.linalg.operators": """
        linalg.LinearOperator linalg.LinearOperatorAdjoint
        linalg.LinearOperatorBlockDiag linalg.LinearOperatorBlockLowerTriangular
        linalg.LinearOperatorCirculant linalg.LinearOperatorCirculant2D
        linalg.LinearOperatorCirculant3D linalg.LinearOperatorComposition
        linalg.LinearOperatorDiag linalg.LinearOperatorFullMatrix
        linalg.LinearOperatorHouseholder linalg.LinearOperatorIdentity
        linalg.LinearOperatorInversion linalg.LinearOperatorKronecker
        linalg.LinearOperatorLowRankUpdate linalg.LinearOperatorLowerTriangular
        linalg.LinearOperatorPermutation linalg.LinearOperatorScaledIdentity
        linalg.LinearOperatorToeplitz linalg.LinearOperatorTridiag
        linalg.LinearOperatorZeros
        """,
    "graphkiln._src.linalg.conjugate_gradient": """
        linalg.experimental.conjugate_gradient
        """,
    "graphkiln._src.nn.ctc_decoders": """
        nn.ctc_beam_search_decoder nn.ctc_greedy_decoder
        """,
    "graphkiln._src.nn.general_dropout": "nn.experimental.general_dropout",
    "graphkiln._src.nn.space_to_batch": "nn.with_space_to_batch",
}

# The same of a namespace whose names would all begin alike.
EXPORTS_BELOW: dict[str, dict[str, str]] = {
    "": _exports_of_internal.EXPORTS,
    "compat.v1": _exports_of_version_one.EXPORTS,
    "experimental.numpy": {
        "graphkiln._graphkiln": "ndarray=Tensor",
        "graphkiln._src.numpy.behavior": "experimental_enable_numpy_behavior",
        "graphkiln._src.numpy.comparisons": """
        allclose array_equal equal greater greater_equal isclose iscomplex iscomplexobj
        isfinite isinf isneginf isposinf isreal isrealobj less less_equal logical_and
        logical_not logical_or logical_xor not_equal
        """,
        "graphkiln._src.numpy.creation": """
        arange array asanyarray asarray ascontiguousarray broadcast_to copy empty
        empty_like eye full full_like geomspace identity linspace logspace meshgrid ones
        ones_like tri vander zeros zeros_like
        """,
        "graphkiln._src.numpy.dtypes": """
        bool_ complex128 complex64 complex_ e finfo float16 float32 float64 float_ iinfo
        inexact inf int16 int32 int64 int8 int_ issubdtype newaxis object_ pi string_
        uint16 uint32 uint64 uint8 unicode_
        """,
        "graphkiln._src.numpy.elementwise": """
        abs absolute add angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh
        around bitwise_and bitwise_not bitwise_or bitwise_xor cbrt ceil clip conj
        conjugate cos cosh deg2rad divide divmod exp exp2 expm1 fabs fix float_power
        floor floor_divide gcd heaviside hypot imag isnan lcm log log10 log1p log2
        logaddexp logaddexp2 maximum minimum mod multiply negative nextafter positive
        power rad2deg real reciprocal remainder round sign signbit sin sinc sinh sqrt
        square subtract tan tanh true_divide
        """,
        "graphkiln._src.numpy.products": """
        cross dot einsum inner kron matmul outer polyval tensordot vdot
        """,
        "graphkiln._src.numpy.promotion": "promote_types result_type",
        "graphkiln._src.numpy.random_draws": """
        random.poisson random.rand random.randint random.randn random.random random.seed
        random.standard_normal random.uniform
        """,
        "graphkiln._src.numpy.reductions": """
        all amax amin any average count_nonzero cumprod cumsum diff max mean min nanmean
        nanprod nansum prod ptp std sum trace var
        """,
        "graphkiln._src.numpy.selection": """
        argmax argmin argsort compress diag diag_indices diagflat diagonal ix_ nonzero
        select sort take take_along_axis tril triu where
        """,
        "graphkiln._src.numpy.shapes": """
        append atleast_1d atleast_2d atleast_3d broadcast_arrays concatenate dsplit
        dstack expand_dims flatten flip fliplr flipud hsplit hstack isscalar moveaxis
        ndim pad ravel repeat reshape roll rot90 shape size split squeeze stack swapaxes
        tile transpose vsplit vstack
        """,
    },
}
