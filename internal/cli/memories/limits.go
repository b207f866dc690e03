package memories

import (
	"github.com/satchel-memory/satchel/internal/cli"
)

// checkLimit refuses a number of results beyond one page.
func checkLimit(n, most int) error {
	if n < 1 || n > most {
		return cli.Usagef("--limit takes a whole number from 1 to %d, and %d was given", most, n)
	}
	return nil
}

// checkValidity refuses an end of validity before its beginning, by default now.
func checkValidity(from, to, now cli.When) error {
	switch {
	case to.IsZero() || from.IsZero() && !to.Before(now.Time):
		return nil
	case from.IsZero():
		return cli.Usagef("--valid-to %s has passed: say since when it was true with --valid-from TIME [UMP-2-16]", cli.Local(to.Time))
	case to.Before(from.Time):
		return cli.Usagef("--valid-to %s is before --valid-from %s; a memory ends after it begins [UMP-2-16]", cli.Local(to.Time), cli.Local(from.Time))
	}
	return nil
}
