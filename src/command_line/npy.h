// Arrays in NumPy's files: .npy, one array; .npz, a zip archive of them by name
// (numpy.lib.format, and PKWARE's APPNOTE for the archive).
//
// Bytes may be anything: sizes are checked before memory is asked for. Arrays
// of Python objects are refused: reading them would run what they say.
#ifndef GK_COMMAND_LINE_NPY_H_
#define GK_COMMAND_LINE_NPY_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/tensor.h"

namespace gk::command {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";
inline constexpr std::string_view kZipMagic = "PK\x03\x04";

// Numbers in either order of bytes, rows or columns first; text as UTF-8.
// DataLoss if the file is damaged, Unimplemented of types that no tensor has.
StatusOr<Tensor> ReadNpy(std::string_view bytes);
// Types that NumPy lacks (bfloat16, float8) as float32, which has their values.
// Texts may not end in a zero: NumPy would drop it.
StatusOr<std::string> WriteNpy(const Tensor& tensor);

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;
// Checks each array's checksum.
StatusOr<NamedTensors> ReadNpz(std::string_view bytes);
// As numpy.savez: not compressed.
StatusOr<std::string> WriteNpz(const NamedTensors& tensors);

}  // namespace gk::command

#endif  // GK_COMMAND_LINE_NPY_H_
