// gk::saved_model: programs in C++ are saved, loaded, run, trained and saved
// again.
#include "graphkiln/saved_model.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

#include "api/thrown_for_test.h"
#include "graphkiln/graphkiln.h"

namespace gk {
namespace {

namespace fs = std::filesystem;
using saved_model::load;
using saved_model::named;
using saved_model::save;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class SavedModelTest : public ::testing::Test {
 protected:
  SavedModelTest() {
    char name[] = "/tmp/gk-saved-model-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~SavedModelTest() override { fs::remove_all(folder_); }
  std::string folder_;
};

struct Affine : Module {
  Affine(float weight, float bias) : Module("affine") {
    w = track("w",
              Variable(Tensor({{weight, 0.f}, {0.f, weight}}), {.name = "w"}));
    b = track("b", Variable(Tensor({bias, bias}), {.name = "b"}));
  }
  Tensor operator()(const Tensor& x) const {
    return linalg::matmul(x, *w) + *b;
  }
  std::optional<Variable> w, b;
};

struct AffineNet : Module {
  AffineNet() : Module("net") {}
  Tensor operator()(Tensor x) const {
    for (const Affine& layer : layers) x = nn::relu(layer(x));
    return x;
  }
  std::vector<Affine> layers =
      track("layers", std::vector<Affine>{Affine(2, 1), Affine(3, -1)});
};

TensorSpec Rows() { return {Shape({kUnknown, 2}), DataType::kFloat, "x"}; }
Tensor X() { return {{1.f, -2.f}}; }
// relu(relu(2x + 1) * 3 - 1)
const std::vector<float> kY{8, 0};

std::vector<float> Values(const Tensor& t) { return t.to_vector<float>(); }

bool Says(const Error& e, const std::string& text) {
  return std::string(e.what()).find(text) != std::string::npos;
}

// A net with its traced function in a folder.
AffineNet SaveNet(const std::string& folder) {
  AffineNet net;
  const auto predict = function(
      [net](Tensor x) {
        return std::map<std::string, Tensor>{{"scores", net(x)}};
      },
      {.name = "predict", .argument_names = {"x"}});
  predict.get_concrete_function(Rows());
  save(net, folder, {.functions = {{"predict", predict}}});
  return net;
}

TEST_F(SavedModelTest, TheOnlyFunctionIsTheSignature) {
  SaveNet(folder_);
  EXPECT_TRUE(saved_model::contains_saved_model(folder_));
  const auto model = load(folder_);
  EXPECT_EQ(model.folder(), folder_);
  EXPECT_EQ(model.tags(), std::vector<std::string>{"serve"});
  EXPECT_EQ(model.signature_names(),
            std::vector<std::string>{"serving_default"});
  const auto signature = model.signature();
  ASSERT_EQ(signature.inputs().size(), 1u);
  EXPECT_EQ(signature.inputs()[0], Rows());
  ASSERT_EQ(signature.outputs().size(), 1u);
  EXPECT_EQ(signature.outputs()[0],
            (TensorSpec{Shape({kUnknown, 2}), DataType::kFloat, "scores"}));
  EXPECT_EQ(Values(signature.Call({X()})[0]), kY);
  EXPECT_EQ(Values(signature.CallByName({{"x", X()}}).at("scores")), kY);
}

TEST_F(SavedModelTest, FunctionsAreFoundByTheirWay) {
  SaveNet(folder_);
  const auto model = load(folder_);
  EXPECT_EQ(model.function_names(), std::vector<std::string>{"predict"});
  const auto predict = model.function("predict");
  EXPECT_EQ(Values(predict(X())["scores"]), kY);
  EXPECT_EQ(Values(predict(named("x", X())).tensor()), kY);
  EXPECT_EQ(predict.concrete_functions().size(), 1u);
  EXPECT_TRUE(Says(Thrown([&] { predict(X())["score"]; }), "'scores'"));
  EXPECT_TRUE(Says(Thrown([&] { model.function("run"); }), "It has 'predict'"));
}

TEST_F(SavedModelTest, VariablesTrainOn) {
  SaveNet(folder_);
  const auto model = load(folder_);
  ASSERT_EQ(model.variables().size(), 4u);
  const Variable w = model.variable("layers.0.w");
  EXPECT_EQ(Values(w.value()), (std::vector<float>{2, 0, 0, 2}));
  EXPECT_EQ(Values(model.variable("b").value()), (std::vector<float>{1, 1}));
  const auto predict = model.function("predict");
  const auto loss_of = [&] {
    const Tensor y = predict(X())["scores"];
    return math::reduce_sum((y - 5.f) * (y - 5.f));
  };
  float before = 0, after = 0;
  for (int step = 0; step < 5; ++step) {
    GradientTape tape;
    const Tensor loss = loss_of();
    const std::vector<Variable> variables = model.trainable_variables();
    const std::vector<Tensor> gradients = tape.gradient(loss, variables);
    for (size_t i = 0; i < variables.size(); ++i) {
      variables[i].assign_sub(gradients[i] * 0.01f);
    }
    if (step == 0) before = loss.item<float>();
    after = loss.item<float>();
  }
  EXPECT_LT(after, before * 0.8f);
  // The handles of a model share its values.
  EXPECT_NE(Values(model.variable("layers.0.w").value()),
            (std::vector<float>{2, 0, 0, 2}));
  EXPECT_EQ(Values(load(folder_).variable("layers.0.w").value()),
            (std::vector<float>{2, 0, 0, 2}));
}

TEST_F(SavedModelTest, WhatWasLoadedIsSavedAgain) {
  SaveNet(folder_ + "/a");
  {
    const auto model = load(folder_ + "/a");
    model.variable("layers.1.b").assign(Tensor({10.f, 0.f}));
    save(model, folder_ + "/b", {.extra_tags = {"again"}});
  }
  fs::remove_all(folder_ + "/a");
  const auto model = load(folder_ + "/b", {.tags = {{"again", "serve"}}});
  const std::vector<float> expected{19, 0};
  EXPECT_EQ(Values(model.signature().Call({X()})[0]), expected);
  EXPECT_EQ(Values(model.function("predict")(X())["scores"]), expected);
  EXPECT_EQ(model.signature().inputs()[0], Rows());
  EXPECT_EQ(model.variables().size(), 4u);
}

struct Pair {
  Tensor sum, difference;
};

TEST_F(SavedModelTest, CallsFindTheirTrace) {
  const auto f = function(
      [](Tensor x, int n, bool negate) {
        Tensor y = x * static_cast<float>(n);
        return negate ? -y : y;
      },
      {.argument_names = {"x", "n", "negate"}});
  f(Tensor(1.f), 2, false);
  f(Tensor(1.f), 3, true);
  f(Tensor({1.f, 1.f}), 2, false);
  const auto g = function([](const std::vector<Tensor>& both) {
    return std::tuple(both[0] + both[1],
                      std::vector<Tensor>{both[0] - both[1]});
  });
  g(std::vector<Tensor>{1.f, 2.f});
  const auto h = function([](const Pair& p) { return p.sum + p.difference; });
  h(Pair{1.f, 2.f});
  save(Module(), folder_, {.functions = {{"f", f}, {"g", g}, {"h", h}}});

  const auto model = load(folder_);
  const auto loaded = model.function("f");
  EXPECT_EQ(loaded.concrete_functions().size(), 3u);
  EXPECT_EQ(loaded(Tensor(5.f), 2, false).tensor().item<float>(), 10);
  EXPECT_EQ(loaded(Tensor(5.f), 3, true).tensor().item<float>(), -15);
  EXPECT_EQ(Values(loaded(Tensor({1.f, 2.f}), 2, false)),
            (std::vector<float>{2, 4}));
  EXPECT_EQ(loaded(Tensor(5.f), named("negate", true), named("n", int64_t{3}))
                .tensor()
                .item<float>(),
            -15);
  // A number becomes the tensor that the trace takes.
  EXPECT_EQ(loaded(5, 2, false).tensor().item<float>(), 10);
  const Error none = Thrown([&] { loaded(Tensor(5.f), 4, false); });
  EXPECT_EQ(none.code(), ErrorCode::kValueError);
  EXPECT_TRUE(Says(none, "Option 3"));
  EXPECT_TRUE(Says(none, "Literal[4]"));

  const auto both = model.function("g")(std::vector<Tensor>{5.f, 2.f});
  EXPECT_EQ(both.tensors().size(), 2u);
  EXPECT_EQ(both[0].tensor().item<float>(), 7);
  EXPECT_EQ(both[1][0].tensor().item<float>(), 3);
  EXPECT_EQ(Thrown([&] { both.tensor(); }).code(), ErrorCode::kValueError);
  EXPECT_EQ(Thrown([&] { both[2]; }).code(), ErrorCode::kIndexError);
  EXPECT_EQ(model.function("h")(Pair{5.f, 2.f}).tensor().item<float>(), 7);
}

TEST_F(SavedModelTest, ChecksAreLeftOutWhenAsked) {
  const auto halve = function(
      [](Tensor x) { return debugging::check_numerics(x, "too large") * 0.5f; },
      {.name = "halve", .argument_names = {"x"}});
  halve.get_concrete_function(TensorSpec{Shape{}, DataType::kFloat, "x"});
  const Tensor infinite = std::numeric_limits<float>::infinity();
  for (const bool stripped : {false, true}) {
    save(Module("m"), folder_, {.functions = {{"halve", halve}}},
         {.experimental_debug_stripper = stripped});
    const auto model = load(folder_);
    const auto loaded = model.function("halve");
    EXPECT_EQ(Values(loaded(Tensor(4.f)).tensor())[0], 2.f);
    if (stripped) {
      EXPECT_EQ(Values(loaded(infinite).tensor())[0],
                std::numeric_limits<float>::infinity());
    } else {
      EXPECT_THROW(loaded(infinite), Error);
    }
  }
}

TEST_F(SavedModelTest, VariablesAsArguments) {
  const auto f = function([](const Variable& v, Tensor x) { return v * x; });
  const Variable v(Tensor(2.f));
  f(v, Tensor(1.f));
  save(Module(), folder_, {.functions = {{"f", f}}});
  const auto loaded = load(folder_).function("f");
  const Variable other(Tensor(3.f));
  EXPECT_EQ(loaded(other, Tensor(5.f)).tensor().item<float>(), 15);
  EXPECT_EQ(loaded(Variable(Tensor(3.f)), other).tensor().item<float>(), 9);
}

TEST_F(SavedModelTest, ElementsAreNotCopied) {
  const auto same =
      function([](Tensor x) { return x; }, {.argument_names = {"x"}});
  same.get_concrete_function(Rows());
  save(Module(), folder_, {.functions = {{"same", same}}});
  const auto signature = load(folder_).signature();
  alignas(64) float buffer[4] = {1, 2, 3, 4};
  std::atomic<int> released{0};
  {
    const std::vector<Tensor> out = signature.Call(
        {Tensor::FromBlob(buffer, Shape({2, 2}), [&] { ++released; })});
    EXPECT_EQ(out[0].data<float>(), buffer);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
}

TEST_F(SavedModelTest, InputsMayHaveDefaults) {
  const auto f = function([](Tensor x, Tensor scale) { return x * scale; },
                          {.argument_names = {"x", "scale"}});
  const ConcreteFunction trace = f.get_concrete_function(
      TensorSpec{Shape({kUnknown}), DataType::kFloat, "x"},
      TensorSpec{Shape(), DataType::kFloat, "scale"});
  save(Module(), folder_,
       {.signatures = {{"scaled", trace}},
        .defaults = {{"scaled", {{"scale", Tensor(2.f)}}}}});
  const auto signature = load(folder_).signature("scaled");
  EXPECT_EQ(signature.defaults().at("scale").item<float>(), 2);
  // Sorted by name.
  EXPECT_EQ(signature.inputs()[0].name, "scale");
  EXPECT_EQ(
      Values(signature.CallByName({{"x", Tensor({1.f, 2.f})}}).at("output_0")),
      (std::vector<float>{2, 4}));
  EXPECT_TRUE(Says(Thrown([&] { signature.CallByName({}); }),
                   "missing its input 'x'. It takes 'scale', 'x'."));
  EXPECT_TRUE(
      Says(Thrown([&] {
             signature.CallByName({{"x", Tensor({1.f})}, {"y", Tensor(1.f)}});
           }),
           "has no input 'y'"));
}

TEST_F(SavedModelTest, ManyThreadsCallOneSignature) {
  SaveNet(folder_);
  const auto model = load(folder_);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int k = 0; k < 8; ++k) {
    threads.emplace_back([&] {
      const auto signature = model.signature();
      const auto predict = model.function("predict");
      for (int i = 0; i < 200; ++i) {
        if (Values(signature.Call({X()})[0]) != kY) ++wrong;
        if (Values(predict(X())["scores"]) != kY) ++wrong;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// A signature that never ends by itself.
void SaveLoop(const std::string& folder) {
  const auto spin = function(
      [](Tensor x) {
        Tensor i = x;
        carry(i).while_([&] { return i >= 0; },
                        [&] { i = math::floormod(i + 1, 1000); });
        return i;
      },
      {.argument_names = {"x"}});
  spin.get_concrete_function(TensorSpec{Shape(), DataType::kInt64, "x"});
  save(Module(), folder, {.functions = {{"spin", spin}}});
}

TEST_F(SavedModelTest, CallsEndAtTheirDeadline) {
  SaveLoop(folder_);
  const auto model = load(folder_);
  const auto start = steady_clock::now();
  const RunOptions soon{.deadline = start + milliseconds(30)};
  const Error late =
      Thrown([&] { model.signature().Call({Tensor(int64_t{0})}, soon); });
  EXPECT_EQ(late.code(), ErrorCode::kDeadlineExceeded);
  EXPECT_TRUE(Says(late, "serving_default")) << late.what();
  EXPECT_LT(steady_clock::now() - start, milliseconds(2000));
  // One that has passed before anything runs; and of functions by their way.
  EXPECT_EQ(Thrown([&] {
              model.function("spin").with(soon)(Tensor(int64_t{0}));
            }).code(),
            ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(Thrown([&] {
              model.signature().concrete_function().Call({Tensor(int64_t{0})},
                                                         soon);
            }).code(),
            ErrorCode::kDeadlineExceeded);
}

TEST_F(SavedModelTest, CallsAreCancelled) {
  SaveLoop(folder_);
  const auto signature = load(folder_).signature();
  const CancellationToken stop;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(30));
    stop.Cancel();
  });
  const Error ended = Thrown(
      [&] { signature.Call({Tensor(int64_t{0})}, {.cancellation = stop}); });
  other.join();
  EXPECT_EQ(ended.code(), ErrorCode::kCancelled);
  EXPECT_TRUE(stop.is_cancelled());
}

TEST_F(SavedModelTest, OneLongKernelEndsToo) {
  const auto f = function([](Tensor x) { return linalg::matmul(x, x); },
                          {.argument_names = {"x"}});
  f.get_concrete_function(
      TensorSpec{Shape({kUnknown, kUnknown}), DataType::kDouble, "x"});
  save(Module(), folder_, {.functions = {{"f", f}}});
  const auto signature = load(folder_).signature();
  const Tensor x = ones({4000, 4000}, DataType::kDouble);
  const auto start = steady_clock::now();
  EXPECT_EQ(Thrown([&] {
              signature.Call({x}, {.deadline = start + milliseconds(20)});
            }).code(),
            ErrorCode::kDeadlineExceeded);
  EXPECT_LT(steady_clock::now() - start, milliseconds(2000));
}

TEST_F(SavedModelTest, LoadsAndCallsWithinTracedFunctions) {
  SaveNet(folder_);
  std::optional<saved_model::SavedModel> model;
  const auto f = function([&](Tensor x) {
    if (!model) model = load(folder_);
    return model->signature().Call({x})[0] +
           model->function("predict")(x)["scores"];
  });
  const std::vector<float> twice{16, 0};
  EXPECT_EQ(Values(f(X())), twice);
  EXPECT_EQ(Values(f(X())), twice);
  EXPECT_EQ(Values(model->signature().Call({X()})[0]), kY);
}

TEST_F(SavedModelTest, WrongCallsSayWhatIsWrong) {
  SaveNet(folder_);
  const auto model = load(folder_);
  const auto signature = model.signature();
  EXPECT_EQ(Thrown([&] { signature.Call({}); }).code(), ErrorCode::kTypeError);
  EXPECT_EQ(Thrown([&] {
              signature.Call({Tensor({{1, 2}})});
            }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Thrown([&] { signature.Call({Tensor(1.f)}); }).code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(Thrown([&] { signature.Call({Tensor()}); }).code(),
            ErrorCode::kValueError);
  EXPECT_TRUE(Says(Thrown([&] { model.signature("train"); }),
                   "no signature 'train'. It has 'serving_default'."));
  EXPECT_TRUE(
      Says(Thrown([&] { model.variable("v"); }), "no variable 'v'. It has"));
  EXPECT_EQ(Thrown([&] { load(folder_ + "/none"); }).code(),
            ErrorCode::kNotFound);
  EXPECT_TRUE(Says(Thrown([&] { load(folder_, {.tags = {{"gpu"}}}); }),
                   "one MetaGraph with tags ['serve']"));
}

TEST_F(SavedModelTest, WhatCannotBeSavedIsNamed) {
  const Variable apart(Tensor(1.f), {.name = "apart"});
  const auto uses = function([=](Tensor x) { return x * apart; });
  uses(Tensor(1.f));
  EXPECT_TRUE(Says(Thrown([&] {
                     save(Module(), folder_, {.functions = {{"f", uses}}});
                   }),
                   "apart"));
  uses(Tensor({1.f}));
  EXPECT_TRUE(Says(Thrown([&] {
                     save(Module(), folder_, {.signatures = {{"s", uses}}});
                   }),
                   "'s' has 2 traces"));
  EXPECT_TRUE(Says(
      Thrown([&] {
        save(Module(), folder_, {.defaults = {{"s", {{"x", Tensor(1.f)}}}}});
      }),
      "no signature"));
  EXPECT_FALSE(saved_model::contains_saved_model(folder_));
}

}  // namespace
}  // namespace gk
