# `cpack` in the build folder makes kata-<version>-<system>.tar.gz and a .deb (docs/install.md).
#
# lib/kata has what the program reads, in the folders of a clone, and the programs in lib/kata/bin.
# Nothing holds a path, so the folder can be anywhere; bin/kata is a link.
set(folder lib/kata)
install(TARGETS kata kata-worker-emulator kata_machine_code DESTINATION ${folder}/bin)
if(TARGET kata-worker-gpu)
  install(TARGETS kata-worker-gpu DESTINATION ${folder}/bin)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/include DESTINATION ${folder}/bin)
install(DIRECTORY solutions docs .vim .vscode DESTINATION ${folder})
install(DIRECTORY tests/accepted DESTINATION ${folder}/tests  # some faults are patches of these
        FILES_MATCHING PATTERN *.cu PATTERN *.cuh)
install(DIRECTORY exercises DESTINATION ${folder}  # kata init makes the files to write in
        FILES_MATCHING PATTERN README.md PATTERN asked.toml PATTERN .stub.cu)
install(FILES README.md DESTINATION ${folder})
foreach(part include emulator/include report/html/templates site/templates serve/templates
             classroom/templates)
  cmake_path(GET part PARENT_PATH parent)
  install(DIRECTORY harness/${part} DESTINATION ${folder}/harness/${parent})
endforeach()
install(FILES harness/emulator/README.md harness/emulator/SUPPORTED.md
        DESTINATION ${folder}/harness/emulator)
install(FILES harness/timing/chips.json harness/timing/ceilings.cu
              harness/timing/fresh_inputs.h harness/timing/tensor_ceilings.h
        DESTINATION ${folder}/harness/timing)

# What the program can say about itself is made when a package is.
install(CODE "
  set(made \"${PROJECT_BINARY_DIR}/package\")
  file(MAKE_DIRECTORY \${made}/bin)
  file(CREATE_LINK ../lib/kata/bin/kata \${made}/bin/kata SYMBOLIC)
  execute_process(COMMAND $<TARGET_FILE:kata> man OUTPUT_FILE \${made}/kata.1
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND $<TARGET_FILE:kata> --version OUTPUT_VARIABLE version
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE \".*harness ([0-9a-f]+).*\" \"\\\\1\" version \"\${version}\")
  file(WRITE \${made}/version \"\${version}\")
  foreach(shell bash zsh fish)
    execute_process(COMMAND $<TARGET_FILE:kata> completion \${shell}
                    OUTPUT_FILE \${made}/kata.\${shell} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()")
set(made ${PROJECT_BINARY_DIR}/package)
install(FILES ${made}/bin/kata DESTINATION bin)
install(FILES ${made}/version DESTINATION ${folder}/harness)  # for --on
install(FILES ${made}/kata.1 DESTINATION share/man/man1)
install(FILES ${made}/kata.bash DESTINATION share/bash-completion/completions RENAME kata)
install(FILES ${made}/kata.zsh DESTINATION share/zsh/vendor-completions RENAME _kata)
install(FILES ${made}/kata.fish DESTINATION share/fish/vendor_completions.d RENAME kata.fish)
install(FILES LICENSE DESTINATION share/doc/kata RENAME copyright)

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_CONTACT "the kata authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Practise CUDA operators for interviews, with or without a GPU")
set(CPACK_STRIP_FILES FALSE)  # modules find the emulator's runtime in the worker
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "g++ | clang, libjs-codemirror")  # compiles candidates; the page
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, libopenblas0")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
include(CPack)
