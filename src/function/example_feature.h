// A feature of serialized examples, as a program asks for it.
#ifndef GK_FUNCTION_EXAMPLE_FEATURE_H_
#define GK_FUNCTION_EXAMPLE_FEATURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "framework/tensor.h"
#include "framework/tensor_shape.h"
#include "framework/types.h"

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

}  // namespace gk

#endif  // GK_FUNCTION_EXAMPLE_FEATURE_H_
