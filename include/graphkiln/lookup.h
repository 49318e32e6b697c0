// Lookup tables: maps from keys to values that live beside the graph.
//
//   using Texts = std::vector<std::string>;
//   gk::lookup::StaticHashTable table(gk::Tensor(Texts{"a", "b"}), {7, 8}, -1);
//   gk::Tensor found = table.lookup(gk::Tensor(Texts{"b", "c"}));  // [8 -1]
//
// Handles: copies are the same table, which lives as long as one of them.
// Traced functions capture tables; inside one a table is made once, eagerly.
// Modules keep them (Module::track), and with these checkpoints what is in
// tables that change, and saved models all. Thread-safe. Functions throw Error.
#ifndef GRAPHKILN_LOOKUP_H_
#define GRAPHKILN_LOOKUP_H_

#include <graphkiln/asset.h>
#include <graphkiln/tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace gk {
GK_API_NAMESPACE {
  namespace lookup {

  // What all tables have.
  class GK_EXPORT Table {
   public:
    // The types of keys and values, and the handle that ops get.
    DataType key_dtype() const { return key_dtype_; }
    DataType value_dtype() const { return default_value_.dtype(); }
    const Tensor& resource_handle() const;
    // Of keys that are not there.
    const Tensor& default_value() const { return default_value_; }

    // How many keys there are, an int64 scalar.
    Tensor size() const;
    // The values of keys.
    Tensor lookup(const Tensor& keys) const;
    // All keys and their values, in no certain order; of a dense table its
    // buckets.
    std::pair<Tensor, Tensor> export_values() const;

    // --- For the library itself.
    struct Rep;
    const Rep& rep() const { return *rep_; }

   protected:
    Table(DataType key_dtype, Tensor default_value,
          std::shared_ptr<const Rep> rep)
        : key_dtype_(key_dtype),
          default_value_(std::move(default_value)),
          rep_(std::move(rep)) {}

   private:
    DataType key_dtype_;
    Tensor default_value_;
    std::shared_ptr<const Rep> rep_;
  };

  // What of a line of a file becomes a key or a value: a column, or one of
  // these.
  inline constexpr int64_t kWholeLine = -2, kLineNumber = -1;
  // The same, as TensorFlow names them.
  struct TextFileIndex {
    static constexpr int64_t WHOLE_LINE = kWholeLine;
    static constexpr int64_t LINE_NUMBER = kLineNumber;
  };

  // How a file is read.
  struct TextFileFormat {
    DataType key_dtype = DataType::kString;
    int64_t key_index = kWholeLine;
    DataType value_dtype = DataType::kInt64;
    int64_t value_index = kLineNumber;
    int64_t vocab_size = -1;  // lines to read; -1: all
    std::string delimiter = "\t";
    int64_t value_index_offset = 0;  // added to line numbers
  };

  // What tables get their content from: vectors of keys and as many values.
  struct KeyValueTensorInitializer {
    Tensor keys, values;
  };
  // The lines of a file, read when a table is made. Saved models have a copy of
  // it.
  struct TextFileInitializer {
    std::string filename;
    TextFileFormat format = {};
  };

  // A table that gets its content when it is made.
  class GK_EXPORT StaticHashTable : public Table {
   public:
    // Vectors of keys and values; `default_value` is a scalar of their type.
    StaticHashTable(const Tensor& keys, const Tensor& values,
                    const Tensor& default_value);
    // The same of what holds the content.
    StaticHashTable(const KeyValueTensorInitializer& initializer,
                    const Tensor& default_value)
        : StaticHashTable(initializer.keys, initializer.values, default_value) {
    }
    StaticHashTable(const TextFileInitializer& initializer,
                    const Tensor& default_value)
        : StaticHashTable(from_text_file(initializer.filename,
                                         initializer.format, default_value)) {}
    // Keys and values of the lines of a file.
    static StaticHashTable from_text_file(const std::string& filename,
                                          const TextFileFormat& format,
                                          const Tensor& default_value);

   private:
    using Table::Table;
  };

  // Numbers of keys; those that are not there share `num_oov_buckets` further
  // numbers, by their hash.
  class GK_EXPORT StaticVocabularyTable {
   public:
    // Keys, strings or int64, and their numbers, int64.
    StaticVocabularyTable(const Tensor& keys, const Tensor& ids,
                          int64_t num_oov_buckets);
    StaticVocabularyTable(const KeyValueTensorInitializer& initializer,
                          int64_t num_oov_buckets)
        : StaticVocabularyTable(initializer.keys, initializer.values,
                                num_oov_buckets) {}
    // The same of the lines of a file: their keys, strings or int64, and
    // numbers.
    StaticVocabularyTable(const TextFileInitializer& initializer,
                          int64_t num_oov_buckets)
        : StaticVocabularyTable(
              StaticHashTable(initializer, Tensor(int64_t{-1})),
              num_oov_buckets) {}

    // The types of keys and numbers, and the handle of the table below.
    DataType key_dtype() const { return table_.key_dtype(); }
    DataType value_dtype() const { return table_.value_dtype(); }
    const Tensor& resource_handle() const { return table_.resource_handle(); }

    // How many numbers there are, with those that are shared.
    Tensor size() const;
    // The numbers of keys.
    Tensor lookup(const Tensor& keys) const;

    // --- For the library itself.
    const StaticHashTable& table() const { return table_; }

   private:
    StaticVocabularyTable(StaticHashTable table, int64_t num_oov_buckets);
    StaticHashTable table_;
    int64_t num_oov_buckets_;
  };

  // A table whose keys come and go. The shape of `default_value`, () or that of
  // a vector, is that of all values.
  class GK_EXPORT MutableHashTable : public Table {
   public:
    // An empty one.
    MutableHashTable(DataType key_dtype, const Tensor& default_value);

    // The values of keys; `otherwise`, or its row, of those that are not there.
    using Table::lookup;
    Tensor lookup(const Tensor& keys, const Tensor& otherwise) const;
    // Puts keys with their values into the table, or takes keys out of it.
    void insert(const Tensor& keys, const Tensor& values) const;
    void remove(const Tensor& keys) const;
  };

  // A table whose keys, integers or strings, come and go, in buckets that two
  // keys mark which it cannot hold.
  class GK_EXPORT DenseHashTable : public Table {
   public:
    // An empty one; integers as keys have the dtype of `empty_key`.
    DenseHashTable(const Tensor& empty_key, const Tensor& deleted_key,
                   const Tensor& default_value,
                   int64_t initial_num_buckets = 131072);

    // Puts keys with their values into the table, or takes keys out of it.
    void insert(const Tensor& keys, const Tensor& values) const;
    void remove(const Tensor& keys) const;
  };

  namespace experimental {
  // Older names of the same.
  using MutableHashTable = lookup::MutableHashTable;
  using DenseHashTable = lookup::DenseHashTable;
  }  // namespace experimental

  }  // namespace lookup
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_LOOKUP_H_
