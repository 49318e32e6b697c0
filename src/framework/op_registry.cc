#include "framework/op_registry.h"

#include <bit>
#include <cstdio>
#include <cstdlib>

#include "framework/missing_op.h"

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
    const auto note = [&](Only* only) {
      only->several = only->record != nullptr;
      only->record = &record;
    };
    for (size_t bit = 0; bit < by_trait_.size(); ++bit) {
      if (record.traits >> bit & 1) note(&by_trait_[bit]);
    }
    note(&by_control_[static_cast<size_t>(record.control)]
                     [record.Has(kStateful)]);
  }
}

const OpRecord* OpRegistry::Find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

const OpRecord& OpRegistry::Checked(const Only& only, const char* what) {
  if (only.record != nullptr && !only.several) return *only.record;
  BadRecord(what, only.several ? "several ops have it" : "no op has it");
}

const OpRecord& OpRegistry::The(Trait trait) const {
  return Checked(by_trait_[std::countr_zero(uint64_t{trait})], "with a trait");
}

const OpRecord& OpRegistry::Of(Control control, bool stateful) const {
  return Checked(by_control_[static_cast<size_t>(control)][stateful],
                 "of control");
}

StatusOr<const OpRecord*> OpRegistry::LookUp(std::string_view name) const {
  if (const OpRecord* r = Find(name)) return r;
  return NotFound("Op type not registered '{}'{}", name, MissingOpCure(name));
}

}  // namespace gk
