package umpmcp

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzPlainRequest compares plainRequest with the SDK's decoder.
func FuzzPlainRequest(f *testing.F) {
	for _, text := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x", "arguments": {"a" : [1,null]}}}`,
		`{"id":"é","method":"ping","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":"a","params":{}}`, `{"jsonrpc":"2.0","id":-1e3,"method":""}`,
		`{"jsonrpc":"2.0","id":"\u00e9","method":"p\u0069ng"}`, `{"jsonrpc":"2.0","id":1,"method":"a","params":null}`, `{"jsonrpc":"2.0","id":null,"method":"a"}`,
		`{"jsonrpc":"2.0","id":1,"Method":"a"}`, `{"jsonrpc":"2.0","id":1,"method":"a","result":{}}`, `{"jsonrpc":"2.0","id":1.5,"method":"a"}`,
		`{"jsonrpc":"1.0","id":1,"method":"a"}`, `{"jsonrpc":"2.0","id":-0,"method":"a"}`, "{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"a\xff\"}", `null`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var members map[string]json.RawMessage
		if refusalOfShape(text) != nil || json.Unmarshal(text, &members) != nil {
			return
		}
		got := plainRequest(members)
		if got == nil {
			return
		}
		want, err := jsonrpc.DecodeMessage(text)
		if err != nil || !reflect.DeepEqual(want, jsonrpc.Message(got)) || refusalOfID(members) != nil {
			t.Errorf("%q: got %+v, want %+v, %v", text, got, want, err)
		}
	})
}
