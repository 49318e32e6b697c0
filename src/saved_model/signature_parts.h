// The tensors of inputs and outputs of signatures, as graphs of TensorFlow 1
// describe them.
#ifndef GK_SAVED_MODEL_SIGNATURE_PARTS_H_
#define GK_SAVED_MODEL_SIGNATURE_PARTS_H_

#include <string>
#include <vector>

#include "proto/saved_model.gk.h"

namespace gk {

// One tensor of a signature: its key, its name in the graph and how it is
// described.
struct SignaturePart {
  std::string key, tensor;
  proto::StructuredValue spec;
};

// The tensors of an input or output.
std::vector<SignaturePart> PartsOfInfo(const std::string& key,
                                       const proto::TensorInfo& info);
// An output, as one value.
proto::StructuredValue OutputSpec(const std::string& key,
                                  const proto::TensorInfo& info,
                                  size_t num_parts);

}  // namespace gk

#endif  // GK_SAVED_MODEL_SIGNATURE_PARTS_H_
