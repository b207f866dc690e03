// Package condition decides the conditions of AAIF (SC-006, version 3.4,
// section 5) in its six languages: jsonpath, jmespath, cel, jsonlogic, always
// and never. Whoever writes a condition is a stranger, and so is whoever writes
// the payload it is put to: every decision is bounded in steps and memory, is
// the same on every machine, and never asks a model.
//
//	section 5   the two forms      source.go, compile.go
//	            jsonpath           jsonpath.go, jsonpath_meter.go, jsonpath_function.go
//	            jmespath           jmespath.go, jmespath_meter.go, jmespath_call.go
//	            cel                cel.go, cel_dyn.go, cel_plan.go, cel_cost.go, cel_value.go
//	            jsonlogic          jsonlogic.go, jsonlogic_*.go
//	            payloads, sites    payload.go, site.go, decide.go
//	            lint, all of one   lint.go, check.go
//	            what it asks       term.go, term_*.go, facts.go, lint_slips.go
//	            what is repeated   told.go
//
// How each language is bounded. Expressions have a largest size and nesting, and
// all of a definition a largest size together; payloads have a largest size,
// number of values and nesting, and every decision has a number of steps
// ([Limits]). CEL counts its own cost, by the prices given to it here, and stops
// by itself; it is not asked for the types of lists and maps, which can be
// larger than anything, and every value that an expression makes costs as much as
// it holds, so that none can be larger than the steps there are. The library for
// JMESPath cannot be stopped, but calls functions through an interface:
// expressions are rewritten so that everything that grows is announced to such a
// function first. The library for JSONPath cannot be stopped either, but takes
// selectors and functions that count. JsonLogic has an evaluator of its own here,
// because the library at hand holds {"and":[null,true]} for true and runs what a
// payload says as a rule.
package condition
