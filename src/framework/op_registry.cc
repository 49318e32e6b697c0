#include "framework/op_registry.h"

#include <cstdio>
#include <cstdlib>

namespace gk {
namespace {

[[noreturn]] void BadRecord(std::string_view name, const std::string& why) {
  std::fprintf(stderr, "bad op record %.*s: %s\n",
               static_cast<int>(name.size()), name.data(), why.c_str());
  std::abort();
}

}  // namespace

OpRegistry& OpRegistry::Get() {
  static OpRegistry* registry = new OpRegistry;
  return *registry;
}

void OpRegistry::Add(const OpRecord* records, int n) {
  for (int i = 0; i < n; ++i) {
    const OpRecord& record = records[i];
    StatusOr<OpDef> def =
        ParseOpDef(record.name, record.inputs, record.outputs, record.attrs);
    if (!def.ok()) BadRecord(record.name, def.status().message());
    def->is_stateful = record.Has(kStateful);
    def->is_commutative = record.Has(kCommutative);
    def->is_aggregate = record.Has(kAggregate);
    if (!by_name_.emplace(record.name, &record).second) {
      BadRecord(record.name, "registered twice");
    }
    record.def = &defs_.emplace_back(std::move(def).value());
    record.id = static_cast<int>(all_.size());
    all_.push_back(&record);
  }
}

const OpRecord* OpRegistry::Find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

StatusOr<const OpRecord*> OpRegistry::LookUp(std::string_view name) const {
  if (const OpRecord* r = Find(name)) return r;
  return NotFound("Op type not registered '{}'", name);
}

}  // namespace gk
