// gk::io::parse_example: features out of serialized tf.train.Example messages.
//
//   auto parsed = gk::io::parse_example(
//       serialized, {{"label", gk::io::FixedLenFeature{{},
//       gk::DataType::kInt64}},
//                    {"words", gk::io::VarLenFeature{gk::DataType::kString}}});
//   gk::Tensor label = parsed.tensor("label");
//   gk::SparseTensor words = parsed.sparse("words");
#ifndef GRAPHKILN_EXAMPLE_H_
#define GRAPHKILN_EXAMPLE_H_

#include <graphkiln/ragged_tensor.h>
#include <graphkiln/sparse_tensor.h>
#include <graphkiln/tensor.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace io {

  // A dense tensor of a shape that all examples share; float32, int64 or string
  // as all kinds of features. Without a default each example must have it.
  struct FixedLenFeature {
    Shape shape;
    DataType dtype = DataType::kFloat;
    Tensor default_value = {};  // of that shape
  };

  // As many slices of `shape` as an example has; a batch is padded with
  // `default_value`, a scalar, or 0.
  struct FixedLenSequenceFeature {
    Shape shape;
    DataType dtype = DataType::kFloat;
    // An example without the feature has no slice; nothing else is supported.
    bool allow_missing = true;
    Tensor default_value = {};
  };

  // As many values as there are: a row of a sparse tensor.
  struct VarLenFeature {
    DataType dtype = DataType::kFloat;
  };

  // A sparse tensor of the values of one feature at the indices of others, one
  // for each dimension.
  struct SparseFeature {
    std::vector<std::string> index_key;
    std::string value_key;
    DataType dtype = DataType::kFloat;
    std::vector<int64_t> size;
    bool already_sorted = false;
  };

  // A ragged tensor whose rows other features may divide further.
  struct RaggedFeature {
    // How values are divided into rows: by a feature that holds where they
    // begin and the last one ends,
    struct RowSplits {
      std::string key;
    };
    // how long they are,
    struct RowLengths {
      std::string key;
    };
    // where they begin,
    struct RowStarts {
      std::string key;
    };
    // where they end,
    struct RowLimits {
      std::string key;
    };
    // or the row of each value;
    struct ValueRowIds {
      std::string key;
    };
    // or all have one length.
    struct UniformRowLength {
      int64_t length = 1;
    };
    // One of them.
    using Partition = std::variant<RowSplits, RowLengths, RowStarts, RowLimits,
                                   ValueRowIds, UniformRowLength>;

    DataType dtype = DataType::kFloat;
    std::string value_key = {};              // empty: the result's name
    std::vector<Partition> partitions = {};  // the outermost first
    DataType row_splits_dtype = DataType::kInt32;
    bool validate = false;
  };

  // One of them.
  using Feature = std::variant<FixedLenFeature, FixedLenSequenceFeature,
                               VarLenFeature, SparseFeature, RaggedFeature>;

  // What was parsed, by name.
  class GK_EXPORT ParsedExample {
   public:
    // Dense, sparse or ragged.
    using Value = std::variant<Tensor, SparseTensor, RaggedTensor>;

    // Throws Error (NotFound) for a name that was not asked for, TypeError for
    // one of another kind.
    const Tensor& tensor(const std::string& name) const;
    const SparseTensor& sparse(const std::string& name) const;
    const RaggedTensor& ragged(const std::string& name) const;
    const std::map<std::string, Value>& values() const { return values_; }

    // --- For the library itself.
    explicit ParsedExample(std::map<std::string, Value> values)
        : values_(std::move(values)) {}

   private:
    std::map<std::string, Value> values_;
  };

  // Reads the features out of a vector of serialized examples, whose results
  // have a row for each, or out of one, a scalar. `example_names`, for
  // messages, has one for each example. Throws Error: ValueError for features
  // that ask for what cannot be, InvalidArgument for an example that is none,
  // lacks a feature or holds another type or number of values.
  GK_EXPORT ParsedExample parse_example(
      const Tensor& serialized, const std::map<std::string, Feature>& features,
      const Tensor& example_names = {});

  }  // namespace io
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_EXAMPLE_H_
