// gk::Module: what it finds, in which order.
#include "graphkiln/module.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graphkiln/graphkiln.h"

namespace {

using Texts = std::vector<std::string>;

struct Dense : gk::Module {
  explicit Dense(float value, bool bias = false) : gk::Module("dense") {
    const auto scope = name_scope();
    w = track("w", gk::Variable(gk::Tensor(value), {.name = "w"}));
    if (bias) {
      b = track("b", gk::Variable(0.5f, {.name = "b", .trainable = false}));
    }
  }
  std::optional<gk::Variable> w, b;
};

struct Net : gk::Module {
  Net() : gk::Module("net") {}
  std::vector<Dense> layers =
      track("layers", std::vector{Dense(1), Dense(2, true)});
  gk::Variable step =
      track("step", gk::Variable(gk::Tensor(3), {.trainable = false}));
  std::map<std::string, gk::Variable> named =
      track("named", std::map<std::string, gk::Variable>{
                         {"y", gk::Variable(5.f)}, {"x", step}});
};

Texts Paths(const gk::Module& module, const gk::FlattenOptions& options = {}) {
  Texts paths;
  for (const gk::ModuleLeaf& leaf : module.flatten(options)) {
    std::string path;
    for (const std::string& key : leaf.path) path += "/" + key;
    paths.push_back(path);
  }
  return paths;
}
std::vector<float> Values(const std::vector<gk::Variable>& variables) {
  std::vector<float> values;
  for (const gk::Variable& v : variables) {
    values.push_back(v.value().item<float>());
  }
  return values;
}

TEST(Module, FindsItsOwnFirstEachOnce) {
  const Net net;
  EXPECT_EQ(Paths(net), (Texts{"/layers/0", "/layers/1", "/named/x", "/named/y",
                               "/layers/0/w", "/layers/1/b", "/layers/1/w"}));
  EXPECT_EQ(net.variables().size(), 5u);
  EXPECT_EQ(net.trainable_variables().size(), 3u);
  EXPECT_EQ(net.non_trainable_variables().size(), 2u);
  EXPECT_EQ(net.submodules(),
            (std::vector<gk::Module>{net.layers[0], net.layers[1]}));
  EXPECT_EQ(Values(net.layers[1].variables()), (std::vector<float>{0.5f, 2.f}));
  const gk::Module copy = net;
  EXPECT_EQ(copy, net);
  EXPECT_EQ(copy.variables().size(), 5u);
}

TEST(Module, FlattenOptions) {
  const Net net;
  EXPECT_EQ(Paths(net, {.recursive = false, .with_path = true}),
            (Texts{"/layers/0", "/layers/1", "/named/x", "/named/y", "/step"}));
  const auto backwards = [](const std::string& name) {
    return std::string(1, static_cast<char>(255 - name[0]));
  };
  EXPECT_EQ(Paths(net, {.predicate =
                            [](const gk::ModuleLeaf& leaf) {
                              return std::holds_alternative<gk::Variable>(
                                  leaf.value);
                            },
                        .attribute_traversal_key = backwards}),
            (Texts{"/step", "/named/y", "/layers/0/w", "/layers/1/w",
                   "/layers/1/b"}));
}

TEST(Module, AllPathsEndInCircles) {
  gk::Module outer("outer"), inner("inner");
  outer.track("inner", inner);
  inner.track("up", outer);
  inner.track("x", gk::Variable(1.f));
  EXPECT_EQ(outer.submodules(), std::vector<gk::Module>{inner});
  EXPECT_EQ(Paths(outer, {.with_path = true}),
            (Texts{"/inner", "/inner/up", "/inner/x", "/inner/up/inner"}));
  inner.track("up", std::optional<gk::Module>());
  EXPECT_EQ(Paths(outer), (Texts{"/inner", "/inner/x"}));
}

TEST(Module, Names) {
  const gk::name_scope around("outer");
  EXPECT_EQ(gk::Module().name(), "module");
  const Dense dense(1);
  EXPECT_EQ(dense.name(), "dense");
  EXPECT_EQ(dense.name_scope().full_name(), "outer/dense/");
  EXPECT_EQ(dense.w->name(), "outer/dense/w");
  for (const char* name : {"", "1a", "a b", "\xc3\xa9", "a/b"}) {
    EXPECT_THROW(gk::Module{name}, gk::Error) << name;
  }
}

}  // namespace
