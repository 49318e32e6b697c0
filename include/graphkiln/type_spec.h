// TypeSpec: what is known of a value that is made of tensors: a tensor, ragged
// and sparse ones, slices, datasets, optionals, iterators, extension types.
// ElementSpec: of an element of a dataset, values that nest.
//
//   gk::RaggedTensorSpec rows({gk::kUnknown, gk::kUnknown}, gk::kInt64);
//   data.element_spec().leaves[0] == rows
#ifndef GRAPHKILN_TYPE_SPEC_H_
#define GRAPHKILN_TYPE_SPEC_H_

#include <graphkiln/call_structure.h>

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  class Dataset;
  class IndexedSlices;
  class Iterator;
  class Optional;
  class RaggedTensor;
  class SparseTensor;
  struct ElementSpec;
  namespace detail {
  struct ExtensionFacts;
  }

  // What is known of a value that is made of tensors.
  struct GK_EXPORT TypeSpec {
    // What the value is.
    enum class Kind {
      kTensor,
      kNone,
      kRagged,
      kSparse,
      kSlices,
      kDataset,
      kOptional,
      kIterator,
      kExtension,
    };
    Kind kind = Kind::kTensor;
    // Of slices: of the whole.
    Shape shape = Shape::UnknownRank();
    DataType dtype = DataType::kFloat;
    std::string name = {};  // of a tensor
    int ragged_rank = 0;    // how many dimensions are partitioned
    DataType row_splits_dtype = DataType::kInt64;
    // Of slices.
    DataType indices_dtype = DataType::kInt64;
    std::optional<DataType> dense_shape_dtype = {};
    Shape indices_shape = {kUnknown};
    // Of what a dataset, an optional or an iterator gives.
    std::shared_ptr<const ElementSpec> element_spec = {};
    // Of an extension type: its class and fields.
    std::shared_ptr<const detail::ExtensionFacts> extension = {};

    TypeSpec() = default;
    TypeSpec(const TensorSpec& tensor)  // NOLINT: a tensor's is one
        : shape(tensor.shape), dtype(tensor.dtype), name(tensor.name) {}

    // The tensors that a value is made of.
    std::vector<TensorSpec> flatten() const;
    // Of a field of an extension type. Throws Error (LookupError) unless it
    // has one of that name that is no container and no plain value.
    TypeSpec field(std::string_view name) const;
    // Could a value be described by both?
    bool is_compatible_with(const TypeSpec& other) const;
    // Is every value of this spec one of the other?
    bool is_subtype_of(const TypeSpec& other) const;
    // The narrowest that covers both, if any does.
    std::optional<TypeSpec> most_specific_common_supertype(
        const TypeSpec& other) const;
    // "TensorSpec(shape=(2,), dtype=int32)".
    std::string to_string() const;
    friend GK_EXPORT bool operator==(const TypeSpec& a, const TypeSpec& b);
  };
  // Writes what to_string() gives.
  GK_EXPORT std::ostream& operator<<(std::ostream& out, const TypeSpec& spec);

  // How elements nest, and what is known of each leaf.
  struct ElementSpec {
    Structure structure;
    std::vector<TypeSpec> leaves;
    // "(TensorSpec(shape=(), dtype=int64), ...)".
    GK_EXPORT std::string to_string() const;

    // --- For the library itself, of the fields of an extension type: the
    // plain ones, in order.
    std::vector<std::string> plain = {};
  };

  // Of ragged tensors.
  struct GK_EXPORT RaggedTensorSpec : TypeSpec {
    // kUnknown for ragged dimensions. All dimensions but the last are
    // partitioned unless `ragged_rank` says how many. Throws Error (ValueError)
    // if the shape does not allow that.
    explicit RaggedTensorSpec(const Shape& shape,
                              DataType dtype = DataType::kFloat,
                              std::optional<int64_t> ragged_rank = {},
                              DataType row_splits_dtype = DataType::kInt64);
    static RaggedTensorSpec from_value(const RaggedTensor& value);
  };

  // Of sparse tensors.
  struct GK_EXPORT SparseTensorSpec : TypeSpec {
    // `shape`: of the whole, as far as known.
    explicit SparseTensorSpec(const Shape& shape = Shape::UnknownRank(),
                              DataType dtype = DataType::kFloat);
    static SparseTensorSpec from_value(const SparseTensor& value);
  };

  // Of slices.
  struct GK_EXPORT IndexedSlicesSpec : TypeSpec {
    // No `dense_shape_dtype`: values carry no dense shape. `indices_shape`:
    // how many rows there are, if that is known.
    explicit IndexedSlicesSpec(const Shape& shape = Shape::UnknownRank(),
                               DataType dtype = DataType::kFloat,
                               DataType indices_dtype = DataType::kInt64,
                               std::optional<DataType> dense_shape_dtype = {},
                               const Shape& indices_shape = {kUnknown});
    static IndexedSlicesSpec from_value(const IndexedSlices& value);
  };

  // Of datasets.
  struct GK_EXPORT DatasetSpec : TypeSpec {
    // `shape`: of the tensor that holds datasets.
    explicit DatasetSpec(const ElementSpec& element_spec,
                         const Shape& shape = {});
    static DatasetSpec from_value(const Dataset& value);
  };

  // Of optionals.
  struct GK_EXPORT OptionalSpec : TypeSpec {
    // `element_spec`: of what it holds.
    explicit OptionalSpec(const ElementSpec& element_spec);
    static OptionalSpec from_value(const Optional& value);
  };

  // Of iterators.
  struct GK_EXPORT IteratorSpec : TypeSpec {
    // `element_spec`: of what it gives.
    explicit IteratorSpec(const ElementSpec& element_spec);
    static IteratorSpec from_value(const Iterator& value);
  };

  namespace detail {
  // What is known of the leaf of an element that comes next. Throws Error
  // (TypeError) where it is no element that is read.
  GK_EXPORT const TypeSpec& NextLeaf(ResultReader& reader);
  // Is it the spec of an extension type, of this class?
  GK_EXPORT bool IsOf(const TypeSpec& spec, const StructureFacts& facts);

  template <>
  struct GK_EXPORT ElementLeaf<Dataset> {
    static constexpr const char* kName = "a dataset";
    static void Add(Results& out, const Dataset& value);
    static Dataset Next(ResultReader& reader);
    static bool Fits(const TypeSpec& spec);
  };
  template <>
  struct GK_EXPORT ElementLeaf<Optional> {
    static constexpr const char* kName = "an optional";
    static void Add(Results& out, const Optional& value);
    static Optional Next(ResultReader& reader);
    static bool Fits(const TypeSpec& spec);
  };
  }  // namespace detail

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_TYPE_SPEC_H_
