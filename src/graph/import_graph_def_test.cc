#include "graph/import_graph_def.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>

#include "graph/function_for_test.h"
#include "graph/graph_def.h"
#include "graph/node_def_for_test.h"
#include "graph/tensor_proto.h"

namespace gk {
namespace {

// g(x) = Relu(x) + x, called by a function f with a constant, a split and a
// control output.
proto::GraphDef Sample() {
  TestFunction g("g");
  const Output a = g.Arg(DataType::kFloat, {-1});
  const Output relu = g.Add("Relu", {a});
  Ref<GraphFunction> callee =
      g.Finish({g.Add("Identity", {g.Add("AddV2", {relu, a})})});

  TestFunction f("f");
  const Output x = f.Arg(DataType::kFloat, {4});
  const Output axis = f.Const(Tensor::Scalar<int32_t>(0));
  const Output s = f.Add("Split", {axis, x}, {{"num_split", int64_t{2}}});
  const FunctionAttr attr{"g", Ref<GraphFunction>(callee), nullptr};
  const Output call = f.Add(
      "PartitionedCall", {Output{s.node, 1}},
      {{"Tout", std::vector<DataType>{DataType::kFloat}}, {"f", attr}});
  const Output check = f.Add("NoOp", {});
  Ref<GraphFunction> outer =
      f.Finish({f.Add("Identity", {call})}, {check.node});

  TestFunction top;
  const Output y = top.Arg(DataType::kFloat, {4});
  const FunctionAttr outer_attr{"f", Ref<GraphFunction>(outer), nullptr};
  top.Add("PartitionedCall", {y},
          {{"Tout", std::vector<DataType>{DataType::kFloat}},
           {"f", outer_attr}},
          {y.node});
  return ValueOrThrow(GraphToGraphDef(top.graph()));
}

Status ImportStatus(const proto::GraphDef& message) {
  Ref<Graph> graph = MakeRef<Graph>();
  const Status status = ImportGraphDef(message, graph.get()).status();
  EXPECT_TRUE(status.ok() || graph->num_nodes() == 0);
  return status;
}

// Nodes in the order of their names: producers come first once read.
std::string SortedText(proto::GraphDef message) {
  for (proto::FunctionDef& f : message.library.mut().function) {
    std::sort(f.node_def.begin(), f.node_def.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
  }
  return message.ToText();
}

TEST(ImportGraphDefTest, WhatIsWrittenReadsBackTheSame) {
  const proto::GraphDef written = Sample();
  EXPECT_EQ(written.library->function.size(), 2u);
  EXPECT_EQ(written.versions->min_consumer, 12);
  proto::GraphDef parsed;
  ASSERT_TRUE(parsed.Parse(written.Serialize()).ok());
  Ref<Graph> graph = MakeRef<Graph>();
  const Status status = ImportGraphDef(parsed, graph.get()).status();
  ASSERT_TRUE(status.ok()) << status.message();
  const proto::GraphDef again = ValueOrThrow(GraphToGraphDef(*graph));
  EXPECT_EQ(SortedText(again), SortedText(written));
}

TEST(ImportGraphDefTest, PrefixAndInputMap) {
  TestFunction f;
  const Output x = f.Arg(DataType::kFloat, {2});
  f.Add("Relu", {x});
  const proto::GraphDef message = ValueOrThrow(GraphToGraphDef(f.graph()));
  TestFunction into;
  ImportGraphDefOptions options;
  options.prefix = "import";
  const Output y = into.Arg(DataType::kFloat, {2});
  options.input_map["Placeholder:0"] = y;
  const std::vector<Node*> nodes =
      ValueOrThrow(ImportGraphDef(message, &into.graph(), options));
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[1]->name(), "import/Relu");
  EXPECT_EQ(nodes[1]->input(0), y);
  // Its names are taken now: others follow, and what was asked for is found.
  std::map<std::string, std::string> renamed;
  options.renamed = &renamed;
  const std::vector<Node*> again =
      ValueOrThrow(ImportGraphDef(message, &into.graph(), options));
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[1]->name(), "import/Relu_1");
  EXPECT_EQ(renamed.at("import/Relu_1"), "import/Relu");
  EXPECT_EQ(ValueOrThrow(FindImported(again, options, "Relu:0")).node,
            again[1]);
}

TEST(ImportGraphDefTest, NamesOfScopesAreTakenToo) {
  TestFunction f;
  f.Add("Relu", {f.Arg(DataType::kFloat, {2})});
  proto::GraphDef message = ValueOrThrow(GraphToGraphDef(f.graph()));
  message.node[1].name = "s";
  message.node[1].attr["_class"].mutable_list().s = {"loc:@s",
                                                     "loc:@elsewhere"};
  TestFunction into;
  ImportGraphDefOptions within;
  within.prefix = "s/t";
  ASSERT_TRUE(ImportGraphDef(message, &into.graph(), within).ok());
  const std::vector<Node*> nodes =
      ValueOrThrow(ImportGraphDef(message, &into.graph(), {}));
  EXPECT_EQ(nodes[1]->name(), "s_1");
  EXPECT_EQ(*nodes[1]->attrs().Get<std::vector<std::string>>("_class"),
            (std::vector<std::string>{"loc:@s_1", "loc:@elsewhere"}));
}

TEST(ImportGraphDefTest, WhatIsWrongIsAnError) {
  struct Case {
    const char* what;
    void (*change)(proto::GraphDef&);
    Code code;
    const char* text;
  };
  const Case cases[] = {
      {"unknown op", [](auto& g) { g.node[0].op = "NoSuchOp"; },
       Code::kNotFound, "Op type not registered 'NoSuchOp'"},
      {"missing input", [](auto& g) { g.node[1].input[0] = "nobody"; },
       Code::kInvalidArgument, "Unknown input node 'nobody'"},
      {"no such output", [](auto& g) { g.node[1].input[0] += ":7"; },
       Code::kInvalidArgument, "no such output"},
      {"malformed", [](auto& g) { g.node[1].input[0] += ":x"; },
       Code::kInvalidArgument, "Malformed input"},
      {"empty input", [](auto& g) { g.node[1].input[0] = ""; },
       Code::kInvalidArgument, "Malformed input"},
      {"bare control", [](auto& g) { g.node[1].input[1] = "^"; },
       Code::kInvalidArgument, "Unknown input node '^'"},
      {"cycle",
       [](auto& g) { g.node[0].input.push_back("^" + g.node[1].name); },
       Code::kInvalidArgument, "cycle"},
      {"control first",
       [](auto& g) { std::swap(g.node[1].input[0], g.node[1].input[1]); },
       Code::kInvalidArgument, "follows a control input"},
      {"duplicate", [](auto& g) { g.node[1].name = g.node[0].name; },
       Code::kInvalidArgument, "Duplicate node name"},
      {"attr missing", [](auto& g) { g.node[0].attr.erase("dtype"); },
       Code::kInvalidArgument, "dtype"},
      {"attr of another kind",
       [](auto& g) { g.node[0].attr["dtype"].set_i(3); },
       Code::kInvalidArgument, "dtype"},
      {"attr unknown", [](auto& g) { g.node[0].attr["color"].set_i(3); },
       Code::kInvalidArgument, "color"},
      {"wrong types",
       [](auto& g) {
         g.node[1].attr["Tin"].mutable_list().type = {
             proto::DataType::DT_INT32};
       },
       Code::kInvalidArgument, "Tin"},
      {"function missing",
       [](auto& g) { g.node[1].attr["f"].mutable_func().name = "h"; },
       Code::kNotFound, "Function h is not defined."},
      {"recursion",
       [](auto& g) {
         for (auto& f : g.library.mut().function) {
           for (auto& n : f.node_def) {
             if (n.attr.count("f")) n.attr["f"].mutable_func().name = "f";
           }
         }
       },
       Code::kInvalidArgument, "calls itself"},
      {"function twice",
       [](auto& g) {
         auto& list = g.library.mut().function;
         list.push_back(list[0]);
       },
       Code::kInvalidArgument, "Duplicate function"},
      {"result missing",
       [](auto& g) { g.library.mut().function[0].ret.clear(); },
       Code::kInvalidArgument, "Return value"},
      {"control result missing",
       [](auto& g) {
         g.library.mut().function[0].control_ret["NoOp"] = "nothing";
       },
       Code::kInvalidArgument, "control_ret"},
  };
  for (const Case& c : cases) {
    proto::GraphDef message = Sample();
    c.change(message);
    const Status status = ImportStatus(message);
    EXPECT_EQ(status.code(), c.code) << c.what << ": " << status.message();
    EXPECT_NE(std::string(status.message()).find(c.text), std::string::npos)
        << c.what << ": " << status.message();
  }
}

TEST(ImportGraphDefTest, DeepCallsAreRefused) {
  proto::GraphDef message;
  proto::FunctionDefLibrary& library = message.library.mut();
  for (int i = 0; i < 2000; ++i) {
    proto::FunctionDef f;
    f.signature.mut().name = Format("f{}", i);
    if (i > 0) {
      proto::NodeDef call;
      call.name = "call";
      call.op = Format("f{}", i - 1);
      f.node_def.push_back(call);
    }
    library.function.push_back(f);
  }
  // In either order of asking.
  proto::NodeDef call;
  call.name = call.op = "f1999";
  message.node = {call};
  EXPECT_EQ(ImportStatus(message).code(), Code::kInvalidArgument);
  message.node.clear();
  for (int i = 0; i < 2000; ++i) {
    call.name = call.op = Format("f{}", i);
    message.node.push_back(call);
  }
  EXPECT_EQ(ImportStatus(message).code(), Code::kInvalidArgument);
  // A function called by its name.
  message.node.resize(10);
  EXPECT_TRUE(ImportStatus(message).ok()) << ImportStatus(message).message();
}

proto::NodeDef ConstOf(const std::string& name, proto::DataType dtype,
                       proto::TensorProto value) {
  proto::NodeDef node = NodeDefOf(name, "Const");
  node.attr["dtype"].set_type(dtype);
  node.attr["value"].mutable_tensor() = std::move(value);
  return node;
}

proto::TensorProto TensorOf(proto::DataType dtype, std::vector<int64_t> dims) {
  proto::TensorProto t;
  t.dtype = dtype;
  for (int64_t d : dims) {
    t.tensor_shape.mut().dim.emplace_back();
    t.tensor_shape.mut().dim.back().size = d;
  }
  return t;
}

proto::GraphDef GraphOf(std::vector<proto::NodeDef> nodes) {
  proto::GraphDef g;
  g.node = std::move(nodes);
  return g;
}

// Whoever reads a constant goes by its attribute: it has to be true.
TEST(ImportGraphDefTest, AConstantIsOfTheTypeThatItSays) {
  using proto::DataType;
  const std::pair<DataType, DataType> pairs[] = {
      {DataType::DT_DOUBLE, DataType::DT_UINT8},
      {DataType::DT_STRING, DataType::DT_INT64},
      {DataType::DT_INT64, DataType::DT_STRING},
      {DataType::DT_FLOAT, DataType::DT_INT32},
      {DataType::DT_VARIANT, DataType::DT_INT64},
      {DataType::DT_RESOURCE, DataType::DT_INT64},
      {DataType::DT_BOOL, DataType::DT_UINT8},
  };
  for (const auto& [said, held] : pairs) {
    const Status status =
        ImportStatus(GraphOf({ConstOf("c", said, TensorOf(held, {16}))}));
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.message();
    EXPECT_NE(status.message().find("Type mismatch"), std::string::npos)
        << status.message();
  }
}

TEST(ImportGraphDefTest, ContentsOfTensors) {
  using proto::DataType;
  const auto import = [](proto::TensorProto t) {
    const DataType dtype = t.dtype;
    return ImportStatus(GraphOf({ConstOf("c", dtype, std::move(t))}));
  };
  proto::TensorProto t = TensorOf(DataType::DT_STRING, {3});
  t.tensor_content = std::string("\1\0\2abc", 6);
  EXPECT_TRUE(import(t).ok()) << import(t).message();
  for (std::string wrong : {"\1", "\1\1\1a", "\1\1\1abcd",
                            "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01 a"}) {
    t.tensor_content = wrong;
    EXPECT_EQ(import(t).code(), Code::kInvalidArgument) << wrong;
  }
  t = TensorOf(DataType::DT_BOOL, {2});
  t.tensor_content = std::string("\0\xff", 2);
  const Tensor bits = ValueOrThrow(TensorFromProto(t));
  EXPECT_EQ(static_cast<const uint8_t*>(bits.raw_data())[1], 1);
  for (DataType dtype : {DataType::DT_RESOURCE, DataType::DT_VARIANT,
                         DataType::DT_FLOAT_REF, DataType(77)}) {
    EXPECT_FALSE(import(TensorOf(dtype, {1})).ok());
  }
  for (std::vector<int64_t> dims : std::vector<std::vector<int64_t>>{
           {-1}, {-7}, {1 << 20, 1 << 20, 1 << 20, 1 << 20}}) {
    EXPECT_EQ(import(TensorOf(DataType::DT_FLOAT, dims)).code(),
              Code::kInvalidArgument);
  }
  t = TensorOf(DataType::DT_FLOAT, {1});
  t.float_val = {1, 2};
  EXPECT_EQ(import(t).code(), Code::kInvalidArgument);
}

// Some bytes stand for gigabytes: 25 GB here.
TEST(ImportGraphDefTest, RepeatedValuesHaveABudget) {
  proto::GraphDef g;
  for (int i = 0; i < 100; ++i) {
    proto::TensorProto t = TensorOf(proto::DataType::DT_FLOAT, {1 << 26});
    t.float_val = {1};
    g.node.push_back(ConstOf(Format("c{}", i), proto::DataType::DT_FLOAT, t));
  }
  EXPECT_EQ(ImportStatus(g).code(), Code::kResourceExhausted);
  // A long text, again and again.
  proto::TensorProto t = TensorOf(proto::DataType::DT_STRING, {1 << 16});
  t.string_val = {std::string(1 << 16, 'x')};
  g.node = {ConstOf("c", proto::DataType::DT_STRING, t)};
  EXPECT_EQ(ImportStatus(g).code(), Code::kResourceExhausted);
  // What programs have.
  t = TensorOf(proto::DataType::DT_FLOAT, {4096, 4096});
  t.float_val = {0};
  g.node = {ConstOf("c", proto::DataType::DT_FLOAT, t)};
  EXPECT_TRUE(ImportStatus(g).ok());
}

TEST(ImportGraphDefTest, OutputsHaveABudget) {
  proto::GraphDef g;
  for (int i = 0; i < 40; ++i) {
    proto::FunctionDef f;
    f.signature.mut().name = Format("f{}", i);
    f.signature.mut().input_arg.emplace_back();
    f.signature.mut().input_arg[0].name = "x";
    f.signature.mut().input_arg[0].type = proto::DataType::DT_FLOAT;
    proto::TensorProto zero = TensorOf(proto::DataType::DT_INT32, {});
    f.node_def.push_back(ConstOf("axis", proto::DataType::DT_INT32, zero));
    f.node_def.push_back(NodeDefOf("split", "Split", {"axis:output:0", "x"}));
    f.node_def.back().attr["num_split"].set_i(100000);
    g.library.mut().function.push_back(f);
    g.node.push_back(NodeDefOf(Format("call{}", i), Format("f{}", i), {"arg"}));
  }
  g.node.push_back(NodeDefOf("arg", "Placeholder"));
  g.node.back().attr["dtype"].set_type(proto::DataType::DT_FLOAT);
  EXPECT_EQ(ImportStatus(g).code(), Code::kResourceExhausted);
}

// A list argument that takes all there is leaves nothing for the next one.
TEST(ImportGraphDefTest, AnInputThatIsNotThere) {
  const proto::TensorProto zeros = TensorOf(proto::DataType::DT_FLOAT, {2});
  proto::NodeDef concat = NodeDefOf("y", "ConcatV2", {"a", "b"});
  concat.attr["N"].set_i(2);
  const Status status = ImportStatus(
      GraphOf({ConstOf("a", proto::DataType::DT_FLOAT, zeros),
               ConstOf("b", proto::DataType::DT_FLOAT, zeros), concat}));
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'axis' is missing"), std::string::npos)
      << status.message();
}

// f: (float) -> (float), named by nodes that want something else.
TEST(ImportGraphDefTest, FunctionsFitTheNodesThatNameThem) {
  TestFunction inner;
  const Output a = inner.Arg(DataType::kFloat, {});
  const Ref<GraphFunction> f = inner.Finish({inner.Add("Neg", {a})});
  proto::GraphDef base;
  base.library.mut().function = {ValueOrThrow(FunctionToFunctionDef(*f))};
  const std::string name = base.library->function[0].signature->name;
  for (const char* arg : {"x", "i"}) {
    base.node.push_back(NodeDefOf(arg, "Placeholder"));
    base.node.back().attr["dtype"].set_type(
        *arg == 'x' ? proto::DataType::DT_FLOAT : proto::DataType::DT_INT32);
  }
  using Types = std::vector<proto::DataType>;
  const Types one = {proto::DataType::DT_FLOAT};
  const auto import =
      [&](const std::string& op, std::vector<std::string> inputs,
          const std::vector<const char*>& functions, Types in, Types out) {
        proto::NodeDef node = NodeDefOf("n", op, std::move(inputs));
        const bool loop = op == "While";
        node.attr[loop ? "T" : "Tin"].mutable_list().type = std::move(in);
        if (!loop) node.attr["Tout"].mutable_list().type = std::move(out);
        for (const char* attr : functions) {
          node.attr[attr].mutable_func().name = name;
        }
        if (op == "Case") {
          auto& branches = node.attr["branches"].mutable_list().func;
          branches.resize(2);
          for (auto& branch : branches) branch.name = name;
        }
        proto::GraphDef g = base;
        g.node.push_back(node);
        return ImportStatus(g);
      };
  const Types none, two = {one[0], one[0]}, other = {proto::DataType::DT_INT32};
  const std::vector<const char*> call = {"f"}, loop = {"cond", "body"},
                                 branch = {"then_branch", "else_branch"};
  EXPECT_TRUE(import("PartitionedCall", {"x"}, call, one, one).ok());
  EXPECT_TRUE(import("If", {"i", "x"}, branch, one, one).ok());
  EXPECT_TRUE(import("Case", {"i", "x"}, {}, one, one).ok());
  EXPECT_TRUE(import("While", {"x"}, loop, one, one).ok());
  for (const Types& wrong : {none, two, other}) {
    std::vector<std::string> inputs;
    for (proto::DataType t : wrong) {
      inputs.push_back(t == proto::DataType::DT_FLOAT ? "x" : "i");
    }
    std::vector<std::string> chosen = inputs;
    chosen.insert(chosen.begin(), "i");
    const Status all[] = {
        import("PartitionedCall", {"x"}, call, one, wrong),
        import("PartitionedCall", inputs, call, wrong, one),
        import("If", {"i", "x"}, branch, one, wrong),
        import("If", chosen, branch, wrong, one),
        import("Case", {"i", "x"}, {}, one, wrong),
        import("Case", chosen, {}, wrong, one),
        import("While", inputs, loop, wrong, wrong),
    };
    for (const Status& status : all) {
      EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.message();
    }
  }
}

TEST(ImportGraphDefTest, ManyControlInputsTakeNoTimeOfTheirOwn) {
  proto::GraphDef g;
  proto::NodeDef last = NodeDefOf("last", "NoOp");
  for (int i = 0; i < 60000; ++i) {
    g.node.push_back(NodeDefOf(Format("n{}", i), "NoOp"));
    last.input.push_back("^" + g.node.back().name);
  }
  g.node.push_back(last);
  EXPECT_TRUE(ImportStatus(g).ok());
}

// Bytes changed at random: any outcome but a crash. Seeds are fixed.
TEST(ImportGraphDefTest, SurvivesMutations) {
  const std::string bytes = Sample().Serialize();
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  int read = 0, refused = 0;
  for (uint32_t seed = 0; std::chrono::steady_clock::now() < end; ++seed) {
    std::mt19937 random(seed);
    std::string mutated = bytes;
    for (uint32_t k = 0; k <= random() % 4; ++k) {
      const size_t at = random() % mutated.size();
      switch (random() % 4) {
        case 0:
          mutated[at] = static_cast<char>(random());
          break;
        case 1:
          mutated[at] ^= static_cast<char>(1 << random() % 8);
          break;
        case 2:
          mutated.erase(at, random() % 8);
          break;
        default:
          mutated.insert(at, mutated, random() % mutated.size(),
                         random() % 16);
      }
    }
    proto::GraphDef message;
    if (!message.Parse(mutated).ok()) continue;
    if (ImportStatus(message).ok()) {
      ++read;
    } else {
      ++refused;
    }
  }
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace gk
