// Calls of public functions by name, with arguments as C++ programs give
// them.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "api/inner.h"
#include "graphkiln/argument.h"
#include "graphkiln/ragged_tensor.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/random/random_seeds.h"

namespace gk::api::detail {
namespace {

// A list of integers as a tensor; int32 where they fit and nothing else is
// wanted.
InnerTensor TensorOfInts(const std::vector<int64_t>& ints, InnerType wanted) {
  const bool wide = std::any_of(ints.begin(), ints.end(), [](int64_t v) {
    return !std::in_range<int32_t>(v);
  });
  if (wanted == InnerType::kInvalid || wanted == InnerType::kInt32) {
    return IntsTensor(ints, wide ? InnerType::kInt64 : InnerType::kInt32);
  }
  const InnerTensor t = IntsTensor(ints, InnerType::kInt64);
  if (wanted == InnerType::kInt64) return t;
  return ::gk::ops::Cast(t, wanted);
}

// The argument as a tensor of dtype `wanted`, if it leaves a choice.
InnerTensor AsTensor(const Argument& argument, InnerType wanted,
                     std::string_view name) {
  const Argument::Value& v = argument.value();
  if (const auto* t = std::get_if<Tensor>(&v)) return Inner(*t);
  const DataType choice = Outer(wanted);
  if (const auto* n = std::get_if<int64_t>(&v)) {
    const DataType dtype = choice != DataType::kInvalid ? choice
                           : std::in_range<int32_t>(*n) ? DataType::kInt32
                                                        : DataType::kInt64;
    return Inner(Tensor::OfNumber(*n, dtype));
  }
  if (const auto* x = std::get_if<double>(&v)) {
    return Inner(Tensor::OfNumber(
        *x, choice == DataType::kInvalid ? DataType::kFloat : choice));
  }
  if (const auto* b = std::get_if<bool>(&v)) return Inner(Tensor(*b));
  if (const auto* s = std::get_if<std::string>(&v)) return Inner(Tensor(*s));
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&v)) {
    return TensorOfInts(*ints, wanted);
  }
  throw ::gk::Error(TypeError("Argument `{}` must be a tensor", name));
}

// The dtypes that groups of arguments share: that of the first tensor.
class Groups {
 public:
  void Note(const std::string& group, const Argument& argument) {
    if (group.empty()) return;
    const Argument::Value& v = argument.value();
    if (const auto* t = std::get_if<Tensor>(&v)) {
      types_.emplace(group, Inner(*t).dtype());
    } else if (const auto* list = std::get_if<std::vector<Tensor>>(&v)) {
      if (!list->empty() && (*list)[0].defined()) {
        types_.emplace(group, Inner((*list)[0]).dtype());
      }
    }
  }
  // What a "type(T)" says; null: nothing was given for it.
  void NoteType(const CompositionArg& arg, const Argument* argument) {
    if (arg.kind != ArgKind::kType || !arg.in_group()) return;
    if (argument != nullptr) {
      if (const auto* t = std::get_if<DataType>(&argument->value())) {
        types_[arg.type_of] = Inner(*t);
        return;
      }
      if (std::holds_alternative<None>(argument->value())) return;
    }
    if (const auto* t = std::get_if<InnerType>(&arg.default_value)) {
      types_[arg.type_of] = *t;
    }
  }
  InnerType Of(const CompositionArg& arg) const {
    return arg.in_group() ? Of(arg.type_of) : arg.named_type();
  }
  InnerType Of(const std::string& group) const {
    const auto found = types_.find(group);
    return found == types_.end() ? InnerType::kInvalid : found->second;
  }

 private:
  std::map<std::string, InnerType> types_;
};

RowsValue AsRows(const RowParts& rows) {
  const auto kind = rows.sparse           ? RowsValue::Kind::kSparse
                    : rows.places.empty() ? RowsValue::Kind::kDense
                                          : RowsValue::Kind::kRagged;
  return {kind, Inner(rows.values), Inner(rows.places)};
}
RowsValue AsRows(const Argument& argument, std::string_view name) {
  if (const auto* rows = std::get_if<RowParts>(&argument.value())) {
    return AsRows(*rows);
  }
  return {RowsValue::Kind::kDense,
          AsTensor(argument, InnerType::kInvalid, name)};
}

// As it is, where the function takes host values.
CompositionValue AsNative(const Argument& argument) {
  const Argument::Value& v = argument.value();
  if (const auto* t = std::get_if<Tensor>(&v)) return Inner(*t);
  if (const auto* l = std::get_if<std::vector<Tensor>>(&v)) return Inner(*l);
  if (const auto* b = std::get_if<bool>(&v)) return *b;
  if (const auto* n = std::get_if<int64_t>(&v)) return *n;
  if (const auto* x = std::get_if<double>(&v)) return *x;
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  if (const auto* t = std::get_if<DataType>(&v)) return Inner(*t);
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&v)) return *ints;
  return std::monostate();
}

CompositionValue Convert(const CompositionArg& arg, const Argument& argument,
                         const Groups& groups) {
  const Argument::Value& v = argument.value();
  if (std::holds_alternative<None>(v)) return std::monostate();
  if (std::holds_alternative<Argument::Default>(v)) {
    if (arg.required && arg.kind != ArgKind::kName) {
      throw ::gk::Error(TypeError("missing argument '{}'", arg.name));
    }
    return arg.default_value;
  }
  switch (arg.kind) {
    case ArgKind::kTensor:
    case ArgKind::kHandle:
      return AsTensor(argument, groups.Of(arg), arg.name);
    case ArgKind::kTensors:
      if (const auto* list = std::get_if<std::vector<Tensor>>(&v);
          list != nullptr && arg.type_of == "gradients") {
        TensorVector gradients;
        for (const Tensor& t : *list) gradients.push_back(InnerOrNull(t));
        return gradients;
      }
      return AsNative(argument);
    case ArgKind::kRows:
      return AsRows(argument, arg.name);
    case ArgKind::kManyRows: {
      std::vector<RowsValue> many;
      if (const auto* list = std::get_if<std::vector<RowParts>>(&v)) {
        for (const RowParts& rows : *list) many.push_back(AsRows(rows));
      } else if (const auto* tensors = std::get_if<std::vector<Tensor>>(&v)) {
        for (const Tensor& t : *tensors) {
          many.push_back({RowsValue::Kind::kDense, Inner(t)});
        }
      } else {
        throw ::gk::Error(TypeError("Argument `{}` must be a list", arg.name));
      }
      return many;
    }
    case ArgKind::kSeed:
      if (const auto* n = std::get_if<int64_t>(&v)) return FoldedSeed(*n);
      throw ::gk::Error(
          TypeError("Argument `{}` must be an integer", arg.name));
    case ArgKind::kShape:
      return AsTensor(argument, InnerType::kInt32, arg.name);
    case ArgKind::kInts:
      if (const auto* n = std::get_if<int64_t>(&v)) {
        return std::vector<int64_t>{*n};
      }
      if (const auto* t = std::get_if<Tensor>(&v)) {
        if (const auto known = KnownInts(Inner(*t))) return *known;
        throw ::gk::Error(TypeError(
            "Argument `{}` must be integers that are known now", arg.name));
      }
      return AsNative(argument);
    case ArgKind::kFloat:
      if (const auto* n = std::get_if<int64_t>(&v)) {
        return static_cast<double>(*n);
      }
      return AsNative(argument);
    default:
      return AsNative(argument);
  }
}

}  // namespace

// A tensor is a ragged one without rows, and serves as itself.
RowParts RowPartsOf(const RaggedTensor& ragged) {
  return {false, ragged.flat_values(), ragged.nested_row_splits()};
}
RowParts RowPartsOf(const SparseTensor& sparse) {
  return {true, sparse.values(), {sparse.indices(), sparse.dense_shape()}};
}

std::vector<Tensor> CallPublicFunction(std::string_view name,
                                       std::span<const Argument> arguments) {
  return Guarded([&] {
    EnsureReady();
    const Composition* composition = CompositionRegistry::Get().Find(name);
    if (composition == nullptr || arguments.size() > composition->args.size()) {
      throw ::gk::Error(
          Internal("the headers and the library disagree about "
                   "{}()",
                   name));
    }
    Groups groups;
    const CompositionArg* arg = composition->args.data();
    for (const Argument& a : arguments) {
      if (arg->kind != ArgKind::kType) groups.Note(arg->type_of, a);
      ++arg;
    }
    for (size_t i = 0; i < composition->args.size(); ++i) {
      groups.NoteType(composition->args[i],
                      i < arguments.size() ? &arguments[i] : nullptr);
    }
    std::vector<CompositionValue> values;
    arg = composition->args.data();
    for (const Argument& a : arguments) {
      values.push_back(Convert(*arg++, a, groups));
    }
    return Outer(CallComposition(name, std::move(values)));
  });
}

std::vector<Tensor> Operands(std::initializer_list<Argument> arguments,
                             std::string_view type_of) {
  return Guarded([&] {
    EnsureReady();
    Groups groups;
    size_t i = 0;
    for (const Argument& a : arguments) {
      groups.Note(std::string(1, type_of[i++]), a);
    }
    std::vector<Tensor> out;
    i = 0;
    for (const Argument& a : arguments) {
      out.push_back(Outer(
          AsTensor(a, groups.Of(std::string(1, type_of[i])), Format("{}", i))));
      ++i;
    }
    return out;
  });
}

}  // namespace gk::api::detail
