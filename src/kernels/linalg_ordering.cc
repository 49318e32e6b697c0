// Orders of the rows of sparse matrices: Eigen's.
#include "kernels/eigen_matrix.h"
//
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <vector>

#include "kernels/csr_factor.h"

namespace gk {

void MinimumDegreeOrder(int64_t n, const int32_t* first, const int32_t* columns,
                        int32_t* order) {
  using Matrix = Eigen::SparseMatrix<float, Eigen::RowMajor, int>;
  const std::vector<float> values(n == 0 ? 0 : first[n], 1.0f);
  const Eigen::Map<const Matrix> matrix(n, n, n == 0 ? 0 : first[n], first,
                                        columns, values.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> made;
  Eigen::AMDOrdering<int> amd;
  amd(matrix.selfadjointView<Eigen::Lower>(), made);
  std::copy_n(made.indices().data(), n, order);
}

}  // namespace gk
