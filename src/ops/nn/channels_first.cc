#include "ops/nn/channels_first.h"

#include <vector>

#include "framework/op_registry.h"
#include "kernels/transpose.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// The axes of channels last, in those of channels first, or the other way
// around.
std::vector<int64_t> Axes(int rank, bool to_last) {
  std::vector<int64_t> axes{0};
  if (!to_last) axes.push_back(rank - 1);
  for (int d = to_last ? 2 : 1; d < (to_last ? rank : rank - 1); ++d) {
    axes.push_back(d);
  }
  if (to_last) axes.push_back(1);
  return axes;
}

StatusOr<Tensor> Turned(const Tensor& x, bool to_last) {
  const std::vector<int64_t> axes = Axes(x.rank(), to_last);
  std::vector<int64_t> dims;
  for (const int64_t axis : axes) dims.push_back(x.dim(axis));
  GK_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(dims));
  GK_ASSIGN_OR_RETURN(Tensor turned, Tensor::Allocate(x.dtype(), shape));
  if (x.num_elements() > 0) {
    Transpose(x.shape().dims(), axes, x.byte_size() / x.num_elements(),
              x.raw_data(), turned.raw_data());
  }
  return turned;
}

// Values of one dimension each, or several in a row. Lists of other lengths
// are left as they are, for the kernel to refuse.
std::vector<int64_t> TurnedList(const std::vector<int64_t>& values, int rank,
                                int each) {
  if (static_cast<int>(values.size()) != rank * each) return values;
  std::vector<int64_t> turned;
  for (const int64_t axis : Axes(rank, true)) {
    for (int i = 0; i < each; ++i) turned.push_back(values[axis * each + i]);
  }
  return turned;
}

AttrMap ForChannelsLast(const AttrMap& attrs, int rank) {
  AttrMap turned = attrs;
  turned.Set("data_format", std::string(rank == 4 ? "NHWC" : "NDHWC"));
  for (const auto& [name, each] :
       {std::pair("strides", 1), std::pair("ksize", 1),
        std::pair("dilations", 1), std::pair("explicit_paddings", 2)}) {
    if (const auto* values = attrs.Get<std::vector<int64_t>>(name)) {
      turned.Set(name, TurnedList(*values, rank, each));
    }
  }
  return turned;
}

StatusOr<Tensor> TurnedSizes(const Tensor& sizes, int rank) {
  if (sizes.rank() != 1 || sizes.dim(0) != rank) return sizes;
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(sizes, &values));
  return IntegerTensor(sizes.dtype(), TurnedList(values, rank, 1),
                       sizes.shape());
}

}  // namespace

Status RunChannelsLast(KernelContext& c, ComputeFn compute, ImagePart output,
                       std::span<const ImagePart> inputs) {
  const int rank = c.attr<std::string>("data_format") == "NCHW" ? 4 : 5;
  std::vector<Tensor> turned(inputs.size());
  std::vector<const Tensor*> given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& x = c.input(i);
    given.push_back(&x);
    if (inputs[i] == ImagePart::kImages && x.rank() == rank) {
      GK_ASSIGN_OR_RETURN(turned[i], Turned(x, true));
      given.back() = &turned[i];
    } else if (inputs[i] == ImagePart::kSizes) {
      GK_ASSIGN_OR_RETURN(turned[i], TurnedSizes(x, rank));
      given.back() = &turned[i];
    }
  }
  const AttrMap attrs = ForChannelsLast(c.attrs(), rank);
  Tensor out;
  KernelContext inner(c.record(), attrs, given, std::span<Tensor>(&out, 1));
  GK_RETURN_IF_ERROR(compute(inner));
  if (output == ImagePart::kImages) {
    GK_ASSIGN_OR_RETURN(out, Turned(out, false));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace gk
