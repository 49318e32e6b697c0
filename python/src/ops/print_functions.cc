// The public functions of printing, and what is said of them.
#include "python/src/binding/guarded.h"
#include "python/src/binding/py_ref.h"
#include "python/src/ops/printing.h"

namespace gk::py {
namespace {

constexpr int kKeywords = METH_VARARGS | METH_KEYWORDS;

PyMethodDef kPrintFunctions[] = {
    {"print_values", AsCFunction(Guarded<PrintValues>), kKeywords,
     "print_values(*inputs, **kwargs)\n--\n\n"
     "Prints the inputs, tensors by their values.\n\n"
     "In a function the printing becomes part of the graph. Texts are printed "
     "as\nthey are, all else as Python's `repr`, structures as `pprint` "
     "would.\n\n"
     "Args:\n"
     "  *inputs: values and structures of values, printed one after another.\n"
     "  output_stream: sys.stderr (the default), sys.stdout, one of the "
     "functions\n"
     "    info, warning and error of tf.compat.v1.logging, or "
     "\"file://<path>\" to\n"
     "    append to.\n"
     "  summarize: how many elements of each dimension's ends are shown; 3\n"
     "    unless given, -1: all.\n"
     "  sep: between the inputs; a blank unless given.\n"
     "  end: after them; a line break unless given.\n"
     "  name: of the op.\n\n"
     "Returns None when eager, else the operation. Raises ValueError for "
     "another\nkeyword or stream, NotFoundError if a file cannot be "
     "opened.\n\n"
     ">>> tf.print('x:', tf.constant([1, 2]), "
     "output_stream='file:///dev/null')"},
    {"format_values", AsCFunction(Guarded<FormatValues>), kKeywords,
     "format_values(template, inputs, placeholder='{}', summarize=3, "
     "name=None)\n--"
     "\n\n"
     "A string tensor: `template` with tensors in place of `placeholder`.\n\n"
     "Raises ValueError if the numbers of placeholders and inputs differ.\n\n"
     ">>> tf.strings.format('x: {}', tf.constant([1, 2])).numpy()\n"
     "b'x: [1 2]'"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddPrinting(nanobind::module_& m) {
  AddShown(m);
  if (PyModule_AddFunctions(m.ptr(), kPrintFunctions) < 0) {
    throw nanobind::python_error();
  }
}

}  // namespace gk::py
