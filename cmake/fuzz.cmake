# Random programs in C++ (fuzz/README.md): a number of them by a fixed seed are
# a test; `programs_cpp --count N --seed S` runs more.
file(GLOB GK_FUZZ_PROGRAMS CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/fuzz/programs_cpp/*.cc)
add_executable(programs_cpp ${GK_FUZZ_PROGRAMS})
target_link_libraries(programs_cpp PRIVATE gk_all)
target_compile_options(programs_cpp PRIVATE $<$<CONFIG:Release>:-O1>)
add_test(NAME programs COMMAND programs_cpp --count 4200 --seed 1)
# Gradients of lists of lists of booleans.
add_test(NAME programs_booleans COMMAND programs_cpp --count 1 --seed 25369)
# The same with every plan checked while it runs.
add_test(NAME programs_checked COMMAND programs_cpp --count 300 --seed 900001)
set_tests_properties(programs programs_booleans programs_checked
                     PROPERTIES LABELS fuzz
                     TIMEOUT 600)
set_tests_properties(programs_checked PROPERTIES
                     ENVIRONMENT GK_CHECK_PLANS=1)
