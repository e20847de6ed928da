#!/bin/sh
# Runs the server as a child and not by exec, as npx and uv do: the pid that the
# caller knows is not the server's.
"$@"
exit $?
