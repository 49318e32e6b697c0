"""Functions of tf.nn: the same call on both modules, eagerly and traced with
unknown sizes; values, dtypes, static shapes, gradients, classes of errors."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

# Variables of the expressions: their letter and shape, "x[2,8,8,3]".
CONVOLUTIONS = """
tf.nn.convolution(x[2,8,8,3], y[2,3,3,4])
tf.nn.convolution(x[2,9,9,3], y[2,2,3,4], strides=2, padding='SAME')
tf.nn.convolution(x[2,9,9,3], y[2,2,3,4], strides=[2, 3])
tf.nn.convolution(x[2,9,9,3], y[3,2,3,4], padding='SAME', dilations=[2, 3])
tf.nn.convolution(x[2,9,9,3], y[3,2,3,4], dilations=[1, 2, 2, 1])
tf.nn.convolution(x[2,9,9,3], y[3,2,3,4], padding=[[0,0],[1,2],[3,0],[0,0]], dilations=2)
tf.nn.convolution(x[2,9,3], y[3,3,4], strides=2)
tf.nn.convolution(x[2,9,3], y[3,3,4], padding='SAME', dilations=[2])
tf.nn.convolution(x[2,5,6,7,3], y[3,2,1,3,4], padding='SAME', strides=2, data_format='NDHWC')
tf.nn.convolution(x[2,5,6,7,3], y[2,2,2,3,4], dilations=2)
tf.nn.convolution(x[2,3,8,8,3], y[2,2,3,4])
tf.nn.convolution(x[2,3,8,3], y[2,3,4], padding='SAME')
tf.nn.conv1d(x[2,3,8,3], y[2,3,4], 2, 'SAME')
tf.nn.conv2d(x[2,3,4,8,8,3], y[2,2,3,4], 2, 'SAME')
tf.nn.conv3d(x[2,3,4,5,6,3], y[2,2,2,3,4], [1,1,1,1,1], 'VALID')
tf.nn.atrous_conv2d(x[2,9,9,3], y[2,3,3,4], 2, 'VALID')
tf.nn.atrous_conv2d(x[2,9,9,3], y[2,3,3,4], 3, 'SAME')
tf.nn.atrous_conv2d(x[2,9,9,3], y[2,3,3,4], 1, 'SAME')
tf.nn.atrous_conv2d_transpose(x[2,8,8,4], y[2,3,3,4], [2, 8, 8, 3], 2, 'SAME')
tf.nn.atrous_conv2d_transpose(x[2,6,4,4], y[2,3,3,4], [2, 8, 8, 3], 2, 'VALID')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 7, 7, 3], 1, 'VALID')
tf.nn.conv1d_transpose(x[2,4,4], y[2,3,4], [2, 8, 3], 2)
tf.nn.conv1d_transpose(x[2,4,4], y[3,3,4], [2, 6, 3], [1], 'VALID')
tf.nn.conv3d_transpose(x[2,2,2,3,4], y[2,2,2,3,4], [2, 4, 4, 6, 3], 2)
tf.nn.conv_transpose(x[2,4,4], y[2,3,4], [2, 8, 3], 2)
tf.nn.conv_transpose(x[2,4,4,4], y[2,2,3,4], [2, 8, 8, 3], [2, 2])
tf.nn.conv_transpose(x[2,4,4,4], y[2,2,3,4], tf.constant([2, 8, 8, 3]), 2)
tf.nn.conv_transpose(x[2,2,2,3,4], y[2,2,2,3,4], [2, 4, 4, 6, 3], 2)
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[1,1,6,5], [1,1,1,1], 'SAME')
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[1,1,6,5], [1,2,2,1], 'VALID')
tf.nn.separable_conv2d(x[2,8,8,3], y[2,3,3,2], z[1,1,6,5], [1,1,1,1], 'SAME', dilations=[2,2])
tf.nn.separable_conv2d(x[2,8,8,3], y[2,3,3,2], z[1,1,6,5], [1,1,1,1], [[0,0],[1,0],[2,1],[0,0]])
tf.nn.depthwise_conv2d(x[2,8,8,3], y[2,2,3,2], [1,1,1,1], [[0,0],[1,1],[1,1],[0,0]], dilations=[2,2])
tf.nn.depthwise_conv2d_backprop_input([2,8,8,3], y[2,2,3,2], x[2,7,7,6], [1,1,1,1], 'VALID')
tf.nn.depthwise_conv2d_backprop_filter(x[2,8,8,3], [2,2,3,2], y[2,4,4,6], [1,2,2,1], 'SAME')
tf.nn.pool(x[2,8,8,3], [2, 3], 'MAX')
tf.nn.pool(x[2,8,8,3], [2, 3], 'AVG', strides=[2, 2], padding='SAME')
tf.nn.pool(x[2,8,8,3], [2, 3], 'MAX', dilations=[3, 2])
tf.nn.pool(x[2,8,8,3], [2, 3], 'AVG', dilations=[3, 2])
tf.nn.pool(x[2,8,3], [3], 'AVG', padding='SAME', strides=[2])
tf.nn.pool(x[2,8,3], [3], 'MAX', dilations=[2])
tf.nn.pool(x[2,4,5,6,3], [2,2,2], 'MAX', strides=[1,2,1])
tf.nn.pool(x[2,4,5,6,3], [2,2,2], 'AVG', dilations=[1,2,2])
tf.nn.max_pool_with_argmax(x[2,8,8,3], 2, 2, 'SAME')
tf.nn.max_pool_with_argmax(x[2,8,8,3], [2, 3], 1, 'VALID', include_batch_in_index=True)
tf.nn.conv2d(x[2,4,7,6], y[3,2,4,5], [1,1,2,1], 'SAME', data_format='NCHW')
tf.nn.conv2d(x[2,4,7,6], y[3,2,2,6], 1, 'VALID', data_format='NCHW', dilations=[1,1,1,2])
tf.stop_gradient(tf.nn.conv2d(x[2,4,7,6], y[3,2,4,5], 2, [[0,0],[0,0],[1,2],[0,1]], data_format='NCHW'))
tf.nn.conv2d_transpose(x[2,4,3,5], y[3,3,2,4], [2,2,6,10], 2, 'SAME', data_format='NCHW')
tf.nn.depthwise_conv2d(x[2,4,7,6], y[3,2,4,2], [1,1,1,1], 'SAME', data_format='NCHW')
tf.nn.separable_conv2d(x[2,4,7,6], y[3,2,4,2], z[1,1,8,3], [1,1,1,1], 'SAME', data_format='NCHW')
tf.nn.conv3d(x[2,3,5,6,4], y[2,3,2,3,4], [1,1,2,1,1], 'SAME', data_format='NCDHW')
tf.nn.conv3d_transpose(x[2,3,2,3,2], y[3,2,2,2,3], [2,2,4,6,4], 2, 'SAME', data_format='NCDHW')
tf.nn.conv1d(x[2,4,8], y[3,4,5], 2, 'SAME', data_format='NCW')
tf.nn.avg_pool2d(x[2,4,7,6], [2,3], 2, 'SAME', data_format='NCHW')
tf.nn.avg_pool3d(x[2,3,5,6,4], 2, 2, 'VALID', data_format='NCDHW')
tf.nn.max_pool3d(tf.nn.relu(x[2,5,6,4,3]), [2,3,2], [1,2,2], 'SAME')
tf.required_space_to_batch_paddings([5, 7], [2, 3])
tf.required_space_to_batch_paddings([5, 7], [2, 3], [[1, 1], [0, 2]])
tf.required_space_to_batch_paddings(tf.shape(x[5,7]), [2, 3])
"""
LOSSES = """
tf.nn.isotonic_regression(x[3,6])
tf.nn.isotonic_regression(x[3,6], decreasing=False)
tf.raw_ops.FractionalMaxPool(value=x[2,7,9,2], pooling_ratio=[1, 1.5, 1.2, 1], deterministic=True, seed=3, seed2=4)[0]
tf.raw_ops.FractionalMaxPool(value=x[2,31,29,2], pooling_ratio=[1, 10.2, 9.1, 1], deterministic=True, seed=3, seed2=4)[0]
tf.raw_ops.FractionalAvgPool(value=x[2,7,9,2], pooling_ratio=[1, 1.5, 1.2, 1], deterministic=True, seed=3, seed2=4, overlapping=True)[0]
tf.raw_ops.NthElement(input=x[3,5], n=2)
tf.raw_ops.MaxPoolV2(input=x[2,5,5,3], ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
tf.nn.sufficient_statistics(x[3,4,5], [0, 2])
tf.nn.sufficient_statistics(x[3,4,5], [0, -1], keepdims=True)
tf.nn.sufficient_statistics(x[3,4,5], [1], shift=y[3,1,5])
tf.nn.normalize_moments(u[], x[3], v[3], None)
tf.nn.normalize_moments(u[], x[3], v[3], y[3])
tf.nn.weighted_moments(x[3,4,5], [0, 1], u[3,4,1])
tf.nn.weighted_moments(x[3,4,5], [2], u[5], keepdims=True)
tf.nn.weighted_moments(tf.cast(x[3,4,5], tf.float16), [0], 2)
tf.nn.batch_norm_with_global_normalization(x[2,3,3,4], y[4], u[4], z[4], w[4], 0.01, True)
tf.nn.batch_norm_with_global_normalization(x[2,3,3,4], y[4], u[4], z[4], w[4], 0.01, False)
tf.nn.compute_average_loss(x[5])
tf.nn.compute_average_loss(x[5,3], global_batch_size=4)
tf.nn.compute_average_loss(x[5], sample_weight=u[5,1])
tf.nn.compute_average_loss(x[5,3], sample_weight=u[5])
tf.nn.compute_average_loss(tf.cast(x[5], tf.float16), sample_weight=0.5)
tf.nn.compute_average_loss(x[5], global_batch_size=0)
tf.nn.scale_regularization_loss(x[3,4])
tf.nn.in_top_k([1, 0, 2], x[3,4], 2)
tf.math.in_top_k(tf.constant([1, 0, 2], tf.int64), x[3,4], 1)
tf.math.in_top_k([1, 0], np.array([[0.1, 0.9], [0.3, 0.1]]), 1)
tf.math.in_top_k([1, 0], np.array([[1, 9], [3, 1]]), 1)
tf.nn.lrn(x[2,3,3,7], depth_radius=2)
tf.nn.local_response_normalization(x[2,3,3,7], 3, 2.0, 0.5, 0.75)
tf.nn.dilation2d(x[2,5,6,3], y[2,3,3], [1, 2, 1, 1], 'SAME', 'NHWC', [1, 1, 2, 1])
tf.nn.erosion2d(x[2,5,6,3], y[2,3,3], [1, 1, 2, 1], 'VALID', 'NHWC', [1, 2, 1, 1])
tf.raw_ops.FusedBatchNormV3(x=x[2,3,4,5], scale=u[5], offset=y[5], mean=[], variance=[])
tf.raw_ops.FusedBatchNormV3(x=x[2,3,4,5], scale=u[5], offset=y[5], mean=z[5], variance=w[5], is_training=False)
tf.raw_ops.FusedBatchNormV3(x=x[2,3,4,5], scale=u[3], offset=y[3], mean=[], variance=[], data_format='NCHW')
tf.raw_ops.FusedBatchNorm(x=x[2,3,4,5], scale=u[5], offset=y[5], mean=z[5], variance=w[5], exponential_avg_factor=0.3)
tf.nn.ctc_loss([[1, 2], [3, 0]], x[6,2,4], [2, 1], [6, 4])
tf.nn.ctc_loss([[1, 1], [2, 3]], x[6,2,4], [2, 2], [6, 5], blank_index=-1)
tf.nn.ctc_loss([[1, 1], [0, 3]], x[2,6,4], [2, 2], [6, 5], logits_time_major=False, blank_index=2)
tf.nn.ctc_loss([[1, 1, 2]], x[6,1,4], [3], [2])
tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 0], [2, 2]), x[6,2,4], None, [6, 4], blank_index=-1)
tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 2], [2, 2]), x[6,2,4], None, [6, 4], blank_index=0)
tf.nn.ctc_unique_labels([[3, 1, 3, 0], [0, 0, 0, 2]])
tf.nn.collapse_repeated([[3, 3, 1, 3, 0], [0, 0, 0, 2, 2]], [5, 4])
tf.nn.collapse_repeated([[3, 3, 1, 3, 0], [0, 0, 0, 2, 2]], tf.constant([5, 0], tf.int64))
tf.nn.embedding_lookup(x[4,3], [[1, 0], [3, 3]])
tf.nn.embedding_lookup([x[2,3], y[2,3]], [1, 2, 3])
tf.nn.embedding_lookup([[1.0], [2.0]], [1])
tf.nn.embedding_lookup(x[4,3], [1, 2], max_norm=0.5)
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), None, 'sum')
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), None)
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), None, 'sqrtn', max_norm=0.5)
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], u[3], [4, 2]), 'sum')
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], u[3], [4, 2]), 'mean')
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], u[3], [4, 2]), 'sqrtn')
tf.nn.embedding_lookup_sparse([x[2,3], y[2,3]], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), None, 'sum')
tf.nn.embedding_lookup_sparse(x[4,3], tf.ragged.constant([[1, 3], [], [0]]), None, 'sum')
tf.nn.embedding_lookup_sparse(x[4,3], tf.ragged.constant([[1, 3], [], [0]]), tf.ragged.constant([[2.0, 1.0], [], [3.0]]), 'mean')
tf.nn.safe_embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]))
tf.nn.safe_embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, -3, 0], [4, 2]), default_id=2)
tf.nn.safe_embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0, 0], [0, 1, 1], [1, 0, 0]], [1, 3, 0], [2, 2, 2]), combiner='sqrtn')
tf.nn.safe_embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [2.0, -1.0, 3.0], [4, 2]))
tf.nn.safe_embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 3, 0], [4, 2]), tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [2.0, -1.0, 3.0], [4, 2]), 'sum')
tf.nn.compute_accidental_hits(np.array([[1, 2], [0, 5]]), np.array([1, 5, 7, 5]), 2)
tf.nn.nce_loss(x[20,3], y[20], np.array([[1, 2], [0, 5]]), z[2,3], 3, 20, 2, sampled_values=(np.array([1, 3, 7]), np.full([2, 2], 0.5, 'f'), np.full([3], 0.2, 'f')))
tf.nn.nce_loss(x[20,3], y[20], np.array([[1], [0]]), z[2,3], 3, 20, sampled_values=(np.array([1, 3, 7]), np.full([2, 1], 0.5, 'f'), np.full([3], 0.2, 'f')), remove_accidental_hits=True)
tf.nn.sampled_softmax_loss(x[20,3], y[20], np.array([[1, 2], [0, 5]]), z[2,3], 3, 20, 2, sampled_values=(np.array([1, 3, 7]), np.full([2, 2], 0.5, 'f'), np.full([3], 0.2, 'f')))
tf.nn.sampled_softmax_loss([x[10,3], w[10,3]], y[20], np.array([[1, 2], [0, 15]]), z[2,3], 3, 20, 2, sampled_values=(np.array([1, 3, 17]), np.full([2, 2], 0.5, 'f'), np.full([3], 0.2, 'f')))
tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(3, tf.int64), x=x[3,2,3], cs_prev=y[2,4], h_prev=z[2,4], w=u[7,16], wci=v[4], wcf=v, wco=v, b=w[16], use_peephole=True)[1::5]
tf.raw_ops.BlockLSTM(seq_len_max=tf.constant(3, tf.int64), x=x[3,2,3], cs_prev=y[2,4], h_prev=z[2,4], w=u[7,16], wci=v[4], wcf=v, wco=v, b=w[16], cell_clip=0.3)[1::5]
"""
# Numbers of seeds.
DRAWN = """
tf.random.uniform_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 5, True, 20, seed=4)
tf.random.uniform_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 50, False, 2**31 - 1, seed=4)
tf.random.log_uniform_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 5, True, 20, seed=4)
tf.random.log_uniform_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 100, False, 100000, seed=4)
tf.random.learned_unigram_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 5, True, 20, seed=4)
tf.nn.learned_unigram_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 5, False, 2000, seed=4)
tf.random.fixed_unigram_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 4, True, 6, unigrams=[1, 2, 3, 4, 5, 6], seed=4)
tf.nn.fixed_unigram_candidate_sampler(np.array([[1, 2], [0, 5]]), 2, 40, False, 7, unigrams=[.1, .2, .3, .1, .2, .1], num_reserved_ids=1, distortion=0.7, seed=4)
tf.nn.all_candidate_sampler(np.array([[1, 2], [0, 4]]), 2, 5, True)
tf.nn.nce_loss(x[20,3], y[20], np.array([[1, 2], [0, 5]]), z[2,3], 4, 20, 2)
tf.nn.sampled_softmax_loss(x[20,3], y[20], np.array([[1, 2], [0, 5]]), z[2,3], 4, 20, 2, seed=3)
tf.nn.fractional_max_pool(x[2,7,9,2], 1.4, seed=3)
tf.nn.fractional_max_pool(x[2,7,9,2], [1.0, 1.5, 1.2, 1.0], pseudo_random=True, overlapping=True, seed=3)
tf.nn.fractional_avg_pool(x[2,7,9,2], [1.0, 1.5, 1.2, 1.0], overlapping=True, seed=3)
tf.nn.fractional_avg_pool(x[2,7,9,2], [1.0, 1.5, 1.2, 1.0], pseudo_random=True, seed=3)
"""
# Values alone: TensorFlow has no gradient here, no sizes that are unknown, or,
# of BlockLSTMV2, the gradient of gates in another order.
ONLY_VALUES = """
tf.nn.isotonic_regression(x[3,6,2], axis=1)
tf.raw_ops.BlockLSTMV2(seq_len_max=tf.constant(3, tf.int64), x=x[3,2,3], cs_prev=y[2,4], h_prev=z[2,4], w=u[7,16], wci=v[4], wcf=v, wco=v, b=w[16])[1::5]
tf.nn.ctc_loss([[1, 2, 2]], x[6,1,4], [3], [6], unique=tf.nn.ctc_unique_labels([[1, 2, 2]]))
tf.nn.ctc_greedy_decoder(x[6,2,4], [6, 4])
tf.nn.ctc_greedy_decoder(x[6,2,4], [6, 4], merge_repeated=False, blank_index=1)
tf.nn.ctc_beam_search_decoder(x[6,2,4], [6, 4], top_paths=3)
tf.nn.ctc_beam_search_decoder(x[6,2,4], [6, 4], beam_width=4, top_paths=4)
tf.nn.ctc_beam_search_decoder(tf.zeros([6, 2, 4]), [6, 4], beam_width=6, top_paths=6)
tf.nn.isotonic_regression([3, 1, 2, 4, 4])
tf.nn.experimental.general_dropout(x[4], 0.5, lambda shape, dtype: tf.constant([0.1, 0.6, 0.5, 0.4], dtype))
tf.nn.experimental.general_dropout(x[3,4], tf.constant(0.25), lambda shape, dtype: tf.fill(shape, tf.constant(0.3, dtype)), noise_shape=[None, 1])
tf.nn.with_space_to_batch(x[2,9,8,3], [2, 3], 'VALID', lambda t, n, p: tf.nn.pool(t, [2, 2], 'MAX', padding=p))
tf.nn.with_space_to_batch(x[2,9,8,3], [2, 1], 'SAME', lambda t, n, p: tf.nn.pool(t, [2, 2], 'AVG', padding=p), filter_shape=[2, 2])
tf.nn.with_space_to_batch(x[2,9,8,3], [3], 'VALID', lambda t, n, p: tf.nn.max_pool2d(t, [1, 2], 1, p), spatial_dims=[2])
tf.nn.max_pool_with_argmax(x[2,8,8,3], [2, 3], 1, 'VALID', output_dtype=tf.int32)
tf.nn.depthwise_conv2d(x[2,8,8,3], y[2,2,3,2], [1,2,2,1], 'SAME', dilations=[2,2])
tf.nn.depthwise_conv2d(x[2,9,8,3], y[3,2,3,2], [1,2,2,1], 'VALID', dilations=[2,3])
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[1,1,6,5], [1,2,2,1], 'SAME', dilations=[2,2])
"""
ERRORS = """
tf.nn.dilation2d(x[2,5,6,3], y[2,3,3], [1, 1, 1, 1], 'SAME', 'NCHW', [1, 1, 1, 1])
tf.nn.dilation2d(x[2,5,6,3], y[2,3,4], [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])
tf.nn.erosion2d(x[2,5,6,3], y[2,3,3], [1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])
tf.nn.compute_average_loss(x[])
tf.nn.compute_average_loss(x[2], global_batch_size=-1)
tf.nn.compute_average_loss(x[2], global_batch_size=2.0)
tf.nn.compute_average_loss(x[2], global_batch_size=[2])
tf.nn.ctc_loss(tf.SparseTensor([[0, 0]], [1], [1, 1]), x[6,1,4], None, [6])
tf.nn.ctc_loss(tf.SparseTensor([[0, 0], [0, 1]], [1, 1], [1, 2]), x[6,1,4], None, [1], blank_index=-1)
tf.nn.embedding_lookup_sparse(x[4,3], [[1]], None, 'sum')
tf.nn.embedding_lookup_sparse(x[4,3], tf.SparseTensor([[0, 0]], [1], [1, 1]), None, 'max')
tf.random.learned_unigram_candidate_sampler(np.array([[1, 2]]), 2, 5, True, 2**31)
tf.random.uniform_candidate_sampler(np.array([[1, 2]]), 2, 5, True, 3)
tf.random.uniform_candidate_sampler(np.array([[1, 2]]), 1, 5, True, 30)
tf.nn.fractional_max_pool(x[2,7,9,2], 0.5)
tf.nn.fractional_max_pool(x[2,7,9,2], [1.5, 1.5, 1.5, 1.0])
tf.nn.ctc_beam_search_decoder(x[6,2,4], [6, 6], beam_width=2, top_paths=3)
tf.nn.ctc_greedy_decoder(x[6,2,4], [7, 6])
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], padding=[[0,0],[1,1],[1,1],[0,0]])
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], strides=2, dilations=2)
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], strides=[1,2,3])
tf.nn.convolution(x[2,8,8,3], y[2,2,3,4], dilations=0)
tf.nn.convolution(x[2,8,8,3], y[3,4])
tf.nn.convolution(x[2,8,8,3], y[2,2,5,4])
tf.nn.pool(x[2,8,8,3], [2, 2], 'MAX', padding='SAME', dilations=[2, 3])
tf.nn.pool(x[2,8,8,3], [2, 2], 'AVG', strides=[3, 3])
tf.nn.pool(x[2,8,8,3], [2, 2], 'SUM')
tf.nn.pool(x[2,8,8,3], [2], 'MAX')
tf.nn.pool(x[2,8,8,3], [2, 2], 'MAX', strides=[1])
tf.nn.separable_conv2d(x[2,8,8,3], y[2,2,3,2], z[2,1,6,5], [1,1,1,1], 'SAME')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 9, 9, 3], 2, 'VALID')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 8, 8, 3], 0, 'VALID')
tf.nn.atrous_conv2d_transpose(x[2,6,6,4], y[2,2,3,4], [2, 8, 8, 3], 2, 'FULL')
tf.nn.atrous_conv2d_transpose(x[2,6,6,5], y[2,2,3,4], [2, 8, 8, 3], 2, 'VALID')
tf.nn.conv_transpose(x[2,4,4], y[2,3,4], [2, 4], 2)
tf.nn.conv1d_transpose(x[2,4,4], y[2,3,4], [2, 8, 3], 2, data_format='XX')
tf.nn.max_pool_with_argmax(x[2,8,8,3], 2, 2, 'SAME', data_format='NCHW')
"""


class Call:
    """An expression over named arrays, as a function of tensors."""

    def __init__(self, text: str):
        self.arrays: dict[str, np.ndarray] = {}

        def variable(found: re.Match[str]) -> str:
            name, dims = found.groups()
            shape = [int(d) for d in dims.split(",") if d]
            rng = np.random.default_rng(len(self.arrays) + 7)
            low = -1.0 if name in "xyz" else 0.1
            self.arrays[name] = rng.uniform(low, 1, shape).astype(np.float32)
            return name

        code = re.sub(r"\b([xyzuvw])\[([\d,]*)\]", variable, text)
        self.code = compile(code, text, "eval")

    def run(self, tf: Any, *tensors: Any) -> list[Any]:
        names = {"tf": tf, "np": np, **dict(zip(self.arrays, tensors, strict=True))}
        out = tf.nest.flatten(eval(self.code, names), expand_composites=True)
        return [tf.convert_to_tensor(t) for t in out if t is not None]

    def tensors(self, tf: Any) -> list[Any]:
        return [tf.constant(a) for a in self.arrays.values()]


def lines(text: str) -> list[str]:
    return [line for line in text.strip().splitlines() if line[0] != "#"]


def same(ours: Any, theirs: Any, rtol: float = 2e-5) -> None:
    assert len(ours) == len(theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine.dtype.name == expected.dtype.name
        mine, expected = np.asarray(mine), np.asarray(expected)
        assert mine.shape == expected.shape
        if expected.dtype.kind in "biuOS":
            np.testing.assert_array_equal(mine, expected)
            continue
        np.testing.assert_allclose(
            mine.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=rtol
        )


VALUES = [*lines(CONVOLUTIONS), *lines(LOSSES)]


@pytest.mark.parametrize("text", [*VALUES, *lines(ONLY_VALUES)])
def test_values(both: Any, text: str) -> None:
    call = Call(text)
    same(*(call.run(tf, *call.tensors(tf)) for tf in (both.ours, both.theirs)))


@pytest.mark.parametrize("text", lines(DRAWN))
def test_drawn(both: Any, text: str) -> None:
    """The same numbers of the same seeds, twice and in a function."""
    call = Call(text)

    def draw(tf: Any) -> list[Any]:
        tf.random.set_seed(11)
        tensors = call.tensors(tf)
        out = [*call.run(tf, *tensors), *call.run(tf, *tensors)]
        tf.random.set_seed(11)

        @tf.function(autograph=False)
        def traced() -> Any:
            return call.run(tf, *tensors)

        return [*out, *traced(), *traced()]

    same(draw(both.ours), draw(both.theirs))


@pytest.mark.parametrize("text", VALUES)
@pytest.mark.parametrize("known", [False, True])
def test_traced(both: Any, text: str, known: bool) -> None:
    call = Call(text)

    def trace(tf: Any) -> tuple[list[Any], list[Any]]:
        shapes: list[Any] = []
        specs = [
            tf.TensorSpec(a.shape if known else [None] * a.ndim, a.dtype)
            for a in call.arrays.values()
        ]

        @tf.function(input_signature=specs, autograph=False)
        def traced(*tensors: Any) -> Any:
            out = call.run(tf, *tensors)
            shapes.extend(t.shape.as_list() if t.shape.rank is not None else None for t in out)
            return out

        return shapes, traced(*call.tensors(tf))

    try:
        their_shapes, theirs = trace(both.theirs)
    except ValueError:
        # TensorFlow needs sizes where ours do without.
        assert not known and ("SAME" in text or "[[" in text)
        trace(both.ours)
        return
    our_shapes, ours = trace(both.ours)
    same(ours, theirs)
    for mine, expected in zip(our_shapes, their_shapes, strict=True):
        if expected is None:
            continue
        assert mine is not None
        for m, e in zip(mine, expected, strict=True):
            assert e is None or m == e, (our_shapes, their_shapes)


@pytest.mark.parametrize("text", [t for t in VALUES if Call(t).arrays])
def test_gradients(both: Any, text: str) -> None:
    call = Call(text)

    def gradients(tf: Any) -> list[Any]:
        tensors = call.tensors(tf)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            out = [t for t in call.run(tf, *tensors) if t.dtype.is_floating]
            total = tf.add_n([tf.reduce_sum(tf.sin(t)) for t in out] or [tf.constant(0.0)])
        return [
            tf.convert_to_tensor(g) if g is not None else tf.constant(-1.0)
            for g in tape.gradient(total, tensors)
        ]

    same(gradients(both.ours), gradients(both.theirs), 1e-4)


@pytest.mark.parametrize("text", lines(ERRORS))
def test_errors(both: Any, text: str) -> None:
    call = Call(text)
    both.agree_on_error(lambda tf: call.run(tf, *call.tensors(tf)))
