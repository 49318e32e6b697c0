// What branches and loops of the core ask of C++: how structures of tensors
// are taken apart and compared, and the words of errors.
#ifndef GK_API_STAGED_HOST_H_
#define GK_API_STAGED_HOST_H_

#include <memory>
#include <string>
#include <string_view>

#include "api/inner.h"
#include "api/place.h"
#include "function/loop_state.h"
#include "graphkiln/staging.h"

namespace gk::api::detail {

// A loop over rows got no rows. Throws the library's own Error.
[[noreturn]] void ThrowNoElems();

// How two results of one C++ type differ, or nothing.
std::string Difference(const ResultShape& a, const ResultShape& b);

// What C++ says of tensors and structures.
template <class Host>
class ApiHost : public Host {
 public:
  std::string_view prefix() const override { return "gk::"; }
  std::string Text(InnerType dtype) const override {
    return std::string(DataTypeName(dtype));
  }
  std::string Text(const InnerTensor& t) const override {
    return Format("Tensor(shape={}, dtype={})",
                  t.partial_shape().PythonString(), DataTypeName(t.dtype()));
  }
  std::string Text(const StagedValue& value) const override {
    std::string text = "(";
    for (const InnerTensor& t : value.leaves) {
      text += (text.size() > 1 ? ", " : "") + Text(t);
    }
    return text + ")";
  }
  Status Compare(size_t, const StagedValue& a, const StagedValue& b) override {
    const std::string details = Difference(ShapeOf(a), ShapeOf(b));
    return details.empty() ? OkStatus() : ValueError("{}", details);
  }

 protected:
  static StagedValue ValueOf(const Results& results) {
    StagedValue value;
    value.kind = StagedValue::Kind::kTensors;
    value.leaves = Inner(results.tensors);
    value.host = std::make_shared<ResultShape>(results.shape);
    return value;
  }
  static const ResultShape& ShapeOf(const StagedValue& value) {
    return *static_cast<const ResultShape*>(value.host.get());
  }
  static Results ResultsOf(const StagedValue& value) {
    return {Outer(value.leaves), ShapeOf(value)};
  }
};

// The words of an eager or a traced loop.
template <class Host>
class LoopWords : public ApiHost<Host> {
 public:
  LoopWords(Place enters, Place repeats)
      : where_(Format(" (the loop variables enter at {}, the body is at {})",
                      PlaceText(enters), PlaceText(repeats))) {}

  Status Compare(size_t i, const StagedValue& a,
                 const StagedValue& b) override {
    const Status status = ApiHost<Host>::Compare(i, a, b);
    if (status.ok()) return status;
    return status.Prepend(
        Format("The two structures don't have the same nested structure: the "
               "loop variables before and after an iteration.{} ",
               where_));
  }
  std::string LeafName(size_t k, const InnerTensor&) const override {
    return Format("loop_vars[{}]", k);
  }
  std::string WhereWritten() const override { return where_; }

 private:
  std::string where_;
};

}  // namespace gk::api::detail

#endif  // GK_API_STAGED_HOST_H_
