// For every processor.
#include "kernels/eigen_solvers.h"
#include "kernels/isa.h"

#ifdef GK_ISA_V2
#define GK_EIGEN gk_eigen_v2
#include "kernels/eigen_solvers_body.h"

namespace gk {

EigenSolvers EigenSolversV2() { return gk_eigen_v2::gk_solvers::Solvers(); }

}  // namespace gk

#endif  // GK_ISA_V2
