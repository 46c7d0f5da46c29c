# The program, the static library with its headers and CMake package, the completions, the licence.
include(CMakePackageConfigHelpers)
set(WALD_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/Wald)

install(TARGETS wald EXPORT WaldTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/wald DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT WaldTargets NAMESPACE Wald:: DESTINATION ${WALD_PACKAGE})
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/WaldConfig.cmake.in ${CMAKE_BINARY_DIR}/WaldConfig.cmake
  INSTALL_DESTINATION ${WALD_PACKAGE})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/WaldConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/WaldConfig.cmake ${CMAKE_BINARY_DIR}/WaldConfigVersion.cmake
  ${CMAKE_SOURCE_DIR}/cmake/Findxxhash.cmake ${CMAKE_SOURCE_DIR}/cmake/Findsodium.cmake
  DESTINATION ${WALD_PACKAGE})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET wald_binary)
  install(TARGETS wald_binary RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  include(cmake/completions.cmake)
endif()
