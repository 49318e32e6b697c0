#include "ops/lookup/table.h"

#include <algorithm>
#include <cstring>

#include "framework/text_memory.h"
#include "ops/named_resource.h"

namespace gk {
namespace {

// The dimensions before those of one key, or nothing.
StatusOr<TensorShape> ShapeOfKeys(const TensorShape& keys,
                                  const TensorShape& key) {
  const int lead = keys.rank() - key.rank();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < key.rank(); ++i) {
    fits = keys.dim(lead + i) == key.dim(i);
  }
  if (!fits) {
    return InvalidArgument(
        "Input key shape {} must end with the table's key shape {}",
        keys.DebugString(), key.DebugString());
  }
  TensorShape shape = keys;
  while (shape.rank() > lead) shape.RemoveDim(lead);
  return shape;
}

}  // namespace

StatusOr<Ref<TableResource>> TableResource::Of(const Tensor& handle) {
  return ResourceOf<TableResource>(handle, "lookup table");
}

Status TableResource::Initialize(const Tensor&, const Tensor&) {
  return InvalidArgument("Table localhost {} is not initializable", name_);
}

StatusOr<TensorShape> TableResource::ValuesShape(
    const TensorShape& keys) const {
  GK_ASSIGN_OR_RETURN(const TensorShape lead,
                      ShapeOfKeys(keys, types_.key_shape));
  std::vector<int64_t> dims(lead.dims().begin(), lead.dims().end());
  const auto value = types_.value_shape.dims();
  dims.insert(dims.end(), value.begin(), value.end());
  return TensorShape::Make(dims);
}

Status TableResource::CheckFind(const Tensor& keys,
                                const Tensor& otherwise) const {
  GK_ASSIGN_OR_RETURN(const TensorShape shape, ValuesShape(keys.shape()));
  if (otherwise.shape() == types_.value_shape || otherwise.shape() == shape) {
    return OkStatus();
  }
  return InvalidArgument("Expected shape {} or {} for default value, got {}",
                         types_.value_shape.DebugString(), shape.DebugString(),
                         otherwise.shape().DebugString());
}

Status TableResource::CheckInsert(const Tensor& keys,
                                  const Tensor& values) const {
  GK_ASSIGN_OR_RETURN(const TensorShape shape, ValuesShape(keys.shape()));
  if (values.shape() == shape) return OkStatus();
  return InvalidArgument("Expected shape {} for value, got {}",
                         shape.DebugString(), values.shape().DebugString());
}

Column::Column(DataType dtype, int64_t width)
    : dtype_(dtype),
      width_(width),
      row_bytes_(texts() ? 0 : width * DataTypeSize(dtype)) {}

void Column::Set(int64_t at, const Tensor& from, int64_t row) {
  if (texts()) {
    const std::string* text = from.data<std::string>() + row * width_;
    if (at == rows_) strings_.resize((rows_ + 1) * width_);
    for (int64_t k = 0; k < width_; ++k) {
      CountText(static_cast<int64_t>(text[k].size()));
      strings_[at * width_ + k] = text[k];
    }
  } else {
    if (at == rows_) bytes_.resize((rows_ + 1) * row_bytes_);
    char* const to = bytes_.data() + at * row_bytes_;
    const char* const source =
        static_cast<const char*>(from.raw_data()) + row * row_bytes_;
    // Most rows are single numbers.
    if (row_bytes_ == 8) {
      std::memcpy(to, source, 8);
    } else {
      std::memcpy(to, source, row_bytes_);
    }
  }
  rows_ = std::max(rows_, at + 1);
}

void Column::GetSome(std::span<const int64_t> places, const Column& others,
                     int64_t step, Tensor* to, int64_t row) const {
  const auto numbers = [&]<class T>(T) {
    const char *mine = bytes_.data(), *theirs = others.bytes_.data();
    T* const out = static_cast<T*>(to->raw_data()) + row;
    for (size_t i = 0; i < places.size(); ++i) {
      const int64_t at = places[i];
      const bool found = at >= 0;
      const char* const from = found ? mine : theirs;
      const int64_t place = found ? at : (row + static_cast<int64_t>(i)) * step;
      std::memcpy(&out[i], from + place * int64_t{sizeof(T)}, sizeof(T));
    }
  };
  if (!texts() && row_bytes_ == 8) return numbers(uint64_t());
  if (!texts() && row_bytes_ == 4) return numbers(uint32_t());
  for (size_t i = 0; i < places.size(); ++i) {
    const auto to_row = row + static_cast<int64_t>(i);
    if (places[i] >= 0) {
      Get(places[i], to, to_row);
    } else {
      others.Get(to_row * step, to, to_row);
    }
  }
}

void Column::Get(int64_t at, Tensor* to, int64_t row) const {
  if (texts()) {
    for (int64_t k = 0; k < width_; ++k) {
      const std::string& text = strings_[at * width_ + k];
      CountText(static_cast<int64_t>(text.size()));
      to->data<std::string>()[row * width_ + k] = text;
    }
    return;
  }
  std::memcpy(static_cast<char*>(to->raw_data()) + row * row_bytes_,
              bytes_.data() + at * row_bytes_, row_bytes_);
}

bool Column::Equals(int64_t at, const Tensor& from, int64_t row) const {
  if (texts()) {
    const std::string* text = from.data<std::string>() + row * width_;
    return std::equal(text, text + width_, strings_.begin() + at * width_);
  }
  return std::memcmp(
             bytes_.data() + at * row_bytes_,
             static_cast<const char*>(from.raw_data()) + row * row_bytes_,
             row_bytes_) == 0;
}

void Column::Drop(int64_t at) {
  const int64_t last = --rows_;
  if (texts()) {
    for (int64_t k = 0; at != last && k < width_; ++k) {
      strings_[at * width_ + k] = std::move(strings_[last * width_ + k]);
    }
    strings_.resize(rows_ * width_);
    return;
  }
  if (at != last) {
    std::memcpy(bytes_.data() + at * row_bytes_,
                bytes_.data() + last * row_bytes_, row_bytes_);
  }
  bytes_.resize(rows_ * row_bytes_);
}

void Column::CopyAll(Tensor* to) const {
  if (texts()) {
    for (int64_t i = 0; i < rows_; ++i) Get(i, to, i);
  } else if (!bytes_.empty()) {
    std::memcpy(to->raw_data(), bytes_.data(), bytes_.size());
  }
}

bool IsTableValue(DataType dtype) {
  return dtype != DataType::kResource && dtype != DataType::kVariant &&
         dtype != DataType::kInvalid;
}

bool IsTableKey(DataType dtype) {
  return IsTableValue(dtype) &&
         (dtype == DataType::kString || DataTypeSize(dtype) <= 8) &&
         dtype != DataType::kComplex64;
}

}  // namespace gk
