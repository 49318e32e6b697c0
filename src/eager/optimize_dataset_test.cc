// Rewritings of datasets, seen in what they are made of.
#include "ops/data/optimize_dataset.h"

#include "data/dataset_options.h"
#include "eager/op_outcomes_for_test.h"
#include "graph/function_for_test.h"
#include "ops/fn/BatchDatasetV2.h"
#include "ops/fn/DummySeedGenerator.h"
#include "ops/fn/FilterDataset.h"
#include "ops/fn/MapDataset.h"
#include "ops/fn/OptionsDataset.h"
#include "ops/fn/ParallelMapDatasetV2.h"
#include "ops/fn/RangeDataset.h"
#include "ops/fn/RepeatDataset.h"
#include "ops/fn/ShuffleDatasetV3.h"
#include "ops/fn/SkipDataset.h"
#include "ops/fn/TakeDataset.h"
#include "ops/fn/ZipDataset.h"

namespace gk {
namespace {

const std::vector<DataType> kTypes{DataType::kInt64};
const std::vector<PartialTensorShape> kShapes{TensorShape()};

Tensor Number(int64_t n) { return Tensor::Scalar(n); }
Tensor Range() {
  InitEager();
  return ops::RangeDataset(Number(0), Number(5), Number(1), kTypes, kShapes);
}
Tensor Batched(const Tensor& d) {
  return ops::BatchDatasetV2(d, Number(2), Tensor::Scalar(false), kTypes,
                             {PartialTensorShape({-1})});
}

FunctionAttr Function(const char* op) {
  TestFunction f("f");
  const Output x = f.Arg(DataType::kInt64, TensorShape());
  return {"f", f.Finish({f.Add(op, {x, x})})};
}
Tensor Mapped(const Tensor& d) {
  return ops::MapDataset(d, {}, Function("AddV2"), kTypes, kShapes,
                         /*use_inter_op_parallelism=*/true,
                         /*preserve_cardinality=*/true);
}
Tensor MappedInParallel(const Tensor& d) {
  return ops::ParallelMapDatasetV2(d, {}, Number(2), Function("AddV2"), kTypes,
                                   kShapes, true, "default",
                                   /*preserve_cardinality=*/true);
}
Tensor Filtered(const Tensor& d) {
  return ops::FilterDataset(d, {}, Function("Equal"), kTypes, kShapes);
}
Tensor Shuffled(const Tensor& d) {
  return ops::ShuffleDatasetV3(d, Number(2), Number(1), Number(2),
                               ops::DummySeedGenerator(), kTypes, kShapes);
}

using Wishes = std::vector<const char*>;

// With some of the rewritings said to be on or off.
std::string Text(const Tensor& d, const Wishes& wishes, bool on) {
  DatasetOptions options;
  const Option* group =
      DatasetOptions::Whole().Find("experimental_optimization");
  options.Set(*group, std::monostate());
  for (const char* option : wishes) {
    options.Set(*group->group->Find(option), on);
  }
  const Ref<const Dataset> given = *Dataset::Of(d);
  const ElementSignature& e = given->signature();
  const Tensor told =
      ops::OptionsDataset(d, options.Serialize(), e.types, e.shapes);
  return PipelineText(**Optimized(*Dataset::Of(told)));
}

TEST(OptimizeDatasetTest, WhatChangesNothingIsLeftOut) {
  Tensor d = ops::TakeDataset(Range(), Number(-1), kTypes, kShapes);
  d = ops::SkipDataset(d, Number(0), kTypes, kShapes);
  d = Batched(ops::RepeatDataset(d, Number(1), kTypes, kShapes));
  EXPECT_EQ(Text(d, {"noop_elimination"}, true),
            "RangeDataset BatchDatasetV2 OptionsDataset");
  EXPECT_EQ(Text(d, {"noop_elimination"}, false),
            "RangeDataset TakeDataset SkipDataset RepeatDataset BatchDatasetV2 "
            "OptionsDataset");
}

TEST(OptimizeDatasetTest, WhatDoesSomethingStays) {
  Tensor d = ops::TakeDataset(Range(), Number(3), kTypes, kShapes);
  d = ops::SkipDataset(d, Number(1), kTypes, kShapes);
  EXPECT_EQ(Text(d, {"noop_elimination"}, true),
            "RangeDataset TakeDataset SkipDataset OptionsDataset");
}

TEST(OptimizeDatasetTest, BatchesInParallel) {
  EXPECT_EQ(Text(Batched(Range()), {"parallel_batch"}, true),
            "RangeDataset ParallelBatchDataset OptionsDataset");
  EXPECT_EQ(Text(Batched(Range()), {"parallel_batch"}, false),
            "RangeDataset BatchDatasetV2 OptionsDataset");
}

// "OptionsDataset" stands behind.
void ExpectMade(const Tensor& d, const Wishes& wishes, const std::string& with,
                const std::string& without) {
  EXPECT_EQ(Text(d, wishes, true), with + " OptionsDataset");
  EXPECT_EQ(Text(d, wishes, false), without + " OptionsDataset");
}

TEST(OptimizeDatasetTest, FunctionsBecomeOne) {
  const Tensor maps = Mapped(Mapped(Mapped(Range())));
  ExpectMade(maps, {"map_fusion"}, "RangeDataset MapDataset",
             "RangeDataset MapDataset MapDataset MapDataset");
  ExpectMade(MappedInParallel(MappedInParallel(Range())), {"map_fusion"},
             "RangeDataset ParallelMapDatasetV2",
             "RangeDataset ParallelMapDatasetV2 ParallelMapDatasetV2");
  ExpectMade(MappedInParallel(Mapped(Range())), {"map_fusion"},
             "RangeDataset MapDataset ParallelMapDatasetV2",
             "RangeDataset MapDataset ParallelMapDatasetV2");
  ExpectMade(maps, {"map_parallelization", "map_fusion"},
             "RangeDataset ParallelMapDatasetV2",
             "RangeDataset MapDataset MapDataset MapDataset");
}

TEST(OptimizeDatasetTest, FiltersBecomeOne) {
  const Tensor filters = Filtered(Filtered(Range()));
  ExpectMade(filters, {"filter_fusion"}, "RangeDataset FilterDataset",
             "RangeDataset FilterDataset FilterDataset");
  ExpectMade(filters, {"filter_parallelization", "filter_fusion"},
             "RangeDataset ParallelFilterDataset",
             "RangeDataset FilterDataset FilterDataset");
  const Tensor both = Filtered(Filtered(Mapped(Range())));
  ExpectMade(both, {"map_and_filter_fusion"},
             "RangeDataset MapAndFilterDataset FilterDataset",
             "RangeDataset MapDataset FilterDataset FilterDataset");
  ExpectMade(both, {"map_and_filter_fusion", "filter_fusion"},
             "RangeDataset MapAndFilterDataset",
             "RangeDataset MapDataset FilterDataset FilterDataset");
}

TEST(OptimizeDatasetTest, MapsAndBatchesBecomeOne) {
  ExpectMade(Batched(Mapped(Mapped(Range()))),
             {"map_and_batch_fusion", "map_fusion", "parallel_batch"},
             "RangeDataset MapAndBatchDataset",
             "RangeDataset MapDataset MapDataset BatchDatasetV2");
  ExpectMade(Batched(Filtered(Range())), {"map_and_batch_fusion"},
             "RangeDataset FilterDataset BatchDatasetV2",
             "RangeDataset FilterDataset BatchDatasetV2");
}

TEST(OptimizeDatasetTest, ShufflesAndRepetitionsBecomeOne) {
  const Tensor d =
      ops::RepeatDataset(Shuffled(Range()), Number(3), kTypes, kShapes);
  ExpectMade(d, {"shuffle_and_repeat_fusion"},
             "RangeDataset ShuffleAndRepeatDatasetV2",
             "RangeDataset ShuffleDatasetV3 RepeatDataset");
  // Seeds of what is below would be drawn early.
  ExpectMade(ops::RepeatDataset(Shuffled(Shuffled(Range())), Number(3), kTypes,
                                kShapes),
             {"shuffle_and_repeat_fusion"},
             "RangeDataset ShuffleDatasetV3 ShuffleDatasetV3 RepeatDataset",
             "RangeDataset ShuffleDatasetV3 ShuffleDatasetV3 RepeatDataset");
}

TEST(OptimizeDatasetTest, WhatIsShuffledIsRewritten) {
  ExpectMade(Shuffled(Mapped(Mapped(Range()))), {"map_fusion"},
             "RangeDataset MapDataset ShuffleDatasetV3",
             "RangeDataset MapDataset MapDataset ShuffleDatasetV3");
}

TEST(OptimizeDatasetTest, ThePrefetchAtTheEnd) {
  EXPECT_EQ(Text(Range(), {"inject_prefetch"}, true),
            "RangeDataset OptionsDataset PrefetchDataset");
  EXPECT_EQ(Text(Range(), {"inject_prefetch"}, false),
            "RangeDataset OptionsDataset");
}

TEST(OptimizeDatasetTest, SeveralInputs) {
  const Tensor noop = ops::TakeDataset(Range(), Number(-1), kTypes, kShapes);
  const TensorVector both{noop, Range()};
  const std::vector<DataType> types(2, DataType::kInt64);
  const std::vector<PartialTensorShape> shapes(2, TensorShape());
  const Tensor zip = ops::ZipDataset(both, types, shapes);
  EXPECT_EQ(Text(zip, {"noop_elimination"}, true),
            "[RangeDataset] [RangeDataset] ZipDataset OptionsDataset");
}

}  // namespace
}  // namespace gk
