// tf.debugging: assertions about values.
//
// Eagerly, and of values that a graph knows, they fail at once. The rest
// becomes Assert ops.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ops/composition/assertion.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/CheckNumerics.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Greater.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Less.h"
#include "ops/fn/LessEqual.h"
#include "ops/fn/LogicalNot.h"
#include "ops/fn/Mul.h"
#include "ops/fn/NoOp.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Where.h"

namespace gk {
namespace {

constexpr int64_t kAll = 1'000'000'000;

Error Failure(std::span<const std::string> lines) {
  return Error(Status(Code::kInvalidArgument, JoinText(lines, "\n")));
}

std::string Labelled(char letter, const Tensor& t) {
  return Format("{} ({}) = ", std::string(1, letter), TitleOfTensor(t));
}

// How many elements a failure shows.
int64_t CountShown(const CompositionCall& c, int summarize) {
  if (!c.has(summarize)) return 3;
  const int64_t n = c.integer(summarize);
  return n < 0 ? kAll : n;
}

// The first `n` rows of what has a rank.
Tensor First(const Tensor& t, int64_t n) {
  std::vector<int64_t> begin(t.shape().rank(), 0), size(begin.size(), -1);
  size[0] = std::min(n, t.shape().dim(0));
  return ops::Slice(t, IntsTensor(begin, DataType::kInt64),
                    IntsTensor(size, DataType::kInt64));
}

Tensor Flat(const Tensor& t) {
  return t.WithShape(TensorShape({t.num_elements()}));
}

// The texts of the first elements, "..." for the rest.
std::vector<std::string> Elements(const Tensor& t, int64_t count) {
  std::vector<std::string> texts;
  const Tensor first = First(Flat(t), count);
  constexpr int64_t kOne = 1;
  for (int64_t i = 0; i < first.num_elements(); ++i) {
    const Tensor one = ops::Slice(first, IntsTensor({&i, 1}, DataType::kInt64),
                                  IntsTensor({&kOne, 1}, DataType::kInt64));
    texts.push_back(ValueText(one.WithShape(TensorShape())));
  }
  if (t.num_elements() > count) texts.push_back("...");
  return texts;
}

std::string Shown(const AssertItem& item, int64_t count) {
  if (!item.value) return item.text;
  if (item.value.shape().IsScalar()) return ValueText(item.value);
  return Format("['{}']", JoinText(Elements(item.value, count), "', '"));
}

Tensor AllOf(const Tensor& t) { return CallComposition("reduce_all", {t})[0]; }

using Test = Tensor (*)(OpName, const Tensor&, const Tensor&);
Tensor Equals(OpName name, const Tensor& x, const Tensor& y) {
  return ops::Equal(name, x, y);
}
Tensor Differs(OpName name, const Tensor& x, const Tensor& y) {
  return ops::NotEqual(name, x, y);
}

// Where an eager comparison failed, line by line.
std::vector<std::string> Differences(std::string_view symbol, const Tensor& x,
                                     const Tensor& y, const Tensor& holds,
                                     int64_t count) {
  std::vector<std::string> lines = {
      Format("Condition x {} y did not hold.", symbol)};
  if (count <= 0) return lines;
  if (x.shape() == y.shape() && x.shape().rank() > 0) {
    const Tensor wrong = First(ops::Where(ops::LogicalNot(holds)), count);
    lines.push_back(
        Format("Indices of first {} different values:", wrong.shape().dim(0)));
    lines.push_back(ValueText(wrong));
    lines.push_back("Corresponding x values:");
    lines.push_back(ValueText(ops::GatherNd(x, wrong)));
    lines.push_back("Corresponding y values:");
    lines.push_back(ValueText(ops::GatherNd(y, wrong)));
  }
  for (const auto& [letter, t] : {std::pair("x", x), std::pair("y", y)}) {
    const Tensor first = First(Flat(t), count);
    lines.push_back(
        Format("First {} elements of {}:", first.num_elements(), letter));
    lines.push_back(ValueText(first));
  }
  return lines;
}

struct Comparison {
  std::string_view symbol;
  Test test;
  std::string_view scope = {};  // below the call's
};

bool Holds(const Comparison& comparison, const Tensor& x, const Tensor& y) {
  const OpBuilder::Scope eager(OpBuilder::Eager());
  return AllOf(comparison.test(OpName({}), x, y)).scalar<bool>();
}

// `data`, where given, is what a failure tells; `known_x`, `known_y`: the
// values that are known now.
TensorVector Compare(const CompositionCall& c, const Comparison& comparison,
                     const Tensor& x, const Tensor& y, const Tensor& known_x,
                     const Tensor& known_y, int message, int summarize,
                     AssertItems data = {}) {
  const auto with_message = [&](AssertItems items) {
    if (message >= 0 && c.has(message)) {
      items.insert(items.begin(), c.text(message));
    }
    return items;
  };
  if (RunsNow()) {
    const Tensor each = comparison.test(OpName({}), x, y);
    if (AllOf(each).scalar<bool>()) return {};
    const int64_t count = CountShown(c, summarize);
    if (data.empty()) {
      for (std::string& line :
           Differences(comparison.symbol, x, y, each, count)) {
        data.push_back(std::move(line));
      }
    }
    std::vector<std::string> lines;
    for (const AssertItem& item : with_message(std::move(data))) {
      lines.push_back(Shown(item, count));
    }
    throw Failure(lines);
  }
  if (data.empty()) {
    data = {Format("Condition x {} y did not hold element-wise:",
                   comparison.symbol),
            Labelled('x', x), x, Labelled('y', y), y};
  }
  data = with_message(std::move(data));
  if (known_x && known_y && !Holds(comparison, known_x, known_y)) {
    std::vector<std::string> lines;
    for (const AssertItem& item : data) {
      const bool is_x = item.value && item.value.impl() == x.impl();
      lines.push_back(item.value ? ValueText(is_x ? known_x : known_y)
                                 : item.text);
    }
    throw Failure(lines);
  }
  const Tensor each = comparison.test(OpName({}), x, y);
  MakeAssert(c, comparison.scope, AllOf(each), data, summarize);
  return {};
}

constexpr Comparison kEqual = {"==", Equals}, kNotEqual = {"!=", Differs},
                     kLess = {"<", ops::Less},
                     kLessEqual = {"<=", ops::LessEqual},
                     kGreater = {">", ops::Greater},
                     kGreaterEqual = {">=", ops::GreaterEqual};

struct Position {
  int message, summarize;
};

template <const Comparison* kComparison, Position kAt = {2, 3}>
TensorVector AssertPair(CompositionCall& c) {
  const Tensor &x = c.tensor(0), &y = c.tensor(1);
  if (kComparison == &kEqual && x.impl() == y.impl()) {
    if (!RunsNow()) ops::NoOp();
    return {};
  }
  return Compare(c, *kComparison, x, y, c.known(0), c.known(1), kAt.message,
                 kAt.summarize);
}

enum class Sign { kPositive, kNegative, kNonNegative, kNonPositive };

// A comparison of zero and x.
template <Sign kSign>
TensorVector AssertSign(CompositionCall& c) {
  constexpr bool kStrict = kSign == Sign::kPositive || kSign == Sign::kNegative;
  constexpr bool kZeroFirst =
      kSign == Sign::kPositive || kSign == Sign::kNonNegative;
  constexpr std::string_view kSymbols[] = {">", "<", ">=", "<="};
  const Tensor& x = c.tensor(0);
  const Tensor zero = IntegerOf(0, x.dtype());
  std::string line = Format("Condition x {} 0 did not hold element-wise:",
                            kSymbols[static_cast<int>(kSign)]);
  AssertItems data = {MessagePrefix(c, 1)};
  if (kSign == Sign::kNonPositive) {  // as the original joins its texts
    data.push_back(line + Labelled('x', x));
  } else {
    data.push_back(line);
    data.push_back(Labelled('x', x));
  }
  data.push_back(x);
  const Comparison comparison = {
      kStrict ? "<" : "<=", kStrict ? Test{ops::Less} : Test{ops::LessEqual},
      kStrict ? "assert_less/" : "assert_less_equal/"};
  const Tensor known_zero = zero.KnownValue(), known = c.known(0);
  return kZeroFirst ? Compare(c, comparison, zero, x, known_zero, known, -1, 2,
                              std::move(data))
                    : Compare(c, comparison, x, zero, known, known_zero, -1, 2,
                              std::move(data));
}

double Resolution(DataType t) {
  switch (RealType(t)) {
    case DataType::kHalf:
      return std::ldexp(1.0, -10);
    case DataType::kBfloat16:
      return std::ldexp(1.0, -7);
    case DataType::kFloat:
      return std::ldexp(1.0, -23);
    case DataType::kDouble:
      return std::ldexp(1.0, -52);
    default:
      throw Error(ValueError("data type {} not inexact", DataTypeName(t)));
  }
}

// As tf.debugging.Assert: at once or when the graph runs.
void Check(const CompositionCall& c, const Tensor& holds,
           const AssertItems& data, int summarize) {
  if (!RunsNow()) {
    MakeAssert(c, "", holds, data, summarize);
    return;
  }
  if (holds.scalar<bool>()) return;
  std::vector<std::string> lines;
  for (const AssertItem& item : data) {
    const Tensor t = item.value ? item.value : Tensor::Scalar(item.text);
    const int64_t count = summarize < 0 ? 3 : CountShown(c, summarize);
    lines.push_back(t.shape().IsScalar() ? ValueText(t)
                                         : JoinText(Elements(t, count), ", "));
  }
  lines[0] = Format("Expected '{}' to be true. Summarized data: {}",
                    TensorText(holds), lines[0]);
  throw Failure(lines);
}

TensorVector AssertNear(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor y = ArgumentAs(c, 1, x.dtype(), c.name("y"));
  const DataType real = RealType(x.dtype());
  const auto tolerance = [&](int i, std::string_view node) {
    if (c.has(i)) return ArgumentAs(c, i, real, c.name(node));
    return NumberOf(10 * Resolution(real), real, c.name(node));
  };
  const Tensor rtol = tolerance(2, "rtol"), atol = tolerance(3, "atol");
  const AssertItems data = {
      MessagePrefix(c, 4),
      Format("x and y not equal to tolerance rtol = {}, atol = {}",
             TensorText(rtol), TensorText(atol)),
      Labelled('x', x),
      x,
      Labelled('y', y),
      y};
  const auto size_of = [](const Tensor& t) {
    return CallComposition("abs", {t})[0];
  };
  const Tensor close = AllOf(ops::Less(
      size_of(ops::Sub(x, y)), ops::AddV2(atol, ops::Mul(rtol, size_of(y)))));
  Check(c, close, data, 5);
  return {};
}

// One of the conditions of a case holds.
TensorVector AssertAnyCase(CompositionCall& c) {
  const Tensor all = ops::Pack(c.tensors(0));
  std::vector<std::string> names;
  for (const Tensor& t : c.tensors(0)) {
    names.push_back(Format("'{}'", NameOfTensor(t)));
  }
  Check(
      c, CallComposition("reduce_any", {all})[0],
      {Format("Input error: None of conditions evaluated as True. Conditions: "
              "[{}], Values:",
              JoinText(names, ", ")),
       ops::Pack(c.tensors(0))},
      -1);
  return {};
}

// No more than one does.
TensorVector AssertOneCase(CompositionCall& c) {
  const Tensor all = ops::Pack(OpName("preds_c"), c.tensors(0));
  const Tensor numbers = ops::Cast(all, DataType::kInt32);
  const Tensor count =
      ops::Sum(OpName("num_true_conds"), numbers, AllAxes(numbers, "Const"));
  Check(c, ops::LessEqual(count, Int32Of(1, "n_true_conds")),
        {"Input error: exclusive=True: more than 1 conditions evaluated as "
         "True. Conditions:",
         all},
        -1);
  return {};
}

TensorVector AssertAllFinite(CompositionCall& c) {
  return {ops::CheckNumerics(c.tensor(0), c.text(1))};
}

#define ASSERT_PAIR_ARGS \
  "x: tensor; y: tensor; message: string = None; summarize: int = None"
#define ASSERT_SIGN_ARGS \
  "x: tensor; message: string = None; summarize: int = None"

const CompositionRecord kRecords[] = {
    {.names = "debugging.assert_equal|assert_equal",
     .args = ASSERT_PAIR_ARGS,
     .scope = "assert_equal",
     .maps = 2,
     .build = AssertPair<&kEqual>,
     .result = "operation",
     .doc = "Checks x == y for all pairs of elements.\n\n"
            "Args:\n  x: a tensor.\n  y: a tensor that can be broadcast to "
            "it.\n  message: put in front of the error's text.\n  summarize: "
            "how many elements the text shows; 3 unless given.\n  name: of "
            "the scope.\n\nReturns None when eager, else the operation that "
            "checks. Raises\nInvalidArgumentError where it does not hold: at "
            "once when eager or known,\nelse when run.",
     .example = ">>> tf.debugging.assert_equal([1, 2], [1, 2])",
     .captures = true},
    {.names = "debugging.assert_none_equal",
     .args = "x: tensor; y: tensor; summarize: int = None; message: string = "
             "None",
     .scope = "assert_none_equal",
     .maps = 2,
     .build = AssertPair<&kNotEqual, Position{3, 2}>,
     .result = "operation",
     .doc = "Checks x != y for all pairs of elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_none_equal([1, 2], [2, 1])",
     .captures = true},
    {.names = "debugging.assert_less|assert_less",
     .args = ASSERT_PAIR_ARGS,
     .scope = "assert_less",
     .maps = 2,
     .build = AssertPair<&kLess>,
     .result = "operation",
     .doc = "Checks x < y for all pairs of elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_less([1], [2])",
     .captures = true},
    {.names = "debugging.assert_less_equal",
     .args = ASSERT_PAIR_ARGS,
     .scope = "assert_less_equal",
     .maps = 2,
     .build = AssertPair<&kLessEqual>,
     .result = "operation",
     .doc = "Checks x <= y for all pairs of elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_less_equal([2], [2])",
     .captures = true},
    {.names = "debugging.assert_greater|assert_greater",
     .args = ASSERT_PAIR_ARGS,
     .scope = "assert_greater",
     .maps = 2,
     .build = AssertPair<&kGreater>,
     .result = "operation",
     .doc = "Checks x > y for all pairs of elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_greater([2], [1])",
     .captures = true},
    {.names = "debugging.assert_greater_equal",
     .args = ASSERT_PAIR_ARGS,
     .scope = "assert_greater_equal",
     .maps = 2,
     .build = AssertPair<&kGreaterEqual>,
     .result = "operation",
     .doc = "Checks x >= y for all pairs of elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_greater_equal([2], [2])",
     .captures = true},
    {.names = "debugging.assert_positive",
     .args = ASSERT_SIGN_ARGS,
     .scope = "assert_positive",
     .build = AssertSign<Sign::kPositive>,
     .result = "operation",
     .doc = "Checks x > 0 for all elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_positive([1.0, 2.0])",
     .captures = true},
    {.names = "debugging.assert_negative",
     .args = ASSERT_SIGN_ARGS,
     .scope = "assert_negative",
     .build = AssertSign<Sign::kNegative>,
     .result = "operation",
     .doc = "Checks x < 0 for all elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_negative([-1.0])",
     .captures = true},
    {.names = "debugging.assert_non_negative",
     .args = ASSERT_SIGN_ARGS,
     .scope = "assert_non_negative",
     .build = AssertSign<Sign::kNonNegative>,
     .result = "operation",
     .doc = "Checks x >= 0 for all elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_non_negative([0, 1])",
     .captures = true},
    {.names = "debugging.assert_non_positive",
     .args = ASSERT_SIGN_ARGS,
     .scope = "assert_non_positive",
     .build = AssertSign<Sign::kNonPositive>,
     .result = "operation",
     .doc = "Checks x <= 0 for all elements; see `assert_equal`.",
     .example = ">>> tf.debugging.assert_non_positive([0, -1])",
     .captures = true},
    {.names = "debugging.assert_near",
     .args = "x: tensor; y: native; rtol: native = None; atol: native = None; "
             "message: string = None; summarize: int = None",
     .scope = "assert_near",
     .maps = 2,
     .build = AssertNear,
     .result = "operation",
     .doc = "Checks |x - y| < atol + rtol * |y| for all elements.\n\n"
            "Args:\n  x: a tensor of floating point or complex numbers.\n  "
            "y: another, which is converted to the dtype of `x`.\n  rtol: "
            "relative tolerance; ten times the dtype's resolution unless "
            "given.\n  atol: absolute tolerance; the same.\n  message: put in "
            "front of the error's text.\n  summarize: how many elements the "
            "text shows; 3 unless given.\n  name: of the scope.\n\nRaises "
            "InvalidArgumentError where it does not hold, ValueError for "
            "dtypes\nwithout a resolution.",
     .example = ">>> tf.debugging.assert_near([1.], [1.0000001])",
     .captures = true},
    {.names = "debugging.assert_all_finite",
     .args = "x: tensor; message: string",
     .scope = "VerifyFinite",
     .build = AssertAllFinite,
     .doc = "Checks that no element is infinite or NaN; returns `x`.\n\n"
            "Raises InvalidArgumentError with `message` if one is.",
     .example = ">>> tf.debugging.assert_all_finite([1.], "
                "\"bad\").numpy().tolist()\n[1.0]",
     .captures = true},
    {.names = "_assert_any_case",
     .args = "conditions: tensors",
     .build = AssertAnyCase,
     .result = "operation",
     .doc = "Checks that one of the conditions of a case holds."},
    {.names = "_assert_one_case",
     .args = "conditions: tensors",
     .build = AssertOneCase,
     .result = "operation",
     .doc = "Checks that no more than one condition of a case holds."},
};

}  // namespace

Status FailedAssert(std::string_view condition, const TensorVector& data,
                    int64_t summarize) {
  std::vector<std::string> shown;
  for (const Tensor& t : data) {
    shown.push_back(
        t.shape().IsScalar()
            ? ValueText(t)
            : JoinText(Elements(t, summarize < 0 ? kAll : summarize), ", "));
  }
  return InvalidArgument("Expected '{}' to be true. Summarized data: {}",
                         condition, JoinText(shown, "\n"));
}

DataType SameFloatDtype(std::span<const DataType> dtypes, DataType wanted,
                        FunctionRef<std::string(size_t)> text) {
  const bool is_first = wanted == DataType::kInvalid;
  if (is_first) wanted = dtypes.empty() ? DataType::kFloat : dtypes[0];
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (dtypes[i] == wanted) continue;
    throw Error(ValueError(
        "{}, type=<dtype: '{}'>, must be of the same type (<dtype: '{}'>){}.",
        text(i), DataTypeName(dtypes[i]), DataTypeName(wanted),
        is_first ? " as " + text(0) : ""));
  }
  if (!IsFloating(wanted)) {
    throw Error(ValueError("Expected floating point type, got <dtype: '{}'>.",
                           DataTypeName(wanted)));
  }
  return wanted;
}

GK_REGISTER_COMPOSITIONS(composition_assert)

}  // namespace gk
