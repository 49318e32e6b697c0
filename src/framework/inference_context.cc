#include "framework/inference_context.h"

#include <algorithm>

namespace gk {

InferenceContext::InferenceContext(const OpRecord& record, const AttrMap& attrs,
                                   std::span<const PartialTensorShape> inputs,
                                   std::span<const DataType> input_types,
                                   std::span<const Tensor> values,
                                   int num_outputs)
    : record_(record),
      attrs_(attrs),
      inputs_(inputs),
      input_types_(input_types),
      values_(values),
      outputs_(num_outputs) {}

const Tensor& InferenceContext::value(int i) const {
  static const Tensor none;
  return i < static_cast<int>(values_.size()) ? values_[i] : none;
}

std::optional<std::vector<int64_t>> InferenceContext::ValueAsInts(int i) const {
  const Tensor& v = value(i);
  if (!v || v.is_symbolic()) return std::nullopt;
  std::vector<int64_t> out;
  const bool ok =
      VisitType<int32_t, int64_t, int16_t, int8_t, uint8_t, uint16_t, uint32_t,
                uint64_t>(v.dtype(), [&](auto tag) {
        using T = decltype(tag);
        for (T x : v.flat<T>()) out.push_back(static_cast<int64_t>(x));
      });
  if (!ok) return std::nullopt;
  return out;
}

PartialTensorShape InferenceContext::ValueAsShape(int i) const {
  if (auto ints = ValueAsInts(i)) {
    if (ints->size() > static_cast<size_t>(kMaxRank)) {
      return PartialTensorShape();
    }
    for (int64_t& d : *ints) d = std::max(d, kUnknownDim);
    return PartialTensorShape(std::span<const int64_t>(*ints));
  }
  if (i < static_cast<int>(value_shapes_.size()) && value_shapes_[i]) {
    return *value_shapes_[i];
  }
  const PartialTensorShape& s = inputs_[i];
  if (s.rank() == 1 && s.dim(0) >= 0 && s.dim(0) <= kMaxRank) {
    return PartialTensorShape::UnknownOfRank(static_cast<int>(s.dim(0)));
  }
  return PartialTensorShape();
}

const HandleData* InferenceContext::input_handle(int i) const {
  return i < static_cast<int>(input_handles_.size()) ? input_handles_[i]
                                                     : nullptr;
}
void InferenceContext::set_input_handles(
    std::vector<const HandleData*> handles) {
  input_handles_ = std::move(handles);
}
void InferenceContext::set_output_handle(int i, HandleData data) {
  output_handles_.resize(outputs_.size());
  output_handles_[i] = std::move(data);
}

Status InferenceContext::WithRank(int i, int rank,
                                  PartialTensorShape* out) const {
  const PartialTensorShape& s = inputs_[i];
  if (s.unknown_rank()) {
    *out = PartialTensorShape::UnknownOfRank(rank);
    return OkStatus();
  }
  if (s.rank() != rank) {
    return InvalidArgument("Shape must be rank {} but is rank {}", rank,
                           s.rank());
  }
  *out = s;
  return OkStatus();
}

Status InferenceContext::WithRankAtLeast(int i, int rank,
                                         PartialTensorShape* out) const {
  const PartialTensorShape& s = inputs_[i];
  if (!s.unknown_rank() && s.rank() < rank) {
    return InvalidArgument("Shape must be at least rank {} but is rank {}",
                           rank, s.rank());
  }
  *out = s;
  return OkStatus();
}

Status InferenceContext::MergeDims(int64_t a, int64_t b, int64_t* out) {
  if (a >= 0 && b >= 0 && a != b) {
    return InvalidArgument("Dimensions must be equal, but are {} and {}", a, b);
  }
  *out = a >= 0 ? a : b;
  return OkStatus();
}

StatusOr<PartialTensorShape> BroadcastPartialShapes(
    const PartialTensorShape& a, const PartialTensorShape& b) {
  if (a.unknown_rank() || b.unknown_rank()) return PartialTensorShape();
  const int rank = std::max(a.rank(), b.rank());
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(rank);
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank()), ib = i - (rank - b.rank());
    const int64_t da = ia < 0 ? 1 : a.dim(ia), db = ib < 0 ? 1 : b.dim(ib);
    if (da > 1 && db > 1 && da != db) {
      return InvalidArgument("Dimensions must be equal, but are {} and {}", da,
                             db);
    }
    if ((da == 0 && db > 1) || (db == 0 && da > 1)) {
      return InvalidArgument("Dimensions must be equal, but are {} and {}", da,
                             db);
    }
    int64_t d = kUnknownDim;
    if (da == 1)
      d = db;
    else if (db == 1)
      d = da;
    else if (da > 1 || da == 0)
      d = da;
    else if (db > 1 || db == 0)
      d = db;
    out.SetDim(i, d);
  }
  return out;
}

namespace shape_fn {

Status Unknown(InferenceContext& c) { return OkStatus(); }

Status Scalar(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialTensorShape(TensorShape()));
  }
  return OkStatus();
}

Status SameAsInput(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  if (const HandleData* h = c.input_handle(0)) c.set_output_handle(0, *h);
  return OkStatus();
}

Status Broadcast(InferenceContext& c) {
  PartialTensorShape s = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    GK_ASSIGN_OR_RETURN(s, BroadcastPartialShapes(s, c.input(i)));
  }
  c.set_output(0, std::move(s));
  return OkStatus();
}

Status NoOutputs(InferenceContext& c) { return OkStatus(); }

}  // namespace shape_fn

}  // namespace gk
