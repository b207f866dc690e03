package route

import "fmt"

// JudgeWeaker is the code of a judge that ranks below the model it judges.
const JudgeWeaker = "JUDGE_WEAKER"

// WeakJudge warns of a judge (evaluation.judge_model) that the operator ranks below the
// first model of a chain: it should be at least as capable (AAIF-4.8-1). A judge is named
// by its model, or as provider/model; of several with that name the best counts.
// WeakJudge returns "" if the judge ranks high enough, or if one of the two has no rank.
func (o Operator) WeakJudge(judge string, chain []Candidate) string {
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
