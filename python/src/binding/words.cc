#include "python/src/binding/words.h"

#include "base/format.h"

namespace gk::py {

const HostWords kPythonWords = {
    .function = "tf.function",
    .cast = "tf.cast",
    .variable = "tf.Variable",
    .prefix = "tf.",
    .tensor_of = "tf.constant({})",
    .as_tensor = "tf.convert_to_tensor({})",
    .generalise = "Give tf.function reduce_retracing=True",
    .max_traces = "max_traces",
    .made_of = " of the function",
    .parameters = "the same number of arguments and the same keywords",
    .comparable = "give its class __eq__ and __hash__",
    .language = "Python",
    .call_site =
        [](const CallSite& site) {
          return Format("File \"{}\", line {}, in {}", site.file, site.line,
                        site.function);
        },
    .retracing_causes =
        "(1) creating @tf.function repeatedly in a loop, (2) passing tensors "
        "with different shapes, (3) passing Python objects instead of "
        "tensors. For (1), please define your @tf.function outside of the "
        "loop. For (2), @tf.function has reduce_retracing=True option that "
        "can avoid unnecessary retracing. For (3), please refer to "
        "https://www.tensorflow.org/guide/function#controlling_retracing and "
        "https://www.tensorflow.org/api_docs/python/tf/function for  more "
        "details.",
    .made_again =
        "tf.function only supports singleton tf.Variables created on the "
        "first call. Make sure the tf.Variable is only created once or "
        "created outside tf.function. See "
        "https://www.tensorflow.org/guide/function#creating_tfvariables for "
        "more information.",
    .made_late = "Creating variables on a non-first call to a function "
                 "decorated with tf.function.",
};

}  // namespace gk::py
