// OpRecord: everything there is to know about one op, in one place.
//
// Records are constants in src/ops/<family>/*.cc. Wrappers for C++ and
// Python, stubs, docs, op dumps, fusion sets and tests derive from them.
#ifndef GK_FRAMEWORK_OP_RECORD_H_
#define GK_FRAMEWORK_OP_RECORD_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "framework/op_def.h"
#include "framework/ragged_form.h"
#include "framework/shape_value.h"

namespace gk {

class GradContext;

// What passes and tests ask about an op instead of knowing its name. Tests walk
// over all records and check what of it can be checked.
enum Trait : uint64_t {
  kNoTraits = 0,
  kStateful = 1 << 0,     // may not be pruned, merged or folded
  kElementwise = 1 << 1,  // out[i] depends on in[i] (with broadcasting)
  kCommutative = 1 << 2,  // f(x, y) == f(y, x)
  kAssociative = 1 << 3,
  kIdempotent = 1 << 4,  // f(f(x)) == f(x)
  kInvolution = 1 << 5,  // f(f(x)) == x
  kView = 1 << 6,        // output 0 shares input 0's elements
  kReduction = 1 << 7,
  kAggregate = 1 << 8,
  kSourceOp = 1 << 9,         // no inputs (Const, Placeholder)
  kRandom = 1 << 10,          // stateful, yet may be pruned when unused
  kReadsResource = 1 << 11,   // reads the resource of a resource input
  kWritesResource = 1 << 12,  // writes it
  kCallsFunction = 1 << 13,
  kNoGradient = 1 << 14,    // gradient is known to be none
  kExpensive = 1 << 15,     // never recomputed or folded if large
  kIdentityZero = 1 << 16,  // f(x, 0) == x
  kIdentityOne = 1 << 17,   // f(x, 1) == x
  kKeepsZero = 1 << 18,     // f(0, ...) == 0
  // Computing it again costs about what reading a kept value does.
  kCheap = 1 << 19,
  kShapeOnly = 1 << 20,     // looks at the shapes of inputs, at no element
  kPassesValues = 1 << 21,  // output i is input i, or the op fails
  kUndefined = 1 << 22,     // the elements of its output may be anything
  kViewOfOne = 1 << 23,     // a view of its input if there is only one
  // Output 0 is input 0 with some elements changed: where that was, if nobody
  // else has it.
  kUpdatesInput = 1 << 24,
  kAddition = 1 << 25,  // x + y
  // Of these there is one op each; OpRegistry::The finds it.
  kConstant = 1 << 26,      // output 0 is the attribute "value"
  kPlaceholder = 1 << 27,   // its value comes from whoever runs the graph
  kIdentity = 1 << 28,      // output 0 is input 0, for gradients too
  kOnlyOrders = 1 << 29,    // does nothing; holds control edges together
  kInequality = 1 << 30,    // x != y
  kCounts = 1ull << 31,     // input 0 up to input 1 in steps of input 2
  kSlices = 1ull << 32,     // elements of input 0 by SliceMasks and inputs 1-3
  kAppends = 1ull << 33,    // list input 0 with input 1 at its end
  kTakesLast = 1ull << 34,  // list input 0 without its last value, and that
  kReadsVariable = 1ull << 35,    // the value of a variable
  kAssignsVariable = 1ull << 36,  // input 1 becomes it
  kUnregistered = 1ull << 37,     // an UnregisteredOp (unregistered_op.h)
  // A session may feed another value: nothing of it is known ahead.
  kMayBeFed = 1ull << 38,
};

// How an op that calls functions chooses among them.
enum class Control : uint8_t {
  kNone,
  kCall,   // calls `f` with the inputs
  kIf,     // input 0 is the truth that chooses a branch; it gets the others
  kCase,   // input 0 is the index of one of `branches`
  kWhile,  // calls `body` with its results as long as `cond` holds
};

// f(x, operand) is g(x), which is faster.
struct SpecialCase {
  double operand = 0;
  std::string_view op;  // g; empty: there is none
};

// An op that reads a variable, input 0, is with a constant in its place `op`
// of that and the other inputs, and of the attribute `last_input` behind them
// if one is named. "Const": true, as there is a value.
struct ConstantForm {
  std::string_view op;
  std::string_view last_input;
};

// out[i] = f(in0[i], in1[i], ...) for n elements; `params` is the TileParams
// that the kernel's prepare function filled in (null if it has none).
// Non-zero: the error to report. `out` may be exactly one of the inputs.
using TileFn = int (*)(void* out, const void* const* in, int64_t n,
                       const void* params);

// Scalar attributes of an op, as its tile kernel reads them. Whoever keeps a
// kernel to call it later keeps one of these beside it.
struct TileParams {
  double value = 0;
};
using TilePrepareFn = void (*)(const AttrMap& attrs, TileParams* params);

// What `fn` computes of one element (expression.h); `params` as for it. Types
// are those of the loop, which may be another integer type of the same bits.
class Expression;
using TileExpressionFn = Expression (*)(const TileParams& params);

struct TileKernel {
  TileFn fn = nullptr;
  TileExpressionFn expression = nullptr;
  TilePrepareFn prepare = nullptr;  // null for ops without such attributes
  uint8_t num_inputs = 0;
  DataType in[3] = {};
  DataType out = DataType::kInvalid;
  float cost_ns = 0.5f;  // per element, for the thread pool
};

// The tile kernel for the dtype of the last input, or null. `attrs` may be
// empty: then the kernel for the defaults, or null if there is none.
using TileKernelFn = const TileKernel* (*)(DataType t, const AttrMap& attrs);

struct KernelSet {
  ComputeFn compute = nullptr;
  TileKernelFn tile = nullptr;  // elementwise ops
  // The text of a non-zero tile result ("Integer division by zero").
  const char* tile_error = nullptr;
  // dtypes of the main type attr for which kernels exist; empty: all allowed.
  DataTypeSet types;
};

// How Python shows the op: "math.add|add" are public names below `tf`.
struct PythonFace {
  std::string_view names;  // '|'-separated; empty: raw_ops only
  // Argument names if they differ, "x, y"; or with kinds and defaults as those
  // of a composition (ops/composition.h), "x: tensor; axis: native = 0".
  std::string_view args;
  std::string_view scope;  // default node name, if not the op's name
  // Argument names of tf.raw_ops if they differ from the definition's; may
  // stop early.
  std::string_view raw_args;
  // TensorFlow's functions around the op make tensors of what they are given
  // before they call it, which shows in errors.
  bool converts_first = false;
  // What it does with ragged arguments and the like.
  RaggedForm ragged = RaggedForm::kNone;
  // Of slices, as the argument of that number from 1, the values alone change;
  // 0: it takes the whole.
  uint8_t slices = 0;
};

struct TestFacts {
  double low = -2, high = 2;   // domain of float inputs
  std::string_view reference;  // NumPy expression in the input names
  double tolerance = 0;        // 0: by dtype
  bool skip_gradient = false;  // not differentiable on the domain
  std::string_view shapes;     // of inputs, where not free: "a: [3, 4]"
};

// Gradients with respect to the inputs, built with op functions so that they
// work eagerly, traced and at second order. Throws Error.
using GradientFn = void (*)(GradContext&);

// Additions, multiplications and the like of one run; a multiplication with an
// addition counts as two.
using FlopsFn = double (*)(const AttrMap& attrs,
                           std::span<const TensorShape> inputs,
                           std::span<const TensorShape> outputs);

struct OpRecord {
  std::string_view name;
  std::string_view inputs;
  std::string_view outputs;
  std::string_view attrs;
  uint64_t traits = kNoTraits;
  Control control = Control::kNone;
  // Of an op that makes a variable's value f(value, input 1): the op that
  // computes f, element by element.
  std::string_view combine;
  // Of one that only reads a variable, unless it is kReadsVariable.
  ConstantForm of_constant;
  SpecialCase special;
  ShapeFn shape = nullptr;
  // What is known of the elements of an output that is made of shapes.
  ShapeValueFn shape_value = nullptr;
  KernelSet kernel;
  GradientFn gradient = nullptr;
  FlopsFn flops = nullptr;  // null: by its traits (ops/op_cost.h)
  PythonFace python;
  std::string_view doc;
  std::string_view example;
  TestFacts test;

  bool Has(uint64_t trait) const { return (traits & trait) != 0; }

  // Filled in by the registry.
  mutable const OpDef* def = nullptr;
  mutable int id = -1;
};

}  // namespace gk

#endif  // GK_FRAMEWORK_OP_RECORD_H_
