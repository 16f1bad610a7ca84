# The installed package: `find_package(lithe)` gives lithe::lithe and lithe::lithe_core.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lithe")
install(TARGETS lithe_core lithe EXPORT lithe_targets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/lithe" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h"
  PATTERN "eigen_kernels.h" EXCLUDE)
install(FILES cmake/public/eigen_kernels.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/lithe/base")
install(EXPORT lithe_targets NAMESPACE lithe:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/lithe-config.cmake.in "${PROJECT_BINARY_DIR}/lithe-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lithe-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lithe-config.cmake" "${PROJECT_BINARY_DIR}/lithe-config-version.cmake"
  cmake/lithe_dependencies.cmake DESTINATION "${package_dir}")
