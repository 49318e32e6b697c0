// What FunctionAttr does to the function that it holds, which only these files
// know: values of attributes stand below graphs.
#include "framework/attr_value.h"
#include "framework/graph.h"

namespace gk {

FunctionAttr::FunctionAttr() = default;
FunctionAttr::FunctionAttr(std::string name, Ref<GraphFunction> definition,
                           std::shared_ptr<const AttrMap> attrs)
    : name(std::move(name)),
      definition(std::move(definition)),
      attrs(std::move(attrs)) {}
FunctionAttr::FunctionAttr(const FunctionAttr&) = default;
FunctionAttr::FunctionAttr(FunctionAttr&&) noexcept = default;
FunctionAttr& FunctionAttr::operator=(const FunctionAttr&) = default;
FunctionAttr& FunctionAttr::operator=(FunctionAttr&&) noexcept = default;
FunctionAttr::~FunctionAttr() = default;

}  // namespace gk
