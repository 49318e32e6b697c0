// SequenceExamples as they lie in records: lists of features by name, read in
// place. As example_message.h, which reads their context, too.
#ifndef GK_OPS_EXAMPLE_SEQUENCE_MESSAGE_H_
#define GK_OPS_EXAMPLE_SEQUENCE_MESSAGE_H_

#include <string_view>

#include "base/function_ref.h"

namespace gk {

// Calls on_list(name, message) for each FeatureList of the message
// SequenceExample; a name may come again, the last one counts.
bool ReadFeatureLists(
    std::string_view message,
    FunctionRef<void(std::string_view, std::string_view)> on_list);

// Calls on_feature(message) for each Feature of a FeatureList, in order, until
// that gives false.
bool ReadFeatureList(std::string_view message,
                     FunctionRef<bool(std::string_view)> on_feature);

}  // namespace gk

#endif  // GK_OPS_EXAMPLE_SEQUENCE_MESSAGE_H_
