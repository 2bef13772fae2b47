# strata_embed(TARGET NAME FILES...) builds text files into TARGET. The generated header "embedded/NAME.h" declares
#   namespace strata::embedded { std::span<const std::pair<std::string_view, std::string_view>> NAME(); }
# a list of (file name without folder, content) sorted by name.
function(strata_embed target name)
  set(source ${CMAKE_BINARY_DIR}/embedded/${name}.cpp)
  set(header ${CMAKE_BINARY_DIR}/embedded/include/embedded/${name}.h)
  list(SORT ARGN)
  string(JOIN "|" files ${ARGN})
  add_custom_command(OUTPUT ${source} ${header}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} "-DFILES=${files}" -DSOURCE=${source} -DHEADER=${header}
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
  target_sources(${target} PRIVATE ${source} ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/embedded/include)
endfunction()
