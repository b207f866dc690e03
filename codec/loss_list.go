package codec

import (
	"fmt"
	"strconv"
	"strings"
)

// Bounds of a [LossList]: the number of whole losses, and the number of different reasons
// of further losses.
const (
	mostLosses  = 10_000
	mostReasons = 1000
)

// LostMore is the reason of losses beyond the listed losses and the counted reasons. Every
// format may report it.
const LostMore = "further losses, of other kinds"

// LossList collects losses in bounded memory. It lists the first 10,000. Of later losses it
// keeps the number for each reason, and the first place. The zero value is an empty list.
type LossList struct {
	list []Loss
	more map[string]int // index in sums, by reason
	sums []lossSum
}

// moreLeftOut is what begins the reason of parts left out that are not listed, after their
// number.
const moreLeftOut = "more, each of which"

// lossSum counts losses that are not listed.
type lossSum struct {
	first Loss
	count int
}

// Add adds losses.
func (l *LossList) Add(losses ...Loss) {
	room := max(mostLosses-len(l.list), 0)
	if len(losses) <= room {
		l.list = append(l.list, losses...)
		return
	}
	l.list = append(l.list, losses[:room]...)
	for _, loss := range losses[room:] {
		l.sum(loss)
	}
}

// sum counts a loss that is not listed. A reason that begins with a number counts that
// many.
func (l *LossList) sum(loss Loss) {
	n, reason := Counts(loss.Reason)
	if _, why, ok := strings.Cut(reason, leftOut); ok {
		reason, loss.Reason = leftOut+why[strings.LastIndexByte(why, '[')+1:], moreLeftOut+leftOut+why
	} else {
		loss.Reason = reason
	}
	at, known := l.more[reason]
	if !known && len(l.sums) >= mostReasons {
		reason, loss = LostMore, Loss{Pointer: loss.Pointer, Reason: LostMore}
		at, known = l.more[reason]
	}
	if !known {
		if l.more == nil {
			l.more = map[string]int{}
		}
		at = len(l.sums)
		l.more[reason], l.sums = at, append(l.sums, lossSum{first: Loss{Pointer: loss.Pointer, Reason: loss.Reason}})
	}
	l.sums[at].count += n
}

// All returns the listed losses, then one loss for each reason of the others, which begins
// with their number.
func (l *LossList) All() []Loss {
	if len(l.sums) == 0 {
		return l.list[:len(l.list):len(l.list)]
	}
	all := make([]Loss, 0, len(l.list)+len(l.sums))
	all = append(all, l.list...)
	for _, s := range l.sums {
		all = append(all, Loss{Pointer: s.first.Pointer, Reason: fmt.Sprintf("%d %s", s.count, s.first.Reason)})
	}
	return all
}

// Counts splits the number from the beginning of a reason: the number of things that the
// loss is about. A reason without a number is about one.
func Counts(reason string) (n int, rest string) {
	digits, rest, ok := strings.Cut(reason, " ")
	if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 {
		return n, rest
	}
	return 1, reason
}
