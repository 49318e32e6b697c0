// DecodeJSONExample.
#include <mutex>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "ops/example/example_json.h"

namespace gk {
namespace {

Status ComputeDecodeJson(KernelContext& c) {
  const Tensor& texts = c.input(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kString, texts.shape(), &out));
  std::mutex mutex;
  Status first;
  int64_t failed = texts.num_elements();
  constexpr int64_t kCost = 2000;
  ThreadPool::Global().ParallelRange(
      texts.num_elements(), kCost, [&](int64_t i, int64_t end) {
        for (; i < end; ++i) {
          StatusOr<std::string> example =
              ExampleOfJson(texts.data<std::string>()[i]);
          if (example.ok()) {
            out->data<std::string>()[i] = *std::move(example);
            continue;
          }
          const std::lock_guard lock(mutex);
          if (i < failed) {
            failed = i;
            first = example.status();
          }
          return;
        }
      });
  return first;
}

const OpRecord kRecords[] = {
    {.name = "DecodeJSONExample",
     .inputs = "json_examples: string",
     .outputs = "binary_examples: string",
     .traits = kNoGradient,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeDecodeJson},
     .python = {.names = "io.decode_json_example"},
     .doc = "Serialized messages tf.train.Example of their JSON, as "
            "`json_format.MessageToJson` writes it.",
     .example =
         ">>> text = '{\"features\": {\"feature\": {\"a\": {\"int64List\": '\n"
         ">>> text += '{\"value\": [\"1\", \"3\"]}}}}}'\n"
         ">>> tf.io.parse_single_example(\n"
         "...     tf.io.decode_json_example(text),\n"
         "...     {'a': tf.io.FixedLenFeature([2], tf.int64)})['a'].numpy()\n"
         "array([1, 3])"},
};

}  // namespace

GK_REGISTER_OPS(example_json_op)

}  // namespace gk
