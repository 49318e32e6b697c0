// What is known of the elements of a dataset, as a message of a saved model's
// kind: what Dataset.save writes beside the elements.
#ifndef GK_SAVED_MODEL_ELEMENT_SPEC_MESSAGE_H_
#define GK_SAVED_MODEL_ELEMENT_SPEC_MESSAGE_H_

#include "function/specs/type_spec.h"
#include "proto/saved_model.gk.h"

namespace gk {

// Unimplemented for values that the host's program defines, and for containers
// of classes of its own.
StatusOr<proto::StructuredValue> MessageOfElements(const ElementSpec& spec);
// DataLoss for what is no such message, Unimplemented as above.
StatusOr<ElementSpec> ElementsOfMessage(const proto::StructuredValue& message);

// The file "dataset_spec.pb" of a folder of saved elements.
Status WriteElementSpec(const std::string& folder, const ElementSpec& spec);
StatusOr<ElementSpec> ReadElementSpec(const std::string& folder);

}  // namespace gk

#endif  // GK_SAVED_MODEL_ELEMENT_SPEC_MESSAGE_H_
