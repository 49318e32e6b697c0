// gk::Checkpoint: what comes back, what comes later, and what is missing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "graphkiln/graphkiln.h"

namespace gk {
namespace {

class CheckpointTest : public ::testing::Test {
 protected:
  CheckpointTest() {
    char name[] = "/tmp/gk-checkpoint-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~CheckpointTest() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

struct Dense : Module {
  explicit Dense(float value) : Module("dense") {
    w = track("w", Variable(Tensor({value, value}), {.name = "w"}));
  }
  std::optional<Variable> w;
};

struct Net : Module {
  void Build(float value) {
    layers = track("layers", std::vector<Dense>{Dense(value), Dense(value)});
    bias = track("bias", Variable(Tensor(value)));
  }
  std::vector<Dense> layers;
  std::optional<Variable> bias;
};

float First(const Variable& v) { return v.value().data<float>()[0]; }

TEST_F(CheckpointTest, ValuesComeBack) {
  Net net;
  net.Build(1);
  const Variable step(Tensor(int64_t{4}));
  const Checkpoint checkpoint({{"net", net}, {"step", step}});
  const std::string path = checkpoint.save(folder_ + "/ckpt");
  EXPECT_EQ(path, folder_ + "/ckpt-1");
  EXPECT_EQ(latest_checkpoint(folder_), path);
  net.layers[1].w->assign(Tensor({9.f, 9.f}));
  step.assign(0);
  checkpoint.restore(path).assert_consumed();
  EXPECT_EQ(First(*net.layers[1].w), 1);
  EXPECT_EQ(step.value().data<int64_t>()[0], 4);
  const CheckpointReader reader(path);
  EXPECT_TRUE(reader.has_tensor("net/layers/1/w/.ATTRIBUTES/VARIABLE_VALUE"));
  EXPECT_EQ(reader.variable_dtypes().at("step/.ATTRIBUTES/VARIABLE_VALUE"),
            DataType::kInt64);
}

TEST_F(CheckpointTest, WhatComesLaterIsRestored) {
  Net net;
  net.Build(2);
  const std::string path = Checkpoint({{"net", net}}).write(folder_ + "/c");
  Net late;
  const LoadStatus status = Checkpoint({{"net", late}}).read(path);
  EXPECT_THROW(status.assert_consumed(), Error);
  late.Build(0);
  EXPECT_EQ(First(*late.layers[0].w), 2);
  EXPECT_EQ(First(*late.layers[1].w), 2);
  EXPECT_EQ(First(*late.bias), 2);
  status.assert_consumed();
}

TEST_F(CheckpointTest, ErrorsSayWhatIsMissing) {
  const Variable v(Tensor({1.f, 2.f}), {.name = "v"});
  const Checkpoint checkpoint({{"v", v}});
  EXPECT_THROW(checkpoint.restore(folder_ + "/none"), Error);
  const std::string path = checkpoint.write(folder_ + "/c");
  const Variable other(Tensor(1.f));
  try {
    Checkpoint({{"v", other}}).read(path);
    FAIL();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("incompatible tensor with shape (2,)"),
              std::string::npos)
        << e.what();
  }
  EXPECT_THROW(Checkpoint({{"x", other}}).read(path).assert_nontrivial_match(),
               Error);
}

TEST_F(CheckpointTest, AnotherThreadWritesTheValuesOfTheCall) {
  const Variable v(ones({1 << 16}));
  const Checkpoint checkpoint({{"v", v}});
  std::string written;
  const std::string path = checkpoint.save(
      folder_ + "/c", {.enable_async = true,
                       .written = [&](const std::string& p) { written = p; }});
  v.assign(zeros({1 << 16}));
  checkpoint.sync();
  EXPECT_EQ(written, path);
  checkpoint.restore(path).assert_consumed();
  EXPECT_EQ(First(v), 1);
}

}  // namespace
}  // namespace gk
