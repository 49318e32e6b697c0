"""Which Python module defines which name of tf.compat.v1: names that stand in no
other table, without what they begin with. See `_exports`."""

EXPORTS: dict[str, str] = {
    "graphkiln._graphkiln": """
        data.experimental.make_csv_dataset=data_make_csv_dataset
        """,
    "graphkiln._src.checkpoint.checkpoint_v1": """
        train.Checkpoint=CheckpointV1
        """,
    "graphkiln._src.files.readers": """
        FixedLengthRecordReader IdentityReader ReaderBase TFRecordReader TextLineReader
        WholeFileReader
        """,
    "graphkiln._src.host.resource_loader": """
        resource_loader.get_data_files_path resource_loader.get_path_to_datafile
        resource_loader.get_root_dir_with_all_resources resource_loader.load_resource
        resource_loader.readahead_file_path
        """,
    "graphkiln._src.queue.batches": """
        train.batch train.batch_join train.maybe_batch train.maybe_batch_join
        train.maybe_shuffle_batch train.maybe_shuffle_batch_join train.shuffle_batch
        train.shuffle_batch_join
        """,
    "graphkiln._src.queue.input_producers": """
        train.input_producer train.limit_epochs train.range_input_producer
        train.slice_input_producer train.string_input_producer
        """,
    "graphkiln._src.queue.queue_runner": """
        train.QueueRunner train.add_queue_runner train.queue_runner.QueueRunner
        train.queue_runner.add_queue_runner train.queue_runner.start_queue_runners
        train.start_queue_runners
        """,
    "graphkiln._src.saved_model.main_op": """
        saved_model.main_op.main_op saved_model.main_op_with_restore
        saved_model.main_op.main_op_with_restore=main_op_with_restore
        """,
    "graphkiln._src.session.session_tensors": """
        delete_session_tensor get_session_handle get_session_tensor
        """,
    "graphkiln._src.testing.version_one": """
        test.compute_gradient test.compute_gradient_error test.test_src_dir_path
        """,
    "graphkiln._src.training.basic_hooks": """
        train.FeedFnHook train.FinalOpsHook train.GlobalStepWaiterHook
        train.LoggingTensorHook train.NanLossDuringTrainingError train.NanTensorHook
        train.SecondOrStepTimer train.StopAtStepHook
        """,
    "graphkiln._src.training.coordinator": "train.LooperThread",
    "graphkiln._src.training.loss_scale": """
        mixed_precision.DynamicLossScale mixed_precision.FixedLossScale
        mixed_precision.LossScale mixed_precision.experimental.DynamicLossScale
        mixed_precision.experimental.FixedLossScale
        mixed_precision.experimental.LossScale train.experimental.DynamicLossScale
        train.experimental.FixedLossScale train.experimental.LossScale
        """,
    "graphkiln._src.training.loss_scale_optimizer": """
        mixed_precision.MixedPrecisionLossScaleOptimizer
        train.experimental.MixedPrecisionLossScaleOptimizer
        """,
    "graphkiln._src.training.mixed_precision": """
        mixed_precision.disable_mixed_precision_graph_rewrite
        mixed_precision.enable_mixed_precision_graph_rewrite
        train.experimental.disable_mixed_precision_graph_rewrite
        train.experimental.enable_mixed_precision_graph_rewrite
        """,
    "graphkiln._src.training.monitored_session": """
        train.MonitoredSession train.MonitoredTrainingSession
        train.SingularMonitoredSession
        """,
    "graphkiln._src.training.saving_hooks": """
        train.CheckpointSaverHook train.CheckpointSaverListener train.StepCounterHook
        train.SummarySaverHook
        """,
    "graphkiln._src.training.scaffold": """
        train.ChiefSessionCreator train.Scaffold train.SessionCreator
        train.WorkerSessionCreator
        """,
    "graphkiln._src.training.session_manager": "train.SessionManager",
    "graphkiln._src.training.session_run_hook": """
        train.SessionRunArgs train.SessionRunContext train.SessionRunHook
        train.SessionRunValues
        """,
    "graphkiln._src.training.supervisor": "train.Supervisor train.basic_train_loop",
    "graphkiln._src.training.rate_decay": """
        train.cosine_decay train.cosine_decay_restarts train.exponential_decay
        train.inverse_time_decay train.linear_cosine_decay train.natural_exp_decay
        train.noisy_linear_cosine_decay train.piecewise_constant
        train.piecewise_constant_decay=piecewise_constant train.polynomial_decay
        """,
    "graphkiln._src.version_one.arrays": """
        add_check_numerics_ops batch_gather batch_scatter_update bincount constant
        count_up_to decode_csv decode_raw initialize_all_tables io.decode_csv io.decode_raw
        math.bincount newaxis quantize_v2 ragged.placeholder=ragged_placeholder
        random.stateless_multinomial scatter_nd_add scatter_nd_sub scatter_nd_update
        strings.split=split_strings to_bfloat16 to_complex128 to_complex64
        """,
    "graphkiln._src.version_one.devices": "device train.replica_device_setter",
    "graphkiln._src.version_one.convolutions": """
        nn.batch_norm_with_global_normalization nn.conv2d_backprop_filter
        nn.conv2d_backprop_input nn.conv3d_backprop_filter
        nn.conv3d_backprop_filter_v2=conv3d_backprop_filter nn.dilation2d nn.erosion2d
        nn.fractional_avg_pool nn.fractional_max_pool nn.max_pool_with_argmax
        """,
    "graphkiln._src.version_one.embeddings": """
        nn.embedding_lookup_sparse nn.nce_loss nn.safe_embedding_lookup_sparse
        nn.sampled_softmax_loss
        """,
    "graphkiln._src.version_one.iterators": """
        data.Iterator data.get_output_classes data.get_output_shapes
        data.get_output_types data.make_initializable_iterator
        data.make_one_shot_iterator
        """,
    "graphkiln._src.version_one.losses": """
        losses.Reduction losses.absolute_difference losses.add_loss
        losses.compute_weighted_loss losses.cosine_distance losses.get_losses
        losses.get_regularization_loss losses.get_regularization_losses
        losses.get_total_loss losses.hinge_loss losses.huber_loss losses.log_loss
        losses.mean_pairwise_squared_error losses.mean_squared_error
        losses.sigmoid_cross_entropy losses.softmax_cross_entropy
        losses.sparse_softmax_cross_entropy
        """,
    "graphkiln._src.version_one.metric_counts": """
        metrics.false_negatives metrics.false_positives metrics.precision metrics.recall
        metrics.true_negatives metrics.true_positives
        """,
    "graphkiln._src.version_one.metric_ranks": """
        metrics.average_precision_at_k metrics.precision_at_k metrics.precision_at_top_k
        metrics.recall_at_k metrics.recall_at_top_k
        metrics.sparse_average_precision_at_k metrics.sparse_precision_at_k
        """,
    "graphkiln._src.version_one.metric_thresholds": """
        metrics.auc metrics.false_negatives_at_thresholds
        metrics.false_positives_at_thresholds metrics.precision_at_thresholds
        metrics.recall_at_thresholds metrics.sensitivity_at_specificity
        metrics.specificity_at_sensitivity metrics.true_negatives_at_thresholds
        metrics.true_positives_at_thresholds
        """,
    "graphkiln._src.version_one.metrics": """
        metrics.accuracy metrics.mean metrics.mean_absolute_error
        metrics.mean_cosine_distance metrics.mean_iou metrics.mean_per_class_accuracy
        metrics.mean_relative_error metrics.mean_squared_error metrics.mean_tensor
        metrics.percentage_below metrics.root_mean_squared_error
        """,
    "graphkiln._src.version_one.quantized": """
        nn.quantized_avg_pool nn.quantized_conv2d nn.quantized_max_pool
        nn.quantized_relu_x
        """,
    "graphkiln._src.version_one.rnn": """
        nn.bidirectional_dynamic_rnn nn.dynamic_rnn nn.raw_rnn
        """,
    "graphkiln._src.version_one.static_rnn": """
        nn.static_bidirectional_rnn nn.static_rnn nn.static_state_saving_rnn
        """,
    "graphkiln._src.version_one.scopes": """
        container create_partitioned_variables op_scope variable_op_scope
        """,
    "graphkiln._src.version_one.sparse": """
        io.serialize_many_sparse io.serialize_sparse serialize_many_sparse
        serialize_sparse sparse.merge=sparse_merge
        sparse.reduce_max_sparse=sparse_reduce_max_sparse
        sparse.reduce_sum_sparse=sparse_reduce_sum_sparse sparse.split=sparse_split
        sparse_matmul sparse_merge sparse_reduce_max_sparse sparse_reduce_sum_sparse
        sparse_split
        """,
    "graphkiln._src.version_one.tables": """
        lookup.StaticHashTable lookup.StaticVocabularyTable
        """,
    "graphkiln._src.version_one.templates": "make_template",
}
