// Functions of gk::nn that call functions of the program, or give sparse
// tensors. The rest is in functions.h.
//
//   gk::Tensor pooled = gk::nn::with_space_to_batch(
//       x, {2, 2}, "VALID", [](const gk::Tensor& t, int64_t, const auto& pad) {
//         return gk::nn::max_pool2d(t, 2, 1, pad);
//       });
//
// Throw Error.
#ifndef GRAPHKILN_NN_H_
#define GRAPHKILN_NN_H_

#include <graphkiln/argument.h>
#include <graphkiln/sparse_tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace nn {

  // Sequences of classes, the best first, and how good each one is: negated
  // sums of logits [batch, 1], or logarithms of probabilities [batch, n].
  using DecodedSequences = std::pair<std::vector<SparseTensor>, Tensor>;

  // The most likely class of each step of logits [steps, batch, classes],
  // without blanks; one sequence. A negative `blank_index` counts from the
  // last class.
  GK_EXPORT DecodedSequences ctc_greedy_decoder(const Argument& inputs,
                                                const Argument& sequence_length,
                                                bool merge_repeated = true,
                                                int64_t blank_index = -1);
  // The `top_paths` most likely sequences of classes, by beam search; the last
  // class is the blank.
  GK_EXPORT DecodedSequences ctc_beam_search_decoder(
      const Argument& inputs, const Argument& sequence_length,
      int64_t beam_width = 100, int64_t top_paths = 1);

  // What an operation makes of a tensor that has so many spatial dimensions;
  // it applies the padding itself.
  using SpatialOp = std::function<Tensor(
      const Tensor& input, int64_t dimensions, const std::string& padding)>;
  // Which dimensions are spatial: rising numbers, or else those behind the
  // batch, and behind the channels for formats "NC...".
  struct SpatialDimensions {
    Argument spatial_dims = None();
    std::string data_format;
  };
  // `op` of every residue of the places modulo `dilation_rate` by itself, which
  // makes its window one with holes. `padding`: "VALID"; "SAME", which needs
  // the sizes of the window; or "EXPLICIT" with [before, after] for each
  // dimension, spatial or not, as `paddings`. All rates one: `op` of the input.
  GK_EXPORT Tensor with_space_to_batch(const Tensor& input,
                                       const Argument& dilation_rate,
                                       const std::string& padding,
                                       const SpatialOp& op,
                                       const Argument& filter_shape = None(),
                                       const SpatialDimensions& where = {},
                                       const Argument& paddings = None());

  namespace experimental {

  // Uniform numbers of [0, 1), of a shape, an int32 vector, and a dtype.
  using UniformSampler =
      std::function<Tensor(const Tensor& shape, DataType dtype)>;
  // Sets a part of the elements, a number or scalar tensor in [0, 1), to 0 and
  // scales up the others. `noise_shape` is that of the numbers drawn, broadcast
  // to that of `x`, which it is unless given.
  GK_EXPORT Tensor general_dropout(const Tensor& x, const Argument& rate,
                                   const UniformSampler& uniform_sampler,
                                   const Argument& noise_shape = None());

  }  // namespace experimental
  }  // namespace nn
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_NN_H_
