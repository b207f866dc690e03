package tool

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSigV4 signs the requests of the test suite that AWS publishes for Signature Version 4.
func TestSigV4(t *testing.T) {
	at := time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC)
	const secret = `{"access_key_id":"AKIDEXAMPLE","secret_access_key":"wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY","region":"us-east-1","service":"service"}`
	for name, c := range map[string]struct{ method, url, want string }{
		"get-vanilla":                      {"GET", "https://example.amazonaws.com/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
		"post-vanilla":                     {"POST", "https://example.amazonaws.com/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
		"get-vanilla-query-order-key-case": {"GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1", "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
		"get-vanilla-empty-query-key":      {"GET", "https://example.amazonaws.com/?Param1=value1", "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"},
	} {
		t.Run("AAIF-4.4-17 "+name, func(t *testing.T) {
			r, err := http.NewRequest(c.method, c.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := sign(r, nil, secret, at); err != nil {
				t.Fatal(err)
			}
			want := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + c.want
			if got := r.Header.Get("Authorization"); got != want || r.Header.Get("X-Amz-Date") != "20150830T123600Z" {
				t.Errorf("got %s", got)
			}
		})
	}
	for host, want := range map[string]string{
		"x1.execute-api.eu-west-1.amazonaws.com": "execute-api eu-west-1", "x2.lambda-url.eu-west-1.on.aws": "lambda eu-west-1",
		"sqs.us-west-2.amazonaws.com": "sqs us-west-2", "iam.amazonaws.com": "iam us-east-1", "b1.s3.amazonaws.com": "s3 us-east-1", "desk.example": " ",
	} {
		t.Run("AAIF-4.4-17 the place of "+host, func(t *testing.T) {
			if service, region := placeOf(host); service+" "+region != want {
				t.Errorf("got %s %s", service, region)
			}
		})
	}
	t.Run("AAIF-4.4-17 a token of a session, and S3", func(t *testing.T) {
		r, err := http.NewRequest("GET", "https://b1.s3.eu-west-1.amazonaws.com/a%20b", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := sign(r, nil, "AKIDEXAMPLE:secret:session", at); err != nil {
			t.Fatal(err)
		}
		if r.Header.Get("X-Amz-Security-Token") != "session" || r.Header.Get("X-Amz-Content-Sha256") == "" || !strings.Contains(r.Header.Get("Authorization"), "/eu-west-1/s3/") {
			t.Errorf("got %v", r.Header)
		}
	})
	for _, secret := range []string{"", "AKIDEXAMPLE", `{"access_key_id":"a"}`, `{"access_key_id":"a","secret_access_key":"b"}`} {
		t.Run("AAIF-4.4-17 a secret that is none: "+secret, func(t *testing.T) {
			r, _ := http.NewRequest("GET", "https://desk.example/", nil)
			if err := sign(r, nil, secret, at); err == nil || err.(*Error).Code != secretUnresolved {
				t.Errorf("got %v", err)
			}
		})
	}
}
