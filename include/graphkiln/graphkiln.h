// Everything in graphkiln's C++ interface.
#ifndef GRAPHKILN_GRAPHKILN_H_
#define GRAPHKILN_GRAPHKILN_H_

#include <graphkiln/carry.h>
#include <graphkiln/concrete_function.h>
#include <graphkiln/control_flow.h>
#include <graphkiln/custom_gradient.h>
#include <graphkiln/data_options.h>
#include <graphkiln/data_type.h>
#include <graphkiln/dataset.h>
#include <graphkiln/debugging.h>
#include <graphkiln/device.h>
#include <graphkiln/error.h>
#include <graphkiln/extension_type.h>
#include <graphkiln/function.h>
#include <graphkiln/functions.h>
#include <graphkiln/gradient_tape.h>
#include <graphkiln/graph.h>
#include <graphkiln/host_function.h>
#include <graphkiln/index.h>
#include <graphkiln/indexed_slices.h>
#include <graphkiln/initializers.h>
#include <graphkiln/map.h>
#include <graphkiln/module.h>
#include <graphkiln/nest.h>
#include <graphkiln/ops.h>
#include <graphkiln/place.h>
#include <graphkiln/printing.h>
#include <graphkiln/ragged_shape.h>
#include <graphkiln/ragged_tensor.h>
#include <graphkiln/random.h>
#include <graphkiln/retraces.h>
#include <graphkiln/runtime.h>
#include <graphkiln/shape.h>
#include <graphkiln/signal.h>
#include <graphkiln/sparse_tensor.h>
#include <graphkiln/structure.h>
#include <graphkiln/tensor.h>
#include <graphkiln/tensor_array.h>
#include <graphkiln/tensor_list.h>
#include <graphkiln/tensor_spec.h>
#include <graphkiln/trace_structure.h>
#include <graphkiln/type_spec.h>
#include <graphkiln/variable.h>
#include <graphkiln/version.h>

#endif  // GRAPHKILN_GRAPHKILN_H_
