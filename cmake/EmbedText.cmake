# SPDX-License-Identifier: MIT
# A text file as a C constant: cmake -DFROM=page.js -DTO=page_js.c -DNAME=page_js -P EmbedText.cmake
file(READ ${FROM} digits HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${digits}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f], ){16})" "\\1\n" bytes "${bytes}")
get_filename_component(source ${FROM} NAME)
file(WRITE ${TO} "/* Made from ${source}. */\nextern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
