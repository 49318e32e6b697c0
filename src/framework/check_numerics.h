// Checks that ops make no infinity and no NaN where none is wanted: a
// switch of each thread, off at first. Ops made while it is on, eagerly or in
// a graph, are followed by a CheckNumericsV2 for each floating output.
#ifndef GK_FRAMEWORK_CHECK_NUMERICS_H_
#define GK_FRAMEWORK_CHECK_NUMERICS_H_

#include <span>
#include <string>

#include "framework/op_record.h"
#include "framework/tensor.h"

namespace gk {

bool ChecksNumerics();
void SetChecksNumerics(bool on);

// Makes the checks of an op just made with the current builder.
Status CheckOutputs(const OpRecord& record, std::span<const Tensor> inputs,
                    const TensorVector& outputs);

}  // namespace gk

#endif  // GK_FRAMEWORK_CHECK_NUMERICS_H_
