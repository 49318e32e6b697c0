// The words of a call from C++: written by CallWords, compared by the trace
// cache, read back into a FunctionType when nothing known matches.
//
// The low byte of a part's first word is its WordTag. A tensor: dtype << 8 |
// (rank + 1) << 16, then its dimensions; a variable the same with (trainable
// | alias << 1) << 32; a literal: kind << 8 | bytes << 16, then the bytes; a
// tuple or list: length << 8, then its parts; a map the same with a literal
// before each part; a struct: length << 8, the address of its StructureFacts,
// then its parts. The first word of all is the call's signature.
#ifndef GK_API_TRACE_WORDS_H_
#define GK_API_TRACE_WORDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "function/function_type.h"

namespace gk::api::detail {

enum WordTag : uint8_t {
  kTensorWord = 1,
  kVariableWord,
  kLiteralWord,
  kTupleWord,
  kListWord,
  kMapWord,
  kStructureWord,
};

// The parameters of a call: its words are the signature and one tuple.
// Parameters without a name are "args_0", ...
Ref<FunctionType> TypeOfWords(std::span<const uint64_t> words,
                              const std::vector<std::string>& names);

// `type` with `tensors` in place of the tensors among its parameters, in
// order. Null if they are not as many.
Ref<FunctionType> WithTensors(const FunctionType& type,
                              std::span<const TraceTypeRef> tensors);

}  // namespace gk::api::detail

#endif  // GK_API_TRACE_WORDS_H_
