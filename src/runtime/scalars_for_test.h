// Control flow over scalars, built by hand, and its runs with byte code and
// without, for tests.
#ifndef GK_RUNTIME_SCALARS_FOR_TEST_H_
#define GK_RUNTIME_SCALARS_FOR_TEST_H_

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "graph/function_for_test.h"
#include "runtime/compiled_function.h"
#include "runtime/error_origin.h"
#include "runtime/executor.h"

namespace gk::scalars {

using Body = std::function<std::vector<Output>(TestFunction&,
                                               const std::vector<Output>&)>;

inline FunctionAttr Function(const std::string& name,
                             std::vector<DataType> types, const Body& body) {
  TestFunction b(name);
  std::vector<Output> arguments;
  for (DataType t : types) arguments.push_back(b.Arg(t, TensorShape()));
  std::vector<Output> results = body(b, arguments);
  return {name, b.Finish(std::move(results))};
}

inline std::vector<DataType> TypesOf(const std::vector<Output>& values) {
  std::vector<DataType> types;
  for (const Output& o : values) {
    types.push_back(o.node->output(o.index).dtype);
  }
  return types;
}

inline std::vector<Output> While(TestFunction& b,
                                 const std::vector<Output>& state,
                                 const Body& cond, const Body& body,
                                 const char* op = "StatelessWhile") {
  const std::vector<DataType> types = TypesOf(state);
  Node* node = b.Add(op, state,
                     {{"T", types},
                      {"cond", Function("test", types, cond)},
                      {"body", Function("step", types, body)}})
                   .node;
  std::vector<Output> out;
  for (size_t i = 0; i < state.size(); ++i) out.push_back({node, int(i)});
  return out;
}

inline std::vector<Output> If(TestFunction& b, Output condition,
                              const std::vector<Output>& in,
                              const std::vector<DataType>& out, const Body& yes,
                              const Body& no, const char* op = "StatelessIf") {
  std::vector<Output> inputs{condition};
  inputs.insert(inputs.end(), in.begin(), in.end());
  Node* node = b.Add(op, inputs,
                     {{"Tout", out},
                      {"then_branch", Function("yes", TypesOf(in), yes)},
                      {"else_branch", Function("no", TypesOf(in), no)}})
                   .node;
  std::vector<Output> values;
  for (size_t i = 0; i < out.size(); ++i) values.push_back({node, int(i)});
  return values;
}

inline Output Int(TestFunction& b, int32_t v) {
  return b.Const(Tensor::Scalar<int32_t>(v));
}

struct Outcome {
  Status status;
  TensorVector values;
  std::string origin;
};

// Runs `make` as planned with or without byte code.
inline Outcome RunWith(bool on, const std::vector<DataType>& types,
                       const Body& make, const TensorVector& in) {
  InitRuntime();
  SetControlFlowLowering(on);
  const FunctionAttr f = Function("main", types, make);
  Outcome o;
  o.status = RunFunction(*f.definition, in, &o.values);
  if (!o.status.ok()) {
    o.origin = LastErrorOrigin().function + ":" + LastErrorOrigin().node;
  }
  SetControlFlowLowering(true);
  return o;
}

// The same bits, or the same error, either way.
inline Outcome RunBoth(const std::vector<DataType>& types, const Body& make,
                       const TensorVector& in) {
  const Outcome a = RunWith(true, types, make, in);
  const Outcome b = RunWith(false, types, make, in);
  EXPECT_EQ(a.status.ToString(), b.status.ToString());
  EXPECT_EQ(a.origin, b.origin);
  EXPECT_EQ(a.values.size(), b.values.size());
  for (size_t i = 0; i < a.values.size() && i < b.values.size(); ++i) {
    EXPECT_EQ(a.values[i].dtype(), b.values[i].dtype());
    EXPECT_EQ(a.values[i].shape(), b.values[i].shape());
    EXPECT_EQ(std::memcmp(a.values[i].raw_data(), b.values[i].raw_data(),
                          a.values[i].byte_size()),
              0)
        << a.values[i].DebugString() << " " << b.values[i].DebugString();
  }
  return a;
}

inline std::string CodeOf(const std::vector<DataType>& types,
                          const Body& make) {
  const FunctionAttr f = Function("main", types, make);
  const Ref<Plan> plan =
      *(*CompiledFunction::Of(*f.definition))->DeclaredPlan();
  return plan->codes.empty() ? "" : plan->codes[0]->DebugString();
}


}  // namespace gk::scalars

#endif  // GK_RUNTIME_SCALARS_FOR_TEST_H_
