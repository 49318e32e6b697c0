// Settings of the process: devices, specs and scopes of them, a CPU that is
// divided, in a process of its own; passes, and seeds.
#include <cstdio>
#include <vector>

#include "api/same_gradient_for_test.h"

namespace {

using gk::DeviceSpec;
using gk::ErrorCode;
using gk::Tensor;
using gk_test::ErrorOf;
using gk_test::ExpectHas;

constexpr char kFirst[] = "/job:localhost/replica:0/task:0/device:CPU:0";

TEST(DeviceTest, SpecsAreTakenApartAndPutTogether) {
  const DeviceSpec spec =
      DeviceSpec::from_string("/job:worker/task:1/device:CPU:0");
  EXPECT_EQ(spec.job, "worker");
  EXPECT_EQ(spec.task, 1);
  EXPECT_EQ(spec.device_type, "CPU");
  EXPECT_EQ(spec.device_index, 0);
  EXPECT_FALSE(spec.replica);
  EXPECT_EQ(spec.to_string(), "/job:worker/task:1/device:CPU:0");
  EXPECT_EQ(DeviceSpec::from_string("cpu:0"),
            (DeviceSpec{.device_type = "cpu", .device_index = 0}));
  EXPECT_EQ((DeviceSpec{.device_type = "gpu"}).to_string(), "/device:GPU:*");
  EXPECT_EQ(spec.make_merged_spec({.task = 2, .device_index = 1}).to_string(),
            "/job:worker/task:2/device:CPU:1");
  EXPECT_EQ(ErrorOf([] { DeviceSpec::from_string("/foo"); }).code(),
            ErrorCode::kValueError);
}

TEST(DeviceTest, TensorsAreOnTheCpu) {
  EXPECT_EQ(Tensor(1.f).device(), kFirst);
  EXPECT_EQ(gk::Variable(1.f).device(), kFirst);
  const gk::device there("GPU:0");  // replaced
  EXPECT_EQ((Tensor(1.f) + 1.f).device(), kFirst);
}

TEST(DeviceTest, NodesAskForDevices) {
  auto f = gk::function([](Tensor x) {
    EXPECT_EQ(x.device(), "");
    const gk::device outer("/job:worker");
    {
      const gk::device inner(DeviceSpec{.device_type = "cpu"});
      EXPECT_EQ((x + 1.f).device(), "/job:worker/device:CPU:*");
      const gk::device none(std::nullopt);
      EXPECT_EQ((x + 1.f).device(), "");
    }
    EXPECT_EQ((x + 1.f).device(), "/job:worker");
    return x;
  });
  f.get_concrete_function(Tensor(1.f));

  gk::Graph graph;
  const auto inside = graph.as_default();
  const auto chosen = graph.device([](const gk::Operation& op) {
    return op.type() == "Const" ? "/device:CPU:0" : "/device:CPU:1";
  });
  const Tensor one = 1.f;
  EXPECT_EQ((gk::placeholder(gk::DataType::kFloat) + one).device(),
            "/device:CPU:1");
}

TEST(DeviceTest, WhatIsNotThereFailsWithoutSoftPlacement) {
  EXPECT_TRUE(gk::config::get_soft_device_placement());
  gk::config::set_soft_device_placement(false);
  {
    const gk::device there("GPU:0");
    const gk::Error e = ErrorOf([] { gk::ones({2}) + 1.f; });
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    ExpectHas(e.what(), "Could not satisfy device specification");
  }
  gk::config::set_soft_device_placement(true);
  EXPECT_EQ((gk::ones({2}) + 1.f).num_elements(), 2);
}

TEST(DeviceTest, ThereIsOneCpu) {
  namespace config = gk::config;
  const auto all = config::list_physical_devices();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all, config::list_physical_devices("CPU"));
  EXPECT_EQ(all[0].name, "/physical_device:CPU:0");
  EXPECT_TRUE(config::list_physical_devices("GPU").empty());
  EXPECT_EQ(config::get_visible_devices(), all);
  config::set_visible_devices(all, "CPU");
  EXPECT_EQ(ErrorOf([] { config::set_visible_devices({}); }).code(),
            ErrorCode::kRuntimeError);
  const gk::Error e = ErrorOf([] {
    config::set_visible_devices({{"/gpu", "GPU"}});
  });
  EXPECT_EQ(e.code(), ErrorCode::kValueError);
  ExpectHas(e.what(), "Unrecognized device: PhysicalDevice(name='/gpu'");
  Tensor used = 1.f;
  EXPECT_EQ(ErrorOf([&] {
              config::set_logical_device_configuration(all[0], {{}, {}});
            }).code(),
            ErrorCode::kRuntimeError);
}

TEST(DeviceTest, PlacementsAreLogged) {
  EXPECT_FALSE(gk::debugging::get_log_device_placement());
  gk::debugging::set_log_device_placement(true);
  testing::internal::CaptureStderr();
  gk::multiply(Tensor(2.f), 3.f);
  const std::string log = testing::internal::GetCapturedStderr();
  gk::debugging::set_log_device_placement(false);
  EXPECT_FALSE(gk::debugging::get_log_device_placement());
  ExpectHas(log, std::string("Executing op Mul in device ") + kFirst);
}

TEST(DeviceTest, PassesMayBeLeftOut) {
  namespace optimizer = gk::config::optimizer;
  const auto before = optimizer::get_experimental_options();
  optimizer::set_experimental_options({.disable_meta_optimizer = true});
  EXPECT_TRUE(optimizer::get_experimental_options().disable_meta_optimizer);
  auto f = gk::function([](Tensor x) { return x * 1.f + 0.f; });
  EXPECT_EQ(f(Tensor(2.f)).item<float>(), 2);
  optimizer::set_experimental_options(before);
}

TEST(DeviceDeathTest, DeterminismNeedsSeeds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        gk::config::experimental::enable_op_determinism();
        try {
          gk::random::uniform({2});
        } catch (const gk::Error&) {
          exit(0);
        }
      },
      testing::ExitedWithCode(0), "");
}

// Prints what a process says that divides its CPU first.
void Divide() {
  namespace config = gk::config;
  const config::PhysicalDevice cpu = config::list_physical_devices()[0];
  if (config::get_logical_device_configuration(cpu)) exit(1);
  for (const auto& parts :
       {std::vector<config::LogicalDeviceConfiguration>(300),
        {{.memory_limit = 64}}}) {
    try {
      config::set_logical_device_configuration(cpu, parts);
      exit(2);
    } catch (const gk::Error& e) {
      std::fprintf(stderr, "%d ", static_cast<int>(e.code()));
    }
  }
  config::set_logical_device_configuration(cpu, {{}, {}});
  if (config::get_logical_device_configuration(cpu)->size() != 2) exit(3);
  std::fprintf(stderr, "%s ", Tensor(1.f).device().c_str() + sizeof kFirst - 2);
  auto f = gk::function([](Tensor x) { return x + 1.f; });
  Tensor x;
  {
    const gk::device second("CPU:1");
    x = 1.f;
    const gk::Variable v(2.f);
    std::fprintf(stderr, "%s %s %s ", x.device().c_str(),
                 v.device().c_str() + sizeof kFirst - 2,
                 f(x).device().c_str() + sizeof kFirst - 2);
  }
  std::fprintf(stderr, "%s",
               config::list_logical_devices().back().name.c_str());
  exit(0);
}

TEST(DeviceDeathTest, TheCpuIsDividedBeforeItIsUsed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(Divide(), testing::ExitedWithCode(0),
              "3 102 0 /job:localhost/replica:0/task:0/device:CPU:1 1 1 "
              "/device:CPU:1");
}

}  // namespace
