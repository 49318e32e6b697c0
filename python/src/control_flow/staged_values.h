// Python values as branches and loops carry them, and what errors say of
// them. Everything here needs the GIL and throws nanobind::python_error.
#ifndef GK_PYTHON_STAGED_VALUES_H_
#define GK_PYTHON_STAGED_VALUES_H_

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "function/staged_value.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/nest/nest.h"
#include "python/src/tensors/converted.h"

namespace gk::py {

// The value of a symbol; what is no tensor yet becomes one in the current
// graph.
StagedValue ValueOfSymbol(nanobind::handle value);
// What a function returned, or loop variables: whatever is no tensor must
// convert to one.
StagedValue ValueOfStructure(nanobind::handle value);
nanobind::object PythonValue(const StagedValue& value);
// The same tensors in another structure; in place of a composite value there
// may be its spec.
StagedValue WithHost(StagedValue value, nanobind::handle structure);

// An argument `parallel_iterations`, 10 for None; ValueError if it is none.
int64_t ParallelIterations(nanobind::handle number);

void BeginPart(FuncGraph* part);
// The same of a function of its own, of which a name scope is none's part.
void BeginBody(FuncGraph* body);
void EndPart(FuncGraph* part);
std::string TypeNameOf(const StagedValue& value);
// As errors call what was `before` the loop.
std::string NameOfVariable(const Tensor& before);
std::unique_ptr<StructureWords> WordsOf(const StagedValue& first,
                                        const StagedValue& second);
Status ErrorOfComparison();
// The type of TensorArray `k`.
std::string TextOfArray(const StagedValue& value, size_t k);
// A tensor for anything that converts; composite values and None as they are,
// None for an operation.
nanobind::object AsLeaf(nanobind::handle value);
// The structure with what `f` makes of its leaves.
nanobind::object MappedNest(nanobind::handle structure,
                            FunctionRef<nanobind::object(nanobind::handle)> f);
nanobind::object WithTensorLeaves(nanobind::handle structure);
// TypeError or ValueError unless two values nest alike.
void CheckNests(nanobind::handle first, nanobind::handle second,
                bool check_types = true, NestRules rules = NestRules::kNest);
// The leaves of a value, those of composite ones too if `expand`.
std::vector<nanobind::object> Leaves(nanobind::handle value, bool expand);

// What all errors have in common.
template <class Host>
class PythonHost : public Host {
 public:
  using Host::Host;
  void Begin(FuncGraph* part) override { BeginPart(part); }
  void End(FuncGraph* part) override { EndPart(part); }
  std::string_view prefix() const override { return "tf."; }
  std::string Text(DataType dtype) const override {
    return Format("<dtype: '{}'>", DataTypeName(dtype));
  }
  std::string Text(const Tensor& t) const override {
    return TextOf(Wrapped(t));
  }
  std::string Text(const StagedValue& value) const override {
    return TextOf(PythonValue(value));
  }
  std::string TypeName(const StagedValue& value) const override {
    return TypeNameOf(value);
  }
  std::unique_ptr<StructureWords> Words(const StagedValue& first,
                                        const StagedValue& second) override {
    return WordsOf(first, second);
  }
  Status ComparisonError() override { return ErrorOfComparison(); }
  std::string ArrayText(const StagedValue& value, size_t k) const override {
    return TextOfArray(value, k);
  }
};

// The symbols of a statement. `lines(symbol)` tells where they are assigned.
struct Symbols {
  std::vector<std::string> names;
  nanobind::object lines;

  std::string Places(size_t i) const;
  // What stands for one that nothing has assigned.
  nanobind::object Lost(size_t i, bool pending, const std::string& text) const;
};
std::vector<std::string> Names(nanobind::handle names);
StagedValue ClosedList(const StagedValue& open, const StagedValue& like);

// Errors speak of symbols.
template <class Host>
class SymbolHost : public PythonHost<Host> {
 public:
  explicit SymbolHost(Symbols symbols) : symbols_(std::move(symbols)) {}

  bool speaks_of_symbols() const override { return true; }
  std::string Name(size_t i) const override { return symbols_.names[i]; }
  std::string Places(size_t i) const override { return symbols_.Places(i); }
  StagedValue Closed(const StagedValue& open,
                     const StagedValue& like) override {
    return ClosedList(open, like);
  }
  const Symbols& symbols() const { return symbols_; }

 private:
  Symbols symbols_;
};

// What `f` returns; what the core throws becomes Python's error, which knows
// the symbol that it is about.
[[noreturn]] void RaiseToldError();
template <class F>
auto Told(F&& f) {
  try {
    return f();
  } catch (const nanobind::python_error&) {
    throw;
  } catch (...) {
    RaiseToldError();
  }
}

}  // namespace gk::py

#endif  // GK_PYTHON_STAGED_VALUES_H_
