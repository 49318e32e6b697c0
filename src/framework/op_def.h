// OpDef: an op's signature, parsed from the compact notation of its record.
//
//   inputs   "x: T; y: T"  "values: N * T"  "args: Tin"  "v: resource"
//   outputs  "z: T"
//   attrs    "T: type in [float, double]; N: int >= 1; k: bool = False;
//             padding: string in [SAME, VALID]; strides: list(int)"
#ifndef GK_FRAMEWORK_OP_DEF_H_
#define GK_FRAMEWORK_OP_DEF_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "framework/attr_value.h"
#include "framework/types.h"

namespace gk {

enum class AttrType : uint8_t {
  kInt,
  kFloat,
  kBool,
  kString,
  kType,
  kShape,
  kTensor,
  kFunc
};

struct ArgDef {
  std::string name;
  DataType type = DataType::kInvalid;  // fixed type, or
  std::string type_attr;               // one type from an attr, or
  std::string type_list_attr;          // a list of types from an attr
  std::string number_attr;             // repeated that many times
  bool is_list() const {
    return !number_attr.empty() || !type_list_attr.empty();
  }
};

struct AttrDef {
  std::string name;
  AttrType type = AttrType::kInt;
  bool is_list = false;
  DataTypeSet allowed_types;                 // empty: any
  std::vector<std::string> allowed_strings;  // empty: any
  bool has_minimum = false;
  int64_t minimum = 0;  // of an int, or of a list's length
  std::optional<AttrValue> default_value;
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs, outputs;
  std::vector<AttrDef> attrs;
  bool is_stateful = false, is_commutative = false, is_aggregate = false;

  const AttrDef* FindAttr(std::string_view name) const;
  int FindInput(std::string_view name) const;  // -1 if there is none
};

StatusOr<OpDef> ParseOpDef(std::string_view name, std::string_view inputs,
                           std::string_view outputs, std::string_view attrs);

}  // namespace gk

#endif  // GK_FRAMEWORK_OP_DEF_H_
