// gk::DataOptions <-> what the core's table describes.
#ifndef GK_API_DATA_OPTIONS_H_
#define GK_API_DATA_OPTIONS_H_

#include "data/dataset_options.h"
#include "graphkiln/data_options.h"

namespace gk::api {

::gk::DatasetOptions Inner(const DataOptions& options);
DataOptions Outer(const ::gk::DatasetOptions& said);

}  // namespace gk::api

#endif  // GK_API_DATA_OPTIONS_H_
