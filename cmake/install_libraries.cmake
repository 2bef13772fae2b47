# Installs every shared library that `programs` and Qt's plugins need, to lib/strata, but those that any Debian 12 has
# (libc's, libstdc++ and libgcc_s) and those in `own`, which the package has anyway. Then Qt's plugins with
# qt.conf, a font, and the licences of their Debian packages.
set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
set(plugins "")
if(qt_plugins)
  # Printing to a printer is left out; the rest of Qt's plugins needs hardware or services that no panel uses.
  foreach(plugin platforms/libqxcb platforms/libqoffscreen imageformats/libqsvg iconengines/libqsvgicon
          platforminputcontexts/libcomposeplatforminputcontextplugin platforminputcontexts/libibusplatforminputcontextplugin)
    get_filename_component(folder ${plugin} DIRECTORY)
    file(INSTALL ${qt_plugins}/${plugin}.so DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/strata/plugins/${folder})
    list(APPEND plugins ${qt_plugins}/${plugin}.so)
  endforeach()
  file(WRITE ${prefix}/bin/qt.conf "[Paths]\nPrefix=..\nPlugins=lib/strata/plugins\n")
endif()

set(left_out "^(ld-linux-x86-64|lib(c|m|dl|pthread|rt|resolv|util|gcc_s|stdc\\+\\+|${own}))\\.so")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${programs} MODULES ${plugins}
  RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES ${left_out})
if(missing)
  message(FATAL_ERROR "these libraries are not found: ${missing}")
endif()

set(licences ${prefix}/share/doc/strata/licences)
set(origins ${found} ${plugins})
if(qt_plugins)
  set(fonts /usr/share/fonts/truetype/dejavu)
  set(faces ${fonts}/DejaVuSans.ttf ${fonts}/DejaVuSans-Bold.ttf ${fonts}/DejaVuSansMono.ttf)
  file(INSTALL ${faces} ${source}/packaging/desktop/fonts.conf DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/strata/fonts)
  list(APPEND origins ${faces})
endif()
foreach(library IN LISTS found)
  file(INSTALL ${library} DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/strata FOLLOW_SYMLINK_CHAIN)
endforeach()
foreach(origin IN LISTS origins)
  file(REAL_PATH ${origin} real)
  # Debian's packages name files by the path below /usr or, of old, below /lib.
  string(REGEX REPLACE "^/usr/lib/" "/lib/" old ${real})
  execute_process(COMMAND dpkg-query --search ${real} ${old} OUTPUT_VARIABLE owner ERROR_QUIET)
  if(NOT owner MATCHES "^([^:\n]+):")
    message(FATAL_ERROR "no Debian package has ${real}, so that its licence is not known")
  endif()
  set(package ${CMAKE_MATCH_1})
  file(MAKE_DIRECTORY ${licences})
  configure_file(/usr/share/doc/${package}/copyright ${licences}/${package} COPYONLY)
endforeach()
