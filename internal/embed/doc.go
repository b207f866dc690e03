// Package embed turns texts into vectors of their meaning and finds the vectors closest to
// a question's. A server that the owner names computes the vectors; this package asks it,
// checks the answer, quantises each vector to bytes, and searches them.
//
//	client.go   texts -> vectors, by OpenAI's /v1/embeddings
//	vector.go   vector -> one signed byte for each component, and back
//	matrix.go   the vectors of an owner, and the search among them
//
// The search computes with whole numbers, so that it gives the same result on each machine
// and over each store.
package embed
