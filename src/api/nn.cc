#include "graphkiln/nn.h"

#include "api/inner.h"
#include "graphkiln/functions.h"

namespace gk::api::nn {
namespace {

std::vector<Tensor> Call(const char* name,
                         std::initializer_list<Argument> arguments) {
  return detail::CallPublicFunction(name, arguments);
}

// All indices, then all values, then all shapes, and the scores.
DecodedSequences SequencesOf(const std::vector<Tensor>& made) {
  const size_t n = made.size() / 3;
  DecodedSequences found{{}, made.back()};
  for (size_t i = 0; i < n; ++i) {
    found.first.emplace_back(made[i], made[n + i], made[2 * n + i]);
  }
  return found;
}

}  // namespace

DecodedSequences ctc_greedy_decoder(const Argument& inputs,
                                    const Argument& sequence_length,
                                    bool merge_repeated, int64_t blank_index) {
  return SequencesOf(
      Call("_nn.ctc_greedy_decoder",
           {inputs, sequence_length, merge_repeated, blank_index}));
}

DecodedSequences ctc_beam_search_decoder(const Argument& inputs,
                                         const Argument& sequence_length,
                                         int64_t beam_width,
                                         int64_t top_paths) {
  return SequencesOf(Call("_nn.ctc_beam_search_decoder",
                          {inputs, sequence_length, beam_width, top_paths}));
}

Tensor with_space_to_batch(const Tensor& input, const Argument& dilation_rate,
                           const std::string& padding, const SpatialOp& op,
                           const Argument& filter_shape,
                           const SpatialDimensions& where,
                           const Argument& paddings) {
  const Tensor rates = detail::Operands({dilation_rate}, "-")[0];
  const std::vector<Tensor> parts =
      Call("_nn.space_to_batch_parts",
           {input, rates, padding, filter_shape, where.spatial_dims,
            where.data_format, paddings});
  const int64_t dimensions = rates.shape().dim(0);
  if (parts.empty()) return op(input, dimensions, padding);
  const Tensor made =
      op(space_to_batch_nd(input, parts[0], parts[1]), dimensions, "VALID");
  return batch_to_space(made, parts[0], parts[2]);
}

namespace experimental {

Tensor general_dropout(const Tensor& x, const Argument& rate,
                       const UniformSampler& uniform_sampler,
                       const Argument& noise_shape) {
  const auto* whole = std::get_if<int64_t>(&rate.value());
  const auto* part = std::get_if<double>(&rate.value());
  const bool known = whole != nullptr || part != nullptr;
  const double value = part ? *part : static_cast<double>(whole ? *whole : 0);
  Guarded([&] {
    if (!dtypes::is_floating(x.dtype())) {
      throw ::gk::Error(ValueError(
          "`x.dtype` must be a floating point tensor as `x` will be scaled. "
          "Received: x_dtype={}",
          DataTypeName(Inner(x.dtype()))));
    }
    if (!(value >= 0 && value < 1)) {
      throw ::gk::Error(ValueError(
          "`rate` must be a scalar tensor or a float in the range [0, 1). "
          "Received: rate={}",
          value));
    }
  });
  if (known && value == 0) return x;
  const Tensor dropped = detail::Operands({x, rate}, "TT")[1];
  const Tensor scaled = known ? x * (1 / (1 - value)) : x / (1 - dropped);
  const Tensor shape = std::holds_alternative<None>(noise_shape.value())
                           ? gk::api::shape(x)
                           : detail::Operands({noise_shape}, "-")[0];
  const Tensor drawn = uniform_sampler(shape, x.dtype());
  const Tensor made =
      where(drawn >= dropped, scaled, Tensor::OfNumber(int64_t{0}, x.dtype()));
  return ensure_shape(made, x.shape());
}

}  // namespace experimental
}  // namespace gk::api::nn
