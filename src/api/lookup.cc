#include "graphkiln/lookup.h"

#include "api/inner.h"
#include "graphkiln/functions.h"
#include "graphkiln/graph.h"
#include "graphkiln/ops.h"

namespace gk::api::lookup {
namespace {

// Made eagerly, also inside a function that is traced.
template <class Make>
Tensor Made(Make make) {
  const init_scope outside;
  return make();
}

}  // namespace

Tensor Table::size() const { return gk::api::ops::LookupTableSizeV2(handle_); }

Tensor Table::lookup(const Tensor& keys) const {
  return gk::api::ops::LookupTableFindV2(handle_, keys, default_value_);
}

std::pair<Tensor, Tensor> Table::export_values() const {
  const std::vector<Tensor> all =
      gk::api::ops::LookupTableExportV2(handle_, key_dtype(), value_dtype());
  return {all[0], all[1]};
}

StaticHashTable::StaticHashTable(const Tensor& keys, const Tensor& values,
                                 const Tensor& default_value)
    : Table(keys.dtype(), default_value, Made([&] {
              return gk::api::ops::AnonymousHashTable(keys.dtype(),
                                                      values.dtype());
            })) {
  gk::api::ops::LookupTableImportV2(resource_handle(), keys, values);
}

StaticHashTable StaticHashTable::from_text_file(const std::string& filename,
                                                const TextFileFormat& format,
                                                const Tensor& default_value) {
  StaticHashTable table(format.key_dtype, default_value, Made([&] {
                          return gk::api::ops::AnonymousHashTable(
                              format.key_dtype, format.value_dtype);
                        }));
  gk::api::ops::InitializeTableFromTextFileV2(
      table.resource_handle(), Tensor(filename), format.key_index,
      format.value_index, format.vocab_size, format.delimiter,
      format.value_index_offset);
  return table;
}

StaticVocabularyTable::StaticVocabularyTable(const Tensor& keys,
                                             const Tensor& ids,
                                             int64_t num_oov_buckets)
    : table_(keys, ids, Tensor(int64_t{-1})),
      num_oov_buckets_(num_oov_buckets) {
  if (num_oov_buckets > 0) return;
  Guarded([] {
    throw ::gk::Error(
        ValueError("`num_oov_buckets` must be > 0; use StaticHashTable."));
  });
}

Tensor StaticVocabularyTable::size() const {
  return table_.size() + Tensor(num_oov_buckets_);
}

Tensor StaticVocabularyTable::lookup(const Tensor& keys) const {
  const Tensor known = table_.lookup(keys);
  const Tensor texts =
      keys.dtype() == DataType::kString ? keys : gk::api::ops::AsString(keys);
  const Tensor other =
      gk::api::ops::StringToHashBucketFast(texts, num_oov_buckets_) +
      table_.size();
  return gk::api::ops::SelectV2(
      gk::api::ops::NotEqual(known, table_.default_value()), known, other);
}

MutableHashTable::MutableHashTable(DataType key_dtype,
                                   const Tensor& default_value)
    : Table(key_dtype, default_value, Made([&] {
              const DataType value = default_value.dtype();
              return default_value.shape().rank() == 0
                         ? gk::api::ops::AnonymousMutableHashTable(key_dtype,
                                                                   value)
                         : gk::api::ops::AnonymousMutableHashTableOfTensors(
                               key_dtype, value, default_value.shape());
            })) {}

Tensor MutableHashTable::lookup(const Tensor& keys,
                                const Tensor& otherwise) const {
  return gk::api::ops::LookupTableFindV2(resource_handle(), keys, otherwise);
}
void MutableHashTable::insert(const Tensor& keys, const Tensor& values) const {
  gk::api::ops::LookupTableInsertV2(resource_handle(), keys, values);
}
void MutableHashTable::remove(const Tensor& keys) const {
  gk::api::ops::LookupTableRemoveV2(resource_handle(), keys);
}

DenseHashTable::DenseHashTable(const Tensor& empty_key,
                               const Tensor& deleted_key,
                               const Tensor& default_value,
                               int64_t initial_num_buckets)
    : Table(empty_key.dtype(), default_value, Made([&] {
              return gk::api::ops::AnonymousMutableDenseHashTable(
                  empty_key, deleted_key, default_value.dtype(),
                  default_value.shape(), initial_num_buckets);
            })) {}

void DenseHashTable::insert(const Tensor& keys, const Tensor& values) const {
  gk::api::ops::LookupTableInsertV2(resource_handle(), keys, values);
}
void DenseHashTable::remove(const Tensor& keys) const {
  gk::api::ops::LookupTableRemoveV2(resource_handle(), keys);
}

}  // namespace gk::api::lookup
