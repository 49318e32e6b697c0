// Resources that ops make: one for each name, one for each node of a function
// that names none, or one for each call.
//
// Thread-safe.
#ifndef GK_OPS_NAMED_RESOURCE_H_
#define GK_OPS_NAMED_RESOURCE_H_

#include <string>
#include <type_traits>

#include "base/function_ref.h"
#include "framework/kernel_context.h"
#include "framework/resource.h"
#include "framework/resource_manager.h"

namespace gk {

// Gets the name that the resource is to have.
using MakeResourceFn =
    FunctionRef<StatusOr<Ref<Resource>>(const std::string& name)>;

// Output 0 becomes the handle of the resource that the attributes `container`
// and `shared_name` name, made if there is none (framework/resource_manager.h);
// `kind`, a literal, keeps those of different kinds apart. Without a name the
// node of a function has one of its own, and each eager call.
Status OutputResource(KernelContext& c, std::string_view kind, HandleData data,
                      MakeResourceFn make);

// The resource of `kind` that the attributes `container` and `shared_name`
// name, made if there is none; of ops without handles. It lives as long as the
// process.
StatusOr<Ref<Resource>> FindOrMakeNamed(const KernelContext& c,
                                        std::string_view kind,
                                        MakeResourceFn make);

// The resource of a scalar handle as an R, or InvalidArgument; NotFound if it
// was destroyed.
template <class R>
StatusOr<Ref<R>> ResourceOf(const Tensor& handle, std::string_view what) {
  if (handle.dtype() == DataType::kResource && handle.num_elements() == 1) {
    const auto& given = handle.scalar<ResourceHandle>();
    if (auto* own = given.As<R>()) {
      if constexpr (!std::is_base_of_v<NamedResource, R>) {
        return Ref<R>(own);
      } else {
        if (!own->is_erased()) return Ref<R>(own);
        GK_ASSIGN_OR_RETURN(const Ref<Resource> now,
                            ResourceManager::Get().Now(given));
        if (auto* found = DownCast<R>(now.get())) return Ref<R>(found);
      }
    }
  }
  return InvalidArgument("Expected the handle of a {}, got {}", what,
                         handle.DebugString(1));
}

}  // namespace gk

#endif  // GK_OPS_NAMED_RESOURCE_H_
