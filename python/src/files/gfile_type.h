// tf.io.gfile: the class GFile and the functions; files of records.
#ifndef GK_PYTHON_GFILE_TYPE_H_
#define GK_PYTHON_GFILE_TYPE_H_

#include <nanobind/nanobind.h>

namespace gk::py {

void AddGFile(nanobind::module_& m);
void AddFileFunctions(nanobind::module_& m);
// tf.io.TFRecordWriter, its options, and reading what it wrote.
void AddRecordFiles(nanobind::module_& m);

}  // namespace gk::py

#endif  // GK_PYTHON_GFILE_TYPE_H_
