# What `cmake --install` and `cpack` put where. packaging/check.sh tries the packages on a bare Debian.
#   bin/          strata, strata-run, strata-engine, strata-demo
#   lib/strata/   libtorch's CPU part with what it is linked with; the programs' RPATH is $ORIGIN/../lib/strata
#   share/        manual pages, completion of bash and zsh, desktop file, icons, metadata, licences
# Component "bundle", which only the archive has, adds to lib/strata every other shared library, Qt's plugins and a font.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
# Whoever passes packages on names an address and a domain of theirs; these belong to nobody.
set(STRATA_MAINTAINER "The Strata developers <strata@localhost.localdomain>" CACHE STRING "Maintainer of the packages: NAME <ADDRESS>")
set(STRATA_APP_ID "localdomain.localhost.strata" CACHE STRING "AppStream's name of the window: a domain, reversed, and strata")

# Stand-ins for the two CUDA libraries that libtorch's CPU part names; see packaging/no_cuda/no_cuda.h.
function(strata_no_cuda name prefix)
  set(library lib${name}.so.13)
  set(exports ${CMAKE_BINARY_DIR}/${library}.exports)
  file(WRITE ${exports} "${library} { global: ${prefix}*; local: *; };\n")
  add_library(no_${name} SHARED ${CMAKE_SOURCE_DIR}/packaging/no_cuda/${name}.cpp)
  target_include_directories(no_${name} PRIVATE ${CMAKE_SOURCE_DIR})
  set_target_properties(no_${name} PROPERTIES OUTPUT_NAME ${name} SUFFIX .so.13 NO_SONAME ON UNITY_BUILD OFF
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/no_cuda)
  target_link_options(no_${name} PRIVATE -Wl,-soname,${library} -Wl,--version-script,${exports})
  add_dependencies(strata-engine no_${name})
  install(TARGETS no_${name} LIBRARY DESTINATION lib/strata)
endfunction()

function(strata_install_programs)
  set(programs strata-run strata-engine)
  if(TARGET strata)
    list(APPEND programs strata)
  endif()
  install(TARGETS ${programs} RUNTIME DESTINATION bin)
  install(PROGRAMS packaging/strata-demo DESTINATION bin)
  strata_no_cuda(cudart cuda)
  strata_no_cuda(cupti cupti)
  install(FILES ${STRATA_TORCH_CPU} ${STRATA_TORCH_C10} DESTINATION lib/strata)
  install(FILES ${STRATA_TORCH_ROOT}/lib/libgomp.so.1 DESTINATION lib/strata OPTIONAL)  # else the system's
  install(CODE "set(libraries \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/strata)
    execute_process(COMMAND ${CMAKE_STRIP} --strip-unneeded \${libraries}/libtorch_cpu.so \${libraries}/libc10.so
      COMMAND_ERROR_IS_FATAL ANY)")  # a fifth of them are symbols
endfunction()

# Manual pages and completion: what the installed programs say of themselves with --help.
function(strata_install_texts)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  install(CODE "execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/packaging/manual.py
    --bin \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin --share \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share
    --version ${PROJECT_VERSION} COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES packaging/debian/copyright packaging/debian/libtorch-licences.gz packaging/debian/mkl-licences.gz
    packaging/debian/gpu.txt DESTINATION share/doc/strata)
  if(TARGET strata)
    set(desktop ${CMAKE_SOURCE_DIR}/packaging/desktop)
    install(FILES ${desktop}/strata.desktop DESTINATION share/applications)
    set(metainfo ${CMAKE_BINARY_DIR}/${STRATA_APP_ID}.metainfo.xml)
    configure_file(${desktop}/strata.metainfo.xml ${metainfo} @ONLY)
    install(FILES ${metainfo} DESTINATION share/metainfo)
    install(FILES resources/icons/strata.svg DESTINATION share/icons/hicolor/scalable/apps)
    foreach(size 48 128 256)
      install(FILES ${desktop}/strata-${size}.png DESTINATION share/icons/hicolor/${size}x${size}/apps RENAME strata.png)
    endforeach()
  endif()
endfunction()

# For the archive: what a bare Debian 12 lacks. It has libc and libstdc++.
function(strata_install_libraries)
  if(TARGET strata)
    get_target_property(qmake Qt6::qmake IMPORTED_LOCATION)
    execute_process(COMMAND ${qmake} -query QT_INSTALL_PLUGINS OUTPUT_VARIABLE plugins OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  set(programs $<TARGET_FILE:strata-run> $<TARGET_FILE:strata-engine> $<$<BOOL:${plugins}>:$<TARGET_FILE:strata>>)
  set(own "torch_cpu|c10|cudart|cupti")
  if(EXISTS ${STRATA_TORCH_ROOT}/lib/libgomp.so.1)
    string(APPEND own "|gomp")
  endif()
  install(CODE "set(programs \"${programs}\")\nset(qt_plugins \"${plugins}\")\nset(own \"${own}\")
    set(source \"${CMAKE_SOURCE_DIR}\")" COMPONENT bundle EXCLUDE_FROM_ALL)
  install(SCRIPT cmake/install_libraries.cmake COMPONENT bundle EXCLUDE_FROM_ALL)
endfunction()

function(strata_packages)
  set(CPACK_PACKAGE_NAME strata)
  set(CPACK_PACKAGE_VENDOR "The Strata developers")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workbench for research on deep neural machine translation")
  set(CPACK_PACKAGE_CONTACT ${STRATA_MAINTAINER})
  set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
  set(CPACK_STRIP_FILES ON)
  set(CPACK_THREADS 4)  # not the number of cores, which decides whether xz writes one block or several
  set(CPACK_GENERATOR DEB TXZ)
  set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/finish_package.cmake)
  set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

  set(CPACK_PACKAGE_FILE_NAME strata-${PROJECT_VERSION}-linux-x86_64)
  set(CPACK_COMPONENTS_ALL program bundle)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)

  set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
  set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
  set(CPACK_DEBIAN_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PACKAGE_DESCRIPTION [[
Trains the models of four papers on deep neural machine translation, with
their baselines, shows how they learn and which layers attend to which,
translates with them, scores and compares translations.
.
The package brings the CPU part of libtorch; it computes without a GPU.]])
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS fonts-noto-core)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS "qt6-wayland")
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${STRATA_TORCH_ROOT}/lib ${CMAKE_BINARY_DIR}/lib/no_cuda)
  include(CPack)
endfunction()

function(strata_install)
  strata_install_programs()
  strata_install_texts()
  strata_install_libraries()
  strata_packages()
endfunction()
