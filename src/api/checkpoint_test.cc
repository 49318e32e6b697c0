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

TEST_F(CheckpointTest, ASavedModelIsOneToo) {
  Net net;
  net.Build(3);
  saved_model::save(net, folder_ + "/model");
  Net other;
  other.Build(0);
  Checkpoint(other).restore(folder_ + "/model");
  EXPECT_EQ(First(*other.layers[1].w), 3);
  EXPECT_EQ(First(*other.bias), 3);
}

TEST_F(CheckpointTest, WhatHoldsNoValuesIsNotMissed) {
  struct Empty : Module {};
  const Variable step(Tensor(1.f));
  const std::string path = Checkpoint({{"step", step}}).write(folder_ + "/c");
  Checkpoint({{"step", step}, {"empty", Empty()}}).read(path).assert_consumed();
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

struct Momentum : Module {
  void Build(const Variable& variable, float value) {
    track_slot(variable, "momentum", Variable(Tensor({value, value})));
  }
};

TEST_F(CheckpointTest, SlotsAreSavedAndComeBackNowOrLater) {
  Dense dense(1);
  Momentum optimizer;
  optimizer.Build(*dense.w, 5);
  EXPECT_TRUE(optimizer.variables().empty());
  EXPECT_FALSE(optimizer.slot(*dense.w, "velocity"));
  const Checkpoint checkpoint({{"dense", dense}, {"optimizer", optimizer}});
  const std::string path = checkpoint.write(folder_ + "/c");
  EXPECT_TRUE(CheckpointReader(path).has_tensor(
      "dense/w/.OPTIMIZER_SLOT/optimizer/momentum/.ATTRIBUTES/"
      "VARIABLE_VALUE"));
  optimizer.slot(*dense.w, "momentum")->assign(Tensor({0.f, 0.f}));
  checkpoint.read(path).assert_consumed();
  EXPECT_EQ(First(*optimizer.slot(*dense.w, "momentum")), 5);
  Dense other(2);
  Momentum late;
  const LoadStatus status =
      Checkpoint({{"dense", other}, {"optimizer", late}}).read(path);
  EXPECT_EQ(First(*other.w), 1);
  EXPECT_THROW(status.assert_consumed(), Error);
  status.assert_existing_objects_matched();
  late.Build(*other.w, 0);
  EXPECT_EQ(First(*late.slot(*other.w, "momentum")), 5);
  status.assert_consumed();
  // A slot in two places has no one key.
  optimizer.track("again", *optimizer.slot(*dense.w, "momentum"));
  EXPECT_THROW(checkpoint.write(folder_ + "/d"), Error);
}

TEST_F(CheckpointTest, AManagerKeepsTheNewest) {
  const Variable v(Tensor(1.f)), step(Tensor(int64_t{0}));
  const Checkpoint checkpoint({{"v", v}, {"step", step}});
  int begun = 0;
  CheckpointManagerOptions options;
  options.max_to_keep = 2;
  options.step_counter = step;
  options.checkpoint_interval = 5;
  options.init = [&] { ++begun; };
  const CheckpointManager manager(checkpoint, folder_, options);
  EXPECT_FALSE(manager.restore_or_initialize());
  EXPECT_EQ(begun, 1);
  EXPECT_FALSE(manager.latest_checkpoint());
  int saved = 0;
  for (int i = 0; i < 21; ++i) {
    v.assign(static_cast<float>(i));
    if (manager.save()) ++saved;
    step.assign_add(1);
  }
  EXPECT_EQ(saved, 5);
  EXPECT_EQ(manager.checkpoints(),
            (std::vector{folder_ + "/ckpt-4", folder_ + "/ckpt-5"}));
  EXPECT_EQ(latest_checkpoint(folder_), manager.latest_checkpoint());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/ckpt-3.index"));
  // One of the same folder goes on with them.
  const CheckpointManager again(checkpoint, folder_, options);
  EXPECT_EQ(again.checkpoints(), manager.checkpoints());
  EXPECT_EQ(again.restore_or_initialize(), folder_ + "/ckpt-5");
  EXPECT_EQ(v.value().data<float>()[0], 20);
  EXPECT_FALSE(again.save());
  step.assign_add(2);
  EXPECT_FALSE(again.save());
  ManagedSaveOptions anyway;
  anyway.check_interval = false;
  anyway.checkpoint_number = 77;
  anyway.checkpoint.enable_async = true;
  EXPECT_EQ(again.save(anyway), folder_ + "/ckpt-77");
  again.sync();
  EXPECT_EQ(again.checkpoints(),
            (std::vector{folder_ + "/ckpt-5", folder_ + "/ckpt-77"}));
}

TEST_F(CheckpointTest, ManagersRefuseWhatTheyCannotKeep) {
  const Checkpoint checkpoint({{"v", Variable(Tensor(1.f))}});
  CheckpointManagerOptions none;
  none.max_to_keep = 0;
  EXPECT_THROW(CheckpointManager(checkpoint, folder_, none), Error);
  CheckpointManagerOptions uncounted;
  uncounted.checkpoint_interval = 3;
  EXPECT_THROW(CheckpointManager(checkpoint, folder_, uncounted), Error);
  uncounted.step_counter = Variable(Tensor(1.f));
  EXPECT_THROW(CheckpointManager(checkpoint, folder_, uncounted).save(), Error);
  CheckpointManagerOptions all;
  all.max_to_keep = std::nullopt;
  const CheckpointManager manager(checkpoint, folder_, all);
  for (int i = 0; i < 7; ++i) manager.save();
  EXPECT_EQ(manager.checkpoints().size(), 7u);
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

size_t NumShards(const std::string& folder) {
  size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    found += file.path().string().find(".data-") != std::string::npos;
  }
  return found;
}

TEST_F(CheckpointTest, SeveralDataFiles) {
  const Variable v(Tensor({1.f, 2.f, 3.f, 4.f, 5.f}));
  const Checkpoint checkpoint({{"v", v}});
  std::string path = checkpoint.write(
      folder_ + "/c",
      {.experimental_sharding_callback = MaxShardSizePolicy(8)});
  EXPECT_EQ(NumShards(folder_), 3);
  v.assign(Tensor({0.f, 0.f, 0.f, 0.f, 0.f}));
  checkpoint.read(path).assert_consumed();
  EXPECT_EQ(v.value().data<float>()[4], 5);
  const auto one_each = [](const std::vector<ShardableTensor>& tensors) {
    std::vector<Shard> shards;
    for (const ShardableTensor& tensor : tensors) {
      shards.push_back({{tensor.checkpoint_key, {{"", tensor.tensor}}}});
    }
    return shards;
  };
  path = checkpoint.write(
      folder_ + "/c", {.experimental_sharding_callback = {.call = one_each}});
  EXPECT_EQ(NumShards(folder_), 2);
  checkpoint.read(path).assert_consumed();
  EXPECT_THROW(
      checkpoint.write(
          folder_ + "/c",
          {.experimental_sharding_callback =
               {.call = [](const auto&) { return std::vector<Shard>(); }}}),
      Error);
  EXPECT_THROW(
      checkpoint.write(
          folder_ + "/c",
          {.experimental_sharding_callback = MaxShardSizePolicy(0)}),
      Error);
  checkpoint.read(path).assert_consumed();
}

}  // namespace
}  // namespace gk
