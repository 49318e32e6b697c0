// What the generated op functions (ops/fn/<Op>.h) are made of: they say where
// their arguments lie, and one place packs them for Dispatch.
#ifndef GK_FRAMEWORK_OP_CALL_H_
#define GK_FRAMEWORK_OP_CALL_H_

#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/attr_value.h"
#include "framework/op_name.h"
#include "framework/tensor.h"

namespace gk {

struct OpRecord;

// An op, looked up at the first call.
struct OpSite {
  explicit constexpr OpSite(const char* name) : op(name) {}
  const char* const op;
  std::atomic<const OpRecord*> record{nullptr};
};

// One tensor, or a list and the attributes that hold its length and its
// tensors' types, where it has such.
struct OpInput {
  OpInput(const Tensor& tensor) : first(&tensor), size(1) {}
  OpInput(std::span<const Tensor> list, const char* length = nullptr,
          const char* types = nullptr)
      : first(list.data()),
        size(list.size()),
        length_attr(length),
        types_attr(types) {}

  const Tensor* first;
  size_t size;
  const char* length_attr = nullptr;
  const char* types_attr = nullptr;
};

// A named argument; lists are moved from.
class OpArg {
 public:
  OpArg(const char* name, int64_t v) : name_(name), kind_(kInt), int_(v) {}
  OpArg(const char* name, float v) : name_(name), kind_(kFloat), float_(v) {}
  OpArg(const char* name, bool v) : name_(name), kind_(kBool), bool_(v) {}
  OpArg(const char* name, DataType v) : name_(name), kind_(kType), type_(v) {}
  OpArg(const char* name, const std::string_view& v) : OpArg(name, kText, &v) {}
  OpArg(const char* name, const PartialTensorShape& v)
      : OpArg(name, kShape, &v) {}
  OpArg(const char* name, const Tensor& v) : OpArg(name, kTensor, &v) {}
  OpArg(const char* name, const FunctionAttr& v) : OpArg(name, kFunction, &v) {}
  OpArg(const char* name, std::vector<int64_t>& v) : OpArg(name, kInts, &v) {}
  OpArg(const char* name, std::vector<float>& v) : OpArg(name, kFloats, &v) {}
  OpArg(const char* name, std::vector<bool>& v) : OpArg(name, kBools, &v) {}
  OpArg(const char* name, std::vector<std::string>& v)
      : OpArg(name, kTexts, &v) {}
  OpArg(const char* name, std::vector<DataType>& v) : OpArg(name, kTypes, &v) {}
  OpArg(const char* name, std::vector<PartialTensorShape>& v)
      : OpArg(name, kShapes, &v) {}
  OpArg(const char* name, std::vector<Tensor>& v) : OpArg(name, kTensors, &v) {}
  OpArg(const char* name, std::vector<FunctionAttr>& v)
      : OpArg(name, kFunctions, &v) {}
  // Of an attribute with a default, which need not be said.
  template <class T>
  OpArg(const char* name, const T& v, const std::type_identity_t<T>& standard)
      : OpArg(name, v) {
    if constexpr (std::is_same_v<T, float>) {  // 0 and -0 are two values
      is_default_ =
          std::bit_cast<int32_t>(v) == std::bit_cast<int32_t>(standard);
    } else {
      is_default_ = v == standard;
    }
  }

  const char* name() const { return name_; }
  bool is_default() const { return is_default_; }
  AttrValue Take() const;

 private:
  enum Kind : uint8_t {
    kInt, kFloat, kBool, kType, kText, kShape, kTensor, kFunction,
    kInts, kFloats, kBools, kTexts, kTypes, kShapes, kTensors, kFunctions,
  };
  OpArg(const char* name, Kind kind, const void* at)
      : name_(name), kind_(kind), at_(at) {}
  template <class T>
  AttrValue Copied() const;
  template <class T>
  AttrValue Moved() const;

  const char* name_;
  Kind kind_;
  bool is_default_ = false;
  union {
    int64_t int_;
    float float_;
    bool bool_;
    DataType type_;
    const void* at_;
  };
};

// Makes the op with the current builder; throws Error.
TensorVector CallOp(OpSite& site, OpName name, std::span<const OpInput> inputs,
                    std::span<const OpArg> args = {});
// Its only output.
Tensor CallOp1(OpSite& site, OpName name,
               std::span<const Tensor* const> inputs,
               std::span<const OpArg> args = {});
Tensor CallOp1(OpSite& site, OpName name, std::span<const OpInput> inputs,
               std::span<const OpArg> args = {});

}  // namespace gk

#endif  // GK_FRAMEWORK_OP_CALL_H_
