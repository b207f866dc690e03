package folder_test

import (
	"testing"

	"github.com/satchel-memory/satchel/internal/replica/folder"
	"github.com/satchel-memory/satchel/internal/replica/place"
	"github.com/satchel-memory/satchel/internal/replica/place/placetest"
)

// serveWebDAV serves a folder by WebDAV to one user.
func serveWebDAV(t testing.TB) (folder.Storage, *placetest.Server) {
	t.Helper()
	return onWebDAV(t, placetest.ServeWebDAV(t))
}

func onWebDAV(t testing.TB, server *placetest.Server) (folder.Storage, *placetest.Server) {
	t.Helper()
	s, err := place.OpenWebDAV(server.URL+placetest.WebDAV, placetest.User, placetest.Password)
	if err != nil {
		t.Fatal(err)
	}
	return s, server
}

// serveS3 serves a bucket to one user.
func serveS3(t testing.TB) (folder.Storage, *placetest.Server) {
	t.Helper()
	server := placetest.ServeS3(t)
	s, err := place.OpenS3(place.S3Options{Address: server.URL, Bucket: placetest.Bucket, Prefix: "of/ada", KeyID: placetest.User, Secret: placetest.Password})
	if err != nil {
		t.Fatal(err)
	}
	return s, server
}
