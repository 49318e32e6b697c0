#include "proto/text_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "proto/graph.gk.h"
#include "proto/saved_model.gk.h"

namespace gk::proto {
namespace {

template <class T>
std::string ErrorOf(std::string_view text) {
  T message;
  const Status status = ParseText(text, &message);
  return status.ok() ? "none: " + message.ToText() : status.message();
}

TEST(TextReaderTest, ReadsWhatItWrites) {
  GraphDef graph;
  graph.version = -3;
  graph.versions.mut().bad_consumers = {1, 2};
  NodeDef& node = graph.node.emplace_back();
  node.name = "a\"b\n\xff\x01'";
  node.input = {"x", "^y"};
  node.attr["f"].set_f(0.1f);
  node.attr["i"].set_i(INT64_MIN);
  node.attr["b"].set_b(true);
  node.attr["t"].set_type(DataType::DT_FLOAT);
  node.attr["n"].set_f(-INFINITY);
  node.attr["l"].mutable_list().i = {1, -2};
  node.attr["e"].mutable_list();
  TensorProto& tensor = node.attr["v"].mutable_tensor();
  tensor.tensor_content = std::string("\0\1\2", 3);
  tensor.tensor_shape.mut().dim.emplace_back().size = -1;
  GraphDef read;
  const Status status = ParseText(graph.ToText(), &read);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(read.Serialize(), graph.Serialize());
}

TEST(TextReaderTest, WhatTheFormatAllows) {
  GraphDef graph;
  const Status status = ParseText(
      "# a comment\n"
      "node < name: 'a' \"b\" \"\\x41\\101\\u00e9\", op: \"C\"; input: [ "
      "\"x\",\n"
      "  'y' ] attr { key: \"f\" value: { f: 1.5f } } >\n"
      "versions: { producer: 0x10 min_consumer: 010 }",
      &graph);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(graph.node[0].name, "abAA\u00e9");
  EXPECT_EQ(graph.node[0].input, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(graph.node[0].attr["f"].f, 1.5f);
  EXPECT_EQ(graph.versions->producer, 16);
  EXPECT_EQ(graph.versions->min_consumer, 8);
}

TEST(TextReaderTest, MessagesInsideOfAny) {
  MetaGraphDef meta;
  const Status status = ParseText(
      "meta_info_def { any_info { [type.googleapis.com/tensorflow.VersionDef] {"
      " producer: 5 } } }",
      &meta);
  ASSERT_TRUE(status.ok()) << status.message();
  VersionDef inner;
  ASSERT_TRUE(inner.Parse(meta.meta_info_def->any_info->value).ok());
  EXPECT_EQ(inner.producer, 5);
}

TEST(TextReaderTest, ErrorsSayWhere) {
  EXPECT_EQ(ErrorOf<GraphDef>("node {\n  nome: \"a\" }"),
            "line 2, column 3: tensorflow.NodeDef has no field 'nome'");
  EXPECT_EQ(ErrorOf<GraphDef>("node { name: \"a\""),
            "line 1, column 17: '}' is missing");
  EXPECT_EQ(ErrorOf<GraphDef>("version: 3000000000"),
            "line 1, column 10: 3000000000 is out of range");
  EXPECT_EQ(ErrorOf<GraphDef>("version: x"),
            "line 1, column 10: expected a whole number");
  EXPECT_EQ(ErrorOf<GraphDef>("version 3"),
            "line 1, column 9: expected ':' after version");
  EXPECT_EQ(ErrorOf<GraphDef>("version: [3]"),
            "line 1, column 11: version is one value, not a list");
  EXPECT_EQ(ErrorOf<GraphDef>("node: 3"),
            "line 1, column 7: expected '{' and the fields of "
            "tensorflow.NodeDef");
  EXPECT_EQ(ErrorOf<NodeDef>("name: \"a\nb\""),
            "line 1, column 9: the text does not end");
  EXPECT_EQ(ErrorOf<NodeDef>("name: \"\\q\""),
            "line 1, column 10: there is no escape '\\q'");
  EXPECT_EQ(ErrorOf<AttrValue>("type: DT_FLOOT"),
            "line 1, column 7: tensorflow.DataType has no value 'DT_FLOOT'");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "list { func { attr { value { ";
  EXPECT_NE(ErrorOf<AttrValue>(deep).find("nest deeper than 100 levels"),
            std::string::npos);
}

TEST(TextReaderTest, LooksLikeText) {
  GraphDef graph;
  graph.node.emplace_back().name = "a";
  EXPECT_TRUE(LooksLikeText(graph.ToText()));
  EXPECT_FALSE(LooksLikeText(graph.Serialize()));
  EXPECT_TRUE(LooksLikeText("# only\nversions {}"));
  EXPECT_FALSE(LooksLikeText("hello"));
  EXPECT_FALSE(LooksLikeText(""));
}

}  // namespace
}  // namespace gk::proto
