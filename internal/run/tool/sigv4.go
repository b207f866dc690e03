package tool

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"time"

	"github.com/aws/smithy-go/aws-http-auth/credentials"
	"github.com/aws/smithy-go/aws-http-auth/sigv4"
	v4 "github.com/aws/smithy-go/aws-http-auth/v4"

	"github.com/satchel-memory/satchel/canon"
)

// amazon is the secret of a tool with auth aws_sigv4.
type amazon struct {
	credentials.Credentials
	region, service string
}

// readAmazon reads a secret: ACCESS_KEY_ID:SECRET_ACCESS_KEY[:SESSION_TOKEN], or a JSON
// object with access_key_id, secret_access_key, session_token, region and service. What
// the secret does not say of region and service is taken from the host.
func readAmazon(secret, host string) (amazon, error) {
	var a amazon
	a.service, a.region = placeOf(host)
	if v, err := canon.Parse([]byte(secret), canon.Options{}); err == nil && v.Type() == canon.TypeObject {
		a.AccessKeyID, a.SecretAccessKey, a.SessionToken = v.Get("access_key_id").Text(), v.Get("secret_access_key").Text(), v.Get("session_token").Text()
		if region := v.Get("region").Text(); region != "" {
			a.region = region
		}
		if service := v.Get("service").Text(); service != "" {
			a.service = service
		}
	} else if parts := strings.SplitN(secret, ":", 3); len(parts) > 1 {
		a.AccessKeyID, a.SecretAccessKey = parts[0], parts[1]
		if len(parts) == 3 {
			a.SessionToken = parts[2]
		}
	}
	switch {
	case a.AccessKeyID == "" || a.SecretAccessKey == "":
		return a, fail(secretUnresolved, "the secret of aws_sigv4 is not of the form ACCESS_KEY_ID:SECRET_ACCESS_KEY")
	case a.region == "" || a.service == "":
		return a, fail(secretUnresolved, "the host does not tell region and service of AWS; write the secret as a JSON object with both")
	}
	return a, nil
}

// placeOf returns service and region of a host of AWS, such as
// x1.execute-api.eu-west-1.amazonaws.com and x2.lambda-url.eu-west-1.on.aws.
func placeOf(host string) (service, region string) {
	labels := strings.Split(strings.ToLower(host), ".")
	n := len(labels)
	switch {
	case strings.HasSuffix(host, ".on.aws") && n >= 5 && labels[n-4] == "lambda-url":
		return "lambda", labels[n-3]
	case strings.HasSuffix(host, ".s3.amazonaws.com"):
		return "s3", "us-east-1"
	case strings.HasSuffix(host, ".amazonaws.com") && n >= 4:
		return labels[n-4], labels[n-3]
	case strings.HasSuffix(host, ".amazonaws.com") && n == 3:
		return labels[0], "us-east-1"
	}
	return "", ""
}

// sign signs a request with Signature Version 4 (AAIF-4.4-17).
func sign(r *http.Request, body []byte, secret string, now time.Time) error {
	a, err := readAmazon(secret, r.URL.Hostname())
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	s3 := a.service == "s3"
	signer := sigv4.New(func(o *v4.SignerOptions) { o.DisableDoublePathEscape, o.AddPayloadHashHeader = s3, s3 })
	return signer.SignRequest(&sigv4.SignRequestInput{Request: r, PayloadHash: sum[:], Credentials: a.Credentials,
		Service: a.service, Region: a.region, Time: now.UTC()})
}
