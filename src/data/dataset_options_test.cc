#include "data/dataset_options.h"

#include <gtest/gtest.h>

namespace gk {
namespace {

using Kind = Option::Kind;

// All that can be said; numbers count up.
void SayAll(const OptionGroup& group, int64_t* next, DatasetOptions* options) {
  for (const Option& o : group.options) {
    if (o.key != nullptr) continue;
    switch (o.kind) {
      case Kind::kBool:
        options->Set(o, true);
        break;
      case Kind::kInt:
        options->Set(o, (*next)++);
        break;
      case Kind::kText:
        options->Set(o, std::string("n"));
        break;
      case Kind::kTexts:
        options->Set(o, std::vector<std::string>{"a", "b"});
        break;
      case Kind::kEnum:
        options->Set(o, int64_t{o.values->values.front().second});
        break;
      case Kind::kGroup:
        options->Set(o, {});
        SayAll(*o.group, next, options);
    }
  }
}

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(
        std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(DatasetOptionsTest, AreWrittenAsTensorFlowWritesThem) {
  DatasetOptions all;
  int64_t next = 1;
  SayAll(DatasetOptions::Whole(), &next, &all);
  const std::string bytes = FromHex(
      "0801120d08ffffffffffffffffff0110011a1c0801300148015001580160017001"
      "780188010190010198"
      "01"
      "01a8010120012a040802100330003a0c0801100418052000280630074001480152"
      "016e5a01615a016262020801");
  EXPECT_EQ(all.Serialize(), bytes);
  const auto read = DatasetOptions::Parse(bytes);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, all);
  // What is not known stays.
  const std::string more = bytes + FromHex("a03f07");
  EXPECT_EQ(DatasetOptions::Parse(more)->Serialize(), more);
  EXPECT_FALSE(DatasetOptions::Parse(bytes.substr(0, 4)).ok());
}

TEST(DatasetOptionsTest, LaterOnesGoFirst) {
  const OptionGroup& whole = DatasetOptions::Whole();
  const Option& distribute = *whole.Find("experimental_distribute");
  const Option& policy = *distribute.group->Find("auto_shard_policy");
  const Option& order = *whole.Find("experimental_deterministic");
  EXPECT_EQ(&order, whole.Find("deterministic"));
  EXPECT_EQ(whole.Find("nothing"), nullptr);
  DatasetOptions first, second;
  first.Set(policy, int64_t{2});
  first.Set(order, false);
  second.Set(policy, int64_t{0});  // AUTO: nothing
  second.Set(order, true);
  first.Merge(second);
  EXPECT_EQ(std::get<int64_t>(*first.Find(policy)), 2);
  EXPECT_EQ(std::get<bool>(*first.Find(order)), true);
}

}  // namespace
}  // namespace gk
