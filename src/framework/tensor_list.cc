#include "framework/tensor_list.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/format.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

// x + y by the kernel of AddV2.
StatusOr<Tensor> Sum(const Tensor& x, const Tensor& y) {
  GK_ASSIGN_OR_RETURN(const OpRecord* add, OpRegistry::Get().LookUp("AddV2"));
  const Tensor* inputs[] = {&x, &y};
  Tensor output;
  const AttrMap attrs{{"T", x.dtype()}};
  KernelContext context(*add, attrs, inputs, {&output, 1});
  GK_RETURN_IF_ERROR(add->kernel.compute(context));
  return output;
}

// Larger ones are shared rather than copied; their headers cost little.
constexpr int64_t kMaxPackedBytes = 16 << 10;
constexpr int64_t kMinBlockBytes = 256;
constexpr int64_t kMaxBlockBytes = 1 << 20;

// What the allocator makes of it: four sizes per power of two.
int64_t WholeBlock(int64_t bytes) {
  const int64_t step = std::bit_floor(static_cast<uint64_t>(bytes)) / 4;
  return (bytes + step - 1) / step * step;
}

Status NoMemory(int64_t n) {
  return ResourceExhausted("OOM when making a list of {} elements", n);
}

// The element in a variant of its own that stands for zero.
StatusOr<Tensor> ZeroVariants(const Tensor& t) {
  GK_ASSIGN_OR_RETURN(Tensor fresh, Tensor::Allocate(t.dtype(), t.shape()));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const Variant& v = t.data<Variant>()[i];
    if (v.get() == nullptr) continue;
    GK_ASSIGN_OR_RETURN(Ref<VariantObject> zero, v.get()->ZerosLike());
    fresh.data<Variant>()[i] = Variant(std::move(zero));
  }
  return fresh;
}

StatusOr<Tensor> SumVariants(const Tensor& t, const Tensor& u) {
  GK_ASSIGN_OR_RETURN(Tensor fresh, Tensor::Allocate(t.dtype(), t.shape()));
  const Variant& a = t.scalar<Variant>();
  const Variant& b = u.scalar<Variant>();
  if (a.get() == nullptr || b.get() == nullptr) {
    fresh.data<Variant>()[0] = a.get() ? a : b;
  } else {
    GK_ASSIGN_OR_RETURN(Ref<VariantObject> s, a.get()->Add(*b.get()));
    fresh.data<Variant>()[0] = Variant(std::move(s));
  }
  return fresh;
}

}  // namespace

Ref<TensorList> TensorList::Copy() const {
  auto copy = MakeRef<TensorList>(element_dtype, element_shape);
  copy->max_num_elements = max_num_elements;
  copy->tensors_ = tensors_;
  copy->packed_ = packed_;
  copy->packed_shape_ = packed_shape_;
  copy->blocks_ = blocks_;
  return copy;
}

StatusOr<Ref<VariantObject>> TensorList::ZerosLike() const {
  Ref<TensorList> zeros = Copy();
  for (Tensor& t : zeros->tensors_) {
    if (!t) continue;
    if (t.dtype() == DataType::kVariant) {
      GK_ASSIGN_OR_RETURN(t, ZeroVariants(t));
    } else {
      GK_ASSIGN_OR_RETURN(t, Tensor::Zeros(t.dtype(), t.shape()));
    }
  }
  for (Block& block : zeros->blocks_) {
    block.memory = NewPooledBuffer(block.capacity * ElementBytes());
    if (!block.memory) return NoMemory(packed_);
    std::memset(block.memory->data(), 0, block.count * ElementBytes());
  }
  return Ref<VariantObject>(std::move(zeros));
}

StatusOr<Ref<VariantObject>> TensorList::Add(const VariantObject& o) const {
  const auto* other = dynamic_cast<const TensorList*>(&o);
  if (other == nullptr || other->element_dtype != element_dtype) {
    return InvalidArgument("Trying to add two lists of tensors of different "
                           "dtypes");
  }
  if (other->size() != size()) {
    return InvalidArgument(
        "Trying to add two lists of tensors with different lengths. One has "
        "{}, the other {}",
        size(), other->size());
  }
  if (packed_ > 0 && other->packed_ > 0 &&
      packed_shape_ == other->packed_shape_) {
    const TensorShape flat({packed_ * packed_shape_.num_elements()});
    Tensor terms[2];
    for (int k = 0; k < 2; ++k) {
      GK_ASSIGN_OR_RETURN(terms[k], Tensor::Allocate(element_dtype, flat));
      (k == 0 ? this : other)->CopyBytes(0, packed_, terms[k].raw_data());
    }
    GK_ASSIGN_OR_RETURN(const Tensor total, Sum(terms[0], terms[1]));
    auto sum = MakeRef<TensorList>(element_dtype, element_shape);
    sum->max_num_elements = max_num_elements;
    GK_RETURN_IF_ERROR(
        sum->PushBytes(packed_shape_, total.raw_data(), packed_));
    return Ref<VariantObject>(std::move(sum));
  }
  Ref<TensorList> sum = Copy();
  for (int64_t i = 0; i < size(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor t, Get(i));
    GK_ASSIGN_OR_RETURN(const Tensor u, other->Get(i));
    if (!u) continue;
    if (!t) {
      t = u;
    } else if (t.dtype() == DataType::kVariant) {
      GK_ASSIGN_OR_RETURN(t, SumVariants(t, u));
    } else {
      GK_ASSIGN_OR_RETURN(t, Sum(t, u));
    }
    GK_RETURN_IF_ERROR(sum->Set(i, t));
  }
  return Ref<VariantObject>(std::move(sum));
}

int64_t TensorList::ElementBytes() const {
  return packed_shape_.num_elements() * DataTypeSize(element_dtype);
}

size_t TensorList::BlockOf(int64_t i) const {
  // The ends are what loops use.
  if (i >= blocks_.back().first) return blocks_.size() - 1;
  const auto after = std::upper_bound(
      blocks_.begin(), blocks_.end(), i,
      [](int64_t at, const Block& b) { return at < b.first; });
  return after - blocks_.begin() - 1;
}

const std::byte* TensorList::BytesOf(int64_t i) const {
  const Block& block = blocks_[BlockOf(i)];
  return static_cast<const std::byte*>(block.memory->data()) +
         (i - block.first) * ElementBytes();
}

const TensorShape* TensorList::ShapeOf(int64_t i) const {
  if (packed_ > 0) return &packed_shape_;
  return tensors_[i] ? &tensors_[i].shape() : nullptr;
}

StatusOr<Tensor> TensorList::Get(int64_t i) const {
  if (packed_ == 0) return tensors_[i] ? tensors_[i].Alias() : Tensor();
  GK_ASSIGN_OR_RETURN(Tensor t, Tensor::Allocate(element_dtype, packed_shape_));
  std::memcpy(t.raw_data(), BytesOf(i), ElementBytes());
  return t;
}

bool TensorList::Packs(const TensorShape& shape) const {
  if (packed_ > 0) return packed_shape_ == shape;
  const int size = DataTypeSize(element_dtype);
  return tensors_.empty() && size > 0 && shape.num_elements() > 0 &&
         shape.num_elements() <= kMaxPackedBytes / size;
}

bool TensorList::CopyBytes(int64_t i, int64_t n, void* to) const {
  if (packed_ == 0 || i < 0 || n < 0 || n > packed_ - i) return false;
  auto* at = static_cast<std::byte*>(to);
  const int64_t size = ElementBytes();
  for (size_t k = n > 0 ? BlockOf(i) : 0; n > 0; ++k) {
    const Block& block = blocks_[k];
    const int64_t skip = i - block.first;
    const int64_t part = std::min(n, block.count - skip);
    std::memcpy(at,
                static_cast<const std::byte*>(block.memory->data()) +
                    skip * size,
                part * size);
    at += part * size;
    i += part;
    n -= part;
  }
  return true;
}

// An eighth of what is there: little is in vain, and blocks stay few.
Status TensorList::AddBlock() {
  const int64_t size = ElementBytes();
  const int64_t wanted = std::clamp(packed_ * size / 8, kMinBlockBytes,
                                    std::max(kMaxBlockBytes, size));
  const int64_t bytes = WholeBlock(std::max(wanted, size));
  Block block{NewPooledBuffer(bytes), packed_, 0, bytes / size};
  if (!block.memory) return NoMemory(packed_ + 1);
  try {
    blocks_.push_back(std::move(block));
  } catch (const std::exception&) {
    return NoMemory(packed_ + 1);
  }
  return OkStatus();
}

StatusOr<std::byte*> TensorList::OwnMemory(Block* block) {
  if (!block->memory->RefCountIsOne()) {
    Ref<Buffer> own = NewPooledBuffer(block->memory->size());
    if (!own) return NoMemory(packed_);
    std::memcpy(own->data(), block->memory->data(),
                block->count * ElementBytes());
    block->memory = std::move(own);
  }
  return static_cast<std::byte*>(block->memory->data());
}

Status TensorList::PushBytes(const TensorShape& shape, const void* from,
                             int64_t n) {
  if (packed_ == 0) {
    packed_shape_ = shape;
    blocks_.clear();
  }
  const int64_t size = ElementBytes();
  const auto* at = static_cast<const std::byte*>(from);
  while (n > 0) {
    if (blocks_.empty() || blocks_.back().count == blocks_.back().capacity) {
      GK_RETURN_IF_ERROR(AddBlock());
    }
    Block& block = blocks_.back();
    GK_ASSIGN_OR_RETURN(std::byte* to, OwnMemory(&block));
    const int64_t part = std::min(n, block.capacity - block.count);
    std::memcpy(to + block.count * size, at, part * size);
    block.count += part;
    packed_ += part;
    at += part * size;
    n -= part;
  }
  return OkStatus();
}

Status TensorList::Unpack() {
  if (packed_ == 0) return OkStatus();
  TensorVector tensors;
  try {
    tensors.resize(packed_);
  } catch (const std::exception&) {
    return NoMemory(packed_);
  }
  for (int64_t i = 0; i < packed_; ++i) {
    GK_ASSIGN_OR_RETURN(tensors[i], Get(i));
  }
  tensors_ = std::move(tensors);
  blocks_.clear();
  packed_ = 0;
  return OkStatus();
}

Status TensorList::Push(const Tensor& x) {
  if (Packs(x.shape())) return PushBytes(x.shape(), x.raw_data(), 1);
  GK_RETURN_IF_ERROR(Unpack());
  try {
    tensors_.push_back(x);
  } catch (const std::exception&) {
    return NoMemory(size() + 1);
  }
  return OkStatus();
}

Status TensorList::Set(int64_t i, const Tensor& x) {
  if (packed_ > 0 && packed_shape_ == x.shape()) {
    Block& block = blocks_[BlockOf(i)];
    GK_ASSIGN_OR_RETURN(std::byte* to, OwnMemory(&block));
    std::memcpy(to + (i - block.first) * ElementBytes(), x.raw_data(),
                ElementBytes());
    return OkStatus();
  }
  GK_RETURN_IF_ERROR(Unpack());
  tensors_[i] = x;
  return OkStatus();
}

void TensorList::Pop() {
  if (packed_ == 0) {
    tensors_.pop_back();
    return;
  }
  --packed_;
  if (--blocks_.back().count == 0) blocks_.pop_back();
}

Status TensorList::Resize(int64_t n) {
  if (packed_ > 0 && n <= packed_) {
    while (!blocks_.empty() && blocks_.back().first >= n) blocks_.pop_back();
    if (!blocks_.empty()) blocks_.back().count = n - blocks_.back().first;
    packed_ = n;
    return OkStatus();
  }
  GK_RETURN_IF_ERROR(Unpack());
  try {
    tensors_.resize(n);
  } catch (const std::exception&) {
    return NoMemory(n);
  }
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
