// Package carry moves owners from one store to another. Their rows are carried as
// they are, with their numbers and seals, so that whatever was true of them is true
// of them there: what was changed outside of satchel stays to be seen, and the
// audit log verifies.
//
// An owner goes over while nobody writes for that owner: the rows, page by page;
// then both ends are compared, table by table; then the owner lives at the target,
// and only then is the source told so. Whatever is cut off before that goes on from
// where it was, by moving again.
package carry
