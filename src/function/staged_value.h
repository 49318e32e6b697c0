// StagedValue: what stands for a symbol, a result or a loop variable while
// branches and loops are traced; and ValueHost: what the language of the
// program knows of such values and how errors speak of them.
#ifndef GK_FUNCTION_STAGED_VALUE_H_
#define GK_FUNCTION_STAGED_VALUE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/op_builder.h"
#include "framework/structure.h"
#include "framework/structure_match.h"

namespace gk {

class FuncGraph;

struct StagedValue {
  enum class Kind {
    kTensors,    // a structure of them
    kNone,       // nothing, on purpose
    kUndefined,  // a name that has not been assigned yet
    kOpenList,   // a list that does not know yet what its elements are
    kObject,     // something that no tensor can hold
  };

  // A tuple of tensors, without more of the host's.
  static StagedValue Of(TensorVector leaves);

  bool has_tensors() const { return kind == Kind::kTensors; }
  bool is_missing() const { return !has_tensors() && kind != Kind::kObject; }
  TensorVector tensors() const;
  // The same structure of other tensors.
  StagedValue With(std::span<const Tensor> tensors) const;

  Kind kind = Kind::kNone;
  // Null: the structure has nothing there.
  TensorVector leaves;
  // Of kTensors: how they nest, and what values that are alike have alike
  // besides: the dtypes of the elements of TensorArrays and the fields of
  // extension types that are no tensors, both in order.
  StructureRef structure;
  std::vector<DataType> arrays;
  std::vector<std::string> plain;
  // The host's own: the structure, or the value itself.
  std::shared_ptr<const void> host;
  // Of kUndefined: what the function returns, before it has returned; and is
  // it assigned on every way on before it is read, so that zeros may stand in?
  bool is_result = false;
  bool pending = false;
};

// Thrown where a name has no value; a loop around may say more of it.
class UndefinedSymbol : public Error {
 public:
  UndefinedSymbol(Status status, std::string symbol)
      : Error(std::move(status)), symbol_(std::move(symbol)) {}
  const std::string& symbol() const { return symbol_; }

 private:
  std::string symbol_;
};

class ValueHost {
 public:
  virtual ~ValueHost() = default;

  // Around the tracing of a part.
  virtual void Begin(FuncGraph*) {}
  virtual void End(FuncGraph*) {}

  // Shows both values, of tensors, where errors say how they nest. Outlived
  // by them.
  virtual std::unique_ptr<StructureWords> Words(const StagedValue& first,
                                                const StagedValue& second);
  // What code of the user threw that compared types for AssertSameStructure,
  // once.
  virtual Status ComparisonError() { return OkStatus(); }
  // An open list as one of elements as `like` has.
  virtual StagedValue Closed(const StagedValue& open, const StagedValue& like);
  // Are these objects the same?
  virtual bool IsSame(const StagedValue& a, const StagedValue& b) const;

  // --- Words.
  // Do errors speak of symbols of the program, or of what functions that were
  // handed over take and return?
  virtual bool speaks_of_symbols() const { return false; }
  // "if statement": what a condition is of, if errors speak of symbols.
  virtual std::string_view statement() const { return ""; }
  virtual std::string_view prefix() const = 0;  // "tf."
  virtual std::string Text(DataType dtype) const = 0;
  virtual std::string Text(const Tensor& t) const = 0;
  virtual std::string Text(const StagedValue& v) const = 0;
  virtual std::string TypeName(const StagedValue&) const { return ""; }
  // The type of TensorArray `k` of the value.
  virtual std::string ArrayText(const StagedValue&, size_t /*k*/) const {
    return "";
  }
  // Of value `i`, if errors speak of symbols.
  virtual std::string Name(size_t) const { return ""; }
  // Lines that say where it is assigned, each with a line break before it.
  virtual std::string Places(size_t) const { return ""; }
};

// TypeError or ValueError unless two values of tensors nest alike, in each
// class of container and each key. `name`: the symbol that has them, if errors
// speak of symbols.
Status CheckSameStructure(ValueHost& host, const StagedValue& first,
                          const StagedValue& second, std::string_view name);
// The same unless they, which nest alike, are alike in their TensorArrays and
// plain fields.
Status CheckSameFields(const ValueHost& host, const StagedValue& first,
                       const StagedValue& second);

// "(2, None)" as errors about symbols say it.
std::string ShapeText(const PartialTensorShape& shape);
// Throws: two values of symbol `i` do not agree; how to cure that.
[[noreturn]] void Disagree(const ValueHost& host, size_t i,
                           const Status& status, std::string_view cure);
// TypeError: what `name` holds at a place of the program is no tensor.
Status NotATensor(const ValueHost& host, std::string_view name,
                  const StagedValue& object, std::string_view where);
// Zeros for `t`: 0 where a dimension is unknown, a scalar where the rank is.
Tensor StandIn(const Tensor& t);
// A value of a structure that is not known yet, of zeros.
StagedValue StandIn(const StagedValue& like);

// TypeError unless `t`, which errors call `what`, is of bools. One element of
// any rank is enough for a condition, and no other number of them will do;
// that is found out when it runs.
Status CheckCondition(const ValueHost& host, const Tensor& t,
                      std::string_view what);
// The condition of a branch or a loop of this host, as it may be in its node.
// Throws as CheckCondition does; of a statement, ValueError: then shapes count
// that are known.
Tensor ConditionOf(const ValueHost& host, const Tensor& t,
                   std::string_view what);
// What it is now. Throws likewise, and ValueError unless it has one element.
bool TruthNow(const ValueHost& host, const Tensor& t, std::string_view what);

}  // namespace gk

#endif  // GK_FUNCTION_STAGED_VALUE_H_
