#include "function/staged_value.h"

#include <algorithm>

#include "base/format.h"
#include "ops/composition.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/TensorListReserve.h"

namespace gk {
namespace {

constexpr int64_t kMaxConstantElements = 1000;

// As Python quotes a name.
std::string Quoted(std::string_view name) {
  const char* quote = name.find('\'') == name.npos ? "'" : "\"";
  return quote + std::string(name) + quote;
}

}  // namespace

StagedValue StagedValue::Of(TensorVector leaves) {
  StagedValue value;
  value.kind = Kind::kTensors;
  value.structure = Structure::Tuple(
      std::vector<StructureRef>(leaves.size(), Structure::Leaf()));
  value.leaves = std::move(leaves);
  return value;
}

TensorVector StagedValue::tensors() const {
  TensorVector found;
  for (const Tensor& t : leaves) {
    if (t) found.push_back(t);
  }
  return found;
}

StagedValue StagedValue::With(std::span<const Tensor> tensors) const {
  StagedValue made = *this;
  size_t next = 0;
  for (Tensor& t : made.leaves) {
    if (t) t = tensors[next++];
  }
  return made;
}

StagedValue ValueHost::Closed(const StagedValue&, const StagedValue&) {
  throw Error(Internal("there are no open lists here"));
}

bool ValueHost::IsSame(const StagedValue& a, const StagedValue& b) const {
  return a.host == b.host;
}

std::unique_ptr<StructureWords> ValueHost::Words(const StagedValue& first,
                                                 const StagedValue& second) {
  return std::make_unique<StructureWords>(*first.structure, *second.structure);
}

Status CheckSameStructure(ValueHost& host, const StagedValue& first,
                          const StagedValue& second, std::string_view name) {
  const Structure &a = *first.structure, &b = *second.structure;
  if (&a == &b && !a.opaque()) return OkStatus();
  const std::unique_ptr<StructureWords> words = host.Words(first, second);
  Status status = host.speaks_of_symbols()
                      ? AssertSameStructure(a, b, true, *words, name)
                      : AssertSameStructure(a, b, true, *words);
  ThrowIfError(host.ComparisonError());
  return status;
}

Status CheckSameFields(const ValueHost& host, const StagedValue& first,
                       const StagedValue& second) {
  const auto unlike = [](std::string_view a, std::string_view b) {
    return TypeError("No common supertype of {} and {}.", a, b);
  };
  for (size_t k = 0; k < first.arrays.size() && k < second.arrays.size(); ++k) {
    if (first.arrays[k] == second.arrays[k]) continue;
    return unlike(host.ArrayText(first, k), host.ArrayText(second, k));
  }
  for (size_t k = 0; k < first.plain.size() && k < second.plain.size(); ++k) {
    if (first.plain[k] == second.plain[k]) continue;
    return unlike(Quoted(first.plain[k]), Quoted(second.plain[k]));
  }
  return OkStatus();
}

std::string ShapeText(const PartialTensorShape& shape) {
  return shape.unknown_rank() ? "<unknown>" : shape.PythonString();
}

void Disagree(const ValueHost& host, size_t i, const Status& status,
              std::string_view cure) {
  throw Error(status.Append(Format("{}\n{}", host.Places(i), cure)));
}

Status NotATensor(const ValueHost& host, std::string_view name,
                  const StagedValue& object, std::string_view where) {
  return TypeError(
      "To be compatible with tf.function, Python functions must return zero "
      "or more Tensors or ExtensionTypes or None values; in {}, found {} of "
      "type {}, which is not a Tensor or ExtensionType.",
      where, Quoted(name), host.TypeName(object));
}

Tensor StandIn(const Tensor& t) {
  if (t.dtype() == DataType::kVariant) {
    const Tensor shape = Int32Of(-1), size = Int32Of(0);
    return ops::TensorListReserve(shape, size, DataType::kFloat);
  }
  std::vector<int64_t> sizes;
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank()) {
    for (int64_t n : shape.dims()) sizes.push_back(std::max<int64_t>(n, 0));
  }
  const TensorShape known = ValueOrThrow(TensorShape::Make(sizes));
  if (known.num_elements() >= kMaxConstantElements) {
    return CallComposition("zeros", {sizes, t.dtype()})[0];
  }
  return ValueOrThrow(OpBuilder::Current()->Constant(
      ValueOrThrow(Tensor::Zeros(t.dtype(), known)), "zeros"));
}

StagedValue StandIn(const StagedValue& like) {
  TensorVector zeros;
  for (const Tensor& t : like.tensors()) zeros.push_back(StandIn(t));
  return like.With(zeros);
}

Status CheckCondition(const ValueHost& host, const Tensor& t,
                      std::string_view what) {
  if (t.dtype() == DataType::kBool) return OkStatus();
  return TypeError("{} must be a bool scalar tensor, got {}; {}cast makes one",
                   what, host.Text(t), host.prefix());
}

Tensor ConditionOf(const ValueHost& host, const Tensor& t,
                   std::string_view what) {
  if (!host.speaks_of_symbols()) {
    ThrowIfError(CheckCondition(host, t, what));
    return t;
  }
  std::string_view hint, cure;
  const PartialTensorShape shape = t.partial_shape();
  if (t.dtype() != DataType::kBool) {
    hint = " to use as boolean Tensor, use `tf.cast`;";
  } else if (shape.unknown_rank() || shape.rank() == 0) {
    return t;
  } else if (!shape.IsFullyDefined() || shape.num_elements() == 1) {
    const Tensor scalar = IntsTensor({}, DataType::kInt32, "Reshape/shape");
    return ops::Reshape(t, scalar);
  } else {
    cure = "; tf.reduce_all and tf.reduce_any make a scalar of it";
  }
  throw Error(ValueError(
      "condition of {} expected to be `tf.bool` scalar, got {};{} to check for "
      "None, use `is not None`{}",
      host.statement(), host.Text(t), hint, cure));
}

bool TruthNow(const ValueHost& host, const Tensor& t, std::string_view what) {
  ThrowIfError(CheckCondition(host, t, what));
  if (t.is_symbolic()) {
    throw Error(TypeError(
        "{} is not known: it belongs to a function that was traced", what));
  }
  if (t.num_elements() != 1) {
    throw Error(ValueError("{} must be a scalar, got shape {}", what,
                           t.partial_shape().PythonString()));
  }
  return *t.data<bool>();
}

}  // namespace gk
