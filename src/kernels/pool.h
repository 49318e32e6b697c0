// Max and average pooling with their gradients over N D H W C images.
//
// One geometry serves pooling of one, two and three spatial dimensions: set
// the missing ones to size 1. Functions are stateless and thread-safe; slices
// are whole images or rows of the result, so nothing depends on the number of
// threads. Outputs are written whole.
#ifndef GK_KERNELS_POOL_H_
#define GK_KERNELS_POOL_H_

#include <array>
#include <cstdint>

#include "base/status.h"
#include "kernels/element_type.h"
#include "kernels/parallel.h"
#include "kernels/part_done.h"

namespace gk {

// Spatial arrays are depth, height, width. Windows are clipped to the image;
// padding never counts, neither as a maximum nor in an average.
struct PoolDesc {
  ElementType type = ElementType::kFloat;
  int64_t batch = 0, channels = 0;
  std::array<int64_t, 3> in = {1, 1, 1};
  std::array<int64_t, 3> out = {1, 1, 1};
  std::array<int64_t, 3> window = {1, 1, 1};
  std::array<int64_t, 3> stride = {1, 1, 1};
  std::array<int64_t, 3> pad = {0, 0, 0};  // before the image
};

// Max pooling ignores NaN and gives the type's lowest finite value (for
// bfloat16 minus infinity) where nothing in the window is greater.
Status MaxPool(const PoolDesc& desc, const void* input, void* output,
               Parallel parallel = {});

// The gradient of each output goes to the first greatest input of its window
// in row-major order. Tells of images that are done.
Status MaxPoolGrad(const PoolDesc& desc, const void* input,
                   const void* output_grad, void* input_grad,
                   Parallel parallel = {}, const PartDone* done = nullptr);

// The gradient of each output goes to every input of its window that equals
// `maxima` there.
Status MaxPoolGradOfEqual(const PoolDesc& desc, const void* input,
                          const void* maxima, const void* output_grad,
                          void* input_grad, Parallel parallel = {});

// Of `grad`, shaped as the input, what stands where the window's first input
// that equals `maxima` does; 0 where none does.
Status MaxPoolGradGrad(const PoolDesc& desc, const void* input,
                       const void* maxima, const void* grad, void* output,
                       Parallel parallel = {});

// Positions of the maxima, flat within an image or, with `with_batch`, within
// the whole input.
Status MaxPoolArgmax(const PoolDesc& desc, const void* input, bool with_batch,
                     int64_t* positions, Parallel parallel = {});

// Float, double, half and bfloat16.
Status AvgPool(const PoolDesc& desc, const void* input, void* output,
               Parallel parallel = {});
Status AvgPoolGrad(const PoolDesc& desc, const void* output_grad,
                   void* input_grad, Parallel parallel = {});

}  // namespace gk

#endif  // GK_KERNELS_POOL_H_
