// Resources: objects that live beside the graph (variables, tables) and the
// handles through which tensors refer to them.
#ifndef GK_FRAMEWORK_RESOURCE_H_
#define GK_FRAMEWORK_RESOURCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/down_cast.h"
#include "base/ref.h"
#include "framework/tensor_shape.h"
#include "framework/types.h"

namespace gk {

class Resource : public RefCounted {
 public:
  // "Variable", "RandomGenerator": the kind, for messages.
  virtual std::string_view kind() const = 0;
  // "tensorflow::Var": the type's name where a handle is printed.
  virtual std::string_view type_name() const = 0;
};

// What is known of the values behind a resource or variant tensor.
struct HandleShape {
  DataType dtype = DataType::kInvalid;
  PartialTensorShape shape;
  friend bool operator==(const HandleShape&, const HandleShape&) = default;
};
using HandleData = std::vector<HandleShape>;

// The element of a DT_RESOURCE tensor. A value; shares the resource.
class ResourceHandle {
 public:
  ResourceHandle() = default;
  // Resources that only handles know are in the container "Anonymous".
  ResourceHandle(Ref<Resource> resource, std::string name, HandleData data,
                 std::string container = "Anonymous")
      : resource_(std::move(resource)),
        name_(std::move(name)),
        container_(std::move(container)),
        data_(std::move(data)) {}

  Resource* resource() const { return resource_.get(); }
  const std::string& name() const { return name_; }
  const std::string& container() const { return container_; }
  const HandleData& handle_data() const { return data_; }
  template <class R>
  R* As() const {
    return DownCast<R>(resource_.get());
  }

 private:
  Ref<Resource> resource_;
  std::string name_;
  std::string container_;
  HandleData data_;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_RESOURCE_H_
