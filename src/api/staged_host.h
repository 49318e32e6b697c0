// What branches and loops of the core ask of C++: how structures of tensors
// are taken apart and compared, and the words of errors.
#ifndef GK_API_STAGED_HOST_H_
#define GK_API_STAGED_HOST_H_

#include <memory>
#include <string>
#include <string_view>

#include "api/inner.h"
#include "api/place.h"
#include "api/structure_rep.h"
#include "function/loop_state.h"
#include "graphkiln/staging.h"

namespace gk::api::detail {

// A loop over rows got no rows. Throws the library's own Error.
[[noreturn]] void ThrowNoElems();

// A value of the core: of tensors that nest so.
StagedValue StagedOf(TensorVector tensors, const Form& form);

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
      text += (text.size() > 1 ? ", " : "") + (t ? Text(t) : "None");
    }
    return text + ")";
  }
  std::string ArrayText(const StagedValue& value, size_t k) const override {
    return FormOf(value).arrays[k].to_string();
  }

 protected:
  static StagedValue ValueOf(const Results& results) {
    return StagedOf(Inner(results.tensors), results.form);
  }
  static Results ResultsOf(const StagedValue& value) {
    return {Outer(value.tensors()), FormOf(value)};
  }

 private:
  static const Form& FormOf(const StagedValue& value) {
    return *static_cast<const Form*>(value.host.get());
  }
};

// The words of an eager or a traced loop.
template <class Host>
class LoopWords : public ApiHost<Host> {
 public:
  LoopWords(Place enters, Place repeats)
      : where_(Format(" (the loop variables enter at {}, the body is at {})",
                      PlaceText(enters), PlaceText(repeats))) {}

  std::string LeafName(size_t k, const InnerTensor&) const override {
    return Format("loop_vars[{}]", k);
  }
  std::string WhereWritten() const override { return where_; }

 private:
  std::string where_;
};

}  // namespace gk::api::detail

#endif  // GK_API_STAGED_HOST_H_
