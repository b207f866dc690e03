// Package carry moves owners from one store to another. It copies their rows
// unchanged, with their numbers and seals, so that all checks have the same result
// there: changes made outside of satchel stay visible, and the audit log verifies.
//
// An owner moves while no caller writes for that owner. First the rows move, page by
// page. Then both ends are compared, table by table. Then the owner lives at the
// target, and only after that the source is told. A move interrupted before that
// continues when it is repeated.
package carry
