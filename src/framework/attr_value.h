// AttrValue: the value of an op attribute; AttrMap: a node's attributes.
#ifndef GK_FRAMEWORK_ATTR_VALUE_H_
#define GK_FRAMEWORK_ATTR_VALUE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/ref.h"
#include "framework/tensor.h"
#include "framework/tensor_shape.h"
#include "framework/types.h"

namespace gk {

class AttrMap;
class GraphFunction;  // framework/graph.h

// A function named by a node. Holds the function itself, so that a graph
// keeps alive what it calls; `definition` is null only while a GraphDef is
// being read. Attributes of the instantiation are rare and shared.
struct FunctionAttr {
  FunctionAttr();
  FunctionAttr(std::string name, Ref<GraphFunction> definition,
               std::shared_ptr<const AttrMap> attrs = nullptr);
  FunctionAttr(const FunctionAttr&);
  FunctionAttr(FunctionAttr&&) noexcept;
  FunctionAttr& operator=(const FunctionAttr&);
  FunctionAttr& operator=(FunctionAttr&&) noexcept;
  ~FunctionAttr();

  std::string name;
  Ref<GraphFunction> definition;
  std::shared_ptr<const AttrMap> attrs;
};

// int64 is "int", the vectors are "list(...)".
using AttrValue =
    std::variant<std::monostate, int64_t, float, bool, std::string, DataType,
                 PartialTensorShape, Tensor, FunctionAttr, std::vector<int64_t>,
                 std::vector<float>, std::vector<bool>,
                 std::vector<std::string>, std::vector<DataType>,
                 std::vector<PartialTensorShape>, std::vector<Tensor>,
                 std::vector<FunctionAttr>>;

// Ordered as set; small, so look-up is linear.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;
  // Out of line: the code of seventeen alternatives would be in every file.
  AttrMap();
  AttrMap(std::initializer_list<Entry> entries);
  AttrMap(const AttrMap&);
  AttrMap(AttrMap&&) noexcept;
  AttrMap& operator=(const AttrMap&);
  AttrMap& operator=(AttrMap&&) noexcept;
  ~AttrMap();

  const AttrValue* Find(std::string_view name) const {
    for (const Entry& e : entries_) {
      if (e.first == name) return &e.second;
    }
    return nullptr;
  }
  void Set(std::string_view name, AttrValue value);
  // The same of a name that is not in it.
  void Append(std::string_view name, AttrValue value);
  void reserve(size_t n);
  void Remove(std::string_view name);
  // Null unless present and of that type.
  template <class T>
  const T* Get(std::string_view name) const {
    const AttrValue* v = Find(name);
    return v ? std::get_if<T>(v) : nullptr;
  }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }

 private:
  std::vector<Entry> entries_;
};

// Deep equality: tensors by dtype, shape and bytes; functions by name.
bool AttrEquals(const AttrValue& a, const AttrValue& b);
size_t AttrHash(const AttrValue& v);
// "DT_FLOAT", "[1, 2]", "\"NHWC\"": as in a node's text form.
std::string AttrText(const AttrValue& v);

}  // namespace gk

#endif  // GK_FRAMEWORK_ATTR_VALUE_H_
