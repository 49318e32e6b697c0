// Every public function builds nodes of registered ops: compositions are called
// in graphs with arguments of all kinds, of many types, shapes and values, so
// that their branches are taken. What does not fit fails, and is no matter; an
// op that is not there, or a function that nothing fits, is.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "eager/eager_context.h"
#include "framework/op_registry.h"
#include "function/func_graph.h"
#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/Placeholder.h"

namespace gk {
namespace {

constexpr int kMaxCalls = 9000, kEnough = 60;

using CallValues = std::vector<CompositionValue>;

CompositionValue Text(std::string_view text) { return std::string(text); }
CompositionValue Integers(std::vector<int64_t> values) { return values; }

// What parameters of these names mean and no other value does.
const std::map<std::string, CallValues, std::less<>>& NamedValues() {
  static const auto& named = *new std::map<std::string, CallValues,
                                           std::less<>>{
      {"align", {Text("RIGHT_LEFT"), Text("LEFT_RIGHT")}},
      {"alg", {Text("auto_select"), Text("philox"), Text("threefry")}},
      {"rng_alg", {Text("auto_select"), Text("philox")}},
      {"algorithm", {int64_t{1}, int64_t{2}}},
      {"data_format",
       {{},
        Text("NWC"),
        Text("NCW"),
        Text("NHWC"),
        Text("NCHW"),
        Text("NDHWC"),
        Text("NCDHW")}},
      {"dilations",
       {{}, int64_t{1}, Integers({1}), Integers({2}), Integers({1, 1, 1, 1})}},
      {"direction", {Text("ASCENDING"), Text("DESCENDING")}},
      {"equation",
       {Text("ij,jk->ik"), Text("ij->ji"), Text("ij,ij"), Text("i,j->ij"),
        Text("...i->...")}},
      {"indexing", {Text("xy"), Text("ij")}},
      {"errors", {Text("strict"), Text("replace")}},
      {"input_encoding", {Text("UTF-8")}},
      {"ksize", {Integers({2}), Integers({1, 2, 2, 1})}},
      {"mode",
       {Text("CONSTANT"), Text("REFLECT"), Text("SYMMETRIC"), Text("mode")}},
      {"lower", {0.25}},
      {"offset_height", {int64_t{0}}},
      {"offset_width", {int64_t{0}}},
      {"optimize", {Text("greedy"), Text("optimal")}},
      {"ord",
       {Text("euclidean"), Text("fro"), int64_t{1}, int64_t{2}, 3.0,
        std::numeric_limits<double>::infinity()}},
      {"output_encoding", {Text("UTF-8")}},
      {"padding",
       {Text("SAME"), Text("VALID"), Integers({0, 0, 1, 1, 1, 1, 0, 0})}},
      {"pattern", {Text("a")}},
      {"pooling_type", {Text("MAX"), Text("AVG")}},
      {"rewrite", {Text("b")}},
      {"side", {Text("left"), Text("right")}},
      {"stride", {Integers({1}), Integers({2})}},
      {"strides", {{}, Integers({1}), Integers({2}), Integers({1, 2, 2, 1})}},
      {"target_height", {int64_t{1}}},
      {"target_width", {int64_t{1}}},
      {"upper", {0.75}},
  };
  return named;
}

constexpr DataType kTypes[] = {
    DataType::kFloat,     DataType::kInt32,  DataType::kBool,
    DataType::kString,    DataType::kInt64,  DataType::kDouble,
    DataType::kComplex64, DataType::kUint64, DataType::kInt8,
    DataType::kUint8,     DataType::kQint8};

constexpr DataType kSize = DataType::kInt32;

// Arguments of calls, by one stream of numbers.
class Caller {
 public:
  explicit Caller(const Composition& composition, int seed)
      : composition_(composition), random_(seed) {}

  // One call in a graph of its own.
  Status Call() {
    auto graph = MakeRef<FuncGraph>("f");
    graph_ = graph.get();
    FuncGraph::Building building(graph_);
    groups_.clear();
    type_ = AnyType();
    shape_ = AnyShape();
    try {
      CompositionCall call(composition_, "");
      for (size_t i = 0; i < composition_.args.size(); ++i) {
        call.Give(static_cast<int>(i), ValueOf(composition_.args[i]));
      }
      composition_.record->build(call);
      return OkStatus();
    } catch (const Error& e) {
      return e.status();
    }
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % n); }
  DataType AnyType() { return kTypes[Below(std::size(kTypes))]; }

  PartialTensorShape AnyShape() {
    if (Below(3) == 0) return PartialTensorShape();
    std::vector<int64_t> dims(Below(6), 2);
    for (int64_t& d : dims) {
      if (Below(8) == 0) d = -1;
    }
    return PartialTensorShape(dims);
  }

  DataType TypeOf(const CompositionArg& arg) {
    if (arg.in_group()) {
      const auto [it, is_new] = groups_.emplace(arg.type_of, type_);
      return it->second;
    }
    if (const DataType named = arg.named_type(); named != DataType::kInvalid) {
      return named;
    }
    return Below(4) == 0 ? AnyType() : type_;
  }

  Tensor Argument(DataType dtype, const PartialTensorShape& shape) {
    return ops::Placeholder(dtype, shape);
  }

  Tensor Constant(std::vector<int64_t> values, bool scalar, DataType dtype) {
    return ValueOrThrow(graph_->Constant(
        ValueOrThrow(IntegerTensor(
            dtype, values,
            scalar ? TensorShape()
                   : TensorShape({static_cast<int64_t>(values.size())}))),
        "c"));
  }

  // Also constants where integers may be meant.
  Tensor AnyTensor(DataType dtype) {
    const bool sizes = dtype == kSize || dtype == DataType::kInt64;
    if (sizes && Below(2) == 0) {
      static const std::vector<std::vector<int64_t>> kInts = {
          {0}, {1}, {2}, {0, 1}, {1, 2}, {2, 2}, {1, 2, 2, 1}, {1, 0}};
      const auto& ints = kInts[Below(kInts.size())];
      return Constant(ints, ints.size() == 1 && Below(2) == 0, dtype);
    }
    return Argument(dtype, Below(4) == 0 ? AnyShape() : shape_);
  }

  RowsValue AnyRows(DataType dtype) {
    const auto vector = [&](DataType t) {
      return Argument(t, PartialTensorShape({-1}));
    };
    switch (Below(3)) {
      case 0:
        return {RowsValue::Kind::kRagged,
                vector(dtype),
                {vector(DataType::kInt64)}};
      case 1:
        return {RowsValue::Kind::kSparse,
                vector(dtype),
                {Argument(DataType::kInt64, PartialTensorShape({-1, 2})),
                 Argument(DataType::kInt64, PartialTensorShape({2}))}};
      default:
        return {RowsValue::Kind::kDense, AnyTensor(dtype)};
    }
  }

  CompositionValue AnyNative(const CompositionArg& arg) {
    switch (Below(7)) {
      case 0:
        return {};
      case 1:
        return int64_t{Below(3)};
      case 2:
        return 0.5;
      case 3:
        return Integers({1});
      case 4:
        return Integers({2, 2});
      case 5:
        return Below(2) == 0;
      default:
        return AnyTensor(arg.in_group() || Below(2) == 0 ? TypeOf(arg)
                                                         : DataType::kInt32);
    }
  }

  CompositionValue ValueOf(const CompositionArg& arg) {
    if (!arg.required && Below(2) == 0) return arg.default_value;
    const auto named = NamedValues().find(arg.name);
    if (named != NamedValues().end() && arg.kind != ArgKind::kTensor) {
      return named->second[Below(named->second.size())];
    }
    switch (arg.kind) {
      case ArgKind::kTensor:
        if (arg.name == "frame_length") return Constant({4}, true, kSize);
        if (arg.name == "frame_step") return Constant({2}, true, kSize);
        return AnyTensor(TypeOf(arg));
      case ArgKind::kTensors: {
        const DataType dtype = TypeOf(arg);
        TensorVector all;
        for (int i = Below(3); i >= 0; --i) all.push_back(AnyTensor(dtype));
        return all;
      }
      case ArgKind::kRows:
        return AnyRows(TypeOf(arg));
      case ArgKind::kManyRows: {
        std::vector<RowsValue> many;
        for (int i = Below(3); i >= 0; --i) {
          many.push_back(AnyRows(TypeOf(arg)));
        }
        return many;
      }
      case ArgKind::kNative:
        return AnyNative(arg);
      case ArgKind::kShape:
        return Below(2) == 0
                   ? AnyTensor(DataType::kInt32)
                   : Argument(DataType::kInt32, PartialTensorShape({-1}));
      case ArgKind::kHandle:
        return Argument(DataType::kResource, TensorShape());
      case ArgKind::kBool:
        return Below(2) == 0;
      case ArgKind::kInt:
        return int64_t{Below(4) - 1};
      case ArgKind::kFloat:
        return 0.5;
      case ArgKind::kString:
        return Text("text");
      case ArgKind::kType:
        return arg.in_group() ? TypeOf(arg) : AnyType();
      case ArgKind::kInts: {
        static const std::vector<std::vector<int64_t>> kInts = {
            {0}, {1}, {2, 2}, {0, 1}, {1, 2, 2, 1}};
        return kInts[Below(kInts.size())];
      }
      case ArgKind::kSeed:
        return int64_t{7};
      case ArgKind::kName:
        return {};
    }
    return {};
  }

  const Composition& composition_;
  std::mt19937 random_;
  FuncGraph* graph_ = nullptr;
  std::map<std::string, DataType> groups_;
  DataType type_;
  PartialTensorShape shape_;
};

TEST(CompositionFunctionsTest, EveryFunctionMakesOpsThatAreThere) {
  InitEager();
  std::map<std::string_view, const Composition*> all;
  for (const auto& [name, c] : CompositionRegistry::Get().by_name()) {
    all.emplace(c->record->names, c);
  }
  EXPECT_GT(all.size(), 150u);
  for (const auto& [names, composition] : all) {
    Caller caller(*composition, 1);
    std::map<std::string, int> failures;
    int built = 0;
    for (int i = 0; i < kMaxCalls && built < kEnough; ++i) {
      const Status status = caller.Call();
      built += status.ok();
      if (!status.ok()) ++failures[status.ToString()];
      // "Op type not registered", as MakeOp has it.
      ASSERT_NE(status.code(), Code::kNotFound)
          << names << ": " << status.ToString();
    }
    std::string why;
    for (const auto& [text, count] : failures) {
      if (built == 0) why += Format("\n  {} x {}", count, text);
    }
    EXPECT_GT(built, 0) << names << ": " << why;
  }
}

}  // namespace
}  // namespace gk
