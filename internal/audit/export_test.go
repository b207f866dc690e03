package audit

// IsMark lets the external tests check the form of marks.
var IsMark = isMark

// What the external tests expect of a wrong head.
var (
	ErrBroken  = errBroken
	ErrForeign = errForeign
	ErrForged  = errForged
)
