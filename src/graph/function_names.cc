#include "graph/function_names.h"

#include "graph/tensor_proto.h"

namespace gk {

std::string FunctionNames::NameOf(const GraphFunction& function) {
  auto [it, fresh] = names_.try_emplace(&function);
  if (fresh) {
    std::string name = function.name();
    for (int i = 1; !used_.insert(name).second; ++i) {
      name = Format("{}_{}", function.name(), i);
    }
    it->second = std::move(name);
    queue_.push_back(&function);
  }
  return it->second;
}

Status FunctionNames::WriteFunctionAttr(const FunctionAttr& f,
                                        proto::NameAttrList* to) {
  to->name = f.definition ? NameOf(*f.definition) : f.name;
  if (f.attrs == nullptr) return OkStatus();
  for (const auto& [name, value] : *f.attrs) {
    GK_ASSIGN_OR_RETURN(to->attr[name], WriteAttr(value));
  }
  return OkStatus();
}

StatusOr<proto::AttrValue> FunctionNames::WriteAttr(const AttrValue& value) {
  proto::AttrValue message;
  if (const auto* f = std::get_if<FunctionAttr>(&value)) {
    GK_RETURN_IF_ERROR(WriteFunctionAttr(*f, &message.mutable_func()));
    return message;
  }
  if (const auto* l = std::get_if<std::vector<FunctionAttr>>(&value)) {
    auto& list = message.mutable_list().func;
    for (const FunctionAttr& f : *l) {
      list.emplace_back();
      GK_RETURN_IF_ERROR(WriteFunctionAttr(f, &list.back()));
    }
    return message;
  }
  return AttrToProto(value);
}

Status FunctionNames::WriteQueued(proto::FunctionDefLibrary* library) {
  for (; written_ < queue_.size(); ++written_) {
    GK_ASSIGN_OR_RETURN(proto::FunctionDef message,
                        WriteFunctionDef(*queue_[written_], this));
    library->function.push_back(std::move(message));
  }
  return OkStatus();
}

}  // namespace gk
