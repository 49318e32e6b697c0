#include "api/words.h"

#include "base/format.h"

namespace gk::api {

const HostWords kCppWords = {
    .function = "gk::function",
    .cast = "gk::cast",
    .variable = "gk::Variable",
    .prefix = "",
    .tensor_of = "gk::Tensor({})",
    .as_tensor = "gk::Tensor({})",
    .generalise = "Set FunctionOptions::reduce_retracing",
    .max_traces = "FunctionOptions::max_traces",
    .made_of = "",
    .parameters = "the same number of arguments",
    .comparable = "or an equal one",
    .language = "C++",
    .call_site =
        [](const CallSite& site) {
          return Format("{}:{}", site.file, site.line);
        },
    .retracing_causes =
        "(1) creating a gk::function repeatedly in a loop, (2) passing "
        "tensors with different shapes, (3) passing C++ values instead of "
        "tensors. For (1), please make your gk::function outside of the loop. "
        "For (2), FunctionOptions::reduce_retracing can avoid unnecessary "
        "retracing. For (3), please pass a gk::Tensor.",
    .made_again =
        "A traced function may create variables only while it is traced for "
        "the first time: create the variable outside, or once, and keep it (a "
        "static, or a std::optional that the lambda fills)",
    .made_late =
        "A traced function created variables, but not when it was traced for "
        "the first time: create the variable outside, or in every case",
};

}  // namespace gk::api
