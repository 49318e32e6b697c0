// How a node says that its gradient is a program's own.
#ifndef GK_FUNCTION_OWN_GRADIENT_ATTRS_H_
#define GK_FUNCTION_OWN_GRADIENT_ATTRS_H_

namespace gk {

// A name that a gradient was registered under.
inline constexpr char kGradientOpType[] = "_gradient_op_type";

// The name of gradients that nodes hold themselves: the function of
// kOwnGradientFunction takes the gradients of the first kOwnGradientCount
// outputs, then the last inputs of the node, which are what it captures; its
// results are for the inputs at kOwnGradientPositions.
inline constexpr char kOwnGradientType[] = "GradientFunction";
inline constexpr char kOwnGradientFunction[] = "_gradient_function";
inline constexpr char kOwnGradientCount[] = "_gradient_num_results";
inline constexpr char kOwnGradientPositions[] = "_gradient_positions";

}  // namespace gk

#endif  // GK_FUNCTION_OWN_GRADIENT_ATTRS_H_
