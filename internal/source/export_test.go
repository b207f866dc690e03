package source

// What the tests tell apart, and no caller does.
var (
	ErrSpecial = errSpecial
	ErrTooMany = errTooMany
	ErrLink    = errLink
)
