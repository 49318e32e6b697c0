#include "framework/tensor_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/format.h"
#include "framework/tensor_sum.h"
#include "framework/variant_level.h"

namespace gk {
namespace {

// Larger ones are shared rather than copied; their headers cost little.
constexpr int64_t kMaxPackedBytes = 16 << 10;
// Lists that begin with one of these, alone in its memory, share what is pushed
// to them: loops push and pop, and neither then copies.
constexpr int64_t kMinSharedBytes = 2 << 10;
constexpr int64_t kMinBlockBytes = 256;
constexpr int64_t kMaxBlockBytes = 1 << 20;
constexpr int64_t kMinRegionBytes = 4 << 10;

// What the allocator makes of it: four sizes per power of two.
int64_t WholeBlock(int64_t bytes) {
  const int64_t step = std::bit_floor(static_cast<uint64_t>(bytes)) / 4;
  return (bytes + step - 1) / step * step;
}

bool IsWorthSharing(const Tensor& x) {
  const int64_t bytes = x.byte_size();
  return bytes >= kMinSharedBytes && x.buffer() &&
         static_cast<int64_t>(x.buffer()->size()) <= bytes + bytes / 4;
}

Status NoMemory(int64_t n) {
  return ResourceExhausted("OOM when making a list of {} elements", n);
}

}  // namespace

Ref<TensorList> TensorList::Copy() const {
  auto copy = MakeRef<TensorList>(element_dtype, element_shape);
  copy->max_num_elements = max_num_elements;
  copy->size_ = size_;
  copy->tensors_ = tensors_;
  copy->blocks_ = blocks_;
  copy->packed_shape_ = packed_shape_;
  copy->has_shape_ = has_shape_;
  return copy;
}

StatusOr<Ref<VariantObject>> TensorList::ZerosLike() const {
  const VariantLevel level;
  GK_RETURN_IF_ERROR(level.Check(VariantLevel::kZeros));
  Ref<TensorList> zeros = Copy();
  for (Tensor& t : zeros->tensors_) {
    if (!t) continue;
    GK_ASSIGN_OR_RETURN(t, ZerosOf(t));
  }
  for (Block& block : zeros->blocks_) {
    if (!block.memory) continue;
    GK_RETURN_IF_ERROR(zeros->OwnMemory(&block));
    std::memset(block.memory->data(), 0, block.count * ElementBytes());
  }
  return Ref<VariantObject>(std::move(zeros));
}

StatusOr<Ref<VariantObject>> TensorList::Add(const VariantObject& o) const {
  const VariantLevel level;
  GK_RETURN_IF_ERROR(level.Check(VariantLevel::kSum));
  const auto* other = dynamic_cast<const TensorList*>(&o);
  if (other == nullptr || other->element_dtype != element_dtype) {
    return InvalidArgument(
        "Trying to add two lists of tensors of different "
        "dtypes");
  }
  if (other->size() != size()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with different lengths. One has "
        "{}, the other {}",
        size(), other->size());
  }
  Ref<TensorList> sum = Copy();
  if (other->IsPacked() &&
      (!other->has_shape_ || sum->TakeShape(other->packed_shape_))) {
    for (const Block& theirs : other->blocks_) {
      if (theirs.memory) GK_RETURN_IF_ERROR(sum->AddBytes(*other, theirs));
    }
    return Ref<VariantObject>(std::move(sum));
  }
  for (int64_t i = 0; i < size(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor t, Get(i));
    GK_ASSIGN_OR_RETURN(const Tensor u, other->Get(i));
    if (!u) continue;
    if (!t) {
      t = u;
    } else {
      GK_ASSIGN_OR_RETURN(t, SumOf(t, u));
    }
    GK_RETURN_IF_ERROR(sum->Set(i, t));
  }
  return Ref<VariantObject>(std::move(sum));
}

// Adds a block of a list of the same size and shape of elements.
Status TensorList::AddBytes(const TensorList& other, const Block& theirs) {
  const size_t k = BlockOf(theirs.first);
  Block& mine = blocks_[k];
  if (!mine.memory && theirs.first + theirs.count <= mine.first + mine.count) {
    return Replace(k, theirs);
  }
  if (mine.memory && mine.first == theirs.first && mine.count == theirs.count) {
    GK_RETURN_IF_ERROR(OwnMemory(&mine));
    const TensorShape flat({mine.count * packed_shape_.num_elements()});
    const Tensor a = Tensor::Borrow(element_dtype, flat, mine.memory->data());
    const Tensor b = Tensor::Borrow(element_dtype, flat, theirs.memory->data());
    GK_ASSIGN_OR_RETURN(const Tensor total, SumOf(a, b));
    std::memcpy(mine.memory->data(), total.raw_data(), total.byte_size());
    if (!theirs.partial) mine.partial = false;
    for (int64_t b = 0; mine.partial && b < (mine.count + 7) / 8; ++b) {
      BitsOf(mine)[b] |= other.BitsOf(theirs)[b];
    }
    return OkStatus();
  }
  for (int64_t i = theirs.first; i < theirs.first + theirs.count; ++i) {
    GK_ASSIGN_OR_RETURN(Tensor u, other.Get(i));
    if (!u) continue;
    GK_ASSIGN_OR_RETURN(const Tensor t, Get(i));
    if (t) {
      GK_ASSIGN_OR_RETURN(u, SumOf(t, u));
    }
    GK_RETURN_IF_ERROR(Set(i, u));
  }
  return OkStatus();
}

int64_t TensorList::ElementBytes() const {
  return packed_shape_.num_elements() * DataTypeSize(element_dtype);
}

size_t TensorList::BlockOf(int64_t i) const {
  // The ends are what loops use.
  if (i >= blocks_.back().first) return blocks_.size() - 1;
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), i,
                       [](int64_t at, const Block& b) { return at < b.first; });
  return after - blocks_.begin() - 1;
}

std::byte* TensorList::BytesOf(const Block& block, int64_t i) const {
  return static_cast<std::byte*>(block.memory->data()) +
         (i - block.first) * ElementBytes();
}

uint8_t* TensorList::BitsOf(const Block& block) const {
  return static_cast<uint8_t*>(block.memory->data()) +
         block.capacity * ElementBytes();
}

bool TensorList::IsSet(const Block& block, int64_t i) const {
  if (!block.memory) return false;
  const int64_t at = i - block.first;
  return !block.partial || (BitsOf(block)[at / 8] >> at % 8 & 1);
}

const TensorShape* TensorList::ShapeOf(int64_t i) const {
  if (!IsPacked()) return tensors_[i] ? &tensors_[i].shape() : nullptr;
  return IsSet(blocks_[BlockOf(i)], i) ? &packed_shape_ : nullptr;
}

StatusOr<Tensor> TensorList::Get(int64_t i) const {
  if (!IsPacked()) return tensors_[i] ? tensors_[i].Alias() : Tensor();
  const Block& block = blocks_[BlockOf(i)];
  if (!IsSet(block, i)) return Tensor();
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(element_dtype, packed_shape_));
  std::memcpy(t.raw_data(), BytesOf(block, i), ElementBytes());
  return t;
}

bool TensorList::KeepsBytesOf(const TensorShape& shape) const {
  return IsPacked() && has_shape_ && packed_shape_ == shape;
}

bool TensorList::Packs(const TensorShape& shape) const {
  if (!IsPacked()) return false;
  if (has_shape_) return packed_shape_ == shape;
  const int size = DataTypeSize(element_dtype);
  return size > 0 && shape.num_elements() > 0 &&
         shape.num_elements() <= kMaxPackedBytes / size;
}

bool TensorList::TakeShape(const TensorShape& shape) {
  if (!Packs(shape)) return false;
  packed_shape_ = shape;
  has_shape_ = true;
  return true;
}

bool TensorList::CopyBytes(int64_t i, int64_t n, void* to) const {
  if (!IsPacked() || !has_shape_ || i < 0 || n < 0 || n > size_ - i) {
    return false;
  }
  auto* at = static_cast<std::byte*>(to);
  const int64_t size = ElementBytes();
  for (size_t k = n > 0 ? BlockOf(i) : 0; n > 0; ++k) {
    const Block& block = blocks_[k];
    const int64_t part = std::min(n, block.first + block.count - i);
    if (block.memory) {
      std::memcpy(at, BytesOf(block, i), part * size);
    } else {
      std::memset(at, 0, part * size);
    }
    at += part * size;
    i += part;
    n -= part;
  }
  return true;
}

// An eighth of what is there: little is in vain, and blocks stay few.
Status TensorList::AddBlock() {
  const int64_t size = ElementBytes();
  const int64_t wanted = std::clamp(size_ * size / 8, kMinBlockBytes,
                                    std::max(kMaxBlockBytes, size));
  const int64_t bytes = WholeBlock(std::max(wanted, size));
  Block block{NewPooledBuffer(bytes), size_, 0, bytes / size};
  if (!block.memory) return NoMemory(size_ + 1);
  try {
    blocks_.push_back(std::move(block));
  } catch (const std::exception&) {
    return NoMemory(size_ + 1);
  }
  return OkStatus();
}

// Of some hundreds of blocks, all lists of this length alike: lists are added
// block by block.
Status TensorList::Carve(size_t k, int64_t i) {
  const int64_t size = ElementBytes();
  const int64_t target = std::bit_ceil(static_cast<uint64_t>(
      std::clamp(size_ / 256 * size, kMinRegionBytes, kMaxBlockBytes)));
  const int64_t step = std::max<int64_t>((8 * target - 8) / (8 * size + 1), 1);
  const Block& hole = blocks_[k];
  const int64_t first = std::max(hole.first, i / step * step);
  const int64_t end = std::min(hole.first + hole.count, i / step * step + step);
  const int64_t count = end - first;
  // One element is set as soon as there is memory for it.
  const bool partial = count > 1;
  const int64_t bytes = count * size + (partial ? (count + 7) / 8 : 0);
  Block made{NewPooledBuffer(bytes), first, count, count, partial};
  if (!made.memory) return NoMemory(size_);
  std::memset(made.memory->data(), 0, bytes);
  return Replace(k, std::move(made));
}

bool TensorList::IsFull(const Block& block) const {
  if (!block.memory) return false;
  for (int64_t i = 0; block.partial && i < block.count; ++i) {
    if (!IsSet(block, block.first + i)) return false;
  }
  return true;
}

// A short list becomes one block, a long one doubles up to a bound.
Status TensorList::Extend(size_t k) {
  const int64_t size = ElementBytes();
  Block* before = &blocks_[k - 1];
  const int64_t at = blocks_[k].first, rest = blocks_[k].count;
  if (before->partial || before->count == before->capacity) {
    const bool whole = before->first == 0 && rest + at == size_ &&
                       size_ <= kMaxBlockBytes / size && IsFull(*before);
    const int64_t count =
        whole
            ? size_
            : std::clamp<int64_t>(std::min(at, kMaxBlockBytes / size), 1, rest);
    Block made{NewPooledBuffer(count * size), at, 0, count, false};
    if (!made.memory) return NoMemory(size_);
    if (whole) {
      std::memcpy(made.memory->data(), before->memory->data(), at * size);
      made.first = 0;
      made.count = at;
      *before = std::move(made);
    } else {
      try {
        blocks_.insert(blocks_.begin() + k, std::move(made));
      } catch (const std::exception&) {
        return NoMemory(size_);
      }
      before = &blocks_[k++];
    }
  }
  GK_RETURN_IF_ERROR(OwnMemory(before));
  ++before->count;
  ++blocks_[k].first;
  if (--blocks_[k].count == 0) blocks_.erase(blocks_.begin() + k);
  return OkStatus();
}

Status TensorList::Replace(size_t k, Block made) {
  const Block hole = blocks_[k];
  const int64_t before = made.first - hole.first;
  const int64_t after = hole.first + hole.count - (made.first + made.count);
  std::vector<Block> parts;
  try {
    if (before > 0) parts.push_back({nullptr, hole.first, before, 0, false});
    parts.push_back(std::move(made));
    if (after > 0) {
      parts.push_back(
          {nullptr, hole.first + hole.count - after, after, 0, false});
    }
    blocks_.insert(blocks_.begin() + k + 1, parts.begin() + 1, parts.end());
  } catch (const std::exception&) {
    return NoMemory(size_);
  }
  blocks_[k] = std::move(parts[0]);
  return OkStatus();
}

Status TensorList::OwnMemory(Block* block) {
  if (block->memory->IsExclusive()) return OkStatus();
  Ref<Buffer> own = NewPooledBuffer(block->memory->size());
  if (!own) return NoMemory(size_);
  const bool all = block->partial;  // with the bits
  std::memcpy(own->data(), block->memory->data(),
              all ? block->memory->size() : block->count * ElementBytes());
  block->memory = std::move(own);
  return OkStatus();
}

Status TensorList::PushBytes(const TensorShape& shape, const void* from,
                             int64_t n) {
  if (!TakeShape(shape)) return Internal("elements that no list packs");
  const int64_t size = ElementBytes();
  const auto* at = static_cast<const std::byte*>(from);
  while (n > 0) {
    if (blocks_.empty() || !blocks_.back().memory || blocks_.back().partial ||
        blocks_.back().count == blocks_.back().capacity) {
      GK_RETURN_IF_ERROR(AddBlock());
    }
    Block& block = blocks_.back();
    GK_RETURN_IF_ERROR(OwnMemory(&block));
    const int64_t part = std::min(n, block.capacity - block.count);
    std::memcpy(BytesOf(block, size_), at, part * size);
    block.count += part;
    size_ += part;
    at += part * size;
    n -= part;
  }
  return OkStatus();
}

Ref<Buffer> TensorList::Whole() const {
  if (!IsPacked() || !has_shape_ || blocks_.size() != 1) return {};
  const Block& block = blocks_[0];
  const int64_t bytes = size_ * ElementBytes();
  if (!block.memory || block.count != size_ ||
      static_cast<int64_t>(block.memory->size()) > bytes + bytes / 8) {
    return {};
  }
  return block.memory;
}

bool TensorList::ShareRows(const TensorShape& row, const Tensor& x) {
  if (size_ > 0 || !x.buffer() || x.raw_data() != x.buffer()->data() ||
      x.num_elements() == 0 || !TakeShape(row)) {
    return false;
  }
  size_ = x.dim(0);
  blocks_.push_back({x.buffer(), 0, size_, size_, false});
  return true;
}

Status TensorList::Unpack() {
  if (!IsPacked() || size_ == 0) return OkStatus();
  TensorVector tensors;
  try {
    tensors.resize(size_);
  } catch (const std::exception&) {
    return NoMemory(size_);
  }
  for (const Block& block : blocks_) {
    if (!block.memory) continue;
    for (int64_t i = block.first; i < block.first + block.count; ++i) {
      GK_ASSIGN_OR_RETURN(tensors[i], Get(i));
    }
  }
  tensors_ = std::move(tensors);
  blocks_.clear();
  has_shape_ = false;
  return OkStatus();
}

Status TensorList::Push(const Tensor& x) {
  if (Packs(x.shape()) && !(empty() && IsWorthSharing(x))) {
    return PushBytes(x.shape(), x.raw_data(), 1);
  }
  GK_RETURN_IF_ERROR(Unpack());
  try {
    tensors_.push_back(x);
  } catch (const std::exception&) {
    return NoMemory(size_ + 1);
  }
  ++size_;
  return OkStatus();
}

Status TensorList::Set(int64_t i, const Tensor& x) {
  if (!TakeShape(x.shape())) {
    GK_RETURN_IF_ERROR(Unpack());
    tensors_[i] = x;
    return OkStatus();
  }
  size_t k = BlockOf(i);
  if (!blocks_[k].memory) {
    const bool follows =
        k > 0 && i == blocks_[k].first && IsSet(blocks_[k - 1], i - 1);
    GK_RETURN_IF_ERROR(follows ? Extend(k) : Carve(k, i));
    k = BlockOf(i);
  }
  Block& block = blocks_[k];
  GK_RETURN_IF_ERROR(OwnMemory(&block));
  std::memcpy(BytesOf(block, i), x.raw_data(), ElementBytes());
  if (block.partial) {
    const int64_t at = i - block.first;
    BitsOf(block)[at / 8] |= 1 << at % 8;
  }
  return OkStatus();
}

void TensorList::Pop() {
  --size_;
  if (!IsPacked()) {
    tensors_.pop_back();
  } else if (--blocks_.back().count == 0) {
    blocks_.pop_back();
  }
  if (size_ == 0) has_shape_ = false;
}

Status TensorList::Resize(int64_t n) {
  try {
    if (!IsPacked()) {
      tensors_.resize(n);
    } else if (n > size_) {
      blocks_.push_back({nullptr, size_, n - size_, 0, false});
    } else {
      while (!blocks_.empty() && blocks_.back().first >= n) blocks_.pop_back();
      if (!blocks_.empty()) blocks_.back().count = n - blocks_.back().first;
    }
  } catch (const std::exception&) {
    return NoMemory(n);
  }
  size_ = n;
  if (size_ == 0) has_shape_ = false;
  return OkStatus();
}

Status TensorList::Append(const TensorList& other) {
  for (int64_t i = 0; i < other.size(); ++i) {
    GK_ASSIGN_OR_RETURN(const Tensor x, other.Get(i));
    if (x) {
      GK_RETURN_IF_ERROR(Push(x));
    } else {
      GK_RETURN_IF_ERROR(Resize(size() + 1));
    }
  }
  return OkStatus();
}

StatusOr<const TensorList*> TensorList::Of(const Tensor& handle) {
  if (handle.dtype() != DataType::kVariant || !handle.shape().IsScalar()) {
    return InvalidArgument("Input list must be a scalar. Saw: {}",
                           handle.shape().DebugString());
  }
  const auto* list = handle.scalar<Variant>().As<TensorList>();
  if (list == nullptr) {
    return InvalidArgument("Input handle is not a list. Saw: '{}'",
                           handle.scalar<Variant>().get()
                               ? handle.scalar<Variant>().get()->type_name()
                               : "nothing");
  }
  return list;
}

Tensor TensorList::Wrap(Ref<TensorList> list) {
  Tensor t = ValueOrThrow(Tensor::Allocate(DataType::kVariant, TensorShape()));
  t.data<Variant>()[0] = Variant(std::move(list));
  return t;
}

}  // namespace gk
