#include "framework/known_values.h"

#include <algorithm>

#include "base/interrupt.h"
#include "framework/graph_builder.h"
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

std::optional<PartialTensorShape> Elements(Output o, int depth);

class NodeContext final : public ShapeValueContext {
 public:
  NodeContext(const Output& o, int depth) : o_(o), depth_(depth) {}

  int num_inputs() const override { return o_.node->num_inputs(); }
  const AttrMap& attrs() const override { return o_.node->attrs(); }
  const PartialTensorShape& shape(int i) const override {
    const Output& in = o_.node->input(i);
    return in.node->output(in.index).shape;
  }
  std::optional<PartialTensorShape> elements(int i) const override {
    return Elements(o_.node->input(i), depth_ + 1);
  }
  std::optional<int64_t> integer(int i) const override {
    return KnownInteger(o_.node->input(i));
  }
  int output() const override { return o_.index; }
  const PartialTensorShape& output_shape() const override {
    return o_.node->output(o_.index).shape;
  }

 private:
  const Output o_;
  const int depth_;
};

std::optional<PartialTensorShape> ElementsOf(const Tensor& value) {
  if (value.rank() > 1 || value.num_elements() > kMaxRank) return std::nullopt;
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(0);
  const auto add = [&](auto elements) {
    for (int64_t e : elements) out.AddDim(std::max(e, int64_t{-1}));
  };
  if (value.dtype() == DataType::kInt32) {
    add(value.flat<int32_t>());
  } else if (value.dtype() == DataType::kInt64) {
    add(value.flat<int64_t>());
  } else {
    return std::nullopt;
  }
  return out;
}

// The elements of a vector or a scalar as far as they are known.
std::optional<PartialTensorShape> Elements(Output o, int depth) {
  const Node::OutputInfo& info = o.node->output(o.index);
  if (depth > kMaxDepth) return std::nullopt;
  if (info.value) return ElementsOf(info.value);
  if (const ShapeValueFn of_shapes = o.node->op().shape_value) {
    return of_shapes(NodeContext(o, depth));
  }
  // What was captured is looked at where it was made.
  if (o.node->op().Has(kPlaceholder)) {
    const GraphBuilder* builder = GraphBuilder::Current();
    const Tensor outside = builder ? builder->CapturedBy(o.node) : Tensor();
    if (outside && outside.is_symbolic()) {
      return Elements(Graph::OutputOf(outside), depth + 1);
    }
  }
  if (info.shape.rank() == 1 && info.shape.dim(0) >= 0 &&
      info.shape.dim(0) <= kMaxRank) {
    return PartialTensorShape::UnknownOfRank(
        static_cast<int>(info.shape.dim(0)));
  }
  return std::nullopt;
}

bool IsKnownPart(const Output& o) {
  return o.node->op().Has(kShapeOnly) && !o.node->output(o.index).value;
}

// Of a shape, and of parts of one that is known in part.
bool FromStaticShapes(Node* node) {
  const OpRecord& op = node->op();
  if (op.shape_value == nullptr ||
      !(op.Has(kShapeOnly) || IsKnownPart(node->input(0)))) {
    return false;
  }
  for (int i = 0; i < node->num_outputs(); ++i) {
    Node::OutputInfo& out = node->mutable_output(i);
    const int rank = out.shape.rank();
    if (rank != 0 && rank != 1) continue;
    const std::optional<PartialTensorShape> all =
        op.shape_value(NodeContext({node, i}, 0));
    if (all && all->IsFullyDefined()) {
      out.value = Integers(out.dtype, all->dims(), rank == 0);
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
  if (o.node->output(o.index).shape.rank() == 0) return std::nullopt;
  return Elements(o, 0);
}

StatusOr<PartialTensorShape> ConstantValueAsShape(const Tensor& t) {
  const PartialTensorShape own = t.partial_shape();
  if (own.unknown_rank()) return own;
  if (own.rank() != 1) {
    return ValueError("Shape {} must have rank 1", own.PythonString());
  }
  const bool integers =
      t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64;
  if (const Tensor value = t.KnownValue(); value && integers) {
    PartialTensorShape shape = PartialTensorShape::UnknownOfRank(0);
    for (int64_t i = 0; i < value.num_elements(); ++i) {
      const int64_t size = value.dtype() == DataType::kInt32
                               ? value.flat<int32_t>()[i]
                               : value.flat<int64_t>()[i];
      if (size < kUnknownDim) {
        return ValueError("Dimension {} must be >= 0", size);
      }
      shape.AddDim(size);
    }
    return shape;
  }
  if (t.is_symbolic()) {
    if (auto known = KnownShapeValue(Graph::OutputOf(t))) return *known;
  }
  return own.dim(0) >= 0 && own.dim(0) <= kMaxRank
             ? PartialTensorShape::UnknownOfRank(static_cast<int>(own.dim(0)))
             : PartialTensorShape();
}

void ComputeKnownValues(Node* node) {
  const OpRecord& op = node->op();
  if (node->num_inputs() == 0) {
    if (op.Has(kConstant)) {
      node->mutable_output(0).value = node->attr<Tensor>("value");
    }
    return;
  }
  if (op.Has(kStateful | kRandom | kCallsFunction | kReadsResource |
             kWritesResource | kMayBeFed) ||
      op.def->is_stateful || node->num_outputs() == 0 ||
      op.kernel.compute == nullptr || !node->control_inputs().empty()) {
    return;
  }
  if (FromStaticShapes(node)) return;
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
