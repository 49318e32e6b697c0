// Numbers made of texts and of bytes: hash buckets and fingerprints.
#include "ops/fn/string_hash.h"

#include <cstring>
#include <vector>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/text_hash.h"

namespace gk {
namespace {

// ---- Buckets ----

template <class Hash>
Status IntoBuckets(KernelContext& c, Hash hash) {
  const Tensor& x = c.input(0);
  const auto buckets = static_cast<uint64_t>(c.attr<int64_t>("num_buckets"));
  if (buckets == 0) return InvalidArgument("num_buckets must be at least 1");
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kInt64, x.shape(), &out));
  const std::string* from = x.data<std::string>();
  int64_t* to = out->data<int64_t>();
  ThreadPool::Global().ParallelRange(
      x.num_elements(), 20, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          to[i] = static_cast<int64_t>(hash(from[i]) % buckets);
        }
      });
  return OkStatus();
}

Status ComputeBucket(KernelContext& c) { return IntoBuckets(c, TextHash); }

Status ComputeBucketFast(KernelContext& c) {
  return IntoBuckets(c, TextFingerprint);
}

Status ComputeBucketStrong(KernelContext& c) {
  const auto& key = c.attr<std::vector<int64_t>>("key");
  if (key.size() != 2) return InvalidArgument("Key must have 2 elements");
  return IntoBuckets(c, [&](const std::string& s) {
    return KeyedTextHash(s, static_cast<uint64_t>(key[0]),
                         static_cast<uint64_t>(key[1]));
  });
}

// ---- Fingerprint ----

constexpr int64_t kFingerprintBytes = 8;

Status FingerprintShape(InferenceContext& c) {
  PartialTensorShape data, method;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &data));
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &method));
  const bool known =
      c.value(1) && c.value(1).scalar<std::string>() == "farmhash64";
  c.set_output(0, {data.unknown_rank() ? kUnknownDim : data.dim(0),
                   known ? kFingerprintBytes : kUnknownDim});
  return OkStatus();
}

void WriteFingerprint(std::string_view bytes, char* to) {
  const uint64_t print = TextFingerprint(bytes);
  std::memcpy(to, &print, kFingerprintBytes);
}

// Of several texts in a row: that of their fingerprints.
void RowFingerprint(const std::string* row, int64_t n, char* to) {
  if (n == 1) return WriteFingerprint(*row, to);
  std::string prints(n * kFingerprintBytes, '\0');
  for (int64_t i = 0; i < n; ++i) {
    WriteFingerprint(row[i], prints.data() + i * kFingerprintBytes);
  }
  WriteFingerprint(prints, to);
}

Status ComputeFingerprint(KernelContext& c) {
  const Tensor &data = c.input(0), &method = c.input(1);
  if (method.rank() != 0) {
    return InvalidArgument("`method` should be a scalar string: {}",
                           method.shape().DebugString());
  }
  if (method.scalar<std::string>() != "farmhash64") {
    return InvalidArgument("Unsupported fingerprint method: {}",
                           method.scalar<std::string>());
  }
  if (data.rank() == 0) {
    return InvalidArgument("`data` should have at least one dimension: {}",
                           data.shape().DebugString());
  }
  if (data.dtype() == DataType::kResource ||
      data.dtype() == DataType::kVariant) {
    return c.NoKernel();
  }
  const int64_t rows = data.dim(0);
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kUint8,
                                TensorShape({rows, kFingerprintBytes}), &out));
  if (rows == 0) return OkStatus();
  const int64_t n = data.num_elements() / rows;
  const bool texts = data.dtype() == DataType::kString;
  const int64_t bytes = texts ? 0 : n * DataTypeSize(data.dtype());
  char* to = static_cast<char*>(out->raw_data());
  ThreadPool::Global().ParallelRange(
      rows, 20 + n, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          char* print = to + i * kFingerprintBytes;
          if (texts) {
            RowFingerprint(data.data<std::string>() + i * n, n, print);
          } else {
            const char* row =
                static_cast<const char*>(data.raw_data()) + i * bytes;
            WriteFingerprint({row, static_cast<size_t>(bytes)}, print);
          }
        }
      });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "StringToHashBucket",
     .inputs = "string_tensor: string",
     .outputs = "output: int64",
     .attrs = "num_buckets: int >= 1",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeBucket},
     .python = {.names = "strings.to_hash_bucket",
                .args = "input, num_buckets"},
     .doc = "A number below num_buckets for each text, of its hash.",
     .example = ">>> tf.strings.to_hash_bucket(['a', 'b'], 3).numpy().tolist()"
                "\n[1, 1]"},

    {.name = "StringToHashBucketFast",
     .inputs = "input: string",
     .outputs = "output: int64",
     .attrs = "num_buckets: int >= 1",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeBucketFast},
     .python = {.names = "strings.to_hash_bucket_fast"},
     .doc =
         "A number below num_buckets for each text, of its fingerprint, which "
         "stays the same for ever. Who chooses the texts can make all of them "
         "meet in one bucket.",
     .example =
         ">>> tf.strings.to_hash_bucket_fast(['Hello', 'TF'], 3).numpy()."
         "tolist()\n[0, 1]"},

    {.name = "StringToHashBucketStrong",
     .inputs = "input: string",
     .outputs = "output: int64",
     .attrs = "num_buckets: int >= 1; key: list(int)",
     .traits = kNoGradient | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeBucketStrong},
     .python = {.names = "strings.to_hash_bucket_strong"},
     .doc = "A number below num_buckets for each text, of a hash with a key of "
            "two integers: who does not know it cannot make texts meet.",
     .example = ">>> tf.strings.to_hash_bucket_strong(['Hello', 'TF'], 3, [1, "
                "2]).numpy().tolist()\n[2, 0]"},

    {.name = "Fingerprint",
     .inputs = "data: T; method: string",
     .outputs = "fingerprint: uint8",
     .attrs = "T: type",
     .traits = kNoGradient,
     .shape = FingerprintShape,
     .kernel = {.compute = ComputeFingerprint},
     .doc = "Eight bytes for each row of data, made of the bytes in it."},
};

}  // namespace

GK_REGISTER_OPS(string_hash)

}  // namespace gk
