// What a public Structure holds.
#ifndef GK_API_STRUCTURE_REP_H_
#define GK_API_STRUCTURE_REP_H_

#include "framework/structure.h"
#include "graphkiln/structure.h"

namespace gk::api {

struct Structure::Rep {
  StructureRef inner;
};

inline const StructureRef& Inner(const Structure& s) { return s.rep().inner; }
inline Structure Outer(StructureRef s) {
  return Structure(
      std::make_shared<const Structure::Rep>(Structure::Rep{std::move(s)}));
}

}  // namespace gk::api

#endif  // GK_API_STRUCTURE_REP_H_
