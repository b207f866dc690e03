# Makes a scratch folder with the example files and an empty store, and goes there.
# The shell reads it in a clone of Satchel:
#
#   . examples/try.sh
#
# Your own store is left alone. When you close the shell, delete the folder.
if [ ! -d examples/sample ]; then
  echo "go to the folder of the clone first" >&2
else
  satchel_try=$(mktemp -d) && cp -R examples/. "$satchel_try" && cd "$satchel_try" &&
    export SATCHEL_STORE="$satchel_try/store" && satchel_said=$(satchel init -q 2>&1) &&
    echo "You are in a scratch folder, $satchel_try" || echo "$satchel_said" >&2
fi
