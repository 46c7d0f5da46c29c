# One test program a folder of src/, from the *_test.cpp files beside the code they test. They run in the root of the
# repository and know no absolute path, so a clone elsewhere takes them from the compiler cache.
find_package(GTest REQUIRED)
include(GoogleTest)
foreach(layer core table prepare loss privacy tree model learn measure explain cli)
  set(files ${TEST_SOURCES})
  list(FILTER files INCLUDE REGEX "/src/${layer}/")
  if(files)
    add_executable(${layer}_test ${files})
    target_include_directories(${layer}_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_include_directories(${layer}_test SYSTEM PRIVATE ${GENERATED})
    target_compile_definitions(${layer}_test PRIVATE WALD_DATA="data" WALD_TESTS="tests")
    target_link_libraries(${layer}_test PRIVATE wald wald_flags GTest::gtest_main fmt::fmt nlohmann_json::nlohmann_json TBB::tbb hwy::hwy)
    # Half the time of a build goes into the tests, which gain nothing from being fast themselves.
    if(WALD_SANITIZE)
      target_compile_options(${layer}_test PRIVATE -O0)
    else()
      target_compile_options(${layer}_test PRIVATE -O1)
    endif()
    if(WALD_SANITIZE MATCHES "undefined")
      # The code under test has all sanitizers; in the tests themselves this one only doubles the time to compile.
      target_compile_options(${layer}_test PRIVATE -fno-sanitize=undefined)
    endif()
    if(layer STREQUAL "cli")
      target_link_libraries(${layer}_test PRIVATE wald_cli)
    endif()
    add_test(NAME ${layer} COMMAND ${layer}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()
endforeach()

# Writes the model files of a new format version that the tests of model/ read.
add_executable(make_golden EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tools/make_golden.cpp)
target_include_directories(make_golden PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(make_golden PRIVATE wald wald_flags fmt::fmt)
