#include "eager/op_events.h"

#include <memory>
#include <vector>

#include "base/format.h"
#include "framework/host_language.h"
#include "framework/op_registry.h"
#include "ops/op_cost.h"
#include "ops/op_detail.h"

namespace gk {
namespace {

class OpEvent final : public EventType {
 public:
  explicit OpEvent(const OpRecord& record)
      : EventType(EventKind::kOp), record_(record) {}
  void Tell(const EventDetail* detail, EventFacts* facts) const override {
    const auto& run = static_cast<const OpDetail&>(*detail);
    facts->name = Format("{}:{}", record_.name, record_.name);
    facts->display = record_.name;
    if (run.source != 0) facts->sources = {run.source};
    facts->shapes = run.ShapesText();
    if (!record_.Has(kView | kReadsVariable)) {
      facts->bytes = run.Bytes();
      facts->made_bytes = run.MadeBytes();
    }
    facts->flops = run.flops;
  }

 private:
  const OpRecord& record_;
};

// By the id of the record, which lives as long as the process.
const EventType& TypeOf(const OpRecord& record) {
  static const auto* types = [] {
    auto* all = new std::vector<std::unique_ptr<OpEvent>>;
    for (const OpRecord* r : OpRegistry::Get().all()) {
      const auto id = static_cast<size_t>(r->id);
      if (id >= all->size()) all->resize(id + 1);
      (*all)[id] = std::make_unique<OpEvent>(*r);
    }
    return all;
  }();
  return *(*types)[record.id];
}

}  // namespace

OpStart RecordedStart() {
  const uint32_t source = HostLanguage::Get().CurrentSource();
  return {EventLog::Now(), source};
}

void RecordOp(const OpRecord& record, const AttrMap& attrs,
              std::span<const Tensor* const> inputs,
              std::span<const Tensor> outputs, OpStart began) {
  const int64_t ended = EventLog::Now();
  if (record.Has(kUnregistered)) return;
  auto detail = std::make_unique<OpDetail>();
  for (const Tensor* t : inputs) detail->AddInput(*t);
  for (const Tensor& t : outputs) detail->AddOutput(t);
  detail->source = began.source;
  detail->flops = FlopsOf(record, attrs, detail->inputs, detail->outputs);
  EventLog::Add(TypeOf(record), began.time, ended, std::move(detail));
}

}  // namespace gk
