# How every target of this project is compiled. Nothing here reaches a consumer of the installed package, save the
# alignment of Eigen's fixed-size types (see src/CMakeLists.txt).

# ccache, when present and when the user chose no other launcher. Precompiled headers need the sloppiness that ccache's
# manual asks for; the base directory makes all clones of the project share their entries.
find_program(LITHE_CCACHE ccache)
if(LITHE_CCACHE)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER OR CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "ccache")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${PROJECT_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;${LITHE_CCACHE}")
  endif()
endif()

# The Python module links the same static libraries: their code may lie anywhere, and calls inside it stay direct.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Without warnings g++ takes 7 % less: 7.8 s instead of 8.4 s for control/linear/reduce_linear.cpp.
function(lithe_warning_options target)
  if(NOT LITHE_WARNINGS)
    target_compile_options(${target} PRIVATE -w)
    return()
  endif()
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic)
  # Of files that are compiled together, one may name a variable as another names a constant at its margin.
  if(NOT LITHE_JOIN_SOURCES)
    target_compile_options(${target} PRIVATE -Wshadow)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wshadow=local)
  endif()
  if(LITHE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(lithe_compile_options target)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  lithe_warning_options(${target})
  if(LITHE_NATIVE)
    # Without 512-bit vectors: links have few modes, so that 256 bits are as fast here, and g++ 12 sees reads out of bounds where
    # Eigen's 512-bit paths have none.
    target_compile_options(${target} PRIVATE -march=native)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      target_compile_options(${target} PRIVATE -mno-avx512f)
    endif()
  endif()
  if(LITHE_WARNINGS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 takes the undefined lanes inside its own AVX-512 intrinsics for uses of uninitialised memory (its bug 105593).
    target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    # ... and "literal" + std::string for an overlapping copy (its bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND LITHE_JOIN_SOURCES)
    # The compiler's garbage collector otherwise runs at 128 MB, again and again: a tenth of the time of an Eigen file.
    target_compile_options(${target} PRIVATE "SHELL:--param ggc-min-heapsize=1000000")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND LITHE_PRECOMPILED_HEADERS)
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
  # Reading a matrix before writing to it must show: debug builds fill new matrices with NaN.
  target_compile_definitions(${target} PRIVATE $<$<CONFIG:Debug>:EIGEN_INITIALIZE_MATRICES_BY_NAN>)
endfunction()

# For code that reads, writes and prints, and for tests: optimising it takes a quarter of the compiler's time and gains
# nothing. With the sanitizers' checks in it, clang takes 9.0 s instead of 15.4 s for a test file (without precompiled
# headers).
set(LITHE_OPTIMISE_LITTLE "$<$<CONFIG:Release>:-O1>" "$<$<CONFIG:Debug>:-O0>")

# What most sources include: the standard library's, Eigen's, and the headers that a change makes compile everything
# again anyway.
set(LITHE_COMMON_HEADERS <Eigen/Dense> <Eigen/SparseCore> <algorithm> <array> <cmath> <complex> <filesystem> <functional>
  <limits> <map> <memory> <numbers> <numeric> <optional> <set> <string> <utility> <variant> <vector>
  <lithe/base/diagnostics.h> <lithe/base/text.h> <lithe/formulate/contract/equations.h>)

function(lithe_precompile target)
  if(LITHE_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

# Links the engine to a program or module of ours. Functions of headers are compiled by the library and by its users, with
# flags of their own, and the linker keeps the copy that it sees first: that of the core, so that all programs compute
# the same bits.
function(lithe_link_engine target)
  if(LITHE_SHARED_ENGINE)
    target_link_libraries(${target} PRIVATE lithe_engine)
  else()
    target_link_libraries(${target} PRIVATE lithe)
    target_link_options(${target} PRIVATE "LINKER:--whole-archive" "$<TARGET_FILE:lithe_core>"
      "LINKER:--no-whole-archive" "LINKER:--gc-sections")
  endif()
endfunction()

# The names that a source defines at its margin: functions, types, constants, aliases. Members (Type::name) are left out.
function(lithe_names_at_margin source result)
  file(READ "${source}" text)
  string(REGEX REPLACE "[][;]" "=" text "\n${text}")  # brackets and semicolons mean something in lists of CMake
  string(REGEX MATCHALL "\n[A-Za-z][^\n({=]*[({=]?" heads "${text}")
  set(names "")
  foreach(head IN LISTS heads)
    # Not names of their own: other statements, members, and lines of model files in raw strings (`name = "arm"`).
    if(head MATCHES "^\n(namespace|template|return|extern|TEST|INSTANTIATE|using [a-z]+::|using namespace)"
        OR head MATCHES "::[A-Za-z_0-9~]+ *[({=]?$" OR head MATCHES "^\n[A-Za-z_0-9.]+ *=$")
      continue()
    endif()
    if(head MATCHES "^\n(struct|class|union|enum class|enum) ([A-Za-z_0-9]+)")
      list(APPEND names "${CMAKE_MATCH_2}")
    elseif(head MATCHES "([A-Za-z_0-9]+) *[({=]?$")
      list(APPEND names "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Replaces the files of a list by files that include several of one folder each: what templates of Eigen, nlohmann-json
# and the standard library cost to compile is then paid once per group instead of once per file. Files that define the
# same name, each in its unnamed namespace, get into different groups. Paths are relative to `root`, an include
# directory, so that all clones share the entries of ccache.
#   lithe_join_sources(sources ROOT DIRECTORY [PREFIX TEXT] FILES_PER_GROUP N [ALONE REGEX])
# Files whose folder matches ALONE stay as they are.
function(lithe_join_sources list_name)
  cmake_parse_arguments(join "" "ROOT;PREFIX;FILES_PER_GROUP;ALONE" "" ${ARGN})
  if(NOT LITHE_JOIN_SOURCES)
    return()
  endif()
  set(joined "")
  set(groups "")
  foreach(source IN LISTS ${list_name})
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${join_ROOT}" OUTPUT_VARIABLE relative)
    cmake_path(GET relative PARENT_PATH folder)
    lithe_names_at_margin("${source}" names)
    set(index 0)
    while(TRUE)
      set(group "${folder}_${index}")
      if(NOT group IN_LIST groups)
        list(APPEND groups "${group}")
        set(count 0)
        break()
      endif()
      set(count ${count_${group}})
      set(same "")
      foreach(name IN LISTS names)
        if(name IN_LIST names_${group})
          set(same "${name}")
          break()
        endif()
      endforeach()
      set(limit ${join_FILES_PER_GROUP})
      if(join_ALONE AND folder MATCHES "${join_ALONE}")
        set(limit 1)
      endif()
      if(count LESS limit AND NOT same)
        break()
      endif()
      math(EXPR index "${index} + 1")
    endwhile()
    math(EXPR count_${group} "${count} + 1")
    list(APPEND names_${group} ${names})
    set(file "${CMAKE_CURRENT_BINARY_DIR}/joined/${join_PREFIX}${group}.cpp")
    list(APPEND joined "${file}")
    string(APPEND "text_${file}" "#include \"${relative}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES joined)
  foreach(file IN LISTS joined)
    file(CONFIGURE OUTPUT "${file}" CONTENT "${text_${file}}" @ONLY)
  endforeach()
  set(${list_name} ${joined} PARENT_SCOPE)
endfunction()
