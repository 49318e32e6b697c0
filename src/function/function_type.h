// FunctionType: the parameters of a traced function with their types, in the
// order of its signature; what a trace is looked up by.
//
// Immutable once made, shared, thread-safe.
#ifndef GK_FUNCTION_FUNCTION_TYPE_H_
#define GK_FUNCTION_FUNCTION_TYPE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "function/trace_type.h"

namespace gk {

enum class ParameterKind : uint8_t {
  kPositionalOnly,
  kPositionalOrKeyword,
  kVarPositional,
  kKeywordOnly,
  kVarKeyword,
};
// "POSITIONAL_ONLY".
std::string_view ParameterKindName(ParameterKind kind);

struct FunctionParameter {
  std::string name;
  ParameterKind kind = ParameterKind::kPositionalOrKeyword;
  bool optional = false;  // has a default
  TraceTypeRef type;      // null: not bound (the type of a Python function)
};

class FunctionType : public RefCounted {
 public:
  using Capture = std::pair<std::string, TraceTypeRef>;  // id, type

  explicit FunctionType(std::vector<FunctionParameter> parameters,
                        std::vector<Capture> captures = {},
                        TraceTypeRef output = nullptr,
                        uint64_t host_signature = 0);

  const std::vector<FunctionParameter>& parameters() const {
    return parameters_;
  }
  const std::vector<Capture>& captures() const { return captures_; }
  const TraceTypeRef& output() const { return output_; }
  // Types of different numbers are unrelated: the host language tells calls
  // apart that look the same here.
  uint64_t host_signature() const { return host_signature_; }
  // Which of the call's variables the function captures: numbers of
  // CapturedVariables, by alias. Types of different ones are unrelated.
  const std::vector<int>& captured() const { return captured_; }
  Ref<FunctionType> WithCaptured(std::vector<int> captured) const;
  // Where calls are made, TracePlace(). Types of different ones are unrelated.
  uint64_t place() const { return place_; }
  Ref<FunctionType> WithPlace(uint64_t place) const;
  // No object in it is gone.
  bool IsAlive() const;
  // Of the parameters; captures and output do not count.
  size_t hash() const;
  bool Equals(const FunctionType& other) const;
  // A call of this type may be served by a trace of `other`.
  bool IsSubtypeOf(const FunctionType& other) const;
  // Null if some parameter has none.
  Ref<FunctionType> CommonSupertype(const FunctionType& other) const;

  // The type of functions that serve the calls of both, of any result: their
  // captures are those of both. Null if there is none, or a parameter's type
  // is not known.
  Ref<FunctionType> CommonSubtype(const FunctionType& other) const;

  // "(a: TensorSpec(...), b: Literal[3], *, c: ...) -> OUT".
  std::string Text() const;
  // "Input Parameters:\n  a (POSITIONAL_OR_KEYWORD): ...\nOutput Type: ...".
  std::string LongText() const;

 private:
  bool SameSignature(const FunctionType& other) const;

  std::vector<FunctionParameter> parameters_;
  std::vector<Capture> captures_;
  TraceTypeRef output_;
  uint64_t host_signature_;
  std::vector<int> captured_;
  uint64_t place_ = 0;
};

}  // namespace gk

#endif  // GK_FUNCTION_FUNCTION_TYPE_H_
