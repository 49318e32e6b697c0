// Tables whose keys lie in buckets, as TensorFlow's dense tables have them:
// what they export is their buckets.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/process_mutex.h"
#include "framework/text_memory.h"
#include "kernels/text_hash.h"
#include "ops/lookup/table.h"

namespace gk {
namespace {

uint64_t HashOfElement(const Tensor& keys, int64_t i) {
  switch (keys.dtype()) {
    case DataType::kInt64:
      return static_cast<uint64_t>(keys.data<int64_t>()[i]);
    case DataType::kInt32:
      return static_cast<uint64_t>(keys.data<int32_t>()[i]);
    case DataType::kString:
      return TextHash(keys.data<std::string>()[i]);
    default:
      break;
  }
  uint64_t hash = 0;
  VisitType<bool, int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t>(
      keys.dtype(), [&](auto tag) {
        hash = static_cast<uint64_t>(keys.data<decltype(tag)>()[i]);
      });
  return hash;
}

uint64_t Combined(uint64_t a, uint64_t b) {
  return a ^ (b + 0x9E3779B97F4A7800 + (a << 10) + (a >> 4));
}

class DenseTable final : public TableResource {
 public:
  DenseTable(std::string name, TableTypes types, DenseTableOptions options)
      : TableResource(std::move(name), std::move(types)),
        options_(std::move(options)),
        key_width_(this->types().key_shape.num_elements()),
        value_width_(this->types().value_shape.num_elements()),
        is_wide_integer_(key_width_ == 1 &&
                         this->types().key != DataType::kString &&
                         DataTypeSize(this->types().key) == 8) {}

  std::string_view kind() const override { return "DenseHashTable"; }
  // Rows of two tensors of one type.
  static bool Equal(const Tensor& a, int64_t i, const Tensor& b, int64_t j,
                    int64_t width) {
    if (a.dtype() == DataType::kString) {
      const std::string* row = a.data<std::string>() + i * width;
      return std::equal(row, row + width, b.data<std::string>() + j * width);
    }
    const size_t bytes = width * DataTypeSize(a.dtype());
    return std::memcmp(static_cast<const char*>(a.raw_data()) + i * bytes,
                       static_cast<const char*>(b.raw_data()) + j * bytes,
                       bytes) == 0;
  }

  Status Allocate() { return Allocate(options_.buckets, &buckets_); }

  Status Find(const Tensor& keys, const Tensor& otherwise,
              Tensor* values) override {
    GK_RETURN_IF_ERROR(CheckKeyShape(keys));
    const int64_t n = CountOf(keys);
    const int64_t step = otherwise.num_elements() == value_width_ ? 0 : 1;
    std::lock_guard lock(mutex_);
    for (int64_t i = 0; i < n; ++i) {
      GK_RETURN_IF_ERROR(CheckKey(keys, i));
      const int64_t at = PlaceOf(keys, i, nullptr);
      if (at >= 0) {
        Copy(buckets_.values, at, value_width_, values, i);
      } else {
        Copy(otherwise, i * step, value_width_, values, i);
      }
    }
    return OkStatus();
  }

  Status Insert(const Tensor& keys, const Tensor& values) override {
    GK_RETURN_IF_ERROR(CheckKeyShape(keys));
    std::lock_guard lock(mutex_);
    return Put(keys, values);
  }

  Status Remove(const Tensor& keys) override {
    GK_RETURN_IF_ERROR(CheckKeyShape(keys));
    std::lock_guard lock(mutex_);
    for (int64_t i = 0; i < CountOf(keys); ++i) {
      GK_RETURN_IF_ERROR(CheckKey(keys, i));
      const int64_t at = PlaceOf(keys, i, nullptr);
      if (at < 0) continue;
      Copy(options_.deleted_key, 0, key_width_, &buckets_.keys, at);
      --buckets_.used;
    }
    return OkStatus();
  }

  // Of rows with the special keys, as tables export them, too.
  Status Import(const Tensor& keys, const Tensor& values) override {
    std::lock_guard lock(mutex_);
    Buckets fresh;
    GK_RETURN_IF_ERROR(Allocate(options_.buckets, &fresh));
    std::swap(buckets_, fresh);
    return Put(keys, values, /*skip_special=*/true);
  }

  Status Export(Tensor* keys, Tensor* values) override {
    std::lock_guard lock(mutex_);
    GK_ASSIGN_OR_RETURN(*keys, buckets_.keys.Copy());
    GK_ASSIGN_OR_RETURN(*values, buckets_.values.Copy());
    return OkStatus();
  }

  int64_t Size() override {
    std::lock_guard lock(mutex_);
    return buckets_.used;
  }

 private:
  struct Buckets {
    Tensor keys, values;  // [buckets, width]
    int64_t count = 0, used = 0;
  };

  int64_t CountOf(const Tensor& keys) const {
    return key_width_ == 0 ? 0 : keys.num_elements() / key_width_;
  }

  uint64_t HashOf(const Tensor& keys, int64_t row) const {
    if (types().key_shape.rank() == 0) return HashOfElement(keys, row);
    uint64_t hash = 0;
    for (int64_t k = 0; k < key_width_; ++k) {
      hash = Combined(hash, HashOfElement(keys, row * key_width_ + k));
    }
    return hash;
  }

  static void Copy(const Tensor& from, int64_t row, int64_t width, Tensor* to,
                   int64_t at) {
    if (from.dtype() == DataType::kString) {
      const std::string* source = from.data<std::string>() + row * width;
      std::copy(source, source + width, to->data<std::string>() + at * width);
      return;
    }
    const size_t bytes = width * DataTypeSize(from.dtype());
    std::memcpy(static_cast<char*>(to->raw_data()) + at * bytes,
                static_cast<const char*>(from.raw_data()) + row * bytes, bytes);
  }

  // Of two keys; most are single integers.
  bool Same(const Tensor& a, int64_t i, const Tensor& b, int64_t j) const {
    if (!is_wide_integer_) return Equal(a, i, b, j, key_width_);
    return static_cast<const uint64_t*>(a.raw_data())[i] ==
           static_cast<const uint64_t*>(b.raw_data())[j];
  }

  // Keys come in a vector of them; one key that is a number may stand alone.
  Status CheckKeyShape(const Tensor& keys) const {
    const int64_t n = keys.rank() == 0 ? 1 : keys.dim(0);
    if (keys.num_elements() == n * key_width_) return OkStatus();
    TensorShape expected = types().key_shape;
    expected.InsertDim(0, n);
    return InvalidArgument("Expected key shape {} got {}",
                           expected.DebugString(), keys.shape().DebugString());
  }

  Status CheckKey(const Tensor& keys, int64_t i) const {
    if (Same(keys, i, options_.empty_key, 0)) {
      return InvalidArgument(
          "Using the empty_key as a table key is not allowed");
    }
    if (Same(keys, i, options_.deleted_key, 0)) {
      return InvalidArgument(
          "Using the deleted_key as a table key is not allowed");
    }
    return OkStatus();
  }

  // The bucket of a key, or -1; then *room is the first one free for it.
  int64_t PlaceOf(const Tensor& keys, int64_t i, int64_t* room) const {
    const uint64_t mask = static_cast<uint64_t>(buckets_.count) - 1;
    uint64_t at = HashOf(keys, i) & mask;
    if (room) *room = -1;
    for (int64_t probes = 1; probes <= buckets_.count; ++probes) {
      const auto bucket = static_cast<int64_t>(at);
      if (Same(buckets_.keys, bucket, keys, i)) return bucket;
      const bool empty = Same(buckets_.keys, bucket, options_.empty_key, 0);
      const bool free =
          empty || Same(buckets_.keys, bucket, options_.deleted_key, 0);
      if (free && room && *room < 0) *room = bucket;
      if (empty) return -1;
      at = (at + static_cast<uint64_t>(probes)) & mask;
    }
    return -1;
  }

  Status Allocate(int64_t count, Buckets* buckets) const {
    GK_ASSIGN_OR_RETURN(const TensorShape keys,
                        TensorShape::Make({{count, key_width_}}));
    GK_ASSIGN_OR_RETURN(const TensorShape values,
                        TensorShape::Make({{count, value_width_}}));
    GK_ASSIGN_OR_RETURN(buckets->keys, Tensor::Allocate(types().key, keys));
    GK_ASSIGN_OR_RETURN(buckets->values, Tensor::Zeros(types().value, values));
    // The first half onto the second, as there is a power of two: key by key,
    // calls would cost most.
    Copy(options_.empty_key, 0, key_width_, &buckets->keys, 0);
    for (int64_t done = 1; done < count; done *= 2) {
      Copy(buckets->keys, 0, done * key_width_, &buckets->keys, 1);
    }
    buckets->count = count;
    buckets->used = 0;
    return OkStatus();
  }

  // With the lock held.
  Status Put(const Tensor& keys, const Tensor& values,
             bool skip_special = false) {
    const int64_t n = CountOf(keys);
    GK_RETURN_IF_ERROR(Grow(n));
    for (int64_t i = 0; i < n; ++i) {
      const Status status = CheckKey(keys, i);
      if (!status.ok()) {
        if (skip_special) continue;
        return status;
      }
      int64_t room = -1;
      int64_t at = PlaceOf(keys, i, &room);
      if (at < 0) {
        at = room;
        Copy(keys, i, key_width_, &buckets_.keys, at);
        ++buckets_.used;
      }
      Copy(values, i, value_width_, &buckets_.values, at);
    }
    return OkStatus();
  }

  // Room for n keys more.
  Status Grow(int64_t n) {
    const int64_t entries = buckets_.used + n;
    int64_t count = buckets_.count;
    while (static_cast<double>(count) * options_.max_load_factor <
           static_cast<double>(entries)) {
      count *= 2;
      if (count > (int64_t{1} << 40)) {
        return ResourceExhausted("A table of {} keys is too large", entries);
      }
    }
    if (count == buckets_.count) return OkStatus();
    Buckets old;
    GK_RETURN_IF_ERROR(Allocate(count, &old));
    std::swap(old, buckets_);
    for (int64_t i = 0; i < old.count; ++i) {
      if (!CheckKey(old.keys, i).ok()) continue;
      int64_t room = -1;
      PlaceOf(old.keys, i, &room);
      Copy(old.keys, i, key_width_, &buckets_.keys, room);
      Copy(old.values, i, value_width_, &buckets_.values, room);
      ++buckets_.used;
    }
    return OkStatus();
  }

  const DenseTableOptions options_;
  const int64_t key_width_, value_width_;
  const bool is_wide_integer_;
  ProcessMutex& mutex_ = ProcessMutex::Of(this);
  Buckets buckets_;
};

}  // namespace

StatusOr<Ref<TableResource>> MakeDenseTable(std::string name, TableTypes types,
                                            const DenseTableOptions& options) {
  const Tensor &empty = options.empty_key, &deleted = options.deleted_key;
  if (!(empty.shape() == deleted.shape())) {
    return InvalidArgument(
        "Empty and deleted keys must have same shape, got shapes: {} and {}",
        empty.shape().DebugString(), deleted.shape().DebugString());
  }
  if (empty.rank() > 1 || types.value_shape.rank() > 1) {
    return InvalidArgument(
        "Keys and values must be scalars or vectors, got shapes {} and {}",
        empty.shape().DebugString(), types.value_shape.DebugString());
  }
  if (empty.num_elements() == 0) {
    return InvalidArgument("Keys must have elements");
  }
  if (DenseTable::Equal(empty, 0, deleted, 0, empty.num_elements())) {
    return InvalidArgument("Empty and deleted keys cannot be equal");
  }
  const int64_t n = options.buckets;
  if (n < 4 || (n & (n - 1)) != 0) {
    return InvalidArgument(
        "Number of buckets must be at least 4 and a power of 2, got: {}", n);
  }
  if (!(options.max_load_factor > 0 && options.max_load_factor < 1)) {
    return InvalidArgument("max_load_factor must be between 0 and 1, got: {}",
                           options.max_load_factor);
  }
  auto table = MakeRef<DenseTable>(std::move(name), std::move(types), options);
  GK_RETURN_IF_ERROR(table->Allocate());
  return Ref<TableResource>(std::move(table));
}

}  // namespace gk
