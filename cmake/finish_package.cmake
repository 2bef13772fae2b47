# Run by cpack when the files of a package are in its staging folder: adds what Debian wants of a package, and gives every
# file the date of SOURCE_DATE_EPOCH (or else of the last commit), so that a package made again has the same bytes.
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
execute_process(COMMAND bash ${source}/packaging/finish_package.sh "${CPACK_GENERATOR}" "${CPACK_TEMPORARY_DIRECTORY}"
  "${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}" "${CPACK_PACKAGE_CONTACT}" COMMAND_ERROR_IS_FATAL ANY)
