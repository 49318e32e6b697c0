// OpRegistry: all op records, found by name. Filled once by a generated list
// of calls before first use; constant and lock-free afterwards.
#ifndef GK_FRAMEWORK_OP_REGISTRY_H_
#define GK_FRAMEWORK_OP_REGISTRY_H_

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/op_record.h"

namespace gk {

class OpRegistry {
 public:
  static OpRegistry& Get();

  // Records live for the whole process. Aborts on a malformed record or a
  // name given twice: both are bugs of the build, found by any test.
  void Add(const OpRecord* records, int n);

  const OpRecord* Find(std::string_view name) const;
  // NotFound: "Op type not registered 'X'".
  StatusOr<const OpRecord*> LookUp(std::string_view name) const;
  const std::vector<const OpRecord*>& all() const { return all_; }

  // The op with a trait that only one has, and the one of a kind of control
  // with or without side effects. Abort if none was registered or two were.
  const OpRecord& The(Trait trait) const;
  const OpRecord& Of(Control control, bool stateful) const;

 private:
  std::vector<const OpRecord*> all_;
  std::unordered_map<std::string_view, const OpRecord*> by_name_;
  std::deque<OpDef> defs_;
  struct Only {
    const OpRecord* record = nullptr;
    bool several = false;
  };
  static const OpRecord& Checked(const Only& only, const char* what);
  std::array<Only, 64> by_trait_;
  std::array<std::array<Only, 2>, 5> by_control_;  // [control][stateful]
};

// Generated: registers every record file. Called once by whoever starts the
// machine; further calls do nothing.
void RegisterAllOps();

}  // namespace gk

// At the end of a record file; opgen collects these.
#define GK_REGISTER_OPS(file)                                     \
  void RegisterOps_##file(::gk::OpRegistry& registry) {           \
    registry.Add(kRecords, sizeof(kRecords) / sizeof(*kRecords)); \
  }

#endif  // GK_FRAMEWORK_OP_REGISTRY_H_
