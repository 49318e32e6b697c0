// Compositions: public functions that are more than one op, written once in C++
// against op functions, so that they work eagerly and traced and are fast
// from both languages.
//
// A record lies in a file of src/ops/composition/, which ends with
// GK_REGISTER_COMPOSITIONS(<file>). An op whose function takes other things
// than its tensors and attributes, or has a default for a tensor, needs none:
// the `python.args` of its own record are written as here,
//
//   .python = {.names = "math.cumsum", .args = "x: tensor; axis: native = 0"}
//
// and the rest follows. Records are constants; the registry is filled once
// before first use and lock-free afterwards.
#ifndef GK_OPS_COMPOSITION_H_
#define GK_OPS_COMPOSITION_H_

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/inlined_vector.h"
#include "framework/op_builder.h"
#include "framework/op_registry.h"

namespace gk {

// A tensor, or the parts of a ragged or sparse one.
struct RowsValue {
  enum class Kind { kDense, kRagged, kSparse };
  Kind kind = Kind::kDense;
  Tensor values;
  // The row splits, the outermost first; or indices and dense shape.
  TensorVector places = {};
};

// The value of an argument; monostate: None.
using CompositionValue =
    std::variant<std::monostate, Tensor, TensorVector, bool, int64_t, double,
                 std::string, DataType, std::vector<int64_t>, RowsValue,
                 std::vector<RowsValue>>;

enum class ArgKind {
  kTensor,    // converted; Python numbers take a dtype that is known
  kTensors,   // a list of them, of one dtype; "tensors(whole)": what is no
              // list of tensors is one; "tensors(gradients)": of any dtypes,
              // None is null, slices stand for their values; "tensors(parts)":
              // what is no list is one part
  kRows,      // a tensor, a ragged or a sparse one: RowsValue
  kManyRows,  // a list of them
  kNative,    // a tensor if it is one, else a Python value kept as it is;
              // "native(numbers)": NumPy's numbers are tensors;
              // "native(partial)": sizes, unknown ones where there is None
  kShape,     // a tensor of int32 or int64 made of ints, lists or TensorShapes
  kHandle,    // a tensor, or the unread handle of a variable
  kBool,
  kInt,
  kFloat,
  kString,
  kType,
  kInts,  // an int or a sequence of them
  kSeed,  // an int of any size, folded as random ops have it
  kName,  // where `name` stands, if it is not last
};

struct CompositionArg {
  std::string name;
  ArgKind kind = ArgKind::kTensor;
  // "tensor(T)": of one dtype with the other Ts, which a "type(T)" says where
  // there is one; "tensor(int32)": a dtype to prefer; "tensor(int32!)": one
  // to demand.
  std::string type_of;
  bool numpy_numbers = false, partial = false;
  std::string node;  // "... as node": name of its Const below the scope
  bool required = true;
  bool takes_none = false;  // "tensor?", and whatever has a default
  // "type? = int32": None is the default, as of an op's attribute.
  bool none_is_default = false;
  CompositionValue default_value;
  std::string default_text;  // as in a Python signature

  // "tensor(T)", "type(T)", ...: is it one of a group?
  bool in_group() const {
    return type_of.size() == 1 && type_of[0] >= 'A' && type_of[0] <= 'Z';
  }
  // Of "tensor(int32)" and "tensor(int32!)", else kInvalid.
  DataType named_type() const;
  bool demands_type() const { return type_of.ends_with('!'); }
};

struct Composition;

// What a composition was called with: defaults, until others are given.
class CompositionCall {
 public:
  CompositionCall(const Composition& composition, std::string scope);
  CompositionCall(const CompositionCall&) = delete;
  CompositionCall& operator=(const CompositionCall&) = delete;

  // Each once.
  CompositionValue& Give(int i, CompositionValue value);
  // Null: the default.
  CompositionValue* given(int i);

  const Composition& composition() const { return composition_; }
  // By position. False: None was given.
  bool has(int i) const {
    return !std::holds_alternative<std::monostate>(*values_[i]);
  }
  template <class T>
  const T* get(int i) const {
    return std::get_if<T>(values_[i]);
  }
  // Of that kind or a TypeError.
  const Tensor& tensor(int i) const { return As<Tensor>(i); }
  const TensorVector& tensors(int i) const { return As<TensorVector>(i); }
  bool flag(int i) const { return As<bool>(i); }
  int64_t integer(int i) const { return As<int64_t>(i); }
  double real(int i) const { return As<double>(i); }
  const std::string& text(int i) const { return As<std::string>(i); }
  DataType type(int i) const { return As<DataType>(i); }
  const std::vector<int64_t>& ints(int i) const {
    return As<std::vector<int64_t>>(i);
  }
  const RowsValue& rows(int i) const { return As<RowsValue>(i); }
  const std::vector<RowsValue>& many_rows(int i) const {
    return As<std::vector<RowsValue>>(i);
  }
  // The value of a tensor that is known now, whatever it was captured from;
  // else null.
  Tensor known(int i) const {
    const auto found = known_.find(i);
    return found == known_.end() ? tensor(i).KnownValue() : found->second;
  }
  void set_known(int i, Tensor value) { known_[i] = std::move(value); }

  // The name of the main node: what the scope was reserved as.
  std::string_view name() const { return scope_; }
  // A node below it, "Scope/part"; empty when eager.
  std::string name(std::string_view part) const;
  // A node beside it, "part".
  std::string name_beside(std::string_view part) const;

 private:
  template <class T>
  const T& As(int i) const {
    if (const T* v = std::get_if<T>(values_[i])) return *v;
    WrongType(i);
  }
  [[noreturn]] void WrongType(int i) const;

  const Composition& composition_;
  std::vector<CompositionValue> given_;  // with room for all
  InlinedVector<const CompositionValue*, 12> values_;
  std::string scope_;
  std::map<int, Tensor> known_;
};

// Throws Error.
using CompositionFn = TensorVector (*)(CompositionCall& c);

struct CompositionRecord {
  // "linalg.matmul|matmul": '|'-separated public names below `tf`.
  std::string_view names;
  // "a: tensor(T); b: tensor(T) as y; axis: int = -1; dtype: type = None".
  std::string_view args;
  // Default node name, reserved before anything is made; empty: nodes are
  // named by their ops.
  std::string_view scope;
  // What TensorFlow writes in Python around the one op that it makes: the op's
  // gradient belongs to the scope, too.
  bool wraps_op = false;
  // In signatures the default of `name` is the scope, not None.
  bool shows_name = false;
  // Goes element by element over so many first arguments, which may be ragged
  // or of the program's own types.
  int maps = 0;
  // Gives zeros for zeros: a sparse first argument stays one.
  bool keeps_zero = false;
  // What else it does with ragged arguments and the like.
  RaggedForm ragged = RaggedForm::kNone;
  // Of slices, as the argument of that number from 1, the values alone change;
  // 0: it takes the whole.
  uint8_t slices = 0;
  CompositionFn build = nullptr;
  // The op that this is, if its arguments are eager tensors of one dtype and
  // nothing needs converting; empty: none.
  std::string_view eager_op = {};
  // Empty: one tensor. "list", "tuple", "tuple or tensor" (where there is only
  // one), "TopKV2: values, indices" for a named tuple, "operation" for the last
  // that was made, "none", "gradients" for the first argument with these values
  // in the places of its own, and one tensor more. "SparseTensor": indices,
  // values and dense shape; "SparseTensor?": those, or one tensor;
  // "SparseTensors": a list, three tensors each; "SparseTensor, Tensor": a
  // pair, of four. "RaggedTensor": values, then row splits, the outermost
  // first; none: a tensor. "RaggedTensors": two such of the same number.
  // Tensors of lists and tuples may be null.
  std::string_view result;
  std::string_view doc;
  std::string_view example;
  // The first argument, a list that does not hold tensors alone, becomes one
  // tensor if it converts and the second, an axis, is 0; `build` gets that.
  bool converts_whole = false;
  // Does it take a `name`?
  bool takes_name = true;
  // While a graph is built tensors from outside become captures named as the
  // arguments.
  bool captures = false;
};

// Is an op's public function as a composition is?
inline bool IsComposition(const OpRecord& op) {
  return op.python.args.find(':') != std::string_view::npos;
}

// Names that begin with '_' are of parts of public classes: no functions below
// `tf`.
inline bool IsPublicName(std::string_view name) { return name[0] != '_'; }

// A record with its parsed arguments.
struct Composition {
  const CompositionRecord* record;
  std::vector<CompositionArg> args;
  const OpRecord* op = nullptr;  // whose own record says all this
};

class CompositionRegistry {
 public:
  static CompositionRegistry& Get();
  // Aborts on a malformed record or a name given twice: bugs of the build.
  void Add(const CompositionRecord* records, int n);
  // Those whose function is as a composition is.
  void AddOps(std::span<const OpRecord* const> ops);
  const Composition* Find(std::string_view public_name) const;
  const std::unordered_map<std::string_view, const Composition*>& by_name()
      const {
    return by_name_;
  }

 private:
  void Add(const CompositionRecord& record, const OpRecord* op);

  std::unordered_map<std::string_view, const Composition*> by_name_;
};

// Calls one from C++: values in the order of the record's arguments, missing
// ones at the end take their defaults. Throws Error.
TensorVector CallComposition(std::string_view public_name,
                             std::vector<CompositionValue> values);

// A Python-like constant of a dtype, made by the current builder. Throws.
Tensor NumberOf(double value, DataType dtype, std::string_view name = {});
// What fills places without an element: "", false or 0.
Tensor BlankOf(DataType dtype);
// Of an integer; InvalidArgument if the dtype cannot hold it.
Tensor IntegerOf(int64_t value, DataType dtype, std::string_view name = {});
Tensor IntsTensor(std::span<const int64_t> values, DataType dtype,
                  std::string_view name = {});
// An int32 scalar; InvalidArgument if 32 bits do not hold the value.
Tensor Int32Of(int64_t value, std::string_view name = {});
// An int32 scalar, or an int64 one if 32 bits do not hold the value.
Tensor IndexOf(int64_t value, std::string_view name = {});
// The same of a vector.
Tensor IndicesOf(std::span<const int64_t> values, std::string_view name = {});
// An argument of kind native as a tensor of a dtype, named `node`; ValueError
// for a tensor of another.
Tensor ArgumentAs(const CompositionCall& c, int i, DataType dtype,
                  std::string_view node);
// Elements of a constant int32 or int64 tensor that is known now (a value or
// what the graph knows of it); nothing if unknown.
std::optional<std::vector<int64_t>> KnownInts(const Tensor& t);
// 0..rank-1 as an int32 tensor, static where the rank is known.
Tensor AllAxes(const Tensor& x, std::string_view name = {});
// -rank <= axis < rank -> [0, rank).
int64_t PositiveAxis(int64_t axis, int rank);

}  // namespace gk

// At the end of a file of compositions; opgen collects these.
#define GK_REGISTER_COMPOSITIONS(file)                   \
  void RegisterOps_##file(::gk::OpRegistry&) {           \
    ::gk::CompositionRegistry::Get().Add(                \
        kRecords, sizeof(kRecords) / sizeof(*kRecords)); \
  }

#endif  // GK_OPS_COMPOSITION_H_
