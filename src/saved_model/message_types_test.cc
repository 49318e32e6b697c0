#include "saved_model/message_types.h"

#include <gtest/gtest.h>

#include "saved_model/trace_messages.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

const std::vector<ArgumentSpec> kArguments = {
    {"x", DataType::kFloat, PartialTensorShape({2})},
    {"y", DataType::kInt32, PartialTensorShape()}};

TEST(MessageTypesTest, ArgumentsOfACutFunctionAreItsTensors) {
  const auto type = TypeOfMessage(kArguments, NoneMessage(), {"a", "b"});
  ASSERT_TRUE(type.ok()) << type.status().message();
  ASSERT_EQ((*type)->parameters().size(), 2u);
  const FunctionParameter& first = (*type)->parameters()[0];
  EXPECT_EQ(first.name, "a");
  EXPECT_EQ(first.kind, ParameterKind::kPositionalOrKeyword);
  EXPECT_EQ(first.type->dtype(), DataType::kFloat);
  EXPECT_EQ((*type)->parameters()[1].name, "b");
}

TEST(MessageTypesTest, ThoseWithoutKeywordsHaveTheNamesOfTheTensors) {
  const auto type = TypeOfMessage(kArguments, proto::StructuredValue(), {"a"});
  ASSERT_TRUE(type.ok()) << type.status().message();
  EXPECT_EQ((*type)->parameters()[1].name, "y");
}

TEST(MessageTypesTest, ParametersByNameAlone) {
  proto::FunctionSpec spec = SpecOfParameters({"self", "x"});
  spec.is_method = true;
  for (auto& pair :
       spec.fullargspec.mut().mutable_named_tuple_value().values) {
    proto::StructuredValue& value = pair.value.mut();
    if (pair.key == "varargs") value.set_string_value("rest");
    if (pair.key == "varkw") value.set_string_value("more");
    if (pair.key != "kwonlyargs") continue;
    auto& names = value.mutable_list_value().values;
    names.emplace_back().set_string_value("mode");
  }
  const SavedParameters made = ParametersOf(spec);
  EXPECT_EQ(made.names, std::vector<std::string>{"x"});
  EXPECT_EQ(made.keyword_names, std::vector<std::string>{"mode"});
  EXPECT_EQ(made.varargs, "rest");
  EXPECT_EQ(made.varkw, "more");
  EXPECT_EQ(made.DefaultOf("mode", -1), nullptr);
}

}  // namespace
}  // namespace gk
