#include "framework/op_call.h"

#include <utility>

#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {

template <class T>
AttrValue OpArg::Copied() const {
  return *static_cast<const T*>(at_);
}
// The constructors took a list that is not const.
template <class T>
AttrValue OpArg::Moved() const {
  return std::move(*static_cast<T*>(const_cast<void*>(at_)));
}

AttrValue OpArg::Take() const {
  switch (kind_) {
    case kInt:
      return int_;
    case kFloat:
      return float_;
    case kBool:
      return bool_;
    case kType:
      return type_;
    case kText:
      return std::string(*static_cast<const std::string_view*>(at_));
    case kShape:
      return Copied<PartialTensorShape>();
    case kTensor:
      return Copied<Tensor>();
    case kFunction:
      return Copied<FunctionAttr>();
    case kInts:
      return Moved<std::vector<int64_t>>();
    case kFloats:
      return Moved<std::vector<float>>();
    case kBools:
      return Moved<std::vector<bool>>();
    case kTexts:
      return Moved<std::vector<std::string>>();
    case kTypes:
      return Moved<std::vector<DataType>>();
    case kShapes:
      return Moved<std::vector<PartialTensorShape>>();
    case kTensors:
      return Moved<std::vector<Tensor>>();
    case kFunctions:
      return Moved<std::vector<FunctionAttr>>();
  }
  return {};
}

namespace {

// The registry keeps its records for good: who looks twice finds the same.
const OpRecord& RecordOf(OpSite& site) {
  const OpRecord* record = site.record.load(std::memory_order_acquire);
  if (!record) {
    record = ValueOrThrow(OpRegistry::Get().LookUp(site.op));
    site.record.store(record, std::memory_order_release);
  }
  return *record;
}

// `args` are not in `attrs`.
TensorVector Call(OpSite& site, OpName name, std::span<const Tensor> inputs,
                  AttrMap attrs, std::span<const OpArg> args) {
  const OpRecord& record = RecordOf(site);
  for (const OpArg& arg : args) {
    if (!arg.is_default()) attrs.Append(arg.name(), arg.Take());
  }
  return ValueOrThrow(Dispatch(record, inputs, std::move(attrs), name.text));
}

Tensor Only(TensorVector outputs) { return std::move(outputs[0]); }

}  // namespace

TensorVector CallOp(OpSite& site, OpName name, std::span<const OpInput> inputs,
                    std::span<const OpArg> args) {
  TensorVector tensors;
  AttrMap attrs;
  for (const OpInput& input : inputs) {
    tensors.insert(tensors.end(), input.first, input.first + input.size);
    if (input.length_attr) {
      attrs.Set(input.length_attr, static_cast<int64_t>(input.size));
    }
    if (input.types_attr) {
      std::vector<DataType> types;
      for (size_t i = 0; i < input.size; ++i) {
        types.push_back(input.first[i].dtype());
      }
      attrs.Set(input.types_attr, std::move(types));
    }
  }
  return Call(site, name, tensors, std::move(attrs), args);
}

Tensor CallOp1(OpSite& site, OpName name,
               std::span<const Tensor* const> inputs,
               std::span<const OpArg> args) {
  constexpr size_t kFew = 4;
  if (inputs.size() > kFew) {
    TensorVector tensors;
    for (const Tensor* input : inputs) tensors.push_back(*input);
    return Only(Call(site, name, tensors, {}, args));
  }
  Tensor few[kFew];
  for (size_t i = 0; i < inputs.size(); ++i) few[i] = *inputs[i];
  return Only(Call(site, name, std::span(few, inputs.size()), {}, args));
}

Tensor CallOp1(OpSite& site, OpName name, std::span<const OpInput> inputs,
               std::span<const OpArg> args) {
  return Only(CallOp(site, name, inputs, args));
}

}  // namespace gk
