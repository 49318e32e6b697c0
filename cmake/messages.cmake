# Message structs and the descriptors that Python uses, from our descriptions.
file(GLOB GK_PROTOS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/proto/*.proto)
set(GK_PROTO_DESCRIPTORS
    ${PROJECT_BINARY_DIR}/generated/proto/descriptors.binpb)
set(GK_PROTO_SOURCES "")
set(GK_PROTO_HEADERS "")
foreach(proto IN LISTS GK_PROTOS)
  get_filename_component(stem ${proto} NAME_WE)
  list(APPEND GK_PROTO_SOURCES
       ${PROJECT_BINARY_DIR}/generated/proto/${stem}.gk.cc)
  list(APPEND GK_PROTO_HEADERS
       ${PROJECT_BINARY_DIR}/generated/proto/${stem}.gk.h)
endforeach()
set(GK_EMBEDDED_DESCRIPTORS
    ${PROJECT_BINARY_DIR}/generated/proto/descriptors.gk.cc)
list(APPEND GK_PROTO_SOURCES ${GK_EMBEDDED_DESCRIPTORS})
add_custom_command(
  OUTPUT ${GK_PROTO_SOURCES} ${GK_PROTO_HEADERS} ${GK_PROTO_DESCRIPTORS}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/protogen.py
          --cpp ${PROJECT_BINARY_DIR}/generated/proto
          --descriptors ${GK_PROTO_DESCRIPTORS} ${GK_PROTOS}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed_descriptors.py
          ${GK_PROTO_DESCRIPTORS} ${GK_EMBEDDED_DESCRIPTORS}
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/protogen.py
          ${PROJECT_SOURCE_DIR}/tools/embed_descriptors.py ${GK_PROTOS}
  COMMENT "Generating message structs" VERBATIM)
add_custom_target(gk_protogen DEPENDS ${GK_PROTO_SOURCES} ${GK_PROTO_HEADERS}
                                      ${GK_PROTO_DESCRIPTORS})
