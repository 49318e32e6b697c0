// AbsentResource: what a handle in a file told of a resource that was in the
// process that wrote it. Ops that need one of their kind say that this is none;
// those that only have to be given some handle take it.
#ifndef GK_FRAMEWORK_ABSENT_RESOURCE_H_
#define GK_FRAMEWORK_ABSENT_RESOURCE_H_

#include <cstdint>
#include <string>
#include <utility>

#include "framework/resource.h"

namespace gk {

class AbsentResource final : public Resource {
 public:
  AbsentResource(std::string device, std::string type_name, uint64_t hash_code)
      : device_(std::move(device)),
        type_name_(std::move(type_name)),
        hash_code_(hash_code) {}
  std::string_view kind() const override {
    return "resource of another process";
  }
  std::string_view type_name() const override { return type_name_; }
  const std::string& device() const { return device_; }
  uint64_t hash_code() const { return hash_code_; }

 private:
  const std::string device_, type_name_;
  const uint64_t hash_code_;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_ABSENT_RESOURCE_H_
