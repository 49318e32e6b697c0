// A recurrent network over sequences of different lengths: one loop, written
// once, run step by step and as a traced graph, and trained to tell which of
// two numbers a sequence has more of.
#include <graphkiln/graphkiln.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

constexpr int kBatch = 32, kSteps = 20, kUnits = 16;

class Classifier {
 public:
  // Logits (batch, 1) of inputs (steps, batch, 1); only the first `lengths`
  // steps of each sequence count.
  gk::Tensor operator()(const gk::Tensor& inputs,
                        const gk::Tensor& lengths) const {
    gk::Tensor h = gk::zeros({kBatch, kUnits});
    gk::carry(h).for_each(inputs, [&](const gk::Tensor& x, gk::Tensor step) {
      const gk::Tensor next =
          gk::tanh(gk::matmul(x, w_) + gk::matmul(h, u_) + b_);
      h = gk::where(gk::expand_dims(step < lengths, 1), next, h);
    });
    return gk::matmul(h, v_);
  }
  std::vector<gk::Variable> variables() const { return {w_, u_, b_, v_}; }

 private:
  gk::Variable w_{gk::random::normal({1, kUnits}) * 0.5, {.name = "w"}};
  gk::Variable u_{gk::random::normal({kUnits, kUnits}) * 0.25, {.name = "u"}};
  gk::Variable b_{gk::zeros({kUnits}), {.name = "b"}};
  gk::Variable v_{gk::random::normal({kUnits, 1}) * 0.5, {.name = "v"}};
};

struct Batch {
  gk::Tensor inputs, lengths, labels;
};

// Sequences of -1 and 1; the label is 1 where their sum is positive.
Batch MakeBatch() {
  const gk::Tensor signs =
      gk::random::uniform_int({kSteps, kBatch, 1}, 0, 2) * 2 - 1;
  const gk::Tensor lengths =
      gk::random::uniform_int({kBatch}, kSteps / 2, kSteps + 1);
  gk::Tensor sum = gk::zeros({kBatch, 1}, gk::DataType::kInt32);
  gk::carry(sum).for_each(signs, [&](const gk::Tensor& s, gk::Tensor step) {
    sum = sum + gk::where(gk::expand_dims(step < lengths, 1), s, s * 0);
  });
  return {gk::cast(signs, gk::DataType::kFloat), lengths,
          gk::cast(sum > 0, gk::DataType::kFloat)};
}

template <class F>
double MillisecondsOf100(const F& f) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) f();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

int main() try {
  gk::random::set_seed(1);
  const Classifier classify;
  auto graph = gk::function(
      [&](const gk::Tensor& x, const gk::Tensor& n) { return classify(x, n); },
      {.name = "classify"});
  const Batch batch = MakeBatch();
  const float apart =
      gk::reduce_max(gk::abs(classify(batch.inputs, batch.lengths) -
                             graph(batch.inputs, batch.lengths)))
          .item<float>();
  if (apart > 1e-5f) {
    std::fprintf(stderr, "the graph and eager execution differ by %g\n",
                 static_cast<double>(apart));
    return 1;
  }

  auto train = gk::function(
      [&](const Batch& b) {
        gk::GradientTape tape;
        const gk::Tensor logits = classify(b.inputs, b.lengths);
        // The logistic loss, of labels -1 and 1.
        const gk::Tensor loss =
            gk::reduce_mean(gk::math::softplus(-logits * (b.labels * 2 - 1)));
        const std::vector<gk::Variable> variables = classify.variables();
        const std::vector<gk::Tensor> gradients =
            tape.gradient(loss, variables);
        for (size_t i = 0; i < variables.size(); ++i) {
          variables[i].assign_sub(gradients[i] * 0.2);
        }
        return loss;
      },
      {.name = "train"});
  float first = 0, last = 0;
  for (int i = 0; i < 2000; ++i) {
    last = train(MakeBatch()).item<float>();
    if (i == 0) first = last;
  }
  std::printf("loss %.3f -> %.3f after 2,000 steps, traced %d time\n",
              static_cast<double>(first), static_cast<double>(last),
              train.tracing_count());
  std::printf("forward, 100 calls, eager  %7.2f ms\n", MillisecondsOf100([&] {
                classify(batch.inputs, batch.lengths);
              }));
  std::printf("forward, 100 calls, graph  %7.2f ms\n", MillisecondsOf100([&] {
                graph(batch.inputs, batch.lengths);
              }));
  return last < first / 2 ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "dynamic_rnn: %s\n", e.what());
  return 1;
}
