// Signatures: functions of tensors by name that give tensors by name, which is
// how servers call models.
#ifndef GK_SAVED_MODEL_SIGNATURE_WRAPPER_H_
#define GK_SAVED_MODEL_SIGNATURE_WRAPPER_H_

#include <map>
#include <string>

#include "saved_model/exported_object.h"

namespace gk {

struct ExportedSignature {
  std::string name;
  ExportedTrace trace;
  // Of arguments that need not be given.
  std::map<std::string, Tensor> defaults;
};

// The trace as a function of that kind: each result has its key in a
// dictionary, or "output_0", "output_1" of a sequence. ValueError if it gives
// something else.
StatusOr<ExportedTrace> WrapSignature(const ExportedSignature& signature);

// What is fed to and fetched from a graph in which `inputs` stand for the
// arguments and `outputs` for the results of a wrapped signature.
proto::SignatureDef SignatureOf(const ExportedTrace& wrapped,
                                std::span<const Tensor> inputs,
                                std::span<const Tensor> outputs);

}  // namespace gk

#endif  // GK_SAVED_MODEL_SIGNATURE_WRAPPER_H_
