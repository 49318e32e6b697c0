#include "ops/reduction_axes.h"

namespace gk {
namespace {

Status Mark(std::span<const int64_t> axes, int rank,
            std::vector<uint8_t>* flags) {
  flags->assign(rank, 0);
  for (int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument(
          "Invalid reduction dimension ({} for input with {} dimension(s)",
          axis, rank);
    }
    uint8_t& flag = (*flags)[axis < 0 ? axis + rank : axis];
    if (flag) {
      return InvalidArgument(
          "Invalid reduction arguments: Axes contains duplicate dimension: {}",
          axis);
    }
    flag = 1;
  }
  return OkStatus();
}

}  // namespace

StatusOr<Reduction> ParseReduction(const Tensor& input, const Tensor& axes,
                                   bool keep_dims) {
  // Axes of any shape are taken in their order, as graphs of old had them.
  std::vector<int64_t> list;
  for (int64_t i = 0; i < axes.num_elements(); ++i) {
    list.push_back(axes.dtype() == DataType::kInt32 ? axes.data<int32_t>()[i]
                                                    : axes.data<int64_t>()[i]);
  }
  Reduction r;
  GK_RETURN_IF_ERROR(Mark(list, input.rank(), &r.is_reduced));
  for (int i = 0; i < input.rank(); ++i) {
    if (!r.is_reduced[i])
      r.shape.AddDim(input.dim(i));
    else if (keep_dims)
      r.shape.AddDim(1);
  }
  return r;
}

Status ReductionShape(InferenceContext& c) {
  const PartialTensorShape& in = c.input(0);
  const bool keep_dims = c.attr<bool>("keep_dims");
  if (c.input(1).rank() > 1) {
    return InvalidArgument("Shape must be at most rank 1 but is rank {}",
                           c.input(1).rank());
  }
  if (in.unknown_rank()) return OkStatus();
  auto axes = c.ValueAsInts(1);
  if (!axes) {
    if (keep_dims) {
      c.set_output(0, PartialTensorShape::UnknownOfRank(in.rank()));
    }
    return OkStatus();
  }
  std::vector<uint8_t> flags;
  GK_RETURN_IF_ERROR(Mark(*axes, in.rank(), &flags));
  PartialTensorShape out{TensorShape()};
  for (int i = 0; i < in.rank(); ++i) {
    if (!flags[i])
      out.AddDim(in.dim(i));
    else if (keep_dims)
      out.AddDim(1);
  }
  c.set_output(0, out);
  return OkStatus();
}

}  // namespace gk
