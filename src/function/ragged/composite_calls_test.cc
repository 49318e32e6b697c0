#include "function/ragged/composite_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "eager/eager_context.h"
#include "framework/op_registry.h"
#include "ops/composition.h"

namespace gk {
namespace {

// A public function: what its record says, and its parameters.
struct PublicFunction {
  std::string names;
  RaggedForm form;
  std::vector<std::string> parameters;
};

std::vector<std::string> ParametersOf(const OpRecord& op) {
  std::vector<std::string> names;
  for (const ArgDef& input : op.def->inputs) names.push_back(input.name);
  for (const AttrDef& attr : op.def->attrs) names.push_back(attr.name);
  return names;
}

// Those of a form of their own.
std::vector<PublicFunction> FunctionsOfForms() {
  InitEager();
  std::vector<PublicFunction> functions;
  std::set<const Composition*> seen;
  for (const auto& [name, c] : CompositionRegistry::Get().by_name()) {
    if (c->record->ragged == RaggedForm::kNone || !seen.insert(c).second) {
      continue;
    }
    auto& f = functions.emplace_back(
        PublicFunction{std::string(c->record->names), c->record->ragged, {}});
    for (const CompositionArg& arg : c->args) f.parameters.push_back(arg.name);
  }
  for (const OpRecord* op : OpRegistry::Get().all()) {
    if (op->python.ragged == RaggedForm::kNone || IsComposition(*op)) continue;
    EXPECT_EQ(op->python.args, "") << op->name << ": arguments not read here";
    functions.push_back(
        {std::string(op->python.names), op->python.ragged, ParametersOf(*op)});
  }
  return functions;
}

Tensor Ints(std::vector<int32_t> values) {
  return Tensor::Vector<int32_t>(values);
}

// [[0], [0, 0]].
RaggedValue Rows() {
  return {Ints({0, 0, 0}), RowPartition{Ints({0, 1, 3}), {}}};
}

// Any call of a function with such parameters; notes the others that it is
// asked for.
class AnyArguments final : public CompositeArguments {
 public:
  explicit AnyArguments(const std::vector<std::string>& parameters)
      : parameters_(parameters) {}

  // A form may serve functions of other parameters.
  bool has(const char* name) const override {
    asked_.insert(name);
    return std::ranges::find(parameters_, name) != parameters_.end();
  }
  bool is_ragged(const char* name) const override {
    Note(name);
    return false;
  }
  RaggedValue ragged(const char* name) const override {
    Note(name);
    return Rows();
  }
  std::vector<RaggedValue> list(const char* name, DataType) const override {
    return {ragged(name)};
  }
  RaggedShape shape(const char* name) const override {
    return RaggedShape::Of(ragged(name), DataType::kInt32);
  }
  Tensor tensor(const char* name, DataType) const override {
    Note(name);
    return Tensor::Scalar<int32_t>(2);
  }
  CompositionValue native(const char* name) const override {
    Note(name);
    return int64_t{1};
  }
  RaggedAxes axes(const char* name) const override {
    Note(name);
    return {std::vector<int64_t>{1}, true};
  }
  bool lists_axes(const char* name) const override { return Note(name); }
  bool flag(const char* name) const override {
    Note(name);
    return false;
  }
  int64_t integer(const char* name, int64_t otherwise) const override {
    Note(name);
    return otherwise;
  }
  std::string text(const char* name, std::string_view) const override {
    Note(name);
    return "";
  }
  DataType type(const char* name, DataType otherwise) const override {
    Note(name);
    return otherwise;
  }
  int num_operands(int count) const override { return count; }
  bool is_ragged(int) const override { return true; }
  bool is_sparse(int) const override { return true; }
  bool is_slices(int) const override { return true; }
  RaggedValue ragged(int, DataType) const override { return Rows(); }
  SparseValue sparse(int) const override {
    const int64_t sizes[] = {3};
    return {ValueOrThrow(Tensor::Zeros(DataType::kInt64, TensorShape({0, 1}))),
            Ints({}), Tensor::Vector<int64_t>(sizes), PartialTensorShape({3})};
  }
  SlicesValue slices(int) const override { return {}; }
  Tensor Call(const TensorVector& operands) const override {
    return operands[0];
  }

  // Parameters that the function does not have.
  const std::set<std::string>& unknown() const { return unknown_; }
  // Those that may be missing.
  const std::set<std::string>& asked() const { return asked_; }

 private:
  bool Note(const char* name) const {
    if (std::ranges::find(parameters_, name) == parameters_.end()) {
      unknown_.insert(name);
    }
    return true;
  }

  const std::vector<std::string>& parameters_;
  mutable std::set<std::string> unknown_, asked_;
};

// What a form asks for the functions have whose records say it.
TEST(CompositeCallsTest, FormsFitTheParametersOfTheirFunctions) {
  std::set<std::string> asked, all;
  for (const PublicFunction& f : FunctionsOfForms()) {
    all.insert(f.parameters.begin(), f.parameters.end());
    const AnyArguments arguments(f.parameters);
    for (const auto call : {CallOfRagged, CallOfSparse, CallOfRaggedShape}) {
      try {
        call({f.form}, arguments);
      } catch (const Error&) {
        // Such values may mean nothing to it.
      }
    }
    EXPECT_EQ(arguments.unknown(), std::set<std::string>()) << f.names;
    asked.insert(arguments.asked().begin(), arguments.asked().end());
  }
  for (const std::string& name : asked) {
    EXPECT_TRUE(all.contains(name)) << "no function has a parameter " << name;
  }
}

TEST(CompositeCallsTest, EveryFormIsSomeFunctions) {
  std::map<RaggedForm, int> used;
  for (const PublicFunction& f : FunctionsOfForms()) ++used[f.form];
  for (int i = 1; i < kNumRaggedForms; ++i) {
    const auto form = static_cast<RaggedForm>(i);
    EXPECT_GT(used[form], 0) << RaggedFormName(form);
  }
}

}  // namespace
}  // namespace gk
