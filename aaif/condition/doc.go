// Package condition decides the conditions of AAIF (SC-006, version 3.4, section 5) in its
// six languages: jsonpath, jmespath, cel, jsonlogic, always and never. Conditions and
// payloads come from strangers. Every decision is bounded in steps and memory, is the same
// on every machine, and never asks a model.
//
//	section 5   the two forms      source.go, compile.go
//	            jsonpath           jsonpath.go, jsonpath_meter.go, jsonpath_function.go
//	            jmespath           jmespath.go, jmespath_meter.go, jmespath_call.go
//	            cel                cel.go, cel_dyn.go, cel_plan.go, cel_cost.go, cel_value.go
//	            jsonlogic          jsonlogic.go, jsonlogic_*.go
//	            payloads, sites    payload.go, site.go, decide.go
//	            lint, definitions  lint.go, check.go
//	            meaning, facts     term.go, term_*.go, facts.go, lint_slips.go
//	            texts for people   printable.go
//
// Each language is bounded in its own way. Expressions have a largest size and nesting, and
// those of one definition a largest size together. Payloads have a largest size, number of
// values and nesting, and every decision has a number of steps ([Limits]).
//
// CEL counts its own cost, with prices from this package, and stops by itself. It does not
// compute the types of lists and maps, which can grow without bound. Every value that an
// expression makes costs as much as it holds, so that none exceeds the steps.
//
// The JMESPath library cannot be stopped, but calls functions through an interface. This
// package rewrites expressions so that such a function charges for every value before it
// grows. The JSONPath library cannot be stopped either, but accepts selectors and
// functions that count.
//
// JsonLogic has an evaluator in this package. The available library treats
// {"and":[null,true]} as true, and runs parts of the payload as rules.
package condition
