// A training step as one traced function: the weights reach what the data
// were made with.
#include <graphkiln/graphkiln.h>

#include <cmath>

#include "check.h"

int main() {
  gk::random::set_seed(1);
  const gk::Tensor x = gk::random::normal({64, 3});
  const gk::Tensor true_w(std::vector<float>{2, -1, 0.5f}, {3, 1});
  const gk::Tensor y = gk::matmul(x, true_w) + 0.25;

  gk::Variable w(gk::zeros({3, 1}), {.name = "w"});
  gk::Variable b(0.0f, {.name = "b"});
  auto step = gk::function(
      [&](const gk::Tensor& inputs, const gk::Tensor& targets, float rate) {
        gk::GradientTape tape;
        const gk::Tensor error = gk::matmul(inputs, w) + b - targets;
        const gk::Tensor loss = gk::reduce_mean(gk::square(error));
        const std::vector<gk::Tensor> gradients =
            tape.gradient(loss, std::vector<gk::Variable>{w, b});
        w.assign_sub(gradients[0] * rate);
        b.assign_sub(gradients[1] * rate);
        return loss;
      },
      {.name = "step"});

  const float first = step(x, y, 0.1f).item<float>();
  float last = first;
  for (int i = 0; i < 200; ++i) last = step(x, y, 0.1f).item<float>();
  CHECK(first > 1 && last < 1e-6f);
  CHECK(step.tracing_count() == 1);
  const std::vector<float> got = w.value().to_vector<float>();
  CHECK(std::abs(got[0] - 2) < 1e-2f && std::abs(got[1] + 1) < 1e-2f);
  CHECK(std::abs(b.value().item<float>() - 0.25f) < 1e-2f);
  return 0;
}
