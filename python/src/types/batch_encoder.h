// tf.experimental.ExtensionTypeBatchEncoder.
#ifndef GK_PYTHON_BATCH_ENCODER_H_
#define GK_PYTHON_BATCH_ENCODER_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddBatchEncoder(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_BATCH_ENCODER_H_
