# SPDX-License-Identifier: MIT
# cmake -DBINARY=manistat -DOUT=folder -P WriteManual.cmake: asks the binary for its manual pages and shell
# completions, so that they cannot disagree with --help.
function(ask file)
  execute_process(COMMAND ${BINARY} help ${ARGN} OUTPUT_FILE ${OUT}/${file} RESULT_VARIABLE status)
  file(SIZE ${OUT}/${file} size)
  if(NOT status EQUAL 0 OR size EQUAL 0)
    list(JOIN ARGN " " arguments)
    message(FATAL_ERROR "manistat help ${arguments}: status ${status}, ${size} bytes")
  endif()
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man/man1 ${OUT}/completion)
ask(commands --list)
file(STRINGS ${OUT}/commands commands)
ask(man/man1/manistat.1 --man)
foreach(command ${commands})
  ask(man/man1/manistat-${command}.1 --man ${command})
endforeach()
ask(completion/manistat.bash --completion bash)
ask(completion/_manistat --completion zsh)
ask(completion/manistat.fish --completion fish)
file(TOUCH ${OUT}/stamp)
