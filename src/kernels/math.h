// Elementary and special functions of float and double.
//
// Scalar code without branches, written so that a plain loop inside a
// function stamped by kernels/isa.h is vectorised at that level's width. No
// fused multiply-add: every instruction set gives the same bits, and so does
// a scalar tail. Special values (nan, infinities, signed zeros, denormals)
// follow the C standard. All functions are pure and thread-safe.
#ifndef GK_KERNELS_MATH_H_
#define GK_KERNELS_MATH_H_

#include "kernels/math/erf.h"
#include "kernels/math/exp_log.h"
#include "kernels/math/hyperbolic.h"
#include "kernels/math/normal.h"
#include "kernels/math/pow.h"
#include "kernels/math/rounding.h"
#include "kernels/math/special.h"
#include "kernels/math/special_gamma.h"
#include "kernels/math/trig.h"

#endif  // GK_KERNELS_MATH_H_
