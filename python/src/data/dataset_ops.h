// The ops that tf.data.Dataset, its iterators and optionals make.
#ifndef GK_PYTHON_DATASET_OPS_H_
#define GK_PYTHON_DATASET_OPS_H_

namespace gk::py {

inline constexpr char kAnonymousIteratorV3[] = "AnonymousIteratorV3";
inline constexpr char kAssert[] = "Assert";
inline constexpr char kDatasetCardinality[] = "DatasetCardinality";
inline constexpr char kDatasetToSingleElement[] = "DatasetToSingleElement";
inline constexpr char kIdentity[] = "Identity";
inline constexpr char kIteratorGetNext[] = "IteratorGetNext";
inline constexpr char kIteratorGetNextAsOptional[] =
    "IteratorGetNextAsOptional";
inline constexpr char kLogicalAnd[] = "LogicalAnd";
inline constexpr char kLogicalNot[] = "LogicalNot";
inline constexpr char kLogicalOr[] = "LogicalOr";
inline constexpr char kMakeIterator[] = "MakeIterator";
inline constexpr char kOptionalFromValue[] = "OptionalFromValue";
inline constexpr char kOptionalGetValue[] = "OptionalGetValue";
inline constexpr char kOptionalHasValue[] = "OptionalHasValue";
inline constexpr char kOptionalNone[] = "OptionalNone";

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_OPS_H_
