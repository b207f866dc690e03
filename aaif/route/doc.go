// Package route decides which model a run of an AAIF agent uses (SC-006, version 3.4,
// section 4.2). The decision is a pure function of the definition, the operator's table and
// the observed health. The result is an order of routes to try, or the reason why there is
// none, as data and in words.
//
//	section 4.2  steps 1 and 2, the chain    request.go, plan.go
//	             step 3, strategies          strategy.go
//	             step 4, why routes are excluded  check.go
//	             addresses of definitions    egress.go
//	             observed health             health.go
//	             explanation                 words.go
//	             the operator's settings      operator.go, table.go
package route
