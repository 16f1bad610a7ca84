# The foreign libraries, as targets. Also read by the installed package: keep it free of this project's variables.
include(CMakeFindDependencyMacro)
find_dependency(Eigen3 3.4)
find_dependency(tomlplusplus)
find_dependency(Spectra)
find_dependency(nlohmann_json)

# HDF5's C library by its headers and library: the module of CMake runs compiler wrappers, which differ between
# the serial and the parallel flavour that may both be installed.
if(NOT TARGET lithe_dependency::hdf5)
  find_path(LITHE_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
  find_library(LITHE_HDF5_LIBRARY NAMES hdf5_serial hdf5 REQUIRED)
  mark_as_advanced(LITHE_HDF5_INCLUDE LITHE_HDF5_LIBRARY)
  add_library(lithe_dependency::hdf5 INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::hdf5 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_HDF5_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_HDF5_LIBRARY}")
endif()

# cairo, for pictures of plots.
if(NOT TARGET lithe_dependency::cairo)
  find_path(LITHE_CAIRO_INCLUDE cairo/cairo.h REQUIRED)
  find_library(LITHE_CAIRO_LIBRARY NAMES cairo REQUIRED)
  mark_as_advanced(LITHE_CAIRO_INCLUDE LITHE_CAIRO_LIBRARY)
  add_library(lithe_dependency::cairo INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::cairo PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_CAIRO_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_CAIRO_LIBRARY}")
endif()

# matio, for MATLAB's files.
if(NOT TARGET lithe_dependency::matio)
  find_path(LITHE_MATIO_INCLUDE matio.h REQUIRED)
  find_library(LITHE_MATIO_LIBRARY NAMES matio REQUIRED)
  mark_as_advanced(LITHE_MATIO_INCLUDE LITHE_MATIO_LIBRARY)
  add_library(lithe_dependency::matio INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::matio PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_MATIO_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_MATIO_LIBRARY}")
endif()

# tinyxml2, for robot descriptions.
if(NOT TARGET lithe_dependency::tinyxml2)
  find_path(LITHE_TINYXML2_INCLUDE tinyxml2.h REQUIRED)
  find_library(LITHE_TINYXML2_LIBRARY NAMES tinyxml2 REQUIRED)
  mark_as_advanced(LITHE_TINYXML2_INCLUDE LITHE_TINYXML2_LIBRARY)
  add_library(lithe_dependency::tinyxml2 INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::tinyxml2 PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_TINYXML2_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_TINYXML2_LIBRARY}")
endif()

# MUMPS for one process, which brings its own stand-in for MPI.
if(NOT TARGET lithe_dependency::mumps)
  find_path(LITHE_MUMPS_INCLUDE dmumps_c.h REQUIRED)
  find_library(LITHE_MUMPS_LIBRARY NAMES dmumps_seq REQUIRED)
  mark_as_advanced(LITHE_MUMPS_INCLUDE LITHE_MUMPS_LIBRARY)
  add_library(lithe_dependency::mumps INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::mumps PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_MUMPS_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_MUMPS_LIBRARY}")
endif()

# METIS orders what MUMPS factorises.
if(NOT TARGET lithe_dependency::metis)
  find_path(LITHE_METIS_INCLUDE metis.h REQUIRED)
  find_library(LITHE_METIS_LIBRARY NAMES metis REQUIRED)
  mark_as_advanced(LITHE_METIS_INCLUDE LITHE_METIS_LIBRARY)
  add_library(lithe_dependency::metis INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::metis PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_METIS_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_METIS_LIBRARY}")
endif()

# SUNDIALS' integrators and what they need, again by name: its package file demands MPI, PETSc and hypre as well.
if(NOT TARGET lithe_dependency::sundials)
  find_path(LITHE_SUNDIALS_INCLUDE cvode/cvode.h REQUIRED)
  set(LITHE_SUNDIALS_LIBRARIES "")
  foreach(part cvode arkode nvecserial sunmatrixdense sunlinsoldense sunnonlinsolnewton)
    find_library(LITHE_SUNDIALS_${part} NAMES sundials_${part} REQUIRED)
    mark_as_advanced(LITHE_SUNDIALS_${part})
    list(APPEND LITHE_SUNDIALS_LIBRARIES "${LITHE_SUNDIALS_${part}}")
  endforeach()
  mark_as_advanced(LITHE_SUNDIALS_INCLUDE)
  add_library(lithe_dependency::sundials INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::sundials PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_SUNDIALS_INCLUDE}" INTERFACE_LINK_LIBRARIES "${LITHE_SUNDIALS_LIBRARIES}")
endif()
