package aicf_test

import (
	"fmt"

	"github.com/satchel-memory/satchel/aicf"
)

// A context file is checked line by line. What is wrong has a rule and a line.
func ExampleValidate() {
	found, err := aicf.Validate([]byte("this is no context file\n"), aicf.Options{})
	fmt.Println(len(found) > 0, err == nil, aicf.Fatal(found, false))
	// Output: true true true
}

// Texts travel on one line, and come back as they were.
func ExampleEscape() {
	line := aicf.Escape("two | parts\nand a line")
	back, problems := aicf.Unescape(line)
	fmt.Println(back == "two | parts\nand a line", len(problems))
	// Output: true 0
}
