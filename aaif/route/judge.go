package route

import "fmt"

// JudgeWeaker is the code of a judge that is ranked below what it judges.
const JudgeWeaker = "JUDGE_WEAKER"

// Judged warns of a judge (evaluation.judge_model) that the operator ranks below the
// first model of a chain: it is to be at least as capable (AAIF-4.8-1). A judge is named
// by its model, or as provider/model; of several that are called so the best counts. It
// returns "" where it is none below, or where one of the two has no rank.
func (o Operator) Judged(judge string, chain []Candidate) string {
	if judge == "" || len(chain) == 0 {
		return ""
	}
	of := o.model(chain[0].Target).Quality
	var best *float64
	for _, m := range o.Models {
		if (m.Model == judge || m.String() == judge) && m.Quality != nil && (best == nil || *m.Quality > *best) {
			best = m.Quality
		}
	}
	if of == nil || best == nil || *best >= *of {
		return ""
	}
	return fmt.Sprintf("%s  /agent/evaluation/judge_model: ranked %v, below the model that it judges, which is ranked %v [AAIF-4.8-1]", JudgeWeaker, *best, *of)
}
