# The folders of the source tree as targets, lowest first. Each folder is a library of its own, so that a
# file which reaches upwards fails to link as well as failing tests/check_layering.
set(STRATA_LIBRARIES_base spdlog::spdlog fmt::fmt yaml-cpp nlohmann_json::nlohmann_json ${STRATA_XXHASH} Threads::Threads)
set(STRATA_LIBRARIES_curves ZLIB::ZLIB ${STRATA_ISAL})
set(STRATA_LIBRARIES_text ICU::uc ICU::i18n)
set(STRATA_LIBRARIES_data LibArchive::LibArchive ZLIB::ZLIB ICU::uc)
set(STRATA_LIBRARIES_store SQLiteCpp SQLite::SQLite3)

# Text files that a folder's library holds: "NAME=PATTERN", read through embedded/NAME.h.
set(STRATA_EMBEDDED_text "nonbreakingPrefixes=${STRATA_PREFIXES_DIR}/nonbreaking_prefix.*")
set(STRATA_EMBEDDED_data "recipes=${CMAKE_SOURCE_DIR}/datasets/*.yaml" "wordTables=${CMAKE_SOURCE_DIR}/resources/generator/*.tsv")
set(STRATA_EMBEDDED_report "pageFiles=${CMAKE_SOURCE_DIR}/resources/pages/*.*")
set(STRATA_EMBEDDED_inside "wordLists=${CMAKE_SOURCE_DIR}/resources/wordlists/*.txt")
set(STRATA_EMBEDDED_papers "paperTables=${CMAKE_SOURCE_DIR}/models/*/tables/*.yaml" "paperFigures=${CMAKE_SOURCE_DIR}/models/*/figures/*.yaml")

# strata_folder(NAME [USES folder...] [TORCH]): the library strata_core_NAME from core/NAME/*.cpp and its subfolders.
function(strata_folder name)
  cmake_parse_arguments(arg "TORCH" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/${name}/*.cpp ${CMAKE_SOURCE_DIR}/core/${name}/*/*.cpp)
  if(NOT sources)
    add_library(strata_core_${name} INTERFACE)
    set(scope INTERFACE)
  else()
    add_library(strata_core_${name} STATIC ${sources})
    set(scope PUBLIC)
  endif()
  target_include_directories(strata_core_${name} ${scope} ${CMAKE_SOURCE_DIR})
  foreach(used IN LISTS arg_USES)
    target_link_libraries(strata_core_${name} ${scope} strata_core_${used})
  endforeach()
  target_link_libraries(strata_core_${name} ${scope} ${STRATA_LIBRARIES_${name}})
  if(arg_TORCH)
    target_link_libraries(strata_core_${name} ${scope} strata_torch_headers)
    if(sources)
      target_precompile_headers(strata_core_${name} REUSE_FROM strata_torch)
    endif()
  endif()
  if(name STREQUAL base)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/core/base/version.cpp PROPERTIES
      COMPILE_DEFINITIONS STRATA_VERSION="${PROJECT_VERSION}")
  endif()
  foreach(embedded IN LISTS STRATA_EMBEDDED_${name})
    string(REGEX MATCH "^([^=]+)=(.+)$" _ "${embedded}")
    set(list ${CMAKE_MATCH_1})
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_MATCH_2})
    strata_embed(strata_core_${name} ${list} ${files})
  endforeach()
endfunction()

# core/NAME/kernels/*.cpp: plain loops without torch, optimised further and spread over threads by OpenMP.
function(strata_kernels name)
  file(GLOB kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/${name}/kernels/*.cpp)
  set_source_files_properties(${kernels} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-O3;-ffp-contract=fast;-fno-math-errno;-fno-trapping-math;-Wno-psabi")
endfunction()

function(strata_umbrella target)
  add_library(${target} INTERFACE)
  foreach(folder IN LISTS ARGN)
    target_link_libraries(${target} INTERFACE strata_core_${folder})
  endforeach()
endfunction()

# models/<paper>/*.cpp with presets/*.yaml, built in.
function(strata_models)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/*.cpp ${CMAKE_SOURCE_DIR}/models/*/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(strata_models STATIC ${sources})
  target_link_libraries(strata_models PUBLIC strata_core_base strata_core_run strata_core_nn)
  target_precompile_headers(strata_models REUSE_FROM strata_torch)
  file(GLOB presets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/models/*/presets/*.yaml
       ${CMAKE_SOURCE_DIR}/models/*.yaml)
  strata_embed(strata_models presets ${presets})
endfunction()

# The programs look for libraries in ../lib/strata, installed or not: in a build this is a link to libtorch's folder. The
# same bytes then run from everywhere. RPATH, which RUNPATH would replace, also counts for what these libraries need.
function(strata_finds_libraries)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  file(CREATE_LINK ${STRATA_TORCH_ROOT}/lib ${CMAKE_BINARY_DIR}/lib/strata SYMBOLIC)
  set_target_properties(${ARGN} PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib/strata")
  foreach(program IN LISTS ARGN)
    target_link_options(${program} PRIVATE -Wl,--disable-new-dtags)
  endforeach()
endfunction()

# strata-run: app/run_main.cpp with the verbs of app/commands and app/mcp, without torch. strata-engine: app/engine_main.cpp with the
# library strata_verbs, which holds everything under app/ that needs models, the server included; tests link it, too.
function(strata_runner)
  file(GLOB commands CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/commands/*.cpp ${CMAKE_SOURCE_DIR}/app/mcp/*.cpp)
  add_library(strata_commands STATIC ${commands} ${CMAKE_SOURCE_DIR}/app/program.cpp ${CMAKE_SOURCE_DIR}/app/child_process.cpp
    ${CMAKE_SOURCE_DIR}/app/server/child_report.cpp ${CMAKE_SOURCE_DIR}/app/server/lines.cpp)
  target_link_libraries(strata_commands PUBLIC strata_data CLI11::CLI11)
  add_executable(strata-run ${CMAKE_SOURCE_DIR}/app/run_main.cpp)
  target_link_libraries(strata-run PRIVATE strata_commands)

  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/*.cpp ${CMAKE_SOURCE_DIR}/app/engine/*.cpp
       ${CMAKE_SOURCE_DIR}/app/server/*.cpp)
  list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/app/window_main.cpp ${CMAKE_SOURCE_DIR}/app/run_main.cpp
       ${CMAKE_SOURCE_DIR}/app/engine_main.cpp ${CMAKE_SOURCE_DIR}/app/program.cpp ${CMAKE_SOURCE_DIR}/app/child_process.cpp
       ${CMAKE_SOURCE_DIR}/app/mkl_vendor.cpp ${CMAKE_SOURCE_DIR}/app/server/child_report.cpp ${CMAKE_SOURCE_DIR}/app/server/lines.cpp)
  add_library(strata_verbs STATIC ${sources})
  target_link_libraries(strata_verbs PUBLIC strata_commands strata_engine strata_models)
  target_precompile_headers(strata_verbs REUSE_FROM strata_torch)
  # What a program answers libtorch's matrix library: an object of every program that computes, since nothing but
  # libtorch refers to what it defines.
  add_library(strata_mkl_vendor OBJECT ${CMAKE_SOURCE_DIR}/app/mkl_vendor.cpp)
  target_include_directories(strata_mkl_vendor PRIVATE ${CMAKE_SOURCE_DIR})
  add_executable(strata-engine ${CMAKE_SOURCE_DIR}/app/engine_main.cpp)
  target_link_libraries(strata-engine PRIVATE strata_verbs strata_mkl_vendor)
  add_dependencies(strata-run strata-engine)
  strata_finds_libraries(strata-run strata-engine)
endfunction()

function(strata_window)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/ui/*.cpp ${CMAKE_SOURCE_DIR}/ui/*.h)
  if(NOT sources)
    return()
  endif()
  file(GLOB_RECURSE resources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/resources/*.qrc)
  add_library(strata_ui STATIC ${sources} ${resources})
  # Format 1 does without the files' dates, which differ from checkout to checkout.
  set_target_properties(strata_ui PROPERTIES AUTOMOC ON AUTORCC ON AUTORCC_OPTIONS "--format-version;1")
  target_link_libraries(strata_ui PUBLIC strata_data Qt6::Widgets Qt6::Svg Qt6::PrintSupport QCustomPlotQt6)
  # No header of ours: the compiler cache would give it to another checkout, with this one's path in it.
  target_precompile_headers(strata_ui PRIVATE <QtWidgets> <qcustomplot.h> <nlohmann/json.hpp>)
  strata_precompiled(strata_ui "Qt ${Qt6_VERSION} QCustomPlot ${QCustomPlotQt6_VERSION} JSON ${nlohmann_json_VERSION}")
  if(EXISTS ${CMAKE_SOURCE_DIR}/app/window_main.cpp)
    add_executable(strata ${CMAKE_SOURCE_DIR}/app/window_main.cpp)
    target_link_libraries(strata PRIVATE strata_ui)
    strata_finds_libraries(strata)
  endif()
endfunction()
