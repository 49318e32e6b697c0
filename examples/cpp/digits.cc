// A convolutional classifier of handwritten digits, trained by one traced
// step: the twin of examples/digits.py.
//
// usage: digits FILE, which export_digits.py wrote
#include <graphkiln/graphkiln.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>

namespace {

constexpr int64_t kPixels = 64, kHeldOut = 360, kBatch = 64;

struct Digits {
  std::vector<float> pixels;
  std::vector<int64_t> labels;

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  // These rows, as images [n, 8, 8, 1] in [0, 1].
  gk::Tensor Images(const std::vector<int64_t>& rows) const {
    std::vector<float> picked;
    picked.reserve(rows.size() * kPixels);
    for (int64_t r : rows) {
      const auto begin = pixels.begin() + r * kPixels;
      picked.insert(picked.end(), begin, begin + kPixels);
    }
    return gk::Tensor(picked, {static_cast<int64_t>(rows.size()), 8, 8, 1});
  }
  gk::Tensor Labels(const std::vector<int64_t>& rows) const {
    std::vector<int64_t> picked;
    for (int64_t r : rows) picked.push_back(labels[r]);
    return gk::Tensor(picked);
  }
};

Digits ReadDigits(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("cannot read ") + path);
  Digits digits;
  std::string line, cell;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<float> values;
    while (std::getline(cells, cell, ',')) values.push_back(std::stof(cell));
    if (values.size() != kPixels + 1) {
      throw std::runtime_error("each line must hold a label and 64 pixels");
    }
    digits.labels.push_back(static_cast<int64_t>(values[0]));
    for (int i = 1; i <= kPixels; ++i) digits.pixels.push_back(values[i] / 16);
  }
  if (digits.size() < kHeldOut + kBatch) {
    throw std::runtime_error("too few digits");
  }
  return digits;
}

gk::Variable Weight(const gk::Shape& shape) {
  const auto& dims = shape.dims();
  const int64_t fan_in = shape.num_elements() / dims.back();
  return gk::Variable(gk::random::normal(shape, 0, std::sqrt(2.0 / fan_in)));
}
gk::Variable Bias(int64_t n) { return gk::Variable(gk::zeros({n})); }

// Two convolutions, a pool, two dense layers.
class Classifier {
 public:
  gk::Tensor operator()(const gk::Tensor& images) const {
    gk::Tensor h = gk::nn::conv2d(images, k1_, {1}, "SAME") + c1_;
    h = gk::nn::conv2d(gk::nn::relu(h), k2_, {1}, "SAME") + c2_;
    h = gk::nn::max_pool2d(gk::nn::relu(h), {2}, {2}, "SAME");
    h = gk::reshape(h, {-1, 4 * 4 * 64});
    h = gk::nn::relu(gk::matmul(h, w1_) + b1_);
    return gk::matmul(h, w2_) + b2_;
  }
  std::vector<gk::Variable> weights() const {
    return {k1_, c1_, k2_, c2_, w1_, b1_, w2_, b2_};
  }

 private:
  gk::Variable k1_ = Weight({3, 3, 1, 32}), c1_ = Bias(32);
  gk::Variable k2_ = Weight({3, 3, 32, 64}), c2_ = Bias(64);
  gk::Variable w1_ = Weight({4 * 4 * 64, 128}), b1_ = Bias(128);
  gk::Variable w2_ = Weight({128, 10}), b2_ = Bias(10);
};

// Adam (Kingma and Ba, 2015) written with variables.
class Adam {
 public:
  explicit Adam(std::vector<gk::Variable> weights)
      : weights_(std::move(weights)) {
    for (const gk::Variable& w : weights_) {
      means_.emplace_back(gk::zeros_like(w));
      squares_.emplace_back(gk::zeros_like(w));
    }
  }
  void Apply(const std::vector<gk::Tensor>& gradients) const {
    constexpr float kRate = 1e-3f, kBeta1 = 0.9f, kBeta2 = 0.999f;
    steps_.assign_add(1);
    const gk::Tensor rate = kRate * gk::sqrt(1 - gk::pow(kBeta2, steps_)) /
                            (1 - gk::pow(kBeta1, steps_));
    for (size_t i = 0; i < weights_.size(); ++i) {
      const gk::Tensor& g = gradients[i];
      means_[i].assign(kBeta1 * means_[i] + (1 - kBeta1) * g);
      squares_[i].assign(kBeta2 * squares_[i] + (1 - kBeta2) * g * g);
      weights_[i].assign_sub(rate * means_[i] /
                             (gk::sqrt(squares_[i]) + 1e-7f));
    }
  }

 private:
  std::vector<gk::Variable> weights_, means_, squares_;
  gk::Variable steps_{0.0f};
};

double Accuracy(const Classifier& model, const Digits& digits,
                const std::vector<int64_t>& rows) {
  const std::vector<int64_t> predicted =
      gk::argmax(model(digits.Images(rows)), 1).to_vector<int64_t>();
  int64_t right = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    right += predicted[i] == digits.labels[rows[i]];
  }
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: digits FILE (see export_digits.py)\n");
    return 2;
  }
  const Digits digits = ReadDigits(argv[1]);
  std::vector<int64_t> held_out(kHeldOut), rest(digits.size() - kHeldOut);
  std::iota(held_out.begin(), held_out.end(), 0);
  std::iota(rest.begin(), rest.end(), kHeldOut);

  gk::random::set_seed(1);
  const Classifier model;
  const Adam adam(model.weights());
  auto step = gk::function(
      [&](const gk::Tensor& images, const gk::Tensor& labels) {
        gk::GradientTape tape;
        const gk::Tensor loss =
            gk::reduce_mean(gk::nn::sparse_softmax_cross_entropy_with_logits(
                labels, model(images)));
        adam.Apply(tape.gradient(loss, model.weights()));
        return loss;
      },
      {.name = "train_step"});

  std::mt19937 order(2);
  std::vector<double> seconds;
  for (int epoch = 1; epoch <= 12; ++epoch) {
    std::shuffle(rest.begin(), rest.end(), order);
    float loss = 0;
    for (size_t at = 0; at + kBatch <= rest.size(); at += kBatch) {
      const std::vector<int64_t> rows(rest.begin() + at,
                                      rest.begin() + at + kBatch);
      const gk::Tensor images = digits.Images(rows);
      const gk::Tensor labels = digits.Labels(rows);
      const auto start = std::chrono::steady_clock::now();
      loss = step(images, labels).item<float>();
      seconds.push_back(std::chrono::duration<double>(
                            std::chrono::steady_clock::now() - start)
                            .count());
    }
    std::printf("  epoch %2d/12  loss %.4f\n", epoch, loss);
    std::fflush(stdout);
  }
  std::sort(seconds.begin(), seconds.end());
  const double accuracy = Accuracy(model, digits, held_out);
  std::printf("  %.3f ms a step (median), traced %d time\n",
              seconds[seconds.size() / 2] * 1e3, step.tracing_count());
  std::printf("  accuracy on %d digits that it never saw: %.1f%%\n",
              static_cast<int>(kHeldOut), accuracy * 100);
  if (accuracy <= 0.97) {
    std::fprintf(stderr, "The classifier should reach more than 97 %%.\n");
    return 1;
  }
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "digits: %s\n", e.what());
  return 1;
}
