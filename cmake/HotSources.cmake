# SPDX-License-Identifier: MIT
# Hot loops are compiled for three instruction sets; src/base/isa.c picks one at run time. MST_HOT_OBJECTS
# collects the objects.
set(MST_ISA_generic "")
set(MST_ISA_v3 -march=x86-64-v3)
set(MST_ISA_v4 -march=x86-64-v4 -mprefer-vector-width=512)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(MST_ISA_LEVELS generic v3 v4)
else()
  set(MST_ISA_LEVELS generic)
endif()

function(mst_add_hot_sources target)
  set(objects "")
  foreach(isa ${MST_ISA_LEVELS})
    set(library ${target}_hot_${isa})
    add_library(${library} OBJECT ${ARGN})
    target_include_directories(${library} PRIVATE include src)
    target_compile_definitions(${library} PRIVATE MST_ISA=${isa})
    target_compile_options(${library} PRIVATE -O3 ${MST_ISA_${isa}})
    mst_compile_options(${library})
    # gcc 12 aligns frames that outlive their function to 32 bytes and then stores vectors of 64 in them.
    if(MST_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${library} PRIVATE --param=asan-use-after-return=0)
    endif()
    list(APPEND objects $<TARGET_OBJECTS:${library}>)
  endforeach()
  set(MST_HOT_OBJECTS ${objects} PARENT_SCOPE)
endfunction()
