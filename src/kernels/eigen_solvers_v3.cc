// With AVX2.
#include "kernels/eigen_solvers.h"
#include "kernels/isa.h"

#if defined(GK_ISA_V3) || !defined(GK_ISA_V2)
#include "kernels/compiled_for_v3.h"

#define GK_EIGEN gk_eigen_v3
#include "kernels/eigen_solvers_body.h"

namespace gk {

EigenSolvers EigenSolversV3() { return gk_eigen_v3::gk_solvers::Solvers(); }

}  // namespace gk

#endif  // GK_ISA_V3
