# Finds libtorch as the target strata_torch: include folders, libtorch_cpu and libc10, nothing of CUDA.
# The wheel's own TorchConfig.cmake demands a CUDA toolkit, so it is not used.
if(NOT STRATA_TORCH_ROOT)
  set(STRATA_TORCH_ROOT $ENV{HOME}/.cache/strata/torch-2.11.0/torch)
endif()
find_path(STRATA_TORCH_INCLUDE torch/csrc/api/include/torch/torch.h
          PATHS ${STRATA_TORCH_ROOT}/include NO_DEFAULT_PATH)
find_library(STRATA_TORCH_CPU torch_cpu PATHS ${STRATA_TORCH_ROOT}/lib NO_DEFAULT_PATH)
find_library(STRATA_TORCH_C10 c10 PATHS ${STRATA_TORCH_ROOT}/lib NO_DEFAULT_PATH)
if(NOT STRATA_TORCH_INCLUDE OR NOT STRATA_TORCH_CPU OR NOT STRATA_TORCH_C10)
  message(FATAL_ERROR "No libtorch in ${STRATA_TORCH_ROOT}: run packaging/setup.sh, "
          "or pass -DSTRATA_TORCH_ROOT=<folder with include/ and lib/>.")
endif()
set(StrataTorch_FOUND TRUE)

add_library(strata_torch_headers INTERFACE)
# Searched last: the wheel brings its own fmt and nlohmann-json, which must not hide the system's.
# Without -fopenmp at::parallel_for, a template in libtorch's headers, is a plain loop. The OpenMP runtime is the one that
# libtorch brings (same soname, so that one pool of threads serves both).
target_compile_options(strata_torch_headers INTERFACE -fopenmp "SHELL:-idirafter ${STRATA_TORCH_INCLUDE}"
  "SHELL:-idirafter ${STRATA_TORCH_INCLUDE}/torch/csrc/api/include")
# Its assertions name the header that they are in: without the folder, which may be anybody's home.
target_compile_options(strata_torch_headers INTERFACE -ffile-prefix-map=${STRATA_TORCH_ROOT}=libtorch)
# NDEBUG: without it the headers declare other members than the library, built with it, has.
target_compile_definitions(strata_torch_headers INTERFACE QT_NO_KEYWORDS NDEBUG)
target_link_libraries(strata_torch_headers INTERFACE ${STRATA_TORCH_CPU} ${STRATA_TORCH_C10} gomp Threads::Threads)
target_link_options(strata_torch_headers INTERFACE -Wl,-rpath-link,${STRATA_TORCH_ROOT}/../nvidia/cu13/lib
  -Wl,--allow-shlib-undefined)

# The precompiled header of every target that sees torch. Not torch/torch.h: what it declares besides makes GCC
# instantiate twice as many templates in every file.
set(STRATA_TORCH_PRECOMPILED <torch/types.h> <torch/autograd.h> <torch/nn/module.h> <torch/nn/modules/container/modulelist.h>)
file(WRITE ${CMAKE_BINARY_DIR}/strata_torch.cpp "// Holds the precompiled torch header; nothing else.\n")
add_library(strata_torch OBJECT ${CMAKE_BINARY_DIR}/strata_torch.cpp)
target_link_libraries(strata_torch PUBLIC strata_torch_headers)
file(READ ${STRATA_TORCH_INCLUDE}/torch/headeronly/version.h version)
string(MD5 STRATA_TORCH_VERSION "${version}")
strata_precompiled(strata_torch "torch ${STRATA_TORCH_VERSION}" ${STRATA_TORCH_PRECOMPILED})
