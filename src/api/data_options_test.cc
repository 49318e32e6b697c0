// gk::DataOptions: kept by datasets, merged, read again.
#include "api/same_gradient_for_test.h"

namespace {

using gk::Dataset;
using gk::Tensor;

TEST(DataOptionsTest, AllAreKept) {
  gk::DataOptions o;
  o.autotune = {true, 1, 2, gk::AutotuneAlgorithm::kHillClimb, 3, 4};
  o.dataset_name = "n";
  o.framework_type = {"a", "b"};
  o.deterministic = false;
  o.experimental_distribute = {gk::AutoShardPolicy::kOff, 5};
  o.experimental_external_state_policy = gk::ExternalStatePolicy::kFail;
  o.experimental_optimization = {true, false, true, true, true, true,
                                 true, true,  true, true, true, false};
  o.experimental_service = {true};
  o.experimental_slack = o.experimental_symbolic_checkpoint =
      o.experimental_warm_start = true;
  o.threading = {6, 7};
  EXPECT_EQ(Dataset::range(2).with_options(o).options(), o);
  EXPECT_EQ(o.merge({}), o);
  EXPECT_EQ(gk::DataOptions().merge(o), o);
}

TEST(DataOptionsTest, LaterOnesGoFirst) {
  gk::DataOptions first, second;
  first.deterministic = false;
  first.threading.private_threadpool_size = 3;
  first.experimental_distribute.auto_shard_policy = gk::AutoShardPolicy::kFile;
  first.framework_type = {"a"};
  second.deterministic = true;
  second.framework_type = {"b"};
  second.autotune.autotune_algorithm = gk::AutotuneAlgorithm::kHillClimb;
  gk::DataOptions both = first;
  both.deterministic = true;
  both.framework_type = {"a", "b"};
  both.autotune.autotune_algorithm = gk::AutotuneAlgorithm::kHillClimb;
  EXPECT_EQ(first.merge(second), both);
  EXPECT_NE(second.merge(first), both);

  const Dataset told = Dataset::range(3)
                           .with_options(first)
                           .map([](Tensor x) { return x + int64_t{1}; })
                           .with_options(second);
  EXPECT_EQ(told.options(), both);
  EXPECT_EQ(Dataset::zip({Dataset::range(2), told}).options(), both);
  EXPECT_EQ(Dataset::range(2).options(), gk::DataOptions());
  EXPECT_EQ(
      Dataset::from_variant(told.to_variant(), told.element_spec()).options(),
      both);
  // Where they are being built, too.
  gk::function([&](Tensor n) {
    EXPECT_EQ(told.batch(2).options(), both);
    const Dataset here = Dataset::range(n).with_options(first);
    EXPECT_EQ(Dataset::zip({here, here}).with_options(second).options(), both);
    return n;
  })(int64_t{2});
}

}  // namespace
