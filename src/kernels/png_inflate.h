// InflateAhead: the pixels of a PNG file are inflated by a library that takes
// them as one piece, which is faster than the one that takes them bit by bit.
#ifndef GK_KERNELS_PNG_INFLATE_H_
#define GK_KERNELS_PNG_INFLATE_H_

#include <cstddef>
#include <memory>
#include <string_view>

namespace gk {

// A PNG file up to its pixels, what they are, inflated but for the frame of a
// zlib stream of stored blocks, and what follows.
struct InflatedPng {
  std::string_view before, after;
  std::unique_ptr<char[]> pixels;  // a chunk "IDAT"
  size_t size = 0;
  std::string_view stream() const { return {pixels.get(), size}; }
};

// Of a file whose checksums are all right and whose stream holds exactly what
// its header says; false for any other, of which libpng says what is wrong.
bool InflateAhead(std::string_view file, InflatedPng* inflated);

}  // namespace gk

#endif  // GK_KERNELS_PNG_INFLATE_H_
