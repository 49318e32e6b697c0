// gk::print and gk::strings::format: values as text, whenever the program runs,
// traced or not.
//
//   gk::print({"loss:", loss, "at step", step});
#ifndef GRAPHKILN_PRINTING_H_
#define GRAPHKILN_PRINTING_H_

#include <string>
#include <vector>

#include <graphkiln/argument.h>
#include <graphkiln/tensor.h>

namespace gk {
GK_API_NAMESPACE {

// Of print.
struct PrintOptions {
  // "stdout", "stderr", or "file://PATH", which is appended to.
  std::string output_stream = "stderr";
  // How many elements of each dimension's ends are shown; -1: all.
  int64_t summarize = 3;
  std::string sep = " ";
  std::string end = "\n";
};

// Prints texts as they are, and the values of tensors, numbers and lists of
// integers. In a function the printing becomes part of the graph. Throws Error
// for another stream, or (NotFound) if the file cannot be opened.
GK_EXPORT void print(const std::vector<Argument>& inputs,
                     const PrintOptions& options = {});

namespace strings {

// A text: `format` with the tensors in place of the placeholders. Throws Error
// (ValueError) if there are more or fewer.
GK_EXPORT Tensor format(const std::string& format,
                        const std::vector<Tensor>& inputs,
                        const std::string& placeholder = "{}",
                        int64_t summarize = 3);

}  // namespace strings

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_PRINTING_H_
