"""Which names of tf.compat.v1 are names of today.

A name that the first version shared with the second is the same thing, unless
it is one of `_CHANGED`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from graphkiln import _proto, _tensorflow_names
from graphkiln._src.version_one.old_orders import old_order

# By the namespace that they are in now.
_MOVED = {
    "debugging": """
        assert_proper_iterable assert_same_float_dtype check_numerics
        is_numeric_tensor
        """,
    "errors": """
        OpError
        """,
    "image": """
        random_crop
        """,
    "io": """
        FixedLenFeature FixedLenSequenceFeature SparseFeature VarLenFeature
        decode_base64 decode_compressed decode_json_example
        deserialize_many_sparse encode_base64 matching_files
        parse_single_sequence_example parse_tensor read_file serialize_tensor
        write_file
        """,
    "linalg": """
        cholesky cholesky_solve cross global_norm matrix_transpose qr svd trace
        """,
    "math": """
        accumulate_n angle betainc ceil conj cumprod digamma erf erfc expm1
        floordiv floormod igamma igammac imag invert_permutation is_finite
        is_inf is_nan is_non_decreasing is_strictly_increasing lbeta lgamma log
        log1p log_sigmoid logical_xor polygamma real reciprocal rint rsqrt
        segment_max segment_mean segment_min segment_prod segment_sum
        squared_difference unsorted_segment_max unsorted_segment_mean
        unsorted_segment_min unsorted_segment_prod unsorted_segment_sqrt_n
        unsorted_segment_sum zeta
        """,
    "quantization": """
        dequantize fake_quant_with_min_max_args
        fake_quant_with_min_max_args_gradient fake_quant_with_min_max_vars
        fake_quant_with_min_max_vars_gradient
        fake_quant_with_min_max_vars_per_channel
        fake_quant_with_min_max_vars_per_channel_gradient quantize
        quantized_concat
        """,
    "queue": """
        FIFOQueue PaddingFIFOQueue PriorityQueue QueueBase RandomShuffleQueue
        """,
    "random": """
        truncated_normal
        """,
    "signal": """
        fft fft2d fft3d ifft ifft2d ifft3d
        """,
    "strings": """
        regex_replace
        """,
}
# What is called something else now.
_RENAMED = """
    COMPILER_VERSION=version.COMPILER_VERSION
    CXX11_ABI_FLAG=sysconfig.CXX11_ABI_FLAG CXX_VERSION=sysconfig.CXX_VERSION
    GIT_VERSION=version.GIT_VERSION GRAPH_DEF_VERSION=version.GRAPH_DEF_VERSION
    GRAPH_DEF_VERSION_MIN_CONSUMER=version.GRAPH_DEF_VERSION_MIN_CONSUMER
    GRAPH_DEF_VERSION_MIN_PRODUCER=version.GRAPH_DEF_VERSION_MIN_PRODUCER
    MONOLITHIC_BUILD=sysconfig.MONOLITHIC_BUILD
    QUANTIZED_DTYPES=dtypes.QUANTIZED_DTYPES VERSION=version.VERSION
    dimension_value=compat.dimension_value train.write_graph=io.write_graph
    errors.error_code_from_exception_type=errors.error_code_from_exception_type
    errors.exception_type_from_error_code=errors.exception_type_from_error_code
    NoGradient=no_gradient NotDifferentiable=no_gradient
    batch_to_space_nd=batch_to_space
    debugging.is_finite=math.is_finite debugging.is_inf=math.is_inf
    debugging.is_nan=math.is_nan
    debugging.is_non_decreasing=math.is_non_decreasing
    debugging.is_strictly_increasing=math.is_strictly_increasing
    diag=linalg.tensor_diag diag_part=linalg.tensor_diag_part
    div_no_nan=math.divide_no_nan dtypes.as_string=as_string
    image.resize_image_with_crop_or_pad=image.resize_with_crop_or_pad
    image.transpose_image=image.transpose
    io.PaddingFIFOQueue=queue.PaddingFIFOQueue
    io.PriorityQueue=queue.PriorityQueue io.QueueBase=queue.QueueBase
    io.RandomShuffleQueue=queue.RandomShuffleQueue lin_space=linspace
    linalg.transpose=linalg.matrix_transpose manip.reshape=reshape
    manip.batch_to_space_nd=batch_to_space
    manip.reverse=reverse manip.roll=roll manip.scatter_nd=scatter_nd
    manip.space_to_batch_nd=space_to_batch_nd manip.tile=tile
    matrix_band_part=linalg.band_part matrix_determinant=linalg.det
    matrix_diag=linalg.diag matrix_diag_part=linalg.diag_part
    matrix_inverse=linalg.inv matrix_set_diag=linalg.set_diag
    matrix_solve=linalg.solve matrix_solve_ls=linalg.lstsq
    matrix_triangular_solve=linalg.triangular_solve mod=math.floormod
    nn.avg_pool_v2=nn.avg_pool
    nn.ctc_beam_search_decoder_v2=nn.ctc_beam_search_decoder
    nn.ctc_loss_v2=nn.ctc_loss
    nn.depthwise_conv2d_native_backprop_filter=nn.depthwise_conv2d_backprop_filter
    nn.depthwise_conv2d_native_backprop_input=nn.depthwise_conv2d_backprop_input
    nn.log_uniform_candidate_sampler=random.log_uniform_candidate_sampler
    nn.max_pool_v2=nn.max_pool
    nn.uniform_candidate_sampler=random.uniform_candidate_sampler
    gfile.FastGFile=io.gfile.GFile gfile.GFile=io.gfile.GFile
    gfile.Open=io.gfile.GFile
    python_io.TFRecordOptions=io.TFRecordOptions
    python_io.TFRecordWriter=io.TFRecordWriter random_gamma=random.gamma
    random_normal=random.normal random_shuffle=random.shuffle
    random_uniform=random.uniform reverse_v2=reverse
    self_adjoint_eig=linalg.eigh self_adjoint_eigvals=linalg.eigvalsh
    sets.set_difference=sets.difference sets.set_intersection=sets.intersection
    sets.set_size=sets.size sets.set_union=sets.union
    sparse.matmul=sparse.sparse_dense_matmul
    sparse_fill_empty_rows=sparse.fill_empty_rows sparse_mask=sparse.mask
    sparse_maximum=sparse.maximum sparse_minimum=sparse.minimum
    sparse_reorder=sparse.reorder sparse_reset_shape=sparse.reset_shape
    sparse_reshape=sparse.reshape sparse_retain=sparse.retain
    sparse_slice=sparse.slice sparse_softmax=sparse.softmax
    sparse_tensor_dense_matmul=sparse.sparse_dense_matmul
    sparse_tensor_to_dense=sparse.to_dense
    sparse_to_indicator=sparse.to_indicator sparse_transpose=sparse.transpose
    spectral.dct=signal.dct spectral.fft=signal.fft spectral.fft2d=signal.fft2d
    spectral.fft3d=signal.fft3d spectral.idct=signal.idct
    spectral.ifft=signal.ifft spectral.ifft2d=signal.ifft2d
    spectral.ifft3d=signal.ifft3d spectral.irfft=signal.irfft
    spectral.irfft2d=signal.irfft2d spectral.irfft3d=signal.irfft3d
    spectral.rfft=signal.rfft spectral.rfft2d=signal.rfft2d
    spectral.rfft3d=signal.rfft3d string_join=strings.join
    string_strip=strings.strip
    string_to_hash_bucket_fast=strings.to_hash_bucket_fast
    string_to_hash_bucket_strong=strings.to_hash_bucket_strong
    tensor_scatter_add=tensor_scatter_nd_add
    tensor_scatter_sub=tensor_scatter_nd_sub
    tensor_scatter_update=tensor_scatter_nd_update where_v2=where
    """
# What means something else now, or takes other arguments.
_CHANGED = """
    argmax argmin assert_equal assert_greater assert_less assert_rank
    autograph.to_code autograph.to_graph batch_to_space boolean_mask cond
    constant constant_initializer convert_to_tensor
    data.FixedLengthRecordDataset data.Iterator data.TFRecordDataset
    data.TextLineDataset data.experimental.CsvDataset
    data.experimental.SqlDataset data.experimental.make_batched_features_dataset
    data.experimental.make_csv_dataset debugging.assert_all_finite
    debugging.assert_equal debugging.assert_greater
    debugging.assert_greater_equal debugging.assert_less
    debugging.assert_less_equal debugging.assert_near debugging.assert_negative
    debugging.assert_non_negative debugging.assert_non_positive
    debugging.assert_none_equal debugging.assert_positive debugging.assert_rank
    debugging.assert_rank_at_least debugging.assert_rank_in
    debugging.assert_scalar device expand_dims gather gather_nd gradients
    hessians image.crop_and_resize image.draw_bounding_boxes
    image.extract_glimpse image.resize image.sample_distorted_bounding_box
    initializers.constant initializers.glorot_normal initializers.glorot_uniform
    initializers.he_normal initializers.he_uniform initializers.identity
    initializers.lecun_normal initializers.lecun_uniform initializers.ones
    initializers.orthogonal initializers.random_normal
    initializers.random_uniform initializers.truncated_normal
    initializers.variance_scaling initializers.zeros io.decode_csv io.decode_raw
    io.parse_example io.parse_single_example io.serialize_many_sparse
    io.serialize_sparse linalg.norm lookup.StaticHashTable
    lookup.StaticVocabularyTable losses.Reduction math.argmax math.argmin
    math.bincount math.confusion_matrix math.count_nonzero math.in_top_k
    math.log_softmax math.reduce_all math.reduce_any math.reduce_logsumexp
    math.reduce_max math.reduce_mean math.reduce_min math.reduce_prod
    math.reduce_sum math.softmax name_scope nn.avg_pool nn.avg_pool2d
    nn.batch_norm_with_global_normalization nn.conv1d nn.conv2d
    nn.conv2d_transpose nn.conv3d nn.conv3d_transpose nn.convolution nn.crelu
    nn.ctc_beam_search_decoder nn.ctc_loss nn.depth_to_space nn.depthwise_conv2d
    nn.dilation2d nn.dropout nn.embedding_lookup nn.embedding_lookup_sparse
    nn.erosion2d nn.fractional_avg_pool nn.fractional_max_pool nn.in_top_k
    nn.log_softmax nn.max_pool nn.max_pool_with_argmax nn.moments nn.nce_loss
    nn.pool nn.safe_embedding_lookup_sparse nn.sampled_softmax_loss
    nn.separable_conv2d nn.sigmoid_cross_entropy_with_logits nn.softmax
    nn.softmax_cross_entropy_with_logits nn.space_to_batch nn.space_to_depth
    nn.sparse_softmax_cross_entropy_with_logits nn.sufficient_statistics
    nn.weighted_cross_entropy_with_logits nn.weighted_moments norm
    ones_initializer ones_like pad random.poisson random_normal_initializer
    random_uniform_initializer reduce_all reduce_any reduce_logsumexp reduce_max
    reduce_mean reduce_min reduce_prod reduce_sum reverse_sequence shape size
    space_to_batch sparse.add sparse.concat sparse.reduce_max sparse.reduce_sum
    sparse.segment_mean sparse.segment_sqrt_n sparse.segment_sum sparse.split
    squeeze strings.length strings.reduce_join strings.split strings.substr
    strings.to_hash_bucket strings.to_number test.assert_equal_graph_def
    test.compute_gradient train.Checkpoint transpose tuple where while_loop
    zeros_initializer zeros_like
    """
# Protobuf messages.
_MESSAGES = """
    AttrValue ConfigProto Event GPUOptions GraphDef GraphOptions HistogramProto
    LogMessage MetaGraphDef NameAttrList NodeDef OptimizerOptions RunMetadata
    RunOptions SessionLog Summary SummaryMetadata TensorInfo
    """

_KNOWN = {
    old: today
    for old, _, today in (word.partition("=") for word in _RENAMED.split())
} | {name: f"{space}.{name}" for space in _MOVED for name in _MOVED[space].split()}
_OTHER_MEANING = frozenset(_CHANGED.split())


def name_of_version_one(name: str, found: Callable[[str], object]) -> object:
    """What `name` below tf.compat.v1 stands for, None if there is nothing;
    `found` gives what names of today stand for."""
    made = old_order(name, found)
    if made is not None:
        return made
    if name in _MESSAGES.split():
        return getattr(_proto, name, None)
    if name in _KNOWN:
        return found(_KNOWN[name])
    space, _, last = name.rpartition(".")
    holder = f"compat.v1.{space}".removesuffix(".")
    shared = _tensorflow_names.NAMES
    if (
        name in _OTHER_MEANING
        or last not in shared.get(holder, ())
        or last not in shared.get(space, ())
    ):
        return None
    return found(name)


def is_namespace(name: str, today: Collection[str]) -> bool:
    """Is it a namespace below tf.compat.v1 in which there is something, if those
    of `today` are there?"""
    if f"compat.v1.{name}" not in _tensorflow_names.NAMES:
        return False
    return name in today or any(
        old.startswith(f"{name}.") for old in _KNOWN
    )
