module github.com/satchel-memory/satchel/test/systems

go 1.26
