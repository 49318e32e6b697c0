// tf.io.decode_csv.
#include <vector>

#include "ops/composition.h"
#include "ops/fn/DecodeCSV.h"

namespace gk {
namespace {

TensorVector FieldsOfRecords(CompositionCall& c) {
  std::vector<int64_t> columns;
  if (c.has(5)) columns = c.ints(5);
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i > 0 && columns[i] <= columns[i - 1]) {
      throw Error(ValueError("select_cols is not strictly increasing."));
    }
  }
  if (!columns.empty() && columns[0] < 0) {
    throw Error(ValueError("select_cols contains negative values."));
  }
  if (c.has(5) && columns.size() != c.tensors(1).size()) {
    throw Error(
        ValueError("Length of select_cols and record_defaults do not match."));
  }
  return ops::DecodeCSV(OpName(c.name()), c.tensor(0), c.tensors(1), c.text(2),
                        c.flag(3), c.text(4), columns);
}

const CompositionRecord kRecords[] = {
    {.names = "io.decode_csv",
     .args = "records: tensor; record_defaults: tensors(gradients); "
             "field_delim: string = ','; use_quote_delim: bool = True; "
             "na_value: string = ''; select_cols: ints = None",
     .scope = "DecodeCSV",
     .wraps_op = true,
     .build = FieldsOfRecords,
     .result = "list",
     .doc = "The fields of records, a tensor for each column.\n\n"
            "Args:\n"
            "  records: strings, one record each.\n"
            "  record_defaults: for each column a scalar, or a vector of one "
            "element, of its dtype, which stands for empty fields; or an empty "
            "vector: fields must not be empty.\n"
            "  field_delim: the character between fields.\n"
            "  use_quote_delim: may fields stand in double quotes?\n"
            "  na_value: a text that is as good as an empty field.\n"
            "  select_cols: the numbers of the columns to read, rising; None: "
            "all.\n\n"
            "Raises InvalidArgumentError for records with another number of "
            "fields and for fields that are no numbers.",
     .example = ">>> a, b = tf.io.decode_csv([\"1,x\", \",y\"], [[7], [\"\"]])"
                "\n>>> a.numpy().tolist(), b.numpy().tolist()\n"
                "([1, 7], [b'x', b'y'])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_csv)

}  // namespace gk
