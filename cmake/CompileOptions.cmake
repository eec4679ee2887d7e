# SPDX-License-Identifier: MIT
# No global fast-math. The two -fno-* flags only drop errno and floating-point traps, which nothing here
# reads, and let loops with sqrt and comparisons vectorise.
function(mst_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla $<$<BOOL:${MST_WERROR}>:-Werror> -fno-math-errno -fno-trapping-math)
  if(MST_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${MST_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    # Clang also objects to an offset from null, as when an array that could not be had is cut into pieces.
    if(CMAKE_C_COMPILER_ID STREQUAL "Clang")
      target_compile_options(${target} PRIVATE -fno-sanitize=pointer-overflow)
    endif()
    mst_sanitize_link(${target})
  endif()
endfunction()

# For targets that are made of already compiled objects.
function(mst_sanitize_link target)
  if(MST_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${MST_SANITIZE})
  endif()
endfunction()
