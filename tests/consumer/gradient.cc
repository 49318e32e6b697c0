// gk::GradientTape: eager and traced, nested, persistent.
#include <graphkiln/graphkiln.h>

#include "check.h"

using Floats = std::vector<float>;

static void Plain() {
  const gk::Tensor x = {1.0f, 2.0f, 3.0f};
  gk::GradientTape tape;
  tape.watch(x);
  const gk::Tensor y = gk::reduce_sum(x * x);
  const gk::Tensor dx = tape.gradient(y, x);
  CHECK((dx.to_vector<float>() == Floats{2, 4, 6}));
  CHECK_ERROR(tape.gradient(y, x), kRuntimeError);
}

static void Variables() {
  gk::Variable w(3.0f), b(1.0f), frozen(2.0f, {.trainable = false});
  gk::GradientTape tape({.persistent = true});
  const gk::Tensor y = w * w + b * frozen;
  CHECK(tape.gradient(y, w).item<float>() == 6);
  const std::vector<gk::Tensor> g =
      tape.gradient(y, std::vector<gk::Variable>{w, b, frozen});
  CHECK(g[0].item<float>() == 6 && g[1].item<float>() == 2);
  CHECK(!g[2].defined());
  const std::vector<gk::Tensor> weighted =
      tape.gradient({y}, {w}, {gk::Tensor(10.0f)});
  CHECK(weighted[0].item<float>() == 60);
  CHECK_ERROR(tape.gradient({y}, {w}, {y, y}), kValueError);
  CHECK_ERROR(tape.gradient(gk::Tensor(), w), kValueError);
}

static void Nested() {
  const gk::Tensor x = 2.0f;
  gk::GradientTape outer;
  outer.watch(x);
  gk::Tensor first;
  {
    gk::GradientTape inner;
    inner.watch(x);
    first = inner.gradient(x * x * x, x);
  }
  CHECK(first.item<float>() == 12);
  CHECK(outer.gradient(first, x).item<float>() == 12);
}

static void StoppedAndReset() {
  const gk::Tensor x = 2.0f;
  gk::GradientTape tape({.persistent = true});
  tape.watch(x);
  gk::Tensor y = x * x;
  tape.Stop();
  const gk::Tensor unseen = y * x;
  tape.Resume();
  CHECK(!tape.gradient(unseen, x).defined());
  CHECK(tape.gradient(y, x).item<float>() == 4);
  tape.Reset();
  CHECK(!tape.gradient(y, x).defined());
}

static void Traced() {
  gk::Variable w(3.0f);
  auto loss = gk::function([&](const gk::Tensor& x) { return w * w * x; });
  {
    gk::GradientTape tape;
    const gk::Tensor y = loss(gk::Tensor(2.0f));
    CHECK(tape.gradient(y, w).item<float>() == 12);
  }
  // The tape inside the function.
  auto gradient = gk::function([&](const gk::Tensor& x) {
    gk::GradientTape tape;
    tape.watch(x);
    return tape.gradient(w * x * x, x);
  });
  CHECK(gradient(gk::Tensor(5.0f)).item<float>() == 30);
  // Both: second order through a function.
  const gk::Tensor x = 5.0f;
  gk::GradientTape tape;
  tape.watch(x);
  CHECK(tape.gradient(gradient(x), x).item<float>() == 6);
}

static void Embedding() {
  gk::Variable table({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  gk::GradientTape tape;
  const gk::Tensor rows = gk::gather(table, gk::Tensor({2, 0, 2}));
  const gk::Tensor g = tape.gradient(gk::reduce_sum(rows), table);
  CHECK((g.to_vector<float>() == Floats{1, 1, 0, 0, 2, 2}));
}

int main() {
  Plain();
  Variables();
  Nested();
  StoppedAndReset();
  Traced();
  Embedding();
  return 0;
}
