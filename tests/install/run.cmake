# Installs the build into a folder with a space in its name, then builds and runs a separate project with it.
#   cmake -D BUILD=... -D SOURCE=... -D WORK=... -D COMPILER=... -P run.cmake
set(prefix "${WORK}/in stalled")
file(REMOVE_RECURSE "${WORK}")
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G Ninja "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/uses_core")
run("${WORK}/build/uses_lithe")
if(EXISTS "${prefix}/bin/lithe")
  run("${prefix}/bin/lithe" version)
endif()
