// Features of serialized examples: what programs ask for, and what they get.
//
// Made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_EXAMPLE_FEATURES_H_
#define GK_FUNCTION_EXAMPLE_FEATURES_H_

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "function/ragged/ragged_value.h"
#include "function/sparse_value.h"

namespace gk {

// How the values of a ragged feature are divided into rows.
struct FeaturePartition {
  enum class Kind : uint8_t {
    kSplits,
    kLengths,
    kStarts,
    kLimits,
    kRowids,
    kUniform
  };
  Kind kind = Kind::kSplits;
  std::string key;     // of the feature that tells
  int64_t length = 0;  // of every row, of kUniform
};

struct ExampleFeature {
  enum class Kind : uint8_t {
    kFixed,     // a dense tensor of `shape`
    kSequence,  // as many of `shape` as there are, padded in a batch
    kVariable,  // a sparse tensor, of a row for each example
    kSparse,    // one whose indices are features as well
    kRagged
  };

  std::string key;    // what the result is called
  std::string shown;  // as the program wrote it
  Kind kind = Kind::kFixed;
  DataType dtype = DataType::kInvalid;  // kInvalid: was not given
  PartialTensorShape shape;
  Tensor default_value;  // null: there is none
  bool allow_missing = false;

  std::vector<std::string> index_keys;  // of kSparse
  std::string value_key;                // of kSparse and kRagged
  std::vector<int64_t> size;            // of kSparse
  bool already_sorted = false;
  // Of kRagged, the outermost first.
  std::vector<FeaturePartition> partitions;
  DataType splits_type = DataType::kInt32;
  bool validate = false;
};

using ExampleValue = std::variant<Tensor, SparseValue, RaggedValue>;

// A value for each feature, out of a vector of serialized examples or of one,
// a scalar; the rank has to be known. `names`, for messages, is null or has
// one for each example. ValueError for features that ask for what cannot be;
// InvalidArgument, with the name of example and feature, for examples that
// lack what they must have or hold other types or sizes.
std::vector<ExampleValue> ParseExample(
    const Tensor& serialized, const Tensor& names,
    std::span<const ExampleFeature> features);

}  // namespace gk

#endif  // GK_FUNCTION_EXAMPLE_FEATURES_H_
