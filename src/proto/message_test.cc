#include "proto/message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "proto/event.gk.h"
#include "proto/graph.gk.h"
#include "proto/saved_model.gk.h"

namespace gk::proto {
namespace {

NodeDef SampleNode() {
  NodeDef node;
  node.name = "a/b";
  node.op = "MatMul";
  node.input = {"x", "y:1", "^c"};
  node.attr["T"].set_type(DT_FLOAT);
  node.attr["flag"].set_b(false);
  node.attr["i"].set_i(-3);
  node.attr["f"].set_f(0.1f);
  node.attr["s"].set_s(std::string("a\0\xff", 3));
  node.attr["list"].mutable_list().i = {1, -1, int64_t{1} << 40};
  node.attr["list"].mutable_list().b = {true, false};
  node.attr["shape"].mutable_shape().dim.resize(2);
  node.attr["shape"].mutable_shape().dim[0].size = -1;
  TensorProto& tensor = node.attr["value"].mutable_tensor();
  tensor.dtype = DT_DOUBLE;
  tensor.double_val = {0.1, -0.0, 1e300};
  tensor.string_val = {"", "z"};
  NameAttrList& func = node.attr["func"].mutable_func();
  func.name = "body";
  func.attr["N"].set_i(7);
  return node;
}

GraphDef SampleGraph() {
  GraphDef graph;
  graph.node = {SampleNode(), NodeDef{}};
  graph.versions.mut().producer = 2474;
  FunctionDef& fn = graph.library.mut().function.emplace_back();
  fn.signature.mut().name = "f";
  fn.ret["out"] = "Identity:output:0";
  fn.arg_attr[3].attr["_user_specified_name"].set_s("x");
  auto& frame = graph.debug_info.mut().frames_by_id[99];
  frame.line = 0;
  return graph;
}

TEST(MessageTest, KnownBytes) {
  NodeDef node;
  node.name = "n";
  node.attr["b"].set_b(false);
  node.attr["T"].set_type(DT_FLOAT);
  node.attr["e"].mutable_list();
  EXPECT_EQ(node.Serialize(),
            std::string("\x0a\x01n"
                        "\x2a\x07\x0a\x01T\x12\x02\x30\x01"
                        "\x2a\x07\x0a\x01"
                        "b\x12\x02\x28\x00"
                        "\x2a\x07\x0a\x01"
                        "e\x12\x02\x0a\x00",
                        30));
  StructuredValue value;
  value.set_int64_value(-2);  // The one field that is zigzag coded.
  EXPECT_EQ(value.Serialize(), "\x60\x03");
}

TEST(MessageTest, RoundTrip) {
  GraphDef graph = SampleGraph();
  std::string bytes = graph.Serialize();
  GraphDef again;
  ASSERT_TRUE(again.Parse(bytes).ok());
  EXPECT_EQ(again.Serialize(), bytes);
  EXPECT_EQ(again.ToText(), graph.ToText());
  const AttrValue& value = again.node[0].attr.at("value");
  EXPECT_EQ(value.value_case, AttrValue::ValueCase::kTensor);
  EXPECT_EQ(value.tensor->double_val[2], 1e300);
  EXPECT_TRUE(std::signbit(value.tensor->double_val[1]));
  EXPECT_EQ(again.library->function[0].arg_attr.at(3).attr.size(), 1u);
  // Presence is kept for fields that have it, even at their default.
  EXPECT_EQ(again.debug_info->frames_by_id.at(99).line, 0);
  EXPECT_FALSE(again.debug_info->frames_by_id.at(99).col.has_value());
}

TEST(MessageTest, CopiesAreDeep) {
  GraphDef graph = SampleGraph();
  GraphDef copy = graph;
  copy.versions.mut().producer = 1;
  EXPECT_EQ(graph.versions->producer, 2474);
  EXPECT_EQ(GraphDef().versions->producer, 0);
}

TEST(MessageTest, NegativeZeroIsWritten) {
  Event event;
  event.wall_time = -0.0;
  EXPECT_EQ(event.Serialize().size(), 9u);
  event.wall_time = 0.0;
  EXPECT_EQ(event.Serialize(), "");
}

TEST(MessageTest, OneofHoldsOneValue) {
  AttrValue value;
  value.set_s("text");
  value.mutable_list().i.push_back(1);
  EXPECT_EQ(value.s, "");
  value.set_i(4);
  EXPECT_FALSE(value.list.has());
  // On the wire the last one wins.
  ASSERT_TRUE(value.Parse("\x18\x05\x12\x01x").ok());
  EXPECT_EQ(value.value_case, AttrValue::ValueCase::kS);
  EXPECT_EQ(value.s, "x");
  EXPECT_EQ(value.i, 0);
}

TEST(MessageTest, PackedAndUnpackedAreRead) {
  AttrValue::ListValue list;
  ASSERT_TRUE(list.Parse("\x18\x01\x1a\x02\x02\x03\x18\x04").ok());
  EXPECT_EQ(list.i, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(list.Serialize(), "\x1a\x04\x01\x02\x03\x04");
  // Fixed-width elements: the length must be a multiple of theirs.
  EXPECT_FALSE(list.Parse("\x22\x03\x01\x02\x03").ok());
}

TEST(MessageTest, SubMessagesMerge) {
  GraphDef graph;
  ASSERT_TRUE(graph.Parse("\x22\x02\x08\x05\x22\x02\x10\x06").ok());
  EXPECT_EQ(graph.versions->producer, 5);
  EXPECT_EQ(graph.versions->min_consumer, 6);
}

TEST(MessageTest, UnknownFieldsSurvive) {
  // Number 50: varint, fixed64, bytes, group holding a varint, fixed32.
  std::string unknown(
      "\x90\x03\x96\x01"
      "\x91\x03"
      "12345678"
      "\x92\x03\x02hi"
      "\x93\x03\x08\x01\x94\x03"
      "\x95\x03"
      "1234",
      31);
  VersionDef version;
  ASSERT_TRUE(version.Parse("\x08\x07" + unknown).ok());
  EXPECT_EQ(version.producer, 7);
  EXPECT_EQ(version.Serialize(), "\x08\x07" + unknown);
  // A known number with another wire type is unknown as well.
  ASSERT_TRUE(version.Parse("\x0a\x01x").ok());
  EXPECT_EQ(version.Serialize(), "\x0a\x01x");
  // Enum numbers without a name are kept.
  AttrValue value;
  ASSERT_TRUE(value.Parse("\x30\xe7\x07").ok());
  EXPECT_EQ(value.Serialize(), "\x30\xe7\x07");
  EXPECT_EQ(value.ToText(), "type: 999\n");
}

TEST(MessageTest, MalformedInputIsRefused) {
  const std::string bad[] = {
      "\x0a",                              // No length.
      "\x0a\x05x",                         // Length past the end.
      std::string("\x00\x01", 2),          // Field number zero.
      "\x0c",                              // End of a group never begun.
      "\x93\x03\x94\x04",                  // Group ended by another number.
      "\x93\x03",                          // Group without an end.
      "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // 11 bytes.
      "\x0f\x01",                          // Wire type 7.
      "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  // Length 2^64 - 1.
  };
  for (const std::string& bytes : bad) {
    GraphDef graph;
    graph.version = 5;
    Status status = graph.Parse(bytes);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << Escape(bytes);
    EXPECT_EQ(graph.version, 5) << "left as it was";
  }
}

TEST(MessageTest, DepthIsLimited) {
  auto nested = [](int depth) {
    std::string bytes;
    for (int i = 0; i < depth; ++i) {
      Writer out;
      out.Bytes(bytes);
      out.Tag(2, kBytes);  // FullTypeDef.args
      bytes = out.str();
    }
    return bytes;
  };
  FullTypeDef type;
  EXPECT_TRUE(type.Parse(nested(kMaxDepth)).ok());
  EXPECT_FALSE(type.Parse(nested(kMaxDepth + 1)).ok());
  EXPECT_FALSE(type.Parse(nested(1000)).ok());
  EXPECT_FALSE(type.Parse(std::string(100000, '\x93')).ok());
  std::string groups;
  for (int i = 0; i < 100000; ++i) groups += "\x93\x03";
  EXPECT_FALSE(type.Parse(groups).ok());
}

TEST(MessageTest, EveryTruncationIsSafe) {
  std::string bytes = SampleGraph().Serialize();
  int accepted = 0;
  for (size_t n = 0; n < bytes.size(); ++n) {
    // A copy of its own, so that a sanitizer sees the end.
    std::string part(bytes, 0, n);
    part.shrink_to_fit();
    GraphDef graph;
    accepted += graph.Parse(part).ok();
  }
  // Only cuts between top-level fields leave a message.
  EXPECT_LT(accepted, 8);
}

template <class T>
void MutateAndParse(const std::string& seed_bytes, uint32_t seed, int rounds) {
  std::mt19937 random(seed);
  for (int i = 0; i < rounds; ++i) {
    std::string bytes = seed_bytes;
    for (uint32_t n = 1 + random() % 4; n > 0 && !bytes.empty(); --n) {
      size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.erase(at, 1 + random() % 8); break;
        case 2: bytes.insert(at, 1 + random() % 8, '\xff'); break;
        case 3: bytes[at] ^= static_cast<char>(1 << random() % 8); break;
      }
    }
    T message;
    if (!message.Parse(bytes).ok()) continue;
    // What was accepted is stable from its first writing on.
    std::string first = message.Serialize();
    T again;
    ASSERT_TRUE(again.Parse(first).ok()) << "seed " << seed << ", " << i;
    ASSERT_EQ(again.Serialize(), first) << "seed " << seed << ", " << i;
    EXPECT_EQ(again.ToText(), message.ToText());
  }
}

TEST(MessageTest, RandomMutations) {
  std::string bytes = SampleGraph().Serialize();
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    MutateAndParse<GraphDef>(bytes, seed, 3000);
    MutateAndParse<SavedModel>(bytes, seed, 1000);
    MutateAndParse<Event>(bytes, seed, 1000);
  }
}

TEST(MessageTest, Text) {
  NodeDef node;
  node.name = "a\"\n\001\xc3";
  node.input = {"a"};
  node.attr["f"].set_f(1.0f / 3);
  node.attr["m"].set_f(1e-5f);
  node.attr["nan"].set_f(std::nanf(""));
  node.attr["e"].mutable_list();
  node.attr["t"].mutable_tensor().double_val = {
      0.1, 5, 1e16, -std::numeric_limits<double>::infinity()};
  node.attr["T"].set_type(DT_FLOAT);
  node.attr["b"].set_b(false);
  EXPECT_EQ(node.ToText(),
            "name: \"a\\\"\\n\\001\\303\"\n"
            "input: \"a\"\n"
            "attr {\n  key: \"T\"\n  value {\n    type: DT_FLOAT\n  }\n}\n"
            "attr {\n  key: \"b\"\n  value {\n    b: false\n  }\n}\n"
            "attr {\n  key: \"e\"\n  value {\n    list {\n    }\n  }\n}\n"
            "attr {\n  key: \"f\"\n  value {\n    f: 0.333333343\n  }\n}\n"
            "attr {\n  key: \"m\"\n  value {\n    f: 1e-05\n  }\n}\n"
            "attr {\n  key: \"nan\"\n  value {\n    f: nan\n  }\n}\n"
            "attr {\n  key: \"t\"\n  value {\n    tensor {\n"
            "      double_val: 0.1\n      double_val: 5\n"
            "      double_val: 1e+16\n      double_val: -inf\n"
            "    }\n  }\n}\n");
}

TEST(MessageTest, TenMegabyteGraph) {
  GraphDef graph;
  while (graph.node.size() < 80000) {
    NodeDef& node = graph.node.emplace_back();
    node.name = "model/layer_" + std::to_string(graph.node.size()) + "/MatMul";
    node.op = "MatMul";
    node.input = {"model/layer/input", "model/layer/kernel"};
    node.attr["T"].set_type(DT_FLOAT);
    node.attr["transpose_a"].set_b(false);
    node.attr["transpose_b"].set_b(true);
  }
  const std::string bytes = graph.Serialize();
  EXPECT_GT(bytes.size(), 9'000'000u);
  GraphDef again;
  ASSERT_TRUE(again.Parse(bytes).ok());
  EXPECT_EQ(again.Serialize(), bytes);
}

}  // namespace
}  // namespace gk::proto
