// Products and solutions of two linear operators: of which kind they are.
#ifndef GK_API_OPERATOR_ALGEBRA_H_
#define GK_API_OPERATOR_ALGEBRA_H_

#include "graphkiln/linear_operator.h"

namespace gk::api::linalg {

// Of operators that fit.
LinearOperator Multiplied(const LinearOperator& left,
                          const LinearOperator& right);
LinearOperator Solved(const LinearOperator& left, const LinearOperator& right);

}  // namespace gk::api::linalg

#endif  // GK_API_OPERATOR_ALGEBRA_H_
