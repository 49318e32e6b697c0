// DeviceScope: what is made inside asks for a device.
//
// In a graph its nodes say so. Eagerly everything runs on the CPU, on one of
// its logical devices; scopes of devices that are not there can be entered,
// what is made in them fails (AbsentDevice). A scope inside another adds to
// what that one says. Eager scopes are left on the thread that entered them.
#ifndef GK_FUNCTION_DEVICE_SCOPE_H_
#define GK_FUNCTION_DEVICE_SCOPE_H_

#include <memory>
#include <optional>
#include <vector>

#include "framework/device_spec.h"
#include "function/func_graph.h"

namespace gk {

class DeviceScope {
 public:
  // nullopt: no device, whatever the scopes around say.
  explicit DeviceScope(std::optional<DeviceSpec> spec);
  // Leaves what was not left, unless another thread entered it.
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;

  void Enter();
  // Undoes the last Enter; RuntimeError on another thread.
  Status Exit();

 private:
  class Eager;
  struct Entered {
    Ref<FuncGraph> graph;
    std::unique_ptr<Eager> eager;  // if there is no graph
  };
  std::optional<DeviceSpec> spec_;
  std::vector<Entered> entered_;
};

// What runs ops outside of all graphs: the eager context, or what refuses them
// in scopes of devices that are not there.
OpBuilder* EagerPlace();

// A scope changes what its thread does, and so must end there: a generator that
// yields within one may be resumed by another thread.
Status LeftElsewhere(std::string_view scope);

}  // namespace gk

#endif  // GK_FUNCTION_DEVICE_SCOPE_H_
