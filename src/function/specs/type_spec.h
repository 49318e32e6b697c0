// TypeSpec: what is known of a value that is made of tensors: a tensor, ragged
// and sparse ones, slices, datasets, optionals, iterators, and what the host's
// program defines. ElementSpec: of an element of a dataset, values that nest.
//
// What the core moves for a value is its components, which stack: of a ragged
// tensor one variant, of a sparse tensor a vector of three variants, of a
// host's value what its encoder makes of it, else the tensors that it is made
// of, its parts.
//
// Values; ops are made with the current builder. Functions throw Error.
#ifndef GK_FUNCTION_SPECS_TYPE_SPEC_H_
#define GK_FUNCTION_SPECS_TYPE_SPEC_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "data/dataset.h"
#include "framework/structure.h"

namespace gk {

struct TypeSpec;

// Of a kind of value that the host's program defines.
class HostSpec : public LanguageType {
 public:
  // The tensors that a value is made of.
  virtual std::vector<TypeSpec> Tensors() const = 0;
  // What its encoder makes of a value if there is one, else those.
  virtual std::vector<TypeSpec> Parts() const = 0;
  virtual bool has_encoder() const = 0;
  // Of values stacked, and of a row, by the encoder.
  virtual TypeSpec Batched(int64_t size) const = 0;
  virtual TypeSpec Row() const = 0;
  virtual std::optional<TypeSpec> Common(const HostSpec& other) const = 0;
  virtual bool IsCompatibleWith(const HostSpec& other) const = 0;
  // Of the rows that values hold, where they have a shape of their own.
  virtual std::optional<PartialTensorShape> shape() const = 0;
  // What must stay when a state changes: "<class 'app.Point'>".
  virtual std::string TypeName() const = 0;
};

// How an element nests, and what each leaf is.
struct ElementSpec {
  StructureRef structure;
  std::vector<TypeSpec> leaves;

  // In TensorFlow's words.
  std::string Text() const;
};
using ElementSpecRef = std::shared_ptr<const ElementSpec>;

struct TypeSpec {
  enum class Kind : uint8_t {
    kTensor,
    kNone,
    kRagged,
    kSparse,
    kSlices,
    kDataset,
    kOptional,
    kIterator,
    kHost,
  };
  Kind kind = Kind::kTensor;
  DataType dtype = DataType::kFloat;
  // Of slices: of the whole; of a dataset: of the tensor that holds it.
  PartialTensorShape shape = {};
  std::string name = {};               // of a tensor
  int ragged_rank = 0;                 // of a ragged one
  DataType splits = DataType::kInt64;  // likewise; of slices: the indices
  // Of slices: of the dense shape, if they carry it; of the indices.
  DataType dense_shape = DataType::kInvalid;
  PartialTensorShape rows = {};
  ElementSpecRef elements = {};  // of datasets, optionals, iterators
  // Of a host's; and of a ragged one whose flat values are no tensor.
  Ref<HostSpec> host = {};

  static TypeSpec Tensor(DataType dtype, PartialTensorShape shape,
                         std::string name = {}) {
    return {Kind::kTensor, dtype, std::move(shape), std::move(name)};
  }
  // No `ragged_rank`: all dimensions but the last are partitioned. ValueError
  // if the rank does not allow it, or is needed and not known.
  static TypeSpec Ragged(DataType dtype, PartialTensorShape shape,
                         std::optional<int64_t> ragged_rank,
                         DataType splits = DataType::kInt64);
  static TypeSpec Sparse(DataType dtype, PartialTensorShape shape) {
    return {Kind::kSparse, dtype, std::move(shape)};
  }
  static TypeSpec Slices(
      DataType dtype, PartialTensorShape shape,
      DataType indices = DataType::kInt64,
      DataType dense_shape = DataType::kInvalid,
      PartialTensorShape rows = PartialTensorShape({kUnknownDim})) {
    return {Kind::kSlices, dtype,       std::move(shape), {}, 0,
            indices,       dense_shape, std::move(rows)};
  }
  static TypeSpec Of(Kind kind, ElementSpecRef elements,
                     PartialTensorShape shape = TensorShape());
  static TypeSpec Of(Ref<HostSpec> host) {
    TypeSpec spec{Kind::kHost};
    spec.host = std::move(host);
    return spec;
  }

  // Is it moved as what an encoder makes of it?
  bool has_encoder() const {
    return kind == Kind::kHost && host->has_encoder();
  }
  // The tensors that a value is made of; and what an encoder makes of it, if
  // there is one.
  std::vector<TypeSpec> Tensors() const;
  std::vector<TypeSpec> Parts() const;
  void AddComponents(ElementSignature* e) const;

  // Of `size` values stacked, -1: it is not known of how many; TypeError if
  // they cannot be.
  TypeSpec Batched(int64_t size) const;
  // Of values of another shape.
  TypeSpec OfShape(PartialTensorShape whole) const {
    return WithShape(std::move(whole), 0);
  }
  // Of a row. TypeError: values have no rows; ValueError: they are scalars.
  TypeSpec Row() const;
  // The narrowest that covers both, if any does.
  std::optional<TypeSpec> Common(const TypeSpec& other) const;
  // Could a value be described by both?
  bool IsCompatibleWith(const TypeSpec& other) const;
  // Is every value of this spec one of the other?
  bool IsSubtypeOf(const TypeSpec& other) const;
  bool operator==(const TypeSpec& other) const;

  // The components of a value that is made of these parts; if `rows`, tensors
  // whose rows are the components of its rows. Of none that has an encoder.
  void Encode(std::span<const gk::Tensor> parts, bool rows,
              TensorVector* components) const;
  // The parts, made of the next of the components. ValueError if there are too
  // few.
  TensorVector Decode(std::span<const gk::Tensor> components,
                      size_t* next) const;

  // "TensorSpec(shape=(2,), dtype=tf.int32, name=None)": TensorFlow's words.
  std::string Text() const;

 private:
  TypeSpec WithShape(PartialTensorShape shape, int ranks) const;
};

// The components of elements.
ElementSignature SignatureOf(const ElementSpec& spec);
// The same, of tensors whose rows are the components of the rows of an element
// that has these; encoders must keep rows.
TensorVector RowsOfComponents(const ElementSpec& spec,
                              std::span<const Tensor> components);
// The leaves and, in place of those with an encoder, what that makes of them.
std::vector<TypeSpec> LeavesInside(const ElementSpec& spec);
// Two lengths that leaves are known to have but should not, if any are.
std::optional<std::pair<int64_t, int64_t>> UnequalLengths(
    const ElementSpec& spec);
// ValueError for elements without components.
void RefuseEmptyElement(const ElementSpec& spec);
ElementSpec Batched(const ElementSpec& spec, int64_t size);
ElementSpec RowsOf(const ElementSpec& spec);
// The narrowest that covers both; nothing if they nest otherwise or types
// differ.
std::optional<ElementSpec> CommonElements(const ElementSpec& a,
                                          const ElementSpec& b);

// The spec of a state that the next state, which `next` makes of it, fits:
// shapes that change become unknown. TypeError if another type comes back.
ElementSpec UntilFixed(ElementSpec state,
                       FunctionRef<ElementSpec(const ElementSpec&)> next);

}  // namespace gk

#endif  // GK_FUNCTION_SPECS_TYPE_SPEC_H_
