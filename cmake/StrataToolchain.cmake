# Compiler settings and the libraries of docs/architecture.md 6.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# One precompiled torch header serves every target only if all of them are position independent.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Calls of the C library check the sizes that the compiler knows; addresses of functions are found at the start, and are
# then read-only.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -D_FORTIFY_SOURCE=2")
add_link_options(-Wl,-z,relro,-z,now)

find_program(STRATA_CCACHE ccache)
if(STRATA_CCACHE)
  # Without these settings the compiler cache refuses every file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1 ${STRATA_CCACHE})
  add_compile_options(-fpch-preprocess)
endif()
# No path of this computer is in a program: built anywhere, it has the same bytes.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
add_compile_options(-Wall -Wextra)
if(STRATA_WERROR)
  add_compile_options(-Werror)
endif()

# Headers and templates are read once a group instead of once a file; a change compiles its whole group anew.
if(STRATA_UNITY)
  set(CMAKE_UNITY_BUILD ON)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 12)
  add_compile_options(-Wno-subobject-linkage)  # it takes a group's files for headers
endif()

# strata_precompiled(TARGET VERSION HEADERS...): precompiles headers, and says what they are made from. The compiler never
# writes the same precompiled header twice, so the compiler cache goes by these words instead of its bytes.
function(strata_precompiled target version)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  string(JOIN " " facts ${version} ${ARGN} ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_BUILD_TYPE}
    "${CMAKE_CXX_FLAGS}" "${CMAKE_CXX_FLAGS_RELEASE}" "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum "${facts}\n")
endfunction()

find_package(Threads REQUIRED)
find_package(spdlog REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc i18n)
find_package(LibArchive REQUIRED)
find_package(ZLIB REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(SQLite3 REQUIRED)
find_library(STRATA_XXHASH xxhash REQUIRED)
find_library(STRATA_ISAL isal REQUIRED)  # CRC-32C
find_path(STRATA_PROTOZERO protozero/pbf_reader.hpp REQUIRED)
find_package(StrataTorch REQUIRED)
if(STRATA_WITH_QT)
  find_package(Qt6 REQUIRED COMPONENTS Core Gui Widgets Svg PrintSupport Test)
  find_package(QCustomPlotQt6 REQUIRED)
endif()

if(NOT STRATA_PREFIXES_DIR)
  set(STRATA_PREFIXES_DIR $ENV{HOME}/.cache/strata/moses-prefixes)
endif()
if(NOT EXISTS ${STRATA_PREFIXES_DIR}/nonbreaking_prefix.en)
  message(FATAL_ERROR "No nonbreaking_prefix.en in ${STRATA_PREFIXES_DIR}: run packaging/setup.sh, "
          "or pass -DSTRATA_PREFIXES_DIR=<folder of Moses's nonbreaking_prefix.* files>.")
endif()
