// gk::function: traced once for each kind of argument, run as a graph.
#include <graphkiln/graphkiln.h>

#include <optional>
#include <stdexcept>
#include <thread>

#include "check.h"

using Floats = std::vector<float>;

static void TracesByType() {
  int runs = 0;
  auto f = gk::function([&](const gk::Tensor& x) {
    ++runs;
    CHECK(x.is_symbolic());
    return x * 2 + 1;
  });
  CHECK(f(gk::Tensor(3.0f)).item<float>() == 7);
  CHECK(f(gk::Tensor(4.0f)).item<float>() == 9);
  CHECK(runs == 1 && f.tracing_count() == 1);
  CHECK((f(gk::Tensor{1.0f, 2.0f}).to_vector<float>() == Floats{3, 5}));
  CHECK(f(gk::Tensor(1)).item<int32_t>() == 3);
  CHECK(runs == 3 && f.tracing_count() == 3);
}

static void LiteralsByValue() {
  auto power = gk::function([](gk::Tensor x, int n) {
    gk::Tensor result = x;
    for (int i = 1; i < n; ++i) result = result * x;
    return result;
  });
  const gk::Tensor x = {1, 2, 3};
  CHECK(power(x, 3).to_vector<int32_t>()[2] == 27);
  CHECK(power(x, 3).to_vector<int32_t>()[1] == 8);
  CHECK(power.tracing_count() == 1);
  CHECK(power(x, 2).to_vector<int32_t>()[2] == 9);
  CHECK(power.tracing_count() == 2);
  auto named = gk::function([](const std::string& op, const gk::Tensor& t) {
    return op == "double" ? t + t : -t;
  });
  CHECK(named("double", gk::Tensor(2)).item<int32_t>() == 4);
  CHECK(named("negate", gk::Tensor(2)).item<int32_t>() == -2);
  CHECK(named("double", gk::Tensor(3)).item<int32_t>() == 6);
  CHECK(named.tracing_count() == 2);
}

static void Containers() {
  auto f = gk::function([](const std::vector<gk::Tensor>& list,
                           const std::pair<gk::Tensor, float>& pair) {
    gk::Tensor sum = pair.first * pair.second;
    for (const gk::Tensor& t : list) sum = sum + t;
    return std::tuple(sum, std::vector<gk::Tensor>{list[0], sum},
                      std::array<gk::Tensor, 1>{-sum});
  });
  const gk::Tensor one = 1.0f, two = 2.0f;
  auto [sum, list, array] =
      f(std::vector<gk::Tensor>{one, two}, std::pair(two, 4.0f));
  CHECK(sum.item<float>() == 11);
  CHECK(list.size() == 2 && list[1].item<float>() == 11);
  CHECK(array[0].item<float>() == -11);
  f(std::vector<gk::Tensor>{one}, std::pair(two, 4.0f));
  CHECK(f.tracing_count() == 2);
  auto none = gk::function([](const gk::Tensor&) { return gk::Tensor(); });
  CHECK(!none(one).defined());
}

struct Batch {
  gk::Tensor images, labels;
};
GK_TRACE_STRUCTURE(Batch, images, labels)
struct Step {  // not listed: seen by itself
  Batch batch;
  float rate;
};

static void Structs() {
  auto f = gk::function(
      [](const Step& s) {
        return Batch{s.batch.images * s.rate, s.batch.labels + 1};
      },
      {.name = "step", .argument_names = {"s"}, .max_traces = 2});
  const gk::Tensor one = 1.0f;
  CHECK(f(Step{{one, one}, 3}).images.item<float>() == 3);
  CHECK(f(Step{{one, one}, 3}).labels.item<float>() == 2);
  CHECK(f(Step{{gk::Tensor{1.0f}, one}, 3}).images.shape().rank() == 1);
  CHECK(f.cache_info().hits == 1 && f.cache_info().misses == 2);
  const gk::RetraceExplanation why = f.explain_retraces();
  CHECK(why.retraces.size() == 1);
  CHECK(why.retraces[0].reasons[0].argument == "s.0.images");
  CHECK(why.to_string().starts_with("step was traced 2 times.\nTrace 2 at "));
  f.clear_traces();
  CHECK(f.cache_info().size == 0);
}

static void VariablesAndState() {
  gk::Variable counter(0);
  auto count = gk::function([&] {
    counter.assign_add(1);
    return counter.value();
  });
  CHECK(count().item<int32_t>() == 1);
  CHECK(count().item<int32_t>() == 2);
  CHECK(counter.value().item<int32_t>() == 2);

  // A variable as an argument: any of its kind serves the same trace.
  auto add_to = gk::function([](const gk::Variable& v, const gk::Tensor& d) {
    v.assign_add(d);
  });
  gk::Variable a(1.0f), b(10.0f);
  add_to(a, gk::Tensor(2.0f));
  add_to(b, gk::Tensor(3.0f));
  CHECK(a.value().item<float>() == 3 && b.value().item<float>() == 13);
  CHECK(add_to.tracing_count() == 1);
  // The same variable twice is another kind of call than two.
  auto sum = gk::function([](const gk::Variable& v, const gk::Variable& w) {
    v.assign_add(1);
    return v + w;
  });
  CHECK(sum(a, b).item<float>() == 17);
  CHECK(sum(a, a).item<float>() == 10);
  CHECK(sum.tracing_count() == 2);

  // Created at the first trace, and never again.
  std::optional<gk::Variable> made;
  auto create = gk::function([&](const gk::Tensor& x) {
    if (!made) made.emplace(gk::Tensor(5.0f) * 2);
    return x + *made;
  });
  CHECK(create(1.0f).item<float>() == 11);
  CHECK((create(gk::Tensor{1.0f, 2.0f}).to_vector<float>() == Floats{11, 12}));
  auto wasteful = gk::function([](const gk::Tensor& x) {
    return x + gk::Variable(1.0f);
  });
  CHECK_ERROR(wasteful(gk::Tensor(1.0f)), kValueError);
  CHECK(wasteful.tracing_count() == 0);
}

static void ConcreteFunctions() {
  auto f = gk::function(
      [](const gk::Tensor& x, const gk::Tensor& y) { return x + y; },
      {.name = "plus", .argument_names = {"left", "right"}});
  const gk::TensorSpec spec{.shape = {gk::kUnknown}};
  const gk::ConcreteFunction plus = f.get_concrete_function(spec, spec);
  CHECK(plus.name().starts_with("__inference_plus_"));
  CHECK(plus.inputs().size() == 2 && plus.inputs()[0].name == "left");
  CHECK(plus.outputs()[0].dtype == gk::DataType::kFloat);
  const gk::Tensor x = {1.0f, 2.0f};
  CHECK((plus(x, x)[0].to_vector<float>() == Floats{2, 4}));
  // Calls that the unknown dimension covers need no trace of their own.
  CHECK((f(x, x).to_vector<float>() == Floats{2, 4}));
  CHECK(f.tracing_count() == 1);
  CHECK_ERROR(plus(x), kTypeError);
  CHECK_ERROR(plus(x, gk::Tensor{1, 2}), kInvalidArgument);
  CHECK_ERROR(plus(x, gk::Tensor(1.0f)), kInvalidArgument);

  auto fixed = gk::function([](const gk::Tensor& t) { return t * 2; },
                            {.input_signature = {{spec}}});
  CHECK((fixed(x).to_vector<float>() == Floats{2, 4}));
  CHECK((fixed(gk::Tensor{1.0f}).to_vector<float>() == Floats{2}));
  CHECK(fixed.tracing_count() == 1);
  CHECK_ERROR(fixed(gk::Tensor{1, 2}), kTypeError);

  auto relaxed = gk::function([](const gk::Tensor& t) { return t + t; },
                              {.reduce_retracing = true});
  for (int n = 1; n < 6; ++n) relaxed(gk::zeros({n}));
  CHECK(relaxed.tracing_count() == 2);
}

static void Nesting() {
  auto inner = gk::function([](const gk::Tensor& x) { return x * x; });
  auto outer = gk::function(
      [&](const gk::Tensor& x) { return inner(x) + inner(x + 1); });
  CHECK(outer(gk::Tensor(2.0f)).item<float>() == 13);
  CHECK(inner.tracing_count() == 1);
}

static void Errors() {
  auto broken = gk::function([](const gk::Tensor& x) {
    return x + gk::Tensor({1.0f, 2.0f, 3.0f});
  });
  CHECK_ERROR(broken(gk::Tensor{1.0f, 2.0f}), kValueError);
  CHECK((broken(gk::Tensor{1.0f, 2.0f, 3.0f}).to_vector<float>() ==
         Floats{2, 4, 6}));
  auto reads = gk::function(
      [](const gk::Tensor& x) { return gk::Tensor(x.item<float>()); });
  CHECK_ERROR(reads(gk::Tensor(1.0f)), kTypeError);
  auto throws = gk::function([](const gk::Tensor&) -> gk::Tensor {
    throw std::logic_error("the user's own");
  });
  bool caught = false;
  try {
    throws(gk::Tensor(1.0f));
  } catch (const std::logic_error& e) {
    caught = std::string(e.what()) == "the user's own";
  }
  CHECK(caught && throws.tracing_count() == 0);
  gk::Tensor leaked;
  auto leaks = gk::function([&](const gk::Tensor& x) {
    leaked = x * 2;
    return x;
  });
  leaks(gk::Tensor(1.0f));
  CHECK_ERROR(leaked + 1, kTypeError);
  // Fails when it runs; the next good call works.
  auto divide = gk::function(
      [](const gk::Tensor& x, const gk::Tensor& y) {
        return gk::math::floordiv(x, y);
      });
  CHECK_ERROR(divide(gk::Tensor(1), gk::Tensor(0)), kInvalidArgument);
  CHECK(divide(gk::Tensor(7), gk::Tensor(2)).item<int32_t>() == 3);
}

static void Threads() {
  auto f = gk::function([](const gk::Tensor& x) { return x * 3; });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        CHECK(f(static_cast<float>(t)).item<float>() == t * 3);
        CHECK(f(gk::Tensor(t)).item<int32_t>() == t * 3);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  // Each literal is a kind of its own; tensors are one kind.
  CHECK(f.tracing_count() == 5);
}

int main() {
  TracesByType();
  LiteralsByValue();
  Containers();
  Structs();
  VariablesAndState();
  ConcreteFunctions();
  Nesting();
  Errors();
  Threads();
  return 0;
}
