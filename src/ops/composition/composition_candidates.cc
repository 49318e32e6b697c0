// Candidate samplers and losses that compare with samples.
#include "ops/composition.h"
#include "ops/composition/embedding_rows.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Log.h"
#include "ops/fn/MatMul.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SparseToDense.h"
#include "ops/fn/StopGradient.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/ZerosLike.h"
#include "ops/random/random_seeds.h"
#include "ops/random/random_source.h"
#include "ops/subscript.h"
#include "ops/with_attrs/AllCandidateSampler.h"
#include "ops/with_attrs/ComputeAccidentalHits.h"
#include "ops/with_attrs/FixedUnigramCandidateSampler.h"
#include "ops/with_attrs/LearnedUnigramCandidateSampler.h"
#include "ops/with_attrs/LogUniformCandidateSampler.h"
#include "ops/with_attrs/UniformCandidateSampler.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;
using SamplerOp = TensorVector (*)(OpAttrs, const Tensor&);

AttrMap SamplerAttrs(const CompositionCall& c, int seed) {
  AttrMap attrs = SeedAttrsOf(c, seed);
  attrs.Set("num_true", c.integer(1));
  attrs.Set("num_sampled", c.integer(2));
  attrs.Set("unique", c.flag(3));
  return attrs;
}

template <SamplerOp kOp>
TensorVector RangeSampler(CompositionCall& c) {
  AttrMap attrs = SamplerAttrs(c, 5);
  if (kOp == SamplerOp(ops::LearnedUnigramCandidateSampler) &&
      c.integer(4) > 2147483647) {
    throw Error(ValueError("Value of range_max:{} is too large to handle",
                           c.integer(4)));
  }
  attrs.Set("range_max", c.integer(4));
  return kOp(OpAttrs(std::move(attrs), c.name()), c.tensor(0));
}

TensorVector AllSampler(CompositionCall& c) {
  return ops::AllCandidateSampler(OpAttrs(SamplerAttrs(c, 4), c.name()),
                                  c.tensor(0));
}

TensorVector FixedSampler(CompositionCall& c) {
  AttrMap attrs = SamplerAttrs(c, 11);
  attrs.Set("range_max", c.integer(4));
  attrs.Set("vocab_file", c.text(5));
  attrs.Set("distortion", static_cast<float>(c.real(6)));
  attrs.Set("num_reserved_ids", c.integer(7));
  attrs.Set("num_shards", c.integer(8));
  attrs.Set("shard", c.integer(9));
  std::vector<float> unigrams;
  if (const Ints* ints = c.get<Ints>(10)) {
    unigrams.assign(ints->begin(), ints->end());
  } else if (c.get<int64_t>(10) == nullptr && c.has(10)) {
    const Tensor given = c.known(10);
    if (!given) {
      throw Error(TypeError("unigrams must be numbers that are known now"));
    }
    for (int64_t i = 0; i < given.num_elements(); ++i) {
      VisitType<float, double, int32_t, int64_t>(given.dtype(), [&](auto tag) {
        unigrams.push_back(static_cast<float>(given.data<decltype(tag)>()[i]));
      });
    }
  }
  attrs.Set("unigrams", std::move(unigrams));
  return ops::FixedUnigramCandidateSampler(OpAttrs(std::move(attrs), c.name()),
                                           c.tensor(0));
}

TensorVector AccidentalHits(CompositionCall& c) {
  AttrMap attrs = SeedAttrsOf(c, 3);
  attrs.Set("num_true", c.integer(2));
  return ops::ComputeAccidentalHits(OpAttrs(std::move(attrs), c.name()),
                                    c.tensor(0), c.tensor(1));
}

Tensor RowSums(const Tensor& x) { return ops::Sum(x, IntegerConstant(1)); }

// x[begin:end] of the first dimension.
Tensor RowsBetween(const Tensor& x, std::optional<SubscriptBound> begin,
                   std::optional<SubscriptBound> end) {
  SubscriptEntry entry;
  entry.begin = std::move(begin);
  entry.end = std::move(end);
  return Subscript(x, {entry});
}

struct SampledLogits {
  Tensor logits, labels;
};

// Logits of the true classes and of the samples, less the logarithm of how
// often these were expected. Arguments: weights, biases, labels, inputs,
// num_sampled, num_classes, num_true, sampled_values,
// remove_accidental_hits; `seed` is the place of the seed, or -1.
SampledLogits LogitsOf(const CompositionCall& c, int seed) {
  const Tensor& inputs = c.tensor(3);
  const DataType t = inputs.dtype();
  const Tensor labels = CastTo(c.tensor(2), DataType::kInt64);
  const int64_t num_sampled = c.integer(4), num_true = c.integer(6);
  if (num_true < 1) {
    throw Error(
        ValueError("num_true must be positive. Received: {}", num_true));
  }
  const Tensor flat = ops::Reshape(labels, IntegerVector(Ints{-1}));
  TensorVector sampled;
  if (c.has(7) && !c.tensors(7).empty()) {
    sampled = c.tensors(7);
    if (sampled.size() != 3) {
      throw Error(ValueError(
          "sampled_values must be a tuple of 3 tensors. Received: {}",
          sampled.size()));
    }
  } else {
    AttrMap attrs =
        seed < 0 ? SeedAttrs(SeedsOfOp(std::nullopt)) : SeedAttrsOf(c, seed);
    attrs.Set("num_true", num_true);
    attrs.Set("num_sampled", num_sampled);
    attrs.Set("unique", true);
    attrs.Set("range_max", c.integer(5));
    sampled =
        ops::LogUniformCandidateSampler(OpAttrs(std::move(attrs)), labels);
  }
  for (Tensor& s : sampled) s = ops::StopGradient(s);
  const Tensor samples = CastTo(sampled[0], DataType::kInt64);
  const Tensor ids = ops::ConcatV2(TensorVector{flat, samples}, Int32Of(0));
  const Tensor weights = CastTo(RowsOfParts(c.tensors(0), ids), t);
  const Tensor biases = CastTo(RowsOfParts(c.tensors(1), ids), t);
  const Tensor count = ops::Reshape(ShapeTensor(flat), IntegerVector(Ints{}));
  const std::optional<SubscriptBound> split = SubscriptBound::Of(count);
  const Tensor true_weights = RowsBetween(weights, {}, split);
  const Tensor sample_weights = RowsBetween(weights, split, {});
  const Tensor true_biases = RowsBetween(biases, {}, split);
  const Tensor sample_biases = RowsBetween(biases, split, {});
  Tensor sample_logits = ops::AddV2(
      ops::MatMul(inputs, sample_weights, false, true), sample_biases);
  // [batch, num_true, dim] against [batch, 1, dim].
  SubscriptEntry last;
  last.begin = 1;
  const Tensor dim = Subscript(ShapeTensor(true_weights), {last});
  const Tensor by_row = ops::Reshape(
      true_weights,
      ops::ConcatV2(TensorVector{IntegerVector(Ints{-1, num_true}), dim},
                    Int32Of(0)));
  const Tensor products = ops::Mul(ops::ExpandDims(inputs, Int32Of(1)), by_row);
  const Tensor pairs = IntegerVector(Ints{-1, num_true});
  Tensor true_logits = ops::AddV2(ops::Sum(products, IntegerConstant(2)),
                                  ops::Reshape(true_biases, pairs));
  if (c.flag(8)) {
    const TensorVector hits = ops::ComputeAccidentalHits(
        OpAttrs(AttrMap{{"num_true", num_true}}), labels, samples);
    const Tensor column = IntegerVector(Ints{-1, 1});
    const Tensor places = ops::ConcatV2(
        TensorVector{ops::Reshape(hits[0], column),
                     ops::Reshape(CastTo(hits[1], DataType::kInt32), column)},
        Int32Of(1));
    SubscriptEntry rows;
    rows.end = 1;
    const Tensor sizes =
        ops::ConcatV2(TensorVector{Subscript(ShapeTensor(labels), {rows}),
                                   IntegerVector(Ints{num_sampled})},
                      Int32Of(0));
    sample_logits = ops::AddV2(
        sample_logits, ops::SparseToDense(places, sizes, CastTo(hits[2], t),
                                          NumberOf(0, t), false));
  }
  true_logits = ops::Sub(true_logits, CastTo(ops::Log(sampled[1]), t));
  sample_logits = ops::Sub(sample_logits, CastTo(ops::Log(sampled[2]), t));
  SampledLogits all;
  all.logits =
      ops::ConcatV2(TensorVector{true_logits, sample_logits}, Int32Of(1));
  all.labels = ops::ConcatV2(
      TensorVector{ops::RealDiv(ops::OnesLike(true_logits),
                                NumberOf(static_cast<double>(num_true), t)),
                   ops::ZerosLike(sample_logits)},
      Int32Of(1));
  return all;
}

TensorVector NceLoss(CompositionCall& c) {
  const SampledLogits all = LogitsOf(c, -1);
  const Tensor losses = CallComposition("nn.sigmoid_cross_entropy_with_logits",
                                        {all.labels, all.logits})[0];
  return {RowSums(losses)};
}

TensorVector SampledSoftmaxLoss(CompositionCall& c) {
  const SampledLogits all = LogitsOf(c, 9);
  return CallComposition("nn.softmax_cross_entropy_with_logits",
                         {ops::StopGradient(all.labels), all.logits});
}

#define SAMPLER_ARGS                                               \
  "true_classes: tensor(int64); num_true: int; num_sampled: int; " \
  "unique: bool; "
#define SAMPLER_RESULT \
  ": sampled_candidates, true_expected_count, sampled_expected_count"
#define SAMPLER_DOC                                                          \
  "\n\nArgs:\n  true_classes: int64 [batch, num_true].\n  num_sampled: how " \
  "many.\n  unique: all different.\n  seed: of this op.\n\nGives the "       \
  "samples and how often each true class and each sample is expected among " \
  "them."
#define LOSS_ARGS                                              \
  "weights: tensors(parts); biases: tensors(parts); labels: "  \
  "tensor(int64); inputs: tensor(float32); num_sampled: int; " \
  "num_classes: int; num_true: int = 1; sampled_values: "      \
  "tensors(gradients) = None; remove_accidental_hits: bool = "
#define SAMPLED_LOSS_DOC                                                      \
  "\n\nArgs:\n  weights: [num_classes, dim], or a list of parts.\n  biases:"  \
  " [num_classes].\n  labels: true classes [batch, num_true].\n  inputs: "    \
  "[batch, dim].\n  sampled_values: what a candidate sampler gave; those of " \
  "tf.random.log_uniform_candidate_sampler where None."

const CompositionRecord kRecords[] = {
    {.names = "random.uniform_candidate_sampler",
     .args = SAMPLER_ARGS "range_max: int; seed: seed = None",
     .scope = "UniformCandidateSampler",
     .wraps_op = true,
     .build = RangeSampler<ops::UniformCandidateSampler>,
     .result = "UniformCandidateSampler" SAMPLER_RESULT,
     .doc = "Classes of [0, range_max), all equally likely." SAMPLER_DOC,
     .example = ">>> tf.random.uniform_candidate_sampler([[0]], 1, 3, True, "
                "9).sampled_candidates.shape\nTensorShape([3])"},
    {.names = "random.log_uniform_candidate_sampler",
     .args = SAMPLER_ARGS "range_max: int; seed: seed = None",
     .scope = "LogUniformCandidateSampler",
     .wraps_op = true,
     .build = RangeSampler<ops::LogUniformCandidateSampler>,
     .result = "LogUniformCandidateSampler" SAMPLER_RESULT,
     .doc = "Classes of [0, range_max), low ones more likely: those that are "
            "sorted by how often they come." SAMPLER_DOC,
     .example = ">>> tf.random.log_uniform_candidate_sampler([[0]], 1, 3, "
                "True, 9).sampled_candidates.shape\nTensorShape([3])"},
    {.names = "random.learned_unigram_candidate_sampler|"
              "nn.learned_unigram_candidate_sampler",
     .args = SAMPLER_ARGS "range_max: int; seed: seed = None",
     .scope = "LearnedUnigramCandidateSampler",
     .wraps_op = true,
     .build = RangeSampler<ops::LearnedUnigramCandidateSampler>,
     .result = "LearnedUnigramCandidateSampler" SAMPLER_RESULT,
     .doc = "Classes of [0, range_max), as likely as they have been true ones "
            "of this op before." SAMPLER_DOC,
     .example = ">>> tf.random.learned_unigram_candidate_sampler([[0]], 1, 3, "
                "True, 9).sampled_candidates.shape\nTensorShape([3])"},
    {.names = "random.fixed_unigram_candidate_sampler|"
              "nn.fixed_unigram_candidate_sampler",
     .args = SAMPLER_ARGS "range_max: int; vocab_file: string = ''; "
                          "distortion: float = 1.0; num_reserved_ids: int = 0; "
                          "num_shards: int = 1; shard: int = 0; unigrams: "
                          "native = (); seed: seed = None",
     .scope = "FixedUnigramCandidateSampler",
     .wraps_op = true,
     .build = FixedSampler,
     .result = "FixedUnigramCandidateSampler" SAMPLER_RESULT,
     .doc = "Classes as likely as `unigrams`, or the last field of each line "
            "of `vocab_file`, to the power `distortion`." SAMPLER_DOC,
     .example = ">>> tf.random.fixed_unigram_candidate_sampler([[0]], 1, 1, "
                "True, 2, unigrams=[0.0, 1.0]).sampled_candidates.numpy()"
                ".tolist()\n[1]"},
    {.names = "random.all_candidate_sampler|nn.all_candidate_sampler",
     .args = SAMPLER_ARGS "seed: seed = None",
     .scope = "AllCandidateSampler",
     .wraps_op = true,
     .build = AllSampler,
     .result = "AllCandidateSampler" SAMPLER_RESULT,
     .doc = "All classes of [0, num_sampled) in order." SAMPLER_DOC,
     .example = ">>> tf.nn.all_candidate_sampler([[0]], 1, 3, True)"
                ".sampled_candidates.numpy().tolist()\n[0, 1, 2]"},
    {.names = "nn.compute_accidental_hits",
     .args = "true_classes: tensor(int64); sampled_candidates: tensor(int64); "
             "num_true: int; seed: seed = None",
     .scope = "ComputeAccidentalHits",
     .wraps_op = true,
     .build = AccidentalHits,
     .result = "ComputeAccidentalHits: indices, ids, weights",
     .doc = "Which samples are true classes: rows of `true_classes`, places "
            "among the samples, and weights that take them out of a softmax.",
     .example = ">>> hits = tf.nn.compute_accidental_hits([[2], [5]], [5, 7], "
                "1)\n>>> hits.indices.numpy().tolist(), hits.ids.numpy()"
                ".tolist()\n([1], [0])"},
    {.names = "nn.nce_loss",
     .args = LOSS_ARGS "False; name: name = 'nce_loss'",
     .scope = "nce_loss",
     .shows_name = true,
     .build = NceLoss,
     .doc = "The loss of noise-contrastive estimation, for each row: of telling"
            " true classes from samples." SAMPLED_LOSS_DOC,
     .example = ">>> tf.nn.nce_loss(tf.zeros([9, 2]), tf.zeros([9]), [[1]], "
                "tf.zeros([1, 2]), 3, 9).shape\nTensorShape([1])"},
    {.names = "nn.sampled_softmax_loss",
     .args = LOSS_ARGS "True; seed: seed = None; name: name = "
                       "'sampled_softmax_loss'",
     .scope = "sampled_softmax_loss",
     .shows_name = true,
     .build = SampledSoftmaxLoss,
     .doc = "The cross entropy with a softmax over true classes and samples, "
            "for each row." SAMPLED_LOSS_DOC,
     .example = ">>> tf.nn.sampled_softmax_loss(tf.zeros([9, 2]), tf.zeros([9])"
                ", [[1]], tf.zeros([1, 2]), 3, 9).shape\nTensorShape([1])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_candidates)

}  // namespace gk
