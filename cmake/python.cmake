# The Python package, ready to be imported from python/ of the build folder. WALD_PYTHON_EXECUTABLE names the
# interpreter: Debian's own, whatever another one may stand first in PATH.
set(WALD_PYTHON_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "the interpreter to build the Python package for")
set(Python3_EXECUTABLE ${WALD_PYTHON_EXECUTABLE})
find_package(Python3 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 REQUIRED CONFIG)
set(WALD_PACKAGE_FOLDER ${CMAKE_BINARY_DIR}/python/wald)
file(GLOB WALD_PYTHON_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/*.cpp)
Python3_add_library(wald_python MODULE WITH_SOABI ${WALD_PYTHON_SOURCES})
target_include_directories(wald_python PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/python)
target_link_libraries(wald_python PRIVATE wald wald_flags fmt::fmt pybind11::headers)
# Hidden, so that another extension's copy of a library is never taken for ours; O1: it only hands things over.
set_target_properties(wald_python PROPERTIES OUTPUT_NAME _wald CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${WALD_PACKAGE_FOLDER})
target_link_options(wald_python PRIVATE -Wl,-Bsymbolic -Wl,--exclude-libs,ALL)
target_compile_options(wald_python PRIVATE -O1)
file(GLOB WALD_PACKAGE_FILES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/wald/*)
set(WALD_STUBS ${WALD_PACKAGE_FOLDER}/__init__.pyi)
add_custom_command(OUTPUT ${WALD_STUBS} DEPENDS wald_python ${WALD_PACKAGE_FILES}
  COMMAND ${CMAKE_COMMAND} -E copy ${WALD_PACKAGE_FILES} ${WALD_PACKAGE_FOLDER}
  COMMAND ${WALD_PYTHON_EXECUTABLE} ${WALD_PACKAGE_FOLDER}/_stubs.py ${WALD_STUBS}
  VERBATIM)
add_custom_target(wald_package DEPENDS ${WALD_STUBS})
