// All records as text: the one description of the ops outside C++. The public
// headers, the reference pages, the type stubs and api/ops.txt come of it.
//
//   op Concat(values: N * T; axis: Tidx) -> (output: T)
//     attr N: int >= 2
//     attr T: type
//     python: math.concat|concat
//     traits: cheap
//     doc: Joins tensors along an axis.
//   function linalg.trace|trace(x: tensor; name: name = None)
//     result: list
//     doc: The sum of the diagonal.
//   function reshape(tensor: tensor; shape: shape)
//     op: Reshape
//
// Fields that a record leaves empty are left out; a line break within a field
// is "\n". A function whose record is an op's own names the op, whose other
// fields are its own, too.
#ifndef GK_OPS_RECORD_TEXT_H_
#define GK_OPS_RECORD_TEXT_H_

#include <string>

namespace gk {

// Every op, by name, then every composition, by its first public name.
std::string RecordsText();

}  // namespace gk

#endif  // GK_OPS_RECORD_TEXT_H_
