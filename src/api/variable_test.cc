// Reads and updates of parts of variables.
#include <graphkiln/graphkiln.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using Floats = std::vector<float>;

Floats ValuesOf(const gk::Variable& v) { return v.value().to_vector<float>(); }

TEST(Variable, ScattersSlices) {
  const gk::Variable v(gk::Tensor(Floats{1, 2, 3, 4}, {2, 2}));
  const gk::Tensor at = {1}, row(Floats{10, 20}, {1, 2});
  EXPECT_EQ(ValuesOf(v.scatter_add(at, row)), (Floats{1, 2, 13, 24}));
  EXPECT_EQ(ValuesOf(v.scatter_sub(at, row)), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(ValuesOf(v.scatter_mul(at, row)), (Floats{1, 2, 30, 80}));
  EXPECT_EQ(ValuesOf(v.scatter_div(at, row)), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(ValuesOf(v.scatter_max(at, row)), (Floats{1, 2, 10, 20}));
  EXPECT_EQ(ValuesOf(v.scatter_min({0}, row)), (Floats{1, 2, 10, 20}));
  EXPECT_EQ(ValuesOf(v.scatter_update({0}, row)), (Floats{10, 20, 10, 20}));
  EXPECT_EQ(v.sparse_read(at).to_vector<float>(), (Floats{10, 20}));
}

TEST(Variable, ScattersElements) {
  const gk::Variable v(gk::Tensor(Floats{1, 2, 3, 4}, {2, 2}));
  const gk::Tensor at(std::vector<int32_t>{0, 1, 1, 0}, {2, 2});
  const gk::Tensor x = {5.f, 1.f};
  EXPECT_EQ(ValuesOf(v.scatter_nd_add(at, x)), (Floats{1, 7, 4, 4}));
  EXPECT_EQ(ValuesOf(v.scatter_nd_sub(at, x)), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(ValuesOf(v.scatter_nd_max(at, x)), (Floats{1, 5, 3, 4}));
  EXPECT_EQ(ValuesOf(v.scatter_nd_min(at, x)), (Floats{1, 5, 1, 4}));
  EXPECT_EQ(ValuesOf(v.scatter_nd_update(at, -x)), (Floats{1, -5, -1, 4}));
  EXPECT_EQ(v.gather_nd(at).to_vector<float>(), (Floats{-5, -1}));
}

TEST(Variable, ScattersBatches) {
  const gk::Variable v(gk::Tensor(Floats(8, 0.f), {2, 4}));
  const gk::Tensor at(std::vector<int32_t>{0, 3, 1, 2}, {2, 2});
  const gk::Tensor x(Floats{1, 2, 3, 4}, {2, 2});
  EXPECT_EQ(ValuesOf(v.batch_scatter_update(at, x)),
            (Floats{1, 0, 0, 2, 0, 3, 4, 0}));
  EXPECT_THROW(v.batch_scatter_update(gk::Tensor(1), x), gk::Error);
  // Inside of a function, and without batches.
  auto f = gk::function([&](gk::Tensor i, gk::Tensor u) {
    return v.batch_scatter_update(i, u).value();
  });
  EXPECT_EQ(f(at, x * 2.f).to_vector<float>(),
            (Floats{2, 0, 0, 4, 0, 6, 8, 0}));
  const gk::Variable w = gk::Variable({1.f, 2.f, 3.f});
  EXPECT_EQ(ValuesOf(w.batch_scatter_update({2, 0}, {7.f, 8.f})),
            (Floats{8, 2, 7}));
}

TEST(Variable, CountsUpToALimit) {
  const gk::Variable v(gk::Tensor(0));
  EXPECT_EQ(v.count_up_to(1).item<int32_t>(), 0);
  EXPECT_THROW(v.count_up_to(1), gk::Error);
  EXPECT_EQ(v.value().item<int32_t>(), 1);
}

TEST(Variable, IsMadeByTheScopesAroundIt) {
  using Next = gk::variable_creator_scope::Next;
  std::string order;
  {
    const gk::variable_creator_scope frozen(
        [&](const Next& next, const gk::Tensor& value,
            gk::VariableOptions options) {
          order += "outer ";
          options.trainable = false;
          return next(value, options);
        });
    const gk::variable_creator_scope doubled(
        [&](const Next& next, const gk::Tensor& value,
            const gk::VariableOptions& options) {
          order += "inner ";
          return next(value * 2.0f, options);
        });
    for (int i = 0; i < 2; ++i) {
      const gk::Variable v(1.5f, {.name = "w"});
      EXPECT_EQ(v.value().item<float>(), 3);
      EXPECT_FALSE(v.trainable());
      EXPECT_EQ(v.name(), "w");
    }
    const gk::variable_creator_scope refuses(
        [](const Next&, const gk::Tensor&,
           const gk::VariableOptions&) -> gk::Variable {
          throw std::runtime_error("no");
        });
    EXPECT_THROW(gk::Variable(1.0f), std::runtime_error);
    EXPECT_THROW(gk::Variable(1.0f), std::runtime_error);
  }
  EXPECT_EQ(order, "inner outer inner outer ");
  EXPECT_TRUE(gk::Variable(1.0f).trainable());
}

gk::variable_creator_scope::Creator Noted(std::string* order, char name) {
  return [order, name](const gk::variable_creator_scope::Next& next,
                       const gk::Tensor& value,
                       const gk::VariableOptions& options) {
    *order += name;
    return next(value, options);
  };
}

TEST(Variable, IsMadeByScopesAroundAndInFunctions) {
  std::string order;
  std::vector<gk::Variable> made;
  auto f = gk::function([&](gk::Tensor x) {
    const gk::variable_creator_scope in(Noted(&order, 'i'));
    if (made.empty()) made.emplace_back(gk::exp(gk::Tensor(0.0f)) * 2.0f);
    return x + made[0];
  });
  const gk::variable_creator_scope out(
      [&](const auto& next, const gk::Tensor& value, const auto& options) {
        order += gk::is_symbolic_tensor(value) ? 's' : 'e';
        return next(value * 3.0f, options);
      });
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 7);
  EXPECT_EQ(order, "is");
}

TEST(Variable, ThatACreatorGivesNeedsNoFirstTrace) {
  const gk::Variable kept(5.0f);
  auto f = gk::function([](gk::Tensor x) { return gk::Variable(3.0f) + x; });
  const gk::variable_creator_scope gives(
      [&](const auto&, const gk::Tensor&, const auto&) { return kept; });
  EXPECT_EQ(f(gk::Tensor(1.0f)).item<float>(), 6);
  EXPECT_EQ(f(gk::Tensor({1.0f})).to_vector<float>(), Floats{6});
  EXPECT_EQ(f.tracing_count(), 2);
}

TEST(Variable, ScopesOfCreatorsAreOfAThreadAndAGraph) {
  std::string order;
  const gk::variable_creator_scope eager(Noted(&order, 'e'));
  std::thread([] { gk::Variable(1.0f); }).join();
  EXPECT_EQ(order, "");
  gk::Graph graph;
  {
    const auto inside = graph.as_default();
    gk::Variable(1.0f);
    const gk::variable_creator_scope of_graph(Noted(&order, 'g'));
    gk::Variable(1.0f);
    const gk::init_scope outside;
    gk::Variable(1.0f);
  }
  EXPECT_EQ(order, "gg");
  auto f = gk::function([&] {
    const gk::variable_creator_scope in(Noted(&order, 'i'));
    {
      gk::Graph other;
      const auto inside = other.as_default();
      gk::Variable(1.0f);
    }
    const gk::init_scope outside;
    if (order.size() < 4) gk::Variable(1.0f);
    return gk::Tensor(1.0f);
  });
  f();
  EXPECT_EQ(order, "ggie");
}

TEST(Variable, ACreatorThatAsksItselfIsAnError) {
  const gk::variable_creator_scope own(
      [](const auto&, const gk::Tensor&, const auto&) {
        return gk::Variable(2.0f);
      });
  EXPECT_THROW(gk::Variable(1.0f), gk::Error);
}

TEST(Variable, OfAGraphIsInitialisedByWhoRunsIt) {
  gk::Graph graph;
  std::optional<gk::Variable> v;
  gk::Tensor doubled;
  {
    const auto inside = graph.as_default();
    const gk::name_scope names("s");
    v.emplace(gk::exp(gk::Tensor(0.0f)) * 3.0f,
              gk::VariableOptions{.name = "v"});
    doubled = *v * 2.0f;
  }
  EXPECT_EQ(v->name(), "s/v");
  EXPECT_EQ(v->initializer().name(), "s/v/Assign");
  EXPECT_TRUE(gk::is_symbolic_tensor(v->initial_value()));
  EXPECT_FALSE(gk::Variable(1.0f).initializer().defined());
  EXPECT_FALSE(gk::Variable(1.0f).initial_value().defined());
  auto run = graph.prune({}, {doubled});
  EXPECT_THROW(run(), gk::Error);
  graph.prune({}, {}, {v->initializer()})();
  EXPECT_EQ(run()[0].item<float>(), 6);
}

TEST(Variable, InitialValuesOfBranchesAndOfFunctionsAround) {
  std::vector<gk::Variable> made;
  auto inner = gk::function([&](gk::Tensor x, gk::Tensor y) {
    return gk::cond(
        x > 0.0f,
        [&] {
          if (made.empty()) made.emplace_back(x * y);
          return made[0] + x;
        },
        [&] { return x; });
  });
  auto outer = gk::function([&](gk::Tensor x) { return inner(x, x * 3.0f); });
  EXPECT_EQ(outer(gk::Tensor(2.0f)).item<float>(), 14);
  EXPECT_EQ(outer(gk::Tensor(1.0f)).item<float>(), 13);
}

TEST(Variable, FunctionsOfElementsMakeNoneThatOutliveThem) {
  const auto numbers = gk::Dataset::range(2);
  EXPECT_THROW(numbers.map([](gk::Tensor i) {
    return gk::cast(i, gk::DataType::kFloat) + gk::Variable(1.0f);
  }),
               gk::Error);
  Floats got;
  for (gk::Tensor t : numbers.map([](gk::Tensor i) {
         const gk::Variable v(gk::cast(i, gk::DataType::kFloat) * 2.0f,
                              {.lifted = false});
         return v.assign_add(1.0f).value();
       })) {
    got.push_back(t.item<float>());
  }
  EXPECT_EQ(got, (Floats{1, 3}));
}

TEST(Variable, KeepsItsValueIfAnUpdateFails) {
  const gk::Variable v({1.f, 2.f});
  EXPECT_THROW(v.scatter_add({5}, {1.f}), gk::Error);
  EXPECT_THROW(v.scatter_nd_add({0}, {1.f, 2.f}), gk::Error);
  EXPECT_EQ(ValuesOf(v), (Floats{1, 2}));
}

}  // namespace
