// SessionTensors: tensors that a session keeps from one run for others, by
// handles, which are texts.
//
// Thread-safe.
#ifndef GK_OPS_QUEUE_SESSION_TENSORS_H_
#define GK_OPS_QUEUE_SESSION_TENSORS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/process_mutex.h"
#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

// The attribute that names the session of an op that has state and no handle
// of it.
inline constexpr std::string_view kSessionContainer = "_container";

class SessionTensors final : public Resource {
 public:
  std::string_view kind() const override { return "SessionTensors"; }
  std::string_view type_name() const override {
    return "tensorflow::SessionState";
  }

  // Those of the session with this container.
  static StatusOr<Ref<SessionTensors>> Of(const std::string& container);

  // The handle of a tensor that is kept from now on: "name;id;device".
  std::string Keep(Tensor tensor);
  // InvalidArgument if there is none.
  StatusOr<Tensor> Find(const std::string& handle) const;
  Status Delete(const std::string& handle);

 private:
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  int64_t next_id_ = 0;
  std::map<std::string, Tensor> kept_;
};

}  // namespace gk

#endif  // GK_OPS_QUEUE_SESSION_TENSORS_H_
