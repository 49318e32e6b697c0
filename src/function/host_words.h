// HostWords: what messages about traced functions call things, in the words
// of the language that the program is written in.
#ifndef GK_FUNCTION_HOST_WORDS_H_
#define GK_FUNCTION_HOST_WORDS_H_

#include <string>
#include <string_view>

#include "function/trace_history.h"

namespace gk {

// Constant; each face of the library has one. "{}" in a word stands for what
// its comment names.
struct HostWords {
  std::string_view function;   // "tf.function"
  std::string_view cast;       // "tf.cast"
  std::string_view variable;   // "tf.Variable"
  // Of names of types, where their texts may be pasted: "tf.".
  std::string_view prefix;
  // A tensor of {}, a value.
  std::string_view tensor_of;
  // {}, an argument, as a tensor.
  std::string_view as_tensor;
  // How to ask for traces of general shapes: "Give tf.function ...".
  std::string_view generalise;
  // The option that limits the number of traces.
  std::string_view max_traces;
  // What functions of one place are, in "made of the function at ...".
  std::string_view made_of;
  // What has to be the same where parameters differ.
  std::string_view parameters;
  // How to make objects comparable.
  std::string_view comparable;
  // The language, in "other Python types".
  std::string_view language;
  // How to find what is called.
  std::string (*call_site)(const CallSite& site);

  // The three ways into excessive retracing, and what avoids them.
  std::string_view retracing_causes;
  // Of a variable that a function makes when it has made its own.
  std::string_view made_again;
  // Of a function that makes variables, but not when first called.
  std::string_view made_late;
};

}  // namespace gk

#endif  // GK_FUNCTION_HOST_WORDS_H_
