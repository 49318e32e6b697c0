#include "command_line/json.h"

#include <gtest/gtest.h>

namespace gk::command {
namespace {

std::string ErrorOf(std::string_view text) {
  const StatusOr<Json> read = Json::Parse(text);
  return read.ok() ? "none" : read.status().message();
}

TEST(JsonTest, ReadsWhatItWrites) {
  const Json written(Json::Members{
      {"list", Json::List{1, 2.5, true, Json(), "a\n\"b\"\\"}},
      {"nested", Json::List{Json(Json::List{1}), Json(Json::List{})}},
      {"none", Json::Members{}}});
  const StatusOr<Json> read = Json::Parse(written.Text());
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->Text(), written.Text());
  EXPECT_EQ(*read->members()->at(0).second.list()->at(4).text(), "a\n\"b\"\\");
}

TEST(JsonTest, NumbersKeepTheirDigits) {
  const StatusOr<Json> read = Json::Parse("[9007199254740993, -1.50e+3, NaN]");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->list()->at(0).number()->text, "9007199254740993");
  EXPECT_EQ(read->list()->at(1).number()->text, "-1.50e+3");
  EXPECT_EQ(read->list()->at(2).number()->text, "NaN");
}

TEST(JsonTest, Escapes) {
  const StatusOr<Json> read = Json::Parse(R"("\u00e9\ud83d\ude00\t")");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read->text(), "\u00e9\U0001F600\t");
  EXPECT_EQ(JsonQuoted("\u00e9\x01\xff"), "\"\u00e9\\u0001\u00ff\"");
}

TEST(JsonTest, ErrorsSayWhere) {
  EXPECT_EQ(ErrorOf(""), "line 1, column 1: a value is missing");
  EXPECT_EQ(ErrorOf("[1,\n 2,\n x]"), "line 3, column 2: this is no value");
  EXPECT_EQ(ErrorOf("[1 2]"), "line 1, column 4: expected ',' or ']'");
  EXPECT_EQ(ErrorOf("{\"a\" 1}"), "line 1, column 6: expected ':'");
  EXPECT_EQ(ErrorOf("{a: 1}"), "line 1, column 2: expected a name in quotes");
  EXPECT_EQ(ErrorOf("1 2"), "line 1, column 3: there is more after the value");
  EXPECT_EQ(ErrorOf("1."), "line 1, column 3: digits are missing");
  EXPECT_EQ(ErrorOf("\"abc"), "line 1, column 5: the text does not end");
  EXPECT_EQ(ErrorOf("\"\\ud800\""), "line 1, column 8: half a character");
  EXPECT_EQ(ErrorOf("\"\\q\""), "line 1, column 4: there is no such escape");
  EXPECT_EQ(ErrorOf(std::string(100000, '[')),
            "line 1, column 202: the values nest too deep");
}

}  // namespace
}  // namespace gk::command
