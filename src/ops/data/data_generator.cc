// A dataset of what a function returns when it is called again and again,
// until it says OutOfRange.
#include "data/iteration.h"
#include "framework/host_function.h"
#include "framework/op_registry.h"
#include "ops/data/dataset_kernel.h"

namespace gk {
namespace {

class GeneratorDataset final : public Dataset {
 public:
  GeneratorDataset(ElementSignature signature, CapturedFunction init,
                   CapturedFunction next, CapturedFunction finalize)
      : Dataset(std::move(signature), {}),
        init_(std::move(init)),
        next_(std::move(next)),
        finalize_(std::move(finalize)) {}

  std::string_view kind() const override { return "GeneratorDataset"; }
  int64_t Cardinality() const override { return kUnknownCardinality; }
  StatusOr<IteratorPtr> MakeIterator(const ContextRef& context) const override {
    return IteratorPtr(new Iterator(this, context));
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    Iterator(const GeneratorDataset* d, const ContextRef& context)
        : dataset_(d),
          init_(d->init_.In(context)),
          next_(d->next_.In(context)),
          finalize_(d->finalize_.In(context)) {}
    ~Iterator() override {
      if (!begun_ || finalized_) return;
      // Nobody is left who could be told of an error.
      QuietHostCalls quiet;
      try {
        (void)Finalize(nullptr);
        TakeErrorSite();
      } catch (const std::exception&) {
      }
    }

    Status GetNext(const CancellationToken* cancellation, TensorVector* element,
                   bool* end) override {
      if (!begun_) {
        GK_RETURN_IF_ERROR(init_.Run({}, cancellation, &state_));
        begun_ = true;
      }
      if (finalized_) {
        *end = true;
        return OkStatus();
      }
      Status status = next_.Run(state_, cancellation, element);
      if (status.code() != Code::kOutOfRange) return status;
      TakeErrorSite();
      *end = true;
      return Finalize(cancellation);
    }

   private:
    Status Finalize(const CancellationToken* cancellation) {
      finalized_ = true;
      TensorVector ignored;
      return finalize_.Run(state_, cancellation, &ignored);
    }

    const Ref<const GeneratorDataset> dataset_;
    const CapturedFunction init_, next_, finalize_;
    TensorVector state_;  // what init returned
    bool begun_ = false, finalized_ = false;
  };

  const CapturedFunction init_, next_, finalize_;
};

Status ComputeGenerator(KernelContext& c) {
  const int a = ListLength(c, "Tinit_func_args"),
            b = ListLength(c, "Tnext_func_args"),
            d = ListLength(c, "Tfinalize_func_args");
  CapturedFunction init, next, finalize;
  GK_RETURN_IF_ERROR(CaptureFunction(c, "init_func", 0, a, 0, &init));
  const size_t state = init.definition().output_types().size();
  GK_RETURN_IF_ERROR(CaptureFunction(c, "next_func", a, b, state, &next));
  GK_RETURN_IF_ERROR(
      CaptureFunction(c, "finalize_func", a + b, d, state, &finalize));
  return SetDataset(
      c, MakeRef<GeneratorDataset>(SignatureAttrs(c), std::move(init),
                                   std::move(next), std::move(finalize)));
}

const OpRecord kRecords[] = {
    {.name = "GeneratorDataset",
     .inputs = "init_func_other_args: Tinit_func_args;"
               "next_func_other_args: Tnext_func_args;"
               "finalize_func_other_args: Tfinalize_func_args",
     .outputs = "handle: variant",
     .attrs = "init_func: func; next_func: func; finalize_func: func; "
              "Tinit_func_args: list(type) >= 0; Tnext_func_args: list(type) "
              ">= 0; Tfinalize_func_args: list(type) >= 0; " GK_ELEMENT_ATTRS
              "; metadata: string = ''",
     .traits = kStateful | kCallsFunction,
     .shape = shape_fn::Scalar,
     .kernel = {.compute = ComputeGenerator},
     .doc = "A dataset of what `next_func` returns until it reports "
            "OutOfRange."},
};

}  // namespace

GK_REGISTER_OPS(data_generator)

}  // namespace gk
