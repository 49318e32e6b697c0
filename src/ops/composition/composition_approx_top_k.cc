// The functions around ApproxTopK.
#include "ops/composition.h"
#include "ops/with_attrs/ApproxTopK.h"

namespace gk {
namespace {

template <bool kGreatest>
TensorVector ApproxK(CompositionCall& c) {
  AttrMap attrs{{"k", c.integer(1)},
                {"reduction_dimension", c.integer(2)},
                {"recall_target", static_cast<float>(c.real(3))},
                {"is_max_k", kGreatest},
                {"reduction_input_size_override", c.integer(4)},
                {"aggregate_to_topk", c.flag(5)}};
  return ops::ApproxTopK(OpAttrs(std::move(attrs), c.name()), c.tensor(0));
}

TensorVector ApproxTopK(CompositionCall& c) {
  AttrMap attrs{{"k", c.integer(1)},
                {"reduction_dimension", c.integer(2)},
                {"recall_target", static_cast<float>(c.real(3))},
                {"is_max_k", c.flag(4)},
                {"reduction_input_size_override", c.integer(5)},
                {"aggregate_to_topk", c.flag(6)}};
  return ops::ApproxTopK(OpAttrs(std::move(attrs), c.name()), c.tensor(0));
}

#define APPROX_ARGS                                                         \
  "operand: tensor; k: int; reduction_dimension: int = -1; recall_target: " \
  "float = 0.95; reduction_input_size_override: int = -1; "                 \
  "aggregate_to_topk: bool = True"
#define APPROX_DOC                                                             \
  " along a dimension in order, and where they are.\n\nArgs:\n  k: how many."  \
  "\n  reduction_dimension: along which is looked.\n  recall_target: without " \
  "effect, since all are found; so are\n    `reduction_input_size_override` "  \
  "and `aggregate_to_topk`."

const CompositionRecord kRecords[] = {
    {.names = "math.approx_max_k|nn.approx_max_k",
     .args = APPROX_ARGS,
     .scope = "ApproxTopK",
     .wraps_op = true,
     .build = ApproxK<true>,
     .result = "ApproxTopK: values, indices",
     .doc = "The k greatest elements" APPROX_DOC,
     .example = ">>> tf.math.approx_max_k([3., 1., 2.], 2).indices.numpy()."
                "tolist()\n[0, 2]"},
    {.names = "math.approx_min_k|nn.approx_min_k",
     .args = APPROX_ARGS,
     .scope = "ApproxTopK",
     .wraps_op = true,
     .build = ApproxK<false>,
     .result = "ApproxTopK: values, indices",
     .doc = "The k least elements" APPROX_DOC,
     .example = ">>> tf.math.approx_min_k([3., 1., 2.], 2).indices.numpy()."
                "tolist()\n[1, 2]"},
    {.names = "approx_top_k",
     .args = "input: tensor; k: int; reduction_dimension: int = -1; "
             "recall_target: float = 0.95; is_max_k: bool = True; "
             "reduction_input_size_override: int = -1; aggregate_to_topk: "
             "bool = True",
     .scope = "ApproxTopK",
     .wraps_op = true,
     .build = ApproxTopK,
     .result = "ApproxTopK: values, indices",
     .doc =
         "The k greatest elements, or the least unless `is_max_k`," APPROX_DOC,
     .example = ">>> tf.approx_top_k([3., 1., 2.], 2).values.numpy().tolist()\n"
                "[3.0, 2.0]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_approx_top_k)

}  // namespace gk
