# A build to carry to other machines: HDF5, matio and SUNDIALS from static libraries, without what they would bring along
# (libcurl, OpenSSL, Kerberos ... for files on servers), and without MUMPS (with METIS) and cairo, in whose place stand the
# files of cmake/self_contained. The targets are those of lithe_dependencies.cmake.
function(lithe_static_dependency name include)
  set(paths "")
  foreach(library IN LISTS ARGN)
    find_library(LITHE_STATIC_${library} NAMES "lib${library}.a" REQUIRED)
    mark_as_advanced(LITHE_STATIC_${library})
    list(APPEND paths "${LITHE_STATIC_${library}}")
  endforeach()
  add_library(lithe_dependency::${name} INTERFACE IMPORTED)
  set_target_properties(lithe_dependency::${name} PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${include}" INTERFACE_LINK_LIBRARIES "${paths};z")
endfunction()

find_path(LITHE_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial REQUIRED)
find_path(LITHE_MATIO_INCLUDE matio.h REQUIRED)
find_path(LITHE_SUNDIALS_INCLUDE cvode/cvode.h REQUIRED)
mark_as_advanced(LITHE_HDF5_INCLUDE LITHE_MATIO_INCLUDE LITHE_SUNDIALS_INCLUDE)
lithe_static_dependency(matio "${LITHE_MATIO_INCLUDE}" matio hdf5_serial sz aec)
lithe_static_dependency(hdf5 "${LITHE_HDF5_INCLUDE}" hdf5_serial sz aec)
lithe_static_dependency(sundials "${LITHE_SUNDIALS_INCLUDE}" sundials_cvode sundials_arkode sundials_nvecserial
  sundials_sunmatrixdense sundials_sunlinsoldense sundials_sunnonlinsolnewton)
foreach(absent mumps metis cairo)
  add_library(lithe_dependency::${absent} INTERFACE IMPORTED)
endforeach()

# Their code is for programs; inside a shared library it works with symbols that nobody outside sees.
set(LITHE_STATIC_LINK_OPTIONS "LINKER:--exclude-libs,libmatio.a:libhdf5_serial.a:libsz.a:libaec.a"
  "LINKER:--wrap=stderr" "LINKER:--wrap=stdout")
