// Every elementwise record is an expression as well as a loop: the expression,
// computed step by step, gives the loop's bits. The records are found in the
// registry: a new one is covered without a line here.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

#include "framework/op_registry.h"
#include "framework/same_numbers.h"
#include "ops/elementwise.h"
#include "ops/expression_interpreter_for_test.h"
#include "ops/record_family.h"

namespace gk {
namespace {

template <class T>
void Append(T v, std::vector<char>* to) {
  const char* bytes = reinterpret_cast<const char*>(&v);
  to->insert(to->end(), bytes, bytes + sizeof v);
}

// SampleNumbers of which something may be said: zeros, denormals, extremes.
template <class T>
std::vector<T> Specials() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (internal::kIsComplexNumber<T>) {
    using Part = typename T::value_type;
    std::vector<T> all;
    for (Part re : {0.0, -0.0, 1.0, -1.5, 3e-40, 1e38}) {
      for (Part im : {0.0, -0.0, 2.0, -0.25}) all.push_back(T(re, im));
    }
    const Part inf = std::numeric_limits<Part>::infinity(),
               nan = math::kNan<Part>;
    for (Part other : {Part(0), Part(2), inf, nan}) {
      for (Part x : {inf, -inf, nan}) {
        all.push_back(T(x, other));
        all.push_back(T(other, x));
      }
    }
    return all;
  } else if constexpr (std::is_integral_v<T>) {
    return {T(0),
            T(1),
            T(-1),
            Limits::min(),
            Limits::max(),
            T(2),
            T(-2),
            T(7),
            T(-3),
            T(10),
            T(31),
            T(64),
            T(Limits::max() / 2),
            T(Limits::min() + 1)};
  } else {
    std::vector<T> all{T(0.0f),          T(-0.0f),
                       T(1.0f),          T(-1.0f),
                       T(0.5f),          T(2.0f),
                       T(-2.5f),         T(3.0f),
                       T(100.0f),        Limits::denorm_min(),
                       Limits::min(),    Limits::max(),
                       Limits::lowest(), Limits::quiet_NaN()};
    if (Limits::has_infinity) {
      all.push_back(Limits::infinity());
      all.push_back(T(-static_cast<float>(Limits::infinity())));
    }
    return all;
  }
}

class SampleNumbers {
 public:
  SampleNumbers(const TestFacts& facts) : low_(facts.low), high_(facts.high) {}

  // `num_inputs` columns of elements of `types`: special values with each
  // other, then numbers of the op's domain and any bits.
  std::vector<std::vector<char>> Make(const std::vector<DataType>& types) {
    std::vector<std::vector<char>> columns(types.size());
    std::vector<std::vector<char>> specials(types.size());
    std::vector<size_t> counts(types.size());
    for (size_t k = 0; k < types.size(); ++k) {
      const bool known = VisitNumber(types[k], [&](auto number) {
        using T = decltype(number);
        const std::vector<T> all = Specials<T>();
        counts[k] = all.size();
        if (types.size() == 3) counts[k] = std::min<size_t>(counts[k], 14);
        for (T v : all) Append(v, &specials[k]);
      });
      if (!known) {
        counts[k] = 1;
        specials[k].resize(DataTypeSize(types[k]));
      }
    }
    size_t num = 1;
    for (size_t c : counts) num *= c;
    for (size_t i = 0; i < num; ++i) {
      size_t rest = i;
      for (size_t k = 0; k < types.size(); ++k) {
        const size_t size = DataTypeSize(types[k]);
        const auto at = specials[k].begin() + rest % counts[k] * size;
        columns[k].insert(columns[k].end(), at, at + size);
        rest /= counts[k];
      }
    }
    for (int i = 0; i < 300; ++i) {
      for (size_t k = 0; k < types.size(); ++k)
        AppendRandom(types[k], i, &columns[k]);
    }
    return columns;
  }

 private:
  template <class Fn>
  static bool VisitNumber(DataType t, Fn fn) {
    return VisitType<half, bfloat16, float8_e5m2, float8_e4m3fn, float, double,
                     bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                     uint32_t, uint64_t, complex64, complex128>(t, fn);
  }

  void AppendRandom(DataType type, int i, std::vector<char>* to) {
    const bool known = VisitNumber(type, [&](auto number) {
      using T = decltype(number);
      if constexpr (std::is_same_v<T, bool>) {
        Append(bits_() % 2 == 0, to);
      } else if (i % 3 == 2) {
        T any;
        char bytes[sizeof(T)];
        for (char& b : bytes) b = static_cast<char>(bits_());
        std::memcpy(&any, bytes, sizeof any);
        Append(any, to);
      } else if constexpr (internal::kIsComplexNumber<T>) {
        Append(T(Uniform(), Uniform()), to);
      } else if constexpr (std::is_integral_v<T>) {
        Append(static_cast<T>(static_cast<int64_t>(bits_() % 40) - 10), to);
      } else {
        Append(T(static_cast<ComputeType<T>>(Uniform())), to);
      }
    });
    // Of quantized numbers nothing is known but their bits.
    for (int b = 0; !known && b < DataTypeSize(type); ++b) {
      Append(static_cast<char>(bits_()), to);
    }
  }
  double Uniform() {
    return std::uniform_real_distribution<double>(low_, high_)(bits_);
  }

  const double low_, high_;
  std::mt19937 bits_{7};
};

// Attributes that a tile kernel may depend on: every type that no input has,
// both values of bools, two of floats.
std::vector<AttrMap> AttrsOf(const OpDef& def) {
  std::vector<AttrMap> all{{}};
  for (const AttrDef& attr : def.attrs) {
    std::vector<AttrValue> values;
    const bool of_input = std::any_of(
        def.inputs.begin(), def.inputs.end(),
        [&](const ArgDef& in) { return in.type_attr == attr.name; });
    if (attr.is_list || of_input) continue;
    if (attr.type == AttrType::kType) {
      for (int i = 1; i < kNumDataTypes; ++i) {
        values.push_back(static_cast<DataType>(i));
      }
    } else if (attr.type == AttrType::kBool) {
      values.push_back(false);
      values.push_back(true);
    } else if (attr.type == AttrType::kFloat) {
      values.push_back(0.75f);
    }
    const size_t n = all.size();
    for (size_t i = 0; i < n; ++i) {
      for (const AttrValue& value : values) {
        AttrMap with = all[i];
        with.Set(attr.name, value);
        all.push_back(std::move(with));
      }
    }
  }
  return all;
}

struct Case {
  const OpRecord* op;
  const TileKernel* kernel;
  TileParams params;
  std::string name;
};

std::vector<Case> AllKernels() {
  RegisterAllOps();
  std::vector<Case> cases;
  for (const OpRecord* op : OpRegistry::Get().all()) {
    if (!op->kernel.tile) continue;
    std::set<std::pair<const TileKernel*, double>> seen;
    for (const AttrMap& attrs : AttrsOf(*op->def)) {
      for (int t = 1; t < kNumDataTypes; ++t) {
        const TileKernel* k = op->kernel.tile(static_cast<DataType>(t), attrs);
        if (!k || !k->fn) continue;
        Case c{op, k, {}, {}};
        if (k->prepare) k->prepare(attrs, &c.params);
        if (!seen.insert({k, c.params.value}).second) continue;
        c.name = Format("{}[{} -> {}]", op->name, DataTypeString(k->in[0]),
                        DataTypeString(k->out));
        cases.push_back(std::move(c));
      }
    }
  }
  return cases;
}

std::string Hex(const char* bytes, DataType t) {
  std::string text;
  for (int i = DataTypeSize(t) - 1; i >= 0; --i) {
    text += Format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return text;
}

void ExpectSameBits(const Case& c) {
  SCOPED_TRACE(c.name);
  const TileKernel& k = *c.kernel;
  ASSERT_NE(k.expression, nullptr);
  const Expression e = k.expression(c.params);
  ExpressionInterpreter interpreter(e);
  ASSERT_EQ(interpreter.unknown_step(), -1) << e.DebugString();
  const std::vector<DataType> types(k.in, k.in + k.num_inputs);
  auto columns = SampleNumbers(c.op->test).Make(types);
  const int64_t n = columns[0].size() / DataTypeSize(types[0]);
  const int64_t size = DataTypeSize(k.out);
  ASSERT_EQ(DataTypeSize(e.steps()[e.value()].type), size);
  std::vector<std::vector<char>> good(types.size());
  std::vector<char> wants, one(16), want(16);
  for (int64_t i = 0; i < n; ++i) {
    const void* in[3] = {};
    for (size_t j = 0; j < types.size(); ++j) {
      in[j] = columns[j].data() + i * DataTypeSize(types[j]);
    }
    const auto element = [&] {
      std::string text;
      for (size_t j = 0; j < types.size(); ++j) {
        text += Hex(static_cast<const char*>(in[j]), types[j]) + " ";
      }
      return text;
    };
    const bool runs = k.fn(want.data(), in, 1, &c.params) == 0;
    ASSERT_EQ(interpreter.Run(in, one.data()), runs) << element();
    if (!runs) continue;
    ASSERT_TRUE(SameNumbers(k.out, one.data(), want.data(), 1))
        << "of " << element() << "the loop makes " << Hex(want.data(), k.out)
        << ", the expression " << Hex(one.data(), k.out) << "\n"
        << e.DebugString();
    wants.insert(wants.end(), one.begin(), one.begin() + size);
    for (size_t j = 0; j < types.size(); ++j) {
      const auto* from = static_cast<const char*>(in[j]);
      good[j].insert(good[j].end(), from, from + DataTypeSize(types[j]));
    }
  }
  // The same of full vectors.
  const void* in[3] = {};
  for (size_t j = 0; j < types.size(); ++j) in[j] = good[j].data();
  const int64_t num_good = wants.size() / size;
  std::vector<char> got(wants.size());
  ASSERT_EQ(k.fn(got.data(), in, num_good, &c.params), 0);
  for (int64_t i = 0; i < num_good; ++i) {
    ASSERT_TRUE(SameNumbers(k.out, &got[i * size], &wants[i * size], 1))
        << "element " << i << " of " << num_good;
  }
}

TEST(Expressions, GiveTheBitsOfLoops) {
  const std::vector<Case> cases = AllKernels();
  EXPECT_GT(cases.size(), 800u);
  for (const Case& c : cases) ExpectSameBits(c);
}

// Whoever has a loop has an expression, in the kernels of all its types; what
// is elementwise without a loop computes no numbers.
TEST(Expressions, EveryLoopHasOne) {
  std::set<const OpRecord*> with;
  for (const Case& c : AllKernels()) {
    EXPECT_NE(c.kernel->expression, nullptr) << c.name;
    with.insert(c.op);
  }
  const auto has_strings = [](const std::vector<ArgDef>& args) {
    return std::any_of(args.begin(), args.end(), [](const ArgDef& arg) {
      return arg.type == DataType::kString;
    });
  };
  for (const OpRecord* op : OpRegistry::Get().all()) {
    if (op->kernel.tile) {
      EXPECT_TRUE(with.contains(op)) << op->name;
    } else if (op->Has(kElementwise)) {
      EXPECT_TRUE(op->Has(kShapeOnly | kPassesValues | kView) ||
                  has_strings(op->def->inputs) ||
                  has_strings(op->def->outputs) ||
                  RecordFamily(op->id) == "string")  // of code points
          << op->name;
    }
  }
}

// Equal steps are one, numbers are taken in where they are needed.
TEST(Expressions, AreShort) {
  const OpRecord* op = ValueOrThrow(OpRegistry::Get().LookUp("Square"));
  const TileKernel* k = op->kernel.tile(DataType::kHalf, AttrMap());
  EXPECT_EQ(k->expression({}).DebugString(),
            "%0 half = input 0\n"
            "%1 float = convert %0\n"
            "%2 float = multiply %1 %1\n"
            "%3 half = convert %2\n");
}

// What is an error says so in a step of its own.
TEST(Expressions, ErrorsAreSteps) {
  const OpRecord* op = ValueOrThrow(OpRegistry::Get().LookUp("FloorDiv"));
  const TileKernel* k = op->kernel.tile(DataType::kInt32, AttrMap());
  const Expression e = k->expression({});
  ASSERT_GE(e.fails(), 0);
  EXPECT_EQ(e.steps()[e.fails()].type, DataType::kBool);
  EXPECT_EQ(e.steps()[e.fails()].op, ExpressionOp::kEqual);
}

// Attributes are constants of the expression.
TEST(Expressions, AttributesAreConstants) {
  const OpRecord* op = ValueOrThrow(OpRegistry::Get().LookUp("LeakyRelu"));
  AttrMap attrs;
  attrs.Set("alpha", 0.5f);
  const TileKernel* k = op->kernel.tile(DataType::kFloat, attrs);
  TileParams params;
  k->prepare(attrs, &params);
  EXPECT_NE(k->expression(params).DebugString().find(
                Format("constant {}", std::bit_cast<uint32_t>(0.5f))),
            std::string::npos);
}

}  // namespace
}  // namespace gk
