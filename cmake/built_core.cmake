# The core as another build made it, for an extension of another Python: what
# cmake/layers.cmake defines for python/CMakeLists.txt.
add_library(gk_all STATIC IMPORTED)
set_target_properties(gk_all PROPERTIES IMPORTED_LOCATION ${GK_CORE}/libgk_all.a)
target_include_directories(gk_flags INTERFACE ${GK_CORE}/generated)
find_package(Threads REQUIRED)
include(cmake/third_party.cmake)
target_link_libraries(gk_all INTERFACE gk_flags ${GK_LIBRARIES}
  ${GK_STATIC_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
foreach(made IN ITEMS gk_opgen gk_protogen gk_public_ops)
  add_custom_target(${made})
endforeach()
set(GK_PROTO_DESCRIPTORS ${GK_CORE}/generated/proto/descriptors.binpb)
