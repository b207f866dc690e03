package aicffile

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/satchel-memory/satchel/aicf"
)

// The test binary is a program that appends, too, so that several processes can.
const (
	asAppender = "AICFFILE_APPEND" // the file; the binary appends to it and ends
	asHolder   = "AICFFILE_HOLD"   // the file; the binary locks it and waits to be killed
	asWriter   = "AICFFILE_WRITE"  // the file; the binary writes it anew until it is killed
)

func TestMain(m *testing.M) {
	if path := os.Getenv(asAppender); path != "" {
		os.Exit(appendMany(path))
	}
	if path := os.Getenv(asHolder); path != "" {
		if _, err := acquire(path, Options{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println("held")
		time.Sleep(time.Minute)
	}
	if path := os.Getenv(asWriter); path != "" {
		for i := 1; ; i++ {
			if _, err := Write(path, generation(i), aicf.WriteOptions{}, Options{}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
	os.Exit(m.Run())
}

// appendMany appends as many insights as the first argument says, each named after the
// second, and prints a line for each that was acknowledged.
func appendMany(path string) int {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return 2
	}
	for i := range n {
		text := fmt.Sprintf("%s says %d", os.Args[2], i)
		if _, err := Append(path, Options{Wait: time.Minute}, insight(text)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(text)
	}
	return 0
}

// when is when everything of the tests happens.
var when = time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC)

func insight(text string) *aicf.Insight {
	return &aicf.Insight{Text: text, Category: "GENERAL", Priority: aicf.High, Confidence: aicf.High}
}

// partial reads files that need not have a conversation.
func partial() Options { return Options{Options: aicf.Options{Partial: true}} }

// insights returns the texts of a file's insights, which must be there without a finding.
func insights(t *testing.T, path string) []string {
	t.Helper()
	data, err := load(path, aicf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	findings, err := aicf.Validate(data, aicf.Options{Partial: true, Strict: true})
	if err != nil || aicf.Fatal(findings, true) {
		t.Fatalf("the file is not valid: %v %v", findings, err)
	}
	f, err := aicf.Parse(data, aicf.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := aicf.Read(f, aicf.Options{})
	var texts []string
	for _, e := range c.Entries {
		if i, ok := e.(*aicf.Insight); ok {
			texts = append(texts, i.Text)
		}
	}
	return texts
}
