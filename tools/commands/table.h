/* Every command, in the order in which the help lists them. A new command is a file beside this one that defines
 * NAME_command, and a line here. Included where COMMAND(NAME) is defined. */
COMMAND(run)
COMMAND(import)
COMMAND(export)
COMMAND(rasterize)
COMMAND(channel)
COMMAND(map)
COMMAND(coverage)
COMMAND(calibrate)
COMMAND(report)
COMMAND(compare)
COMMAND(info)
COMMAND(bench)
