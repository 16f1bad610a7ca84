# MPI, PETSc and SLEPc with real numbers, as Debian has them, by their headers and libraries. Not part of the installed
# package: no library that it has needs them.
set(MPI_CXX_SKIP_MPICXX ON)  # the functions of C are enough
find_package(MPI REQUIRED COMPONENTS CXX)
if(NOT TARGET lithe_dependency::mpi)
  add_library(lithe_dependency::mpi INTERFACE IMPORTED)
  target_link_libraries(lithe_dependency::mpi INTERFACE MPI::MPI_CXX)
endif()
foreach(library petsc slepc)
  string(TOUPPER "${library}" name)
  set(folder "/usr/lib/${library}dir/${library}-real")
  find_path(LITHE_${name}_INCLUDE ${library}.h HINTS "$ENV{${name}_DIR}/include" "${folder}/include" REQUIRED)
  find_library(LITHE_${name}_LIBRARY NAMES ${library}_real ${library} HINTS "$ENV{${name}_DIR}/lib" "${folder}/lib" REQUIRED)
  mark_as_advanced(LITHE_${name}_INCLUDE LITHE_${name}_LIBRARY)
endforeach()
if(NOT TARGET lithe_dependency::slepc)
  add_library(lithe_dependency::slepc INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::slepc PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${LITHE_SLEPC_INCLUDE};${LITHE_PETSC_INCLUDE}"
    INTERFACE_LINK_LIBRARIES "${LITHE_SLEPC_LIBRARY};${LITHE_PETSC_LIBRARY};MPI::MPI_CXX")
endif()
