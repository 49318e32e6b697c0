// TableResource: what handles of lookup tables refer to, a map from keys to
// values. Thread-safe.
#ifndef GK_OPS_LOOKUP_TABLE_H_
#define GK_OPS_LOOKUP_TABLE_H_

#include <span>
#include <string>
#include <vector>

#include "framework/resource_manager.h"
#include "framework/tensor.h"

namespace gk {

// Of which types keys and values are, and of which shape one of them is.
struct TableTypes {
  DataType key = DataType::kInvalid, value = DataType::kInvalid;
  TensorShape key_shape, value_shape;
};

class TableResource : public NamedResource {
 public:
  TableResource(std::string name, TableTypes types)
      : name_(std::move(name)), types_(std::move(types)) {}

  std::string_view type_name() const override {
    return "tensorflow::lookup::LookupInterface";
  }
  const std::string& name() const { return name_; }
  const TableTypes& types() const { return types_; }

  static StatusOr<Ref<TableResource>> Of(const Tensor& handle);

  // Tensors of the right types, and of shapes that CheckFind and CheckInsert
  // have let pass. `values` is allocated.
  virtual Status Find(const Tensor& keys, const Tensor& otherwise,
                      Tensor* values) = 0;
  virtual Status Insert(const Tensor& keys, const Tensor& values) = 0;
  virtual Status Remove(const Tensor& keys) = 0;
  // All that was there is forgotten.
  virtual Status Import(const Tensor& keys, const Tensor& values) = 0;
  virtual Status Export(Tensor* keys, Tensor* values) = 0;
  virtual int64_t Size() = 0;
  // Once; other tables refuse it.
  virtual Status Initialize(const Tensor& keys, const Tensor& values);
  // Initialize would do nothing.
  virtual bool IsInitialized() { return false; }

  // The shape of the values of keys of a shape, or InvalidArgument.
  StatusOr<TensorShape> ValuesShape(const TensorShape& keys) const;
  // Default values are one for all keys or one for each.
  Status CheckFind(const Tensor& keys, const Tensor& otherwise) const;
  Status CheckInsert(const Tensor& keys, const Tensor& values) const;

 private:
  const std::string name_;
  const TableTypes types_;
};

// Rows of `width` elements of one type.
class Column {
 public:
  Column() = default;
  Column(DataType dtype, int64_t width);

  int64_t rows() const { return rows_; }
  // From row `row` of a tensor; of a later row, or at the end.
  void Set(int64_t at, const Tensor& from, int64_t row);
  void Append(const Tensor& from, int64_t row) { Set(rows_, from, row); }
  void Get(int64_t at, Tensor* to, int64_t row) const;
  // Rows of a tensor from `row` on: those at places[i], or, where that is below
  // 0, those of another column, its `step` apart.
  void GetSome(std::span<const int64_t> places, const Column& others,
               int64_t step, Tensor* to, int64_t row) const;
  // Makes the cache fetch a row.
  void Prefetch(int64_t at) const {
    __builtin_prefetch(
        texts() ? static_cast<const void*>(strings_.data() + at * width_)
                : bytes_.data() + at * row_bytes_);
  }
  bool Equals(int64_t at, const Tensor& from, int64_t row) const;
  // Of a column of single strings.
  const std::string& text(int64_t at) const { return strings_[at]; }
  // Row `at` becomes the last one, which is dropped.
  void Drop(int64_t at);
  // All rows, in a tensor of that many elements.
  void CopyAll(Tensor* to) const;

 private:
  bool texts() const { return dtype_ == DataType::kString; }

  DataType dtype_ = DataType::kInvalid;
  int64_t width_ = 0, rows_ = 0;
  size_t row_bytes_ = 0;
  std::vector<char> bytes_;
  std::vector<std::string> strings_;
};

// Can tables hold it?
bool IsTableKey(DataType dtype);
bool IsTableValue(DataType dtype);

// A table of single keys. One that is `fixed` gets its content once.
Ref<TableResource> MakeHashTable(std::string name, TableTypes types,
                                 bool fixed);

// A table whose keys lie in buckets, of which two special keys mark the empty
// and the deleted ones.
struct DenseTableOptions {
  Tensor empty_key, deleted_key;
  int64_t buckets = 0;
  float max_load_factor = 0;
};
StatusOr<Ref<TableResource>> MakeDenseTable(std::string name, TableTypes types,
                                            const DenseTableOptions& options);

}  // namespace gk

#endif  // GK_OPS_LOOKUP_TABLE_H_
