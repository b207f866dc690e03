# The files that the examples of the program's help name.
. examples/try.sh
satchel remember -q "I drink tea"
satchel belief add email_style short --category communication
for name in mine old new; do satchel export -o $name.ump.json; done
satchel export -o mine.aimem.json
satchel token mint --verb read --all > token
satchel distill chatgpt --all -o context.aicf
cp agents/clerk.json clerk.json
echo '{"tool": {"name": "book"}, "args": {"amount": 700}}' > call.json
cp agents/clerk.json bookkeeper.json
mv chatgpt export.zip
