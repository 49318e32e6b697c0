// What a step of training costs while a checkpoint is being written by another
// thread.
//
// usage: checkpoint_steps FOLDER [ROUNDS]
//
// Trains three layers of 2048 by 2048, 50 MB of variables, on 128 rows, as
// benchmarks/checkpoints.py does. A round is 100 steps without a checkpoint and
// 100 of which the first begins to write one, in turn; files are synced
// between. Prints the medians of the rounds, milliseconds a step, and of what
// the second takes more than the first of its round.
#include <graphkiln/graphkiln.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kSteps = 100;

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t n = values.size();
  return (values[n / 2] + values[(n - 1) / 2]) / 2;
}

struct Layers : gk::Module {
  Layers() : gk::Module("layers") {
    for (int i = 0; i < 3; ++i) {
      all.push_back(gk::Variable(gk::random::normal({2048, 2048}, 0.0f, 0.02f),
                                 {.name = "w" + std::to_string(i)}));
    }
    track("w", all);
  }
  std::vector<gk::Variable> all;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string prefix = std::string(argv[1]) + "/async";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const Layers layers;
  const gk::Tensor x = gk::random::normal({128, 2048});
  const auto train = gk::function([&] {
    gk::GradientTape tape;
    gk::Tensor y = x;
    for (const gk::Variable& w : layers.all) {
      y = gk::nn::relu(gk::linalg::matmul(y, w));
    }
    const gk::Tensor loss = gk::math::reduce_mean(y);
    const std::vector<gk::Tensor> gradients = tape.gradient(loss, layers.all);
    for (size_t i = 0; i < gradients.size(); ++i) {
      layers.all[i].assign_sub(gradients[i] * 0.01f);
    }
    return loss;
  });
  const gk::Checkpoint checkpoint(layers);
  const auto steps = [&](bool writes) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kSteps; ++i) {
      if (writes && i == 0) checkpoint.write(prefix, {.enable_async = true});
      train().item<float>();
    }
    const std::chrono::duration<double, std::milli> took =
        std::chrono::steady_clock::now() - begin;
    return took.count() / kSteps;
  };
  steps(true);
  std::vector<double> plain, writing, more;
  for (int i = 0; i < rounds; ++i) {
    checkpoint.sync();
    sync();
    plain.push_back(steps(false));
    writing.push_back(steps(true));
    more.push_back(100 * (writing.back() / plain.back() - 1));
  }
  checkpoint.sync();
  std::printf("%.2f ms a step, %.2f ms while it writes: %+.2f %%\n",
              Median(plain), Median(writing), Median(more));
}
