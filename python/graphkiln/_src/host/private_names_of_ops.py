"""The part of the table of private names (tensorflow_private_names.py) that is of
TensorFlow's files of ragged tensors, numbers and readers, in the same words."""

NAMES_OF_OPS = {
    "python.ops.ragged.ragged_array_ops": """
        bitcast expand_dims fill_empty_rows=ragged_fill_empty_rows ones ragged_one_hot=one_hot
        ragged_reshape=reshape rank reverse size split tile zeros
        dynamic_partition broadcast_to broadcast_dynamic_shape
        """,
    "python.ops.ragged.ragged_batch_gather_ops": "batch_gather=compat.v1.batch_gather",
    "python.ops.ragged.ragged_concat_ops": "concat",
    "python.ops.ragged.ragged_conversion_ops": """
        from_sparse=@private_ragged.* from_tensor=@private_ragged.*
        to_sparse=@private_ragged.* to_tensor=@private_ragged.*
        """,
    "python.ops.ragged.ragged_gather_ops": "gather gather_nd",
    "python.ops.ragged.ragged_map_ops": "map_fn",
    "python.ops.ragged.ragged_math_ops": """
        add_n=math.add_n matmul=linalg.matmul ragged_cumsum=math.cumsum
        reduce_all=math.reduce_all reduce_any=math.reduce_any
        reduce_max=math.reduce_max reduce_mean=math.reduce_mean
        reduce_min=math.reduce_min reduce_prod=math.reduce_prod
        reduce_std=math.reduce_std reduce_sum=math.reduce_sum
        reduce_variance=math.reduce_variance segment_max=math.unsorted_segment_max
        segment_mean=math.unsorted_segment_mean segment_min=math.unsorted_segment_min
        segment_prod=math.unsorted_segment_prod
        segment_sqrt_n=math.unsorted_segment_sqrt_n
        segment_sum=math.unsorted_segment_sum softmax=nn.softmax
        """,
    "python.ops.ragged.ragged_operators": "",
    "python.ops.ragged.ragged_squeeze_op": "squeeze",
    "python.ops.ragged.ragged_string_ops": """
        ragged_tensor_to_string=@private_ragged.* reduce_join=strings.reduce_join
        """,
    "python.ops.ragged.ragged_tensor": """
        convert_to_tensor_or_ragged_tensor=@private_ragged.*
        is_ragged=@testing.array_asserts.*
        """,
    "python.ops.ragged.ragged_util": """
        assert_splits_match=@private_keras.* broadcast_to repeat
        """,
    "python.ops.ragged.ragged_where_op": "where=compat.v1.where where_v2=where",
    "python.ops.metrics": """
        accuracy=compat.v1.metrics.accuracy auc=compat.v1.metrics.auc
        average_precision_at_k=compat.v1.metrics.average_precision_at_k
        false_negatives=compat.v1.metrics.false_negatives
        false_negatives_at_thresholds=compat.v1.metrics.false_negatives_at_thresholds
        false_positives=compat.v1.metrics.false_positives
        false_positives_at_thresholds=compat.v1.metrics.false_positives_at_thresholds
        mean=compat.v1.metrics.mean
        mean_absolute_error=compat.v1.metrics.mean_absolute_error
        mean_cosine_distance=compat.v1.metrics.mean_cosine_distance
        mean_iou=compat.v1.metrics.mean_iou
        mean_per_class_accuracy=compat.v1.metrics.mean_per_class_accuracy
        mean_relative_error=compat.v1.metrics.mean_relative_error
        mean_squared_error=compat.v1.metrics.mean_squared_error
        mean_tensor=compat.v1.metrics.mean_tensor
        percentage_below=compat.v1.metrics.percentage_below
        precision=compat.v1.metrics.precision
        precision_at_k=compat.v1.metrics.precision_at_k
        precision_at_thresholds=compat.v1.metrics.precision_at_thresholds
        precision_at_top_k=compat.v1.metrics.precision_at_top_k
        recall=compat.v1.metrics.recall recall_at_k=compat.v1.metrics.recall_at_k
        recall_at_thresholds=compat.v1.metrics.recall_at_thresholds
        recall_at_top_k=compat.v1.metrics.recall_at_top_k
        root_mean_squared_error=compat.v1.metrics.root_mean_squared_error
        sensitivity_at_specificity=compat.v1.metrics.sensitivity_at_specificity
        sparse_average_precision_at_k=compat.v1.metrics.sparse_average_precision_at_k
        sparse_precision_at_k=compat.v1.metrics.sparse_precision_at_k
        specificity_at_sensitivity=compat.v1.metrics.specificity_at_sensitivity
        true_negatives=compat.v1.metrics.true_negatives
        true_negatives_at_thresholds=compat.v1.metrics.true_negatives_at_thresholds
        true_positives=compat.v1.metrics.true_positives
        true_positives_at_thresholds=compat.v1.metrics.true_positives_at_thresholds
        """,
    "python.ops.confusion_matrix": """
        remove_squeezable_dimensions=@version_one.metric_parts.same_ranks
        """,
    "python.ops.list_ops": """
        empty_tensor_list=@private_lists.* tensor_list_concat=@private_lists.*
        tensor_list_concat_lists=raw_ops.TensorListConcatLists
        tensor_list_element_shape=raw_ops.TensorListElementShape
        tensor_list_from_tensor=@private_lists.* tensor_list_gather=@private_lists.*
        tensor_list_get_item=@private_lists.* tensor_list_length=raw_ops.TensorListLength
        tensor_list_pop_back=@private_lists.*
        tensor_list_push_back=raw_ops.TensorListPushBack
        tensor_list_push_back_batch=raw_ops.TensorListPushBackBatch
        tensor_list_reserve=@private_lists.* tensor_list_resize=raw_ops.TensorListResize
        tensor_list_scatter=@private_lists.* tensor_list_set_item=@private_lists.*
        tensor_list_split=@private_lists.* tensor_list_stack=@private_lists.*
        """,
    "python.ops.image_ops": """
        adjust_brightness=image.adjust_brightness adjust_gamma=image.adjust_gamma
        """,
    "python.framework.errors": """
        ABORTED=errors.ABORTED ALREADY_EXISTS=errors.ALREADY_EXISTS
        CANCELLED=errors.CANCELLED DATA_LOSS=errors.DATA_LOSS
        DEADLINE_EXCEEDED=errors.DEADLINE_EXCEEDED
        FAILED_PRECONDITION=errors.FAILED_PRECONDITION INTERNAL=errors.INTERNAL
        INVALID_ARGUMENT=errors.INVALID_ARGUMENT NOT_FOUND=errors.NOT_FOUND
        OUT_OF_RANGE=errors.OUT_OF_RANGE PERMISSION_DENIED=errors.PERMISSION_DENIED
        RESOURCE_EXHAUSTED=errors.RESOURCE_EXHAUSTED UNAUTHENTICATED=errors.UNAUTHENTICATED
        UNAVAILABLE=errors.UNAVAILABLE UNIMPLEMENTED=errors.UNIMPLEMENTED
        UNKNOWN=errors.UNKNOWN InaccessibleTensorError=@private_parts.*
        """,
    "python.framework.indexed_slices": """
        IndexedSlicesValue=@session.values.*
        """,
    "python.framework.tensor_shape": "as_shape=TensorShape unknown_shape=@private_numbers.*",
    "python.ops.gradient_checker_v2": "max_error=@private_numbers.*",
    "python.ops.init_ops": "_compute_fans=@version_one.initializers._fans",
    "python.ops.init_ops_v2": "_compute_fans=@version_one.initializers._fans",
    "python.ops.math_ops": """
        _bucketize=raw_ops.Bucketize log=math.log mod=math.floormod mul=multiply
        real_div=realdiv square
        tensor_equals=@private_numbers.* tensor_not_equals=@private_numbers.*
        truncate_mod=truncatemod
        """,
    "python.ops.numpy_ops.np_math_ops": """
        enable_numpy_methods_on_tensor=@private_numbers.*
        """,
    "python.ops.sparse_ops": "bincount=math.bincount",
    "python.ops.structured.structured_tensor": """
        StructuredTensorSpec=experimental.StructuredTensor.Spec
        """,
    "python.ops.metrics_impl": """
        _remove_squeezable_dimensions=@version_one.metric_parts.of_one_rank
        """,
    "python.ops.variable_scope": """
        _get_default_variable_store=@version_one.variable_store.default_store
        """,
}
