#include "checkpoint/sharding.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checkpoint/bundle_writer.h"

namespace gk {
namespace {

constexpr char kMaxShardSizeDescription[] =
    "Split tensors into shards with a max shard size.";

// A box of a tensor that is still to be placed.
struct Box {
  std::vector<int64_t> start;
  std::vector<int64_t> length;

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t n : length) product *= n;
    return product;
  }
  // Takes the first `n` along dimension `d` away, and gives them.
  Box TakeFirst(size_t d, int64_t n) {
    Box first = *this;
    first.length[d] = n;
    start[d] += n;
    length[d] -= n;
    return first;
  }
};

class Packer {
 public:
  explicit Packer(int64_t max) : max_(max), left_(max), shards_(1) {}

  void Add(const ShardableTensor& tensor) {
    tensor_ = &tensor;
    const TensorShape& shape = tensor.tensor.shape();
    Box all;
    for (int d = 0; d < shape.rank(); ++d) {
      all.start.push_back(0);
      all.length.push_back(shape.dim(d));
    }
    int64_t bytes = 0;
    element_ = 0;
    if (tensor.key == kObjectGraphKey) {
      // It is small, and nothing would be won by a file of its own.
    } else if (tensor.tensor.dtype() == DataType::kString) {
      for (const std::string& text : tensor.tensor.flat<std::string>()) {
        const auto size = static_cast<int64_t>(text.size());
        bytes += size;
        element_ = std::max(element_, size);
      }
    } else {
      bytes = tensor.tensor.byte_size();
      element_ = bytes / std::max<int64_t>(1, all.elements());
    }
    if (bytes > left_ && all.length.empty()) {
      if (bytes > max_) return Put(all, &large_.emplace_back());
      NextShard();
    }
    Place(std::move(all), bytes);
  }

  std::vector<Shard> Take() {
    for (Shard& shard : large_) shards_.push_back(std::move(shard));
    return std::move(shards_);
  }

 private:
  // How many along dimension `d` are at most `left_` bytes.
  int64_t Fitting(const Box& box, size_t d) const {
    return left_ / (box.elements() / box.length[d] * element_);
  }

  void Place(Box box, int64_t bytes) {
    while (bytes > left_) {
      if (!PlaceFirst(&box)) {
        if (left_ < max_) {
          NextShard();
        } else if (box.elements() == 1) {
          return Put(box, &large_.emplace_back());
        } else {
          // Not one row fits: rows of rows, of the longest dimension.
          const auto longest = std::ranges::max_element(box.length);
          const auto d = static_cast<size_t>(longest - box.length.begin());
          Box first = box.TakeFirst(d, 1);
          const int64_t part = first.elements() * element_;
          Place(std::move(first), part);
        }
      }
      bytes = box.elements() * element_;
    }
    if (bytes == 0 && box.elements() == 0 && !IsEmpty()) return;
    Put(box, &shards_.back());
    left_ -= bytes;
  }

  // Puts the largest first part of the box that fits into the current shard.
  bool PlaceFirst(Box* box) {
    int64_t fewest = 0;  // parts, none found
    size_t dimension = 0;
    for (size_t d = 0; d < box->length.size(); ++d) {
      const int64_t fitting = Fitting(*box, d);
      if (fitting == 0) continue;
      const int64_t parts = (box->length[d] + fitting - 1) / fitting;
      if (fewest == 0 || parts < fewest) fewest = parts, dimension = d;
    }
    if (fewest == 0) return false;
    const int64_t length = box->length[dimension];
    const Box first = box->TakeFirst(dimension, (length + fewest - 1) / fewest);
    Put(first, &shards_.back());
    left_ -= first.elements() * element_;
    if (left_ == 0) NextShard();
    return true;
  }

  bool IsEmpty() const { return tensor_->tensor.num_elements() == 0; }

  void Put(const Box& box, Shard* shard) {
    const TensorShape& full = tensor_->tensor.shape();
    TensorSlice slice = TensorSlice::Whole(full.rank());
    for (int d = 0; d < full.rank(); ++d) {
      if (box.length[d] == full.dim(d)) continue;
      slice.extents[d] = {box.start[d], box.length[d]};
    }
    shard->push_back({tensor_->key, full, std::move(slice), tensor_->tensor});
  }

  void NextShard() {
    shards_.emplace_back();
    left_ = max_;
  }

  const int64_t max_;
  int64_t left_;  // in the current shard
  std::vector<Shard> shards_;
  std::vector<Shard> large_;  // these come last
  const ShardableTensor* tensor_ = nullptr;
  int64_t element_ = 0;  // bytes of one, of the longest of strings
};

Status Refused(const char* what, const std::string& key,
               const TensorSlice& slice) {
  return RuntimeError(
      "After executing the checkpoint sharding callback, {}:\n"
      "  checkpoint_key: {}\n  slice_spec: {}",
      what, key, slice.IsFull() ? "" : slice.DebugString());
}

// One tensor's parts: none overlaps another, and together they are all of it.
Status CheckParts(const ShardableTensor& tensor,
                  const std::vector<TensorSlice>& parts) {
  const TensorShape& full = tensor.tensor.shape();
  const TensorSlice whole = TensorSlice::Whole(full.rank());
  if (parts.empty()) {
    return Refused("a tensor of the object graph is in no shard", tensor.key,
                   whole);
  }
  if (const TensorSlice* twice = FindOverlap(full, parts)) {
    return Refused(
        "multiple tensors with the same checkpoint key and slice spec were "
        "found",
        tensor.key, *twice);
  }
  // Parts without elements overlap nothing.
  std::set<std::string> specs;
  int64_t elements = 0;
  for (const TensorSlice& part : parts) {
    elements += part.ShapeIn(full).num_elements();
    if (!specs.insert(part.DebugString()).second) {
      return Refused(
          "multiple tensors with the same checkpoint key and slice spec were "
          "found",
          tensor.key, part);
    }
  }
  if (elements == full.num_elements()) return OkStatus();
  return Refused("parts of a tensor are in no shard", tensor.key, whole);
}

Status CheckAll(const std::vector<Shard>& shards,
                const std::vector<ShardableTensor>& tensors) {
  std::map<std::string_view, const ShardableTensor*> by_key;
  for (const ShardableTensor& tensor : tensors) by_key[tensor.key] = &tensor;
  std::map<std::string_view, std::vector<TensorSlice>> parts;
  for (const Shard& shard : shards) {
    for (const SliceToWrite& part : shard) {
      const auto known = by_key.find(part.name);
      if (known == by_key.end()) {
        return Refused("a tensor not originally in the object graph was found",
                       part.name, part.slice);
      }
      const Tensor& tensor = known->second->tensor;
      if (part.value.dtype() != tensor.dtype()) {
        return Refused("a tensor was found with an altered dtype", part.name,
                       part.slice);
      }
      if (part.full != tensor.shape() ||
          !part.slice.CheckWithin(part.full).ok() ||
          (part.value.shape() != part.full &&
           part.value.shape() != part.slice.ShapeIn(part.full))) {
        return Refused("a tensor was found with an altered shape", part.name,
                       part.slice);
      }
      parts[part.name].push_back(part.slice);
    }
  }
  for (const ShardableTensor& tensor : tensors) {
    GK_RETURN_IF_ERROR(CheckParts(tensor, parts[tensor.key]));
  }
  return OkStatus();
}

}  // namespace

StatusOr<Tensor> PartToWrite(const SliceToWrite& part) {
  const TensorShape shape = part.slice.ShapeIn(part.full);
  if (part.value.shape() == shape) return part.value;
  GK_ASSIGN_OR_RETURN(Tensor cut, Tensor::Allocate(part.value.dtype(), shape));
  Tensor whole = part.value;
  CopySlice(part.slice, SliceCopy::kOutOfWhole, &whole, &cut);
  return cut;
}

ShardingPolicy MaxShardSize(int64_t max_bytes) {
  if (max_bytes <= 0) {
    throw Error(InvalidArgument(
        "MaxShardSizePolicy: max_shard_size: expected a positive number of "
        "bytes, got {}",
        max_bytes));
  }
  const auto decide = [max_bytes](const std::vector<ShardableTensor>& tensors) {
    Packer packer(max_bytes);
    for (const ShardableTensor& tensor : tensors) packer.Add(tensor);
    return packer.Take();
  };
  return {decide, kMaxShardSizeDescription};
}

Status CheckShards(const std::vector<Shard>& shards,
                   const std::vector<ShardableTensor>& tensors,
                   const std::string& description) {
  const Status status = CheckAll(shards, tensors);
  if (status.ok()) return status;
  return status.Append(Format("\n  callback_description: {}", description));
}

Status WriteShards(const std::vector<ShardableTensor>& tensors,
                   const ShardingPolicy& policy, const std::string& prefix) {
  std::vector<Shard> shards = policy.decide(tensors);
  std::erase_if(shards, [](const Shard& shard) { return shard.empty(); });
  GK_RETURN_IF_ERROR(CheckShards(shards, tensors, policy.description));
  GK_ASSIGN_OR_RETURN(
      BundleWriter writer,
      BundleWriter::Create(prefix, static_cast<int>(shards.size())));
  for (size_t i = 0; i < shards.size(); ++i) {
    if (i > 0) GK_RETURN_IF_ERROR(writer.NextShard());
    for (const SliceToWrite& part : shards[i]) {
      GK_ASSIGN_OR_RETURN(const Tensor value, PartToWrite(part));
      GK_RETURN_IF_ERROR(
          writer.AddSlice(part.name, part.full, part.slice, value));
    }
  }
  return writer.Finish();
}

}  // namespace gk
