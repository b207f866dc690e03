package aaif_test

import (
	"fmt"

	"github.com/satchel-memory/satchel/aaif"
)

// A document of AAIF is read, and each rule that it breaks has a code and a place.
func ExampleRead() {
	document, err := aaif.Read([]byte(`{"sc_standard":"SC-006","sc_version":"3.4.0","agent_id":"7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01","agent":{"name":"Clerk"}}`), aaif.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(document.Kind, document.Value.Get("agent").Get("name").Text())
	_, err = aaif.Read([]byte(`{"agent":1,"agent":2}`), aaif.ReadOptions{})
	fmt.Println(aaif.CodeOf(err))
	// Output:
	// agent Clerk
	// DUPLICATE_KEY
}
