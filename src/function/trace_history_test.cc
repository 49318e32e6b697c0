#include "function/trace_history.h"

#include <gtest/gtest.h>

#include "function/trace_cache.h"

namespace gk {
namespace {

TraceTypeRef FloatsType(std::initializer_list<int64_t> dims) {
  return TraceType::Tensor(DataType::kFloat, PartialTensorShape(dims));
}
TraceTypeRef Number(int n) {
  return TraceType::Literal(Format("i{}", n), Format("{}", n), nullptr);
}
TraceTypeRef Word(std::string s) {
  return TraceType::Literal("s" + s, "'" + s + "'", nullptr);
}
TraceTypeRef List(std::vector<TraceTypeRef> parts) {
  return TraceType::Sequence(TraceType::Kind::kList, std::move(parts));
}
TraceTypeRef Dict(std::vector<std::string> keys,
                  std::vector<TraceTypeRef> parts) {
  std::vector<std::string> texts;
  for (const std::string& k : keys) texts.push_back("'" + k + "'");
  return TraceType::Dict(std::move(keys), std::move(texts), 0,
                         std::move(parts), nullptr);
}
Ref<FunctionType> Takes(std::vector<TraceTypeRef> types) {
  std::vector<FunctionParameter> parameters;
  for (TraceTypeRef& t : types) {
    parameters.push_back({std::string(1, 'x' + parameters.size()),
                          ParameterKind::kPositionalOrKeyword, false,
                          std::move(t)});
  }
  return MakeRef<FunctionType>(std::move(parameters));
}
// "path cause" of each difference.
std::vector<std::string> Between(std::vector<TraceTypeRef> a,
                                 std::vector<TraceTypeRef> b) {
  std::vector<std::string> texts;
  for (const TypeDifference& d :
       Differences(*Takes(std::move(a)), *Takes(std::move(b)))) {
    texts.push_back(d.path + " " + std::string(RetraceCauseName(d.cause)));
  }
  return texts;
}
using Texts = std::vector<std::string>;

TEST(TypeDifference, NamesWhatDiffers) {
  EXPECT_EQ(Between({FloatsType({2})}, {FloatsType({2})}), Texts{});
  EXPECT_EQ(Between({FloatsType({2})}, {FloatsType({3})}), Texts{"x shape"});
  EXPECT_EQ(Between({FloatsType({2})}, {FloatsType({2, 1})}), Texts{"x rank"});
  EXPECT_EQ(Between({FloatsType({2})}, {Number(2)}), Texts{"x kind"});
  EXPECT_EQ(Between({Number(1)}, {Number(2)}), Texts{"x number"});
  EXPECT_EQ(Between({Word("a")}, {Word("b")}), Texts{"x value"});
  EXPECT_EQ(Between({Number(1), Word("a")}, {Number(1), Word("b")}),
            Texts{"y value"});
  EXPECT_EQ(Between({Number(1)}, {Number(1), Number(2)}), Texts{" parameters"});
  EXPECT_EQ(Between({TraceType::Variable(DataType::kFloat, {}, true, 0)},
                    {TraceType::Variable(DataType::kFloat, {}, false, 0)}),
            Texts{"x variable"});
}

TEST(TypeDifference, FollowsContainers) {
  EXPECT_EQ(Between({List({Number(1), Word("a")})},
                    {List({Number(2), Word("b")})}),
            (Texts{"x[0] number", "x[1] value"}));
  EXPECT_EQ(Between({List({Number(1)})}, {List({})}), Texts{"x length"});
  EXPECT_EQ(Between({Dict({"a", "b"}, {Number(1), Number(2)})},
                    {Dict({"b", "a"}, {Number(3), Number(1)})}),
            Texts{"x['b'] number"});
  EXPECT_EQ(Between({Dict({"a"}, {Number(1)})}, {Dict({"b"}, {Number(1)})}),
            Texts{"x keys"});
}

TEST(TypeDifference, OffersATypeForBoth) {
  const auto differences =
      Differences(*Takes({FloatsType({2, 3})}), *Takes({FloatsType({2, 4})}));
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].common,
            "TensorSpec(shape=(2, None), dtype=tf.float32, name=None)");
}

TEST(TypeDifference, HostSignaturesTellCallsApart) {
  FunctionType a({}, {}, nullptr, 1), b({}, {}, nullptr, 2);
  EXPECT_FALSE(a.Equals(b));
  EXPECT_FALSE(a.CommonSupertype(b));
  EXPECT_EQ(Differences(a, b).at(0).cause, RetraceCause::kHostTypes);
}

TEST(TraceHistory, ComparesWithTheMostAlike) {
  TraceCache cache;
  auto make = [](const Ref<FunctionType>& type) -> StatusOr<Ref<Trace>> {
    auto trace = MakeRef<Trace>(type);
    trace->site = {"main.py", "train", 7};
    return trace;
  };
  auto call = [&](std::vector<TraceTypeRef> types) {
    ASSERT_TRUE(
        cache.FindOrTrace(Takes(std::move(types)), false, false, make).ok());
  };
  call({Number(1), Word("a")});
  call({Number(2), Word("b")});
  call({Number(1), Word("c")});
  const std::vector<TraceRecord> records = cache.history().records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].compared_to, 0);
  EXPECT_TRUE(records[0].differences.empty());
  EXPECT_EQ(records[2].number, 3);
  EXPECT_EQ(records[2].compared_to, 1);
  ASSERT_EQ(records[2].differences.size(), 1u);
  EXPECT_EQ(records[2].differences[0].path, "y");
  EXPECT_EQ(records[2].site.line, 7);
}

TEST(TraceHistory, IsBounded) {
  TraceHistory history;
  Ref<FunctionType> type = Takes({Number(1)});
  for (size_t i = 0; i < TraceHistory::kMaxRecords + 10; ++i) {
    history.Note(*type, *type, {}, {}, 0);
  }
  EXPECT_EQ(history.num_traces(), 522);
  EXPECT_EQ(history.records().size(), 512u);
  EXPECT_EQ(history.records().back().number, 522);
}

}  // namespace
}  // namespace gk
