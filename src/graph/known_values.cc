#include "graph/known_values.h"

#include <algorithm>

#include "base/interrupt.h"
#include "framework/run_kernel.h"

namespace gk {
namespace {

// Chains of shape arithmetic longer than this are left to the run time.
constexpr int kMaxDepth = 32;

Tensor Integers(DataType dtype, std::span<const int64_t> values,
                bool scalar = false) {
  const TensorShape shape =
      scalar ? TensorShape() : TensorShape({int64_t(values.size())});
  StatusOr<Tensor> t = Tensor::Allocate(dtype, shape);
  if (!t.ok()) return Tensor();
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == DataType::kInt64) {
      t->data<int64_t>()[i] = values[i];
    } else if (values[i] > INT32_MAX) {
      return Tensor();
    } else {
      t->data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return *std::move(t);
}

// Shape, ShapeN, Size and Rank need their input's shape only.
bool FromStaticShapes(Node* node) {
  const std::string_view type = node->type();
  const bool is_shape = type == "Shape" || type == "ShapeN";
  if (!is_shape && type != "Size" && type != "Rank") return false;
  for (int i = 0; i < node->num_outputs() && i < node->num_inputs(); ++i) {
    const Output& o = node->input(i);
    const PartialTensorShape& shape = o.node->output(o.index).shape;
    Node::OutputInfo& out = node->mutable_output(i);
    if (type == "Rank") {
      const int64_t rank = shape.rank();
      if (rank >= 0) out.value = Integers(out.dtype, {&rank, 1}, true);
    } else if (!shape.IsFullyDefined()) {
      continue;
    } else if (is_shape) {
      out.value = Integers(out.dtype, shape.dims());
    } else {
      const int64_t size = shape.num_elements();
      if (size >= 0) out.value = Integers(out.dtype, {&size, 1}, true);
    }
  }
  return true;
}

bool IsSmall(const PartialTensorShape& shape) {
  const int64_t n = shape.num_elements();
  return n >= 0 && n <= kMaxKnownElements;
}

bool IsPlain(DataType t) {
  return t != DataType::kResource && t != DataType::kVariant;
}

std::optional<int64_t> KnownInteger(Output o) {
  const Tensor& v = o.node->output(o.index).value;
  if (!v || v.num_elements() != 1) return std::nullopt;
  if (v.dtype() == DataType::kInt32) return *v.data<int32_t>();
  if (v.dtype() == DataType::kInt64) return *v.data<int64_t>();
  return std::nullopt;
}

std::optional<PartialTensorShape> ShapeValue(Output o, int depth);

// One element of a shape-like vector; -1 if unknown.
int64_t ElementValue(Output o, int depth) {
  if (std::optional<int64_t> v = KnownInteger(o)) return *v;
  Node* node = o.node;
  if (depth > kMaxDepth) return -1;
  if (node->type() == "Identity" || node->type() == "Cast") {
    return ElementValue(node->input(0), depth + 1);
  }
  // shape[i], as Python programs take dimensions.
  if (node->type() == "StridedSlice" &&
      node->attr<int64_t>("shrink_axis_mask") == 1) {
    std::optional<PartialTensorShape> in =
        ShapeValue(node->input(0), depth + 1);
    std::optional<int64_t> at = KnownInteger(node->input(1));
    if (!in || in->unknown_rank() || !at) return -1;
    const int64_t i = *at < 0 ? *at + in->rank() : *at;
    return i >= 0 && i < in->rank() ? in->dim(static_cast<int>(i)) : -1;
  }
  return -1;
}

std::optional<PartialTensorShape> SliceValue(const Node& node, int depth) {
  std::optional<PartialTensorShape> in = ShapeValue(node.input(0), depth);
  std::optional<int64_t> begin = KnownInteger(node.input(1));
  std::optional<int64_t> end = KnownInteger(node.input(2));
  std::optional<int64_t> step = KnownInteger(node.input(3));
  if (!in || in->unknown_rank() || !step || *step == 0) return std::nullopt;
  for (const char* mask :
       {"ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    if (node.attr<int64_t>(mask) != 0) return std::nullopt;
  }
  const int64_t n = in->rank();
  auto bound = [&](std::optional<int64_t> v, const char* mask, int64_t open,
                   int64_t low, int64_t high) -> std::optional<int64_t> {
    if (node.attr<int64_t>(mask) & 1) return open;
    if (!v) return std::nullopt;
    return std::clamp(*v < 0 ? *v + n : *v, low, high);
  };
  const bool forward = *step > 0;
  std::optional<int64_t> from =
      forward ? bound(begin, "begin_mask", 0, 0, n)
              : bound(begin, "begin_mask", n - 1, -1, n - 1);
  std::optional<int64_t> to = forward ? bound(end, "end_mask", n, 0, n)
                                      : bound(end, "end_mask", -1, -1, n - 1);
  if (!from || !to) return std::nullopt;
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int64_t i = *from; forward ? i < *to : i > *to; i += *step) {
    out.AddDim(in->dim(static_cast<int>(i)));
    if (*step > n || *step < -n) break;
  }
  return out;
}

std::optional<PartialTensorShape> ConcatValue(const Node& node, int depth) {
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  for (int i = 0; i + 1 < node.num_inputs(); ++i) {
    std::optional<PartialTensorShape> part = ShapeValue(node.input(i), depth);
    if (!part || part->unknown_rank()) return std::nullopt;
    if (out.rank() + part->rank() > kMaxRank) return std::nullopt;
    for (int64_t d : part->dims()) out.AddDim(d);
  }
  return out;
}

std::optional<PartialTensorShape> ShapeValue(Output o, int depth) {
  Node* node = o.node;
  const Node::OutputInfo& info = node->output(o.index);
  if (depth > kMaxDepth) return std::nullopt;
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  if (info.value) {
    const Tensor& v = info.value;
    if (v.rank() != 1 || v.num_elements() > kMaxRank) return std::nullopt;
    if (v.dtype() == DataType::kInt32) {
      for (int32_t d : v.flat<int32_t>()) out.AddDim(std::max(d, -1));
    } else if (v.dtype() == DataType::kInt64) {
      for (int64_t d : v.flat<int64_t>()) {
        out.AddDim(std::max(d, int64_t{-1}));
      }
    } else {
      return std::nullopt;
    }
    return out;
  }
  const std::string_view type = node->type();
  if (type == "Shape" || type == "ShapeN") {
    const Output& in = node->input(type == "Shape" ? 0 : o.index);
    const PartialTensorShape& shape = in.node->output(in.index).shape;
    if (shape.unknown_rank()) return std::nullopt;
    return shape;
  }
  if (type == "Identity" || type == "Cast") {
    return ShapeValue(node->input(0), depth + 1);
  }
  if (type == "Pack" && info.shape.rank() == 1) {
    if (node->num_inputs() > kMaxRank) return std::nullopt;
    for (const Output& in : node->inputs()) {
      out.AddDim(std::max(ElementValue(in, depth + 1), int64_t{-1}));
    }
    return out;
  }
  if (type == "ConcatV2" && info.shape.rank() == 1) {
    return ConcatValue(*node, depth + 1);
  }
  if (type == "StridedSlice") return SliceValue(*node, depth + 1);
  if (info.shape.rank() == 1 && info.shape.dim(0) >= 0 &&
      info.shape.dim(0) <= kMaxRank) {
    return PartialTensorShape::UnknownOfRank(
        static_cast<int>(info.shape.dim(0)));
  }
  return std::nullopt;
}

// Of a shape that is known in part: shape[i], and shape[a:b].
bool FromPartOfShape(Node* node) {
  if (node->type() != "StridedSlice") return false;
  const Output& of = node->input(0);
  if (of.node->type() != "Shape" || of.node->output(0).value) return false;
  Node::OutputInfo& out = node->mutable_output(0);
  if (out.shape.rank() == 0) {
    const int64_t size = ElementValue({node, 0}, 0);
    if (size >= 0) out.value = Integers(out.dtype, {&size, 1}, true);
  } else if (out.shape.rank() == 1) {
    const std::optional<PartialTensorShape> part = SliceValue(*node, 0);
    if (part && part->IsFullyDefined()) {
      out.value = Integers(out.dtype, part->dims());
    }
  }
  return true;
}

}  // namespace

std::optional<PartialTensorShape> KnownShapeValue(Output o) {
  const DataType dtype = o.node->output(o.index).dtype;
  if (dtype != DataType::kInt32 && dtype != DataType::kInt64) {
    return std::nullopt;
  }
  return ShapeValue(o, 0);
}

void ComputeKnownValues(Node* node) {
  const OpRecord& op = node->op();
  if (node->num_inputs() == 0) {
    if (op.name == "Const") {
      node->mutable_output(0).value = node->attr<Tensor>("value");
    }
    return;
  }
  if (op.Has(kStateful | kRandom | kCallsFunction | kReadsResource |
             kWritesResource) ||
      op.def->is_stateful || node->num_outputs() == 0 ||
      op.kernel.compute == nullptr || !node->control_inputs().empty()) {
    return;
  }
  if (FromStaticShapes(node) || FromPartOfShape(node)) return;
  std::vector<const Tensor*> inputs;
  for (const Output& o : node->inputs()) {
    const Tensor& v = o.node->output(o.index).value;
    if (!v || v.num_elements() > kMaxKnownElements || !IsPlain(v.dtype())) {
      return;
    }
    inputs.push_back(&v);
  }
  for (int i = 0; i < node->num_outputs(); ++i) {
    const Node::OutputInfo& out = node->output(i);
    if (!IsSmall(out.shape) || !IsPlain(out.dtype)) return;
  }
  TensorVector outputs(node->num_outputs());
  KernelContext context(op, node->attrs(), inputs, outputs);
  // An op that fails on these values fails when, and if, it runs.
  const NoInterrupts whole;
  if (!RunKernel(context).ok()) return;
  for (int i = 0; i < node->num_outputs(); ++i) {
    if (outputs[i] && outputs[i].dtype() == node->output(i).dtype) {
      node->mutable_output(i).value = std::move(outputs[i]);
    }
  }
}

}  // namespace gk
