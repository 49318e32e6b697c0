// tf.debugging: assertions about ranks, shapes and dtypes.
//
// What is known fails at once, with ValueError or TypeError; the rest becomes
// Assert ops.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "ops/composition/assertion.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/NoOp.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/subscript.h"

namespace gk {
namespace {

// The value of an integer scalar that is known now.
std::optional<int64_t> KnownScalar(const Tensor& t) {
  const Tensor value = t.KnownValue();
  if (!value) return std::nullopt;
  const OpBuilder::Scope eager(OpBuilder::Eager());
  return ops::Cast(value, DataType::kInt64).scalar<int64_t>();
}

enum class RankRule { kIs, kAtLeast, kIn };

// Checks the rank of x against `ranks`. Returns the Assert, if one is needed.
Node* AssertRankOf(const CompositionCall& c, const Tensor& x, RankRule rule,
                   const TensorVector& ranks, int message) {
  std::vector<std::string> texts;
  bool holds = false;
  const int64_t actual =
      x.partial_shape().unknown_rank() ? -1 : x.partial_shape().rank();
  for (const Tensor& rank : ranks) {
    if (!IsInteger(rank.dtype())) {
      throw Error(TypeError("Rank must be an integer, got {} of dtype {}.",
                            TensorText(rank), DataTypeName(rank.dtype())));
    }
    if (rank.partial_shape().rank() > 0) {
      throw Error(ValueError("Rank must be a scalar."));
    }
    if (const std::optional<int64_t> known = KnownScalar(rank)) {
      texts.push_back(Format("{}", *known));
      holds |= rule == RankRule::kAtLeast ? actual >= *known : actual == *known;
    }
  }
  const std::string_view words = rule == RankRule::kIs        ? ""
                                 : rule == RankRule::kAtLeast ? " at least"
                                                              : " in";
  const std::string text =
      Format("Tensor {} must have rank{}", NameOfTensor(x), words);
  if (actual >= 0 && texts.size() == ranks.size()) {
    if (!holds) {
      std::string list = JoinText(texts, ", ");
      if (rule == RankRule::kIn) {
        list = Format("({}{})", list, texts.size() == 1 ? "," : "");
      }
      throw Error(ValueError("{}{} {}.  Received rank {}, shape {}",
                             MessagePrefix(c, message), text, list, actual,
                             x.partial_shape().PythonString()));
    }
    if (!RunsNow()) ops::NoOp(OpName("static_checks_determined_all_ok"));
    return nullptr;
  }
  AssertItems data = {MessagePrefix(c, message), text};
  TensorVector each;
  const Tensor rank_of_x = ops::Rank(x);
  for (const Tensor& rank : ranks) {
    const Tensor r = rank.dtype() == DataType::kInt32
                         ? rank
                         : ops::Cast(rank, DataType::kInt32);
    each.push_back(rule == RankRule::kAtLeast ? ops::GreaterEqual(rank_of_x, r)
                                              : ops::Equal(rank_of_x, r));
    data.push_back(rank);
  }
  data.push_back("Received shape: ");
  data.push_back(ops::Shape(x));
  const Tensor any = rule == RankRule::kIn
                         ? CallComposition("reduce_any", {ops::Pack(each)})[0]
                         : each[0];
  return MakeAssert(c, "", any, data, -1);
}

template <RankRule kRule>
TensorVector AssertRank(CompositionCall& c) {
  AssertRankOf(
      c, c.tensor(0), kRule,
      kRule == RankRule::kIn ? c.tensors(1) : TensorVector{c.tensor(1)}, 2);
  return {};
}

TensorVector AssertScalar(CompositionCall& c) {
  const Tensor& t = c.tensor(0);
  const PartialTensorShape shape = t.partial_shape();
  if (!shape.unknown_rank() && shape.rank() == 0) return {t};
  throw Error(ValueError(
      "{}Expected scalar shape{}, saw shape: {}.", MessagePrefix(c, 1),
      t.is_symbolic() ? " for " + NameOfTensor(t) : "", shape.PythonString()));
}

std::string NameOrTensor(const Tensor& t) {
  return t.is_symbolic() ? NameOfTensor(t) : "tensor";
}

TensorVector AssertType(CompositionCall& c) {
  const Tensor& t = c.tensor(0);
  if (t.dtype() == c.type(1)) return {};
  throw Error(TypeError("{}{} must be of type tf.{}; got tf.{}",
                        MessagePrefix(c, 2), NameOrTensor(t),
                        DataTypeName(c.type(1)), DataTypeName(t.dtype())));
}

TensorVector AssertInteger(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (IsInteger(x.dtype())) return {};
  throw Error(TypeError(
      "{}Expected \"x\" to be integer type.  Found: {} of dtype <dtype: '{}'>",
      MessagePrefix(c, 1), NameOrTensor(x), DataTypeName(x.dtype())));
}

// A size as a number, or as a scalar where it is not known now.
struct Size {
  int64_t number = -1;
  Tensor tensor;
  AssertItem item() const {
    return tensor ? AssertItem(tensor) : AssertItem(Int32Of(number));
  }
};

// One tensor of several whose sizes have names.
struct Sized {
  Sized(const Tensor& tensor, std::string_view text) : tensor(tensor) {
    while (!text.empty()) {
      const size_t blank = std::min(text.find(' '), text.size());
      if (blank > 0) symbols.emplace_back(text.substr(0, blank));
      text.remove_prefix(std::min(blank + 1, text.size()));
    }
    any_leading = !symbols.empty() && symbols[0] == "*";
    if (any_leading) symbols.erase(symbols.begin());
  }

  // The shape, once the rank is as it should be.
  Tensor shape() const {
    const Tensor shape = ops::Shape(tensor);
    if (check != nullptr) {
      Graph::OutputOf(shape).node->AddControlInput(check);
    }
    return shape;
  }
  // Negative from the end, where there are any leading ones.
  int64_t place(size_t i) const {
    return static_cast<int64_t>(i) -
           (any_leading ? static_cast<int64_t>(symbols.size()) : 0);
  }
  Size size(size_t i) const {
    const PartialTensorShape now = tensor.partial_shape();
    const int64_t at = place(i);
    if (!now.unknown_rank()) {
      if (now.rank() == 0) return {1, {}};  // a scalar is one element
      const int64_t known = now.dim(at < 0 ? now.rank() + at : at);
      if (known >= 0) return {known, {}};
    } else if (symbols.size() == 1 && !any_leading) {
      return {-1, ops::Size(tensor)};
    }
    SubscriptEntry entry;
    entry.kind = SubscriptEntry::Kind::kIndex;
    entry.begin = at;
    return {-1, Subscript(shape(), {entry})};
  }

  Tensor tensor;
  std::vector<std::string> symbols;
  bool any_leading = false;
  Node* check = nullptr;  // of the rank
};

// Each tensor of argument 0 has the rank that its sizes say.
std::vector<Sized> WithRanks(const CompositionCall& c, int message) {
  std::vector<Sized> all;
  std::string_view rest = c.text(1);
  for (const Tensor& t : c.tensors(0)) {
    const size_t end = std::min(rest.find(';'), rest.size());
    all.emplace_back(t, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (Sized& sized : all) {
    const auto n = static_cast<int32_t>(sized.symbols.size());
    const auto check = [&](RankRule rule, std::initializer_list<int32_t> list) {
      TensorVector ranks;
      for (int32_t rank : list) ranks.push_back(Int32Of(rank));
      sized.check = AssertRankOf(c, sized.tensor, rule, ranks, message);
    };
    if (sized.any_leading) {
      check(RankRule::kAtLeast, {n});
    } else if (n <= 1) {
      check(RankRule::kIn, {0, 1});  // a scalar counts as one element
    } else {
      check(RankRule::kIs, {n});
    }
  }
  return all;
}

bool IsNumber(std::string_view symbol) {
  return std::all_of(symbol.begin(), symbol.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

TensorVector AssertShapes(CompositionCall& c) {
  constexpr int kData = 2, kSummarize = 3, kMessage = 4;
  struct Wanted {
    Size size;
    std::string where;
  };
  std::map<std::string, Wanted, std::less<>> met;
  for (const Sized& sized : WithRanks(c, kMessage)) {
    const Tensor& t = sized.tensor;
    for (size_t i = 0; i < sized.symbols.size(); ++i) {
      const std::string& symbol = sized.symbols[i];
      if (symbol == ".") continue;
      const int64_t at = sized.place(i);
      const Size size = sized.size(i);
      if (IsNumber(symbol) && !met.contains(symbol)) {
        met[symbol] = {{std::atoll(symbol.c_str()), {}},
                       "Specified explicitly"};
      } else if (!met.contains(symbol)) {
        met[symbol] = {size, Format("Specified by tensor {} dimension {}",
                                    TitleOfTensor(t), at)};
        continue;
      }
      const auto& [wanted, where] = met[symbol];
      if (!size.tensor && !wanted.tensor) {
        if (size.number == wanted.number) continue;
        throw Error(ValueError(
            "{}{}.  Tensor {} dimension {} must have size {}.  Received size "
            "{}, shape {}",
            MessagePrefix(c, kMessage), where, TitleOfTensor(t), at,
            wanted.number, size.number, t.partial_shape().PythonString()));
      }
      AssertItems data;
      if (c.has(kData)) {
        for (const Tensor& given : c.tensors(kData)) data.push_back(given);
      } else {
        data = {MessagePrefix(c, kMessage),
                where,
                Format("Tensor {} dimension", TitleOfTensor(t)),
                Int32Of(at),
                "must have size",
                wanted.item(),
                "Received shape: ",
                ops::Shape(t)};
      }
      MakeAssert(c, "", ops::Equal(size.item().value, wanted.item().value),
                 data, kSummarize);
    }
  }
  return {};
}

const CompositionRecord kRecords[] = {
    {.names = "debugging.assert_rank|assert_rank",
     .args = "x: tensor; rank: tensor; message: string = None",
     .scope = "assert_rank",
     .build = AssertRank<RankRule::kIs>,
     .result = "operation",
     .doc = "Checks the rank of `x`.\n\nRaises ValueError if it is known to "
            "be another, InvalidArgumentError when\nrun otherwise.",
     .example = ">>> tf.debugging.assert_rank([1], 1)",
     .captures = true},
    {.names = "debugging.assert_rank_at_least",
     .args = "x: tensor; rank: tensor; message: string = None",
     .scope = "assert_rank_at_least",
     .build = AssertRank<RankRule::kAtLeast>,
     .result = "operation",
     .doc = "Checks that `x` has at least this rank; see `assert_rank`.",
     .example = ">>> tf.debugging.assert_rank_at_least([[1]], 1)",
     .captures = true},
    {.names = "debugging.assert_rank_in",
     .args = "x: tensor; ranks: tensors; message: string = None",
     .scope = "assert_rank_in",
     .build = AssertRank<RankRule::kIn>,
     .result = "operation",
     .doc = "Checks that the rank of `x` is one of `ranks`; see `assert_rank`.",
     .example = ">>> tf.debugging.assert_rank_in([1], [0, 1])",
     .captures = true},
    {.names = "debugging.assert_scalar",
     .args = "tensor: tensor; message: string = None",
     .scope = "assert_scalar",
     .build = AssertScalar,
     .doc = "Checks that `tensor` is a scalar and returns it.\n\nRaises "
            "ValueError if it is not.",
     .example = ">>> tf.debugging.assert_scalar(3).numpy().item()\n3",
     .captures = true},
    {.names = "debugging.assert_type",
     .args = "tensor: tensor; tf_type: type; message: string = None",
     .scope = "assert_type",
     .ragged = RaggedForm::kValues,
     .build = AssertType,
     .result = "none",
     .doc = "Checks the dtype of `tensor`; TypeError if it is another.",
     .example = ">>> tf.debugging.assert_type(1, tf.int32)",
     .captures = true},
    {.names = "debugging.assert_integer",
     .args = "x: tensor; message: string = None",
     .scope = "assert_integer",
     .build = AssertInteger,
     .result = "none",
     .doc = "Checks that `x` has an integer dtype; TypeError if not.",
     .example = ">>> tf.debugging.assert_integer([1, 2])",
     .captures = true},
    // "3 N;* N .": a number, a symbol that stands for one, any; in front any
    // leading ones.
    {.names = "_assert_shapes",
     .args = "tensors: tensors; sizes: string; data: tensors = None; "
             "summarize: int = None; message: string = None",
     .scope = "assert_shapes",
     .build = AssertShapes,
     .result = "none",
     .doc = "Checks shapes that share sizes.",
     .captures = true},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_assert_shapes)

}  // namespace gk
