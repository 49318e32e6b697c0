#include "graphkiln/lookup.h"

#include <utility>

#include "api/inner.h"
#include "api/lookup_rep.h"
#include "graphkiln/functions.h"
#include "graphkiln/graph.h"
#include "graphkiln/ops.h"

namespace gk::api::lookup {
namespace {

using Fill = Table::Rep::Fill;
using MadeNamed = std::function<Tensor(const std::string& name)>;

// Made eagerly, also inside a function that is traced.
template <class Make>
std::shared_ptr<Table::Rep> Made(const std::string& kind, Make make,
                                 MadeNamed make_named) {
  const init_scope outside;
  auto rep = std::make_shared<Table::Rep>();
  rep->handle = make();
  rep->kind = kind;
  rep->make_named = std::move(make_named);
  return rep;
}

std::shared_ptr<const Table::Rep> MadeStatic(
    DataType key, DataType value, Fill fill,
    std::optional<saved_model::Asset> file = {}) {
  const std::shared_ptr<Table::Rep> rep = Made(
      "HashTable", [&] { return gk::api::ops::AnonymousHashTable(key, value); },
      [=](const std::string& name) {
        return gk::api::ops::HashTableV2(key, value, "", name);
      });
  rep->fill = std::move(fill);
  rep->file = std::move(file);
  rep->fill(rep->handle);
  return rep;
}

std::shared_ptr<const Table::Rep> MadeMutable(DataType key,
                                              const Tensor& otherwise) {
  const DataType value = otherwise.dtype();
  const Shape shape = otherwise.shape();
  if (shape.rank() == 0) {
    return Made(
        "MutableHashTable",
        [&] { return gk::api::ops::AnonymousMutableHashTable(key, value); },
        [=](const std::string& name) {
          return gk::api::ops::MutableHashTableV2(key, value, "", name);
        });
  }
  return Made(
      "MutableHashTableOfTensors",
      [&] {
        return gk::api::ops::AnonymousMutableHashTableOfTensors(key, value,
                                                                shape);
      },
      [=](const std::string& name) {
        return gk::api::ops::MutableHashTableOfTensorsV2(key, value, "", name,
                                                         false, shape);
      });
}

std::shared_ptr<const Table::Rep> MadeDense(const Tensor& empty_key,
                                            const Tensor& deleted_key,
                                            const Tensor& otherwise,
                                            int64_t buckets) {
  const DataType value = otherwise.dtype();
  const Shape shape = otherwise.shape();
  return Made(
      "MutableDenseHashTable",
      [&] {
        return gk::api::ops::AnonymousMutableDenseHashTable(
            empty_key, deleted_key, value, shape, buckets);
      },
      [=](const std::string& name) {
        // Constants of the function that makes it: it captures nothing.
        return gk::api::ops::MutableDenseHashTableV2(
            Outer(ConstantHere(Inner(empty_key))),
            Outer(ConstantHere(Inner(deleted_key))), value, "", name, false,
            shape, buckets);
      });
}

}  // namespace

const Tensor& Table::resource_handle() const { return rep_->handle; }

Tensor Table::size() const {
  return gk::api::ops::LookupTableSizeV2(resource_handle());
}

Tensor Table::lookup(const Tensor& keys) const {
  return gk::api::ops::LookupTableFindV2(resource_handle(), keys,
                                         default_value_);
}

std::pair<Tensor, Tensor> Table::export_values() const {
  const std::vector<Tensor> all = gk::api::ops::LookupTableExportV2(
      resource_handle(), key_dtype(), value_dtype());
  return {all[0], all[1]};
}

StaticHashTable::StaticHashTable(const Tensor& keys, const Tensor& values,
                                 const Tensor& default_value)
    : Table(keys.dtype(), default_value,
            MadeStatic(keys.dtype(), values.dtype(),
                       [keys, values](const Tensor& handle) {
                         gk::api::ops::LookupTableImportV2(handle, keys,
                                                           values);
                       })) {}

StaticHashTable StaticHashTable::from_text_file(const std::string& filename,
                                                const TextFileFormat& format,
                                                const Tensor& default_value) {
  const saved_model::Asset file(filename);
  const auto fill = [file, format](const Tensor& handle) {
    gk::api::ops::InitializeTableFromTextFileV2(
        handle, file.asset_path(), format.key_index, format.value_index,
        format.vocab_size, format.delimiter, format.value_index_offset);
  };
  return StaticHashTable(
      format.key_dtype, default_value,
      MadeStatic(format.key_dtype, format.value_dtype, fill, file));
}

StaticVocabularyTable::StaticVocabularyTable(const Tensor& keys,
                                             const Tensor& ids,
                                             int64_t num_oov_buckets)
    : StaticVocabularyTable(StaticHashTable(keys, ids, Tensor(int64_t{-1})),
                            num_oov_buckets) {}

StaticVocabularyTable::StaticVocabularyTable(StaticHashTable table,
                                             int64_t num_oov_buckets)
    : table_(std::move(table)), num_oov_buckets_(num_oov_buckets) {
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
    : Table(key_dtype, default_value, MadeMutable(key_dtype, default_value)) {}

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
    : Table(empty_key.dtype(), default_value,
            MadeDense(empty_key, deleted_key, default_value,
                      initial_num_buckets)) {}

void DenseHashTable::insert(const Tensor& keys, const Tensor& values) const {
  gk::api::ops::LookupTableInsertV2(resource_handle(), keys, values);
}
void DenseHashTable::remove(const Tensor& keys) const {
  gk::api::ops::LookupTableRemoveV2(resource_handle(), keys);
}

}  // namespace gk::api::lookup
