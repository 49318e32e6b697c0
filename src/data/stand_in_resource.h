// StandInResource: a resource that only has to be there, of ops such as
// DummySeedGenerator, whose name is its kind: who reads it has its own.
#ifndef GK_DATA_STAND_IN_RESOURCE_H_
#define GK_DATA_STAND_IN_RESOURCE_H_

#include <string_view>

#include "framework/resource.h"

namespace gk {

class StandInResource final : public Resource {
 public:
  // Both texts are literals.
  StandInResource(std::string_view kind, std::string_view type_name)
      : kind_(kind), type_name_(type_name) {}
  std::string_view kind() const override { return kind_; }
  std::string_view type_name() const override { return type_name_; }

 private:
  const std::string_view kind_, type_name_;
};

}  // namespace gk

#endif  // GK_DATA_STAND_IN_RESOURCE_H_
