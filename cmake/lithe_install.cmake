# The installed package: `find_package(lithe)` gives lithe::lithe and lithe::lithe_core.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/lithe")
# A library compiled for AVX aligns matrices of fixed size to 32 bytes: who uses it without AVX must do the same.
include(CheckCXXSourceCompiles)
if(LITHE_NATIVE)
  set(CMAKE_REQUIRED_FLAGS "-march=native")
  check_cxx_source_compiles("#ifndef __AVX__\n#error\n#endif\nint main() {}" LITHE_HAS_AVX)
  unset(CMAKE_REQUIRED_FLAGS)
  if(LITHE_HAS_AVX)
    target_compile_definitions(lithe_core INTERFACE "$<INSTALL_INTERFACE:EIGEN_MAX_STATIC_ALIGN_BYTES=32>")
  endif()
endif()
install(TARGETS lithe_core lithe EXPORT lithe_targets)
install(CODE "set(source \"${PROJECT_SOURCE_DIR}/src\")\nset(include_folder \"${CMAKE_INSTALL_INCLUDEDIR}\")")
install(SCRIPT cmake/install_headers.cmake)
install(EXPORT lithe_targets NAMESPACE lithe:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/lithe-config.cmake.in "${PROJECT_BINARY_DIR}/lithe-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/lithe-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/lithe-config.cmake" "${PROJECT_BINARY_DIR}/lithe-config-version.cmake"
  cmake/lithe_dependencies.cmake DESTINATION "${package_dir}")
