package a2a

import (
	"math"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/canon"
)

// VersionOf returns the edition that the header A2A-Version asks for. Without one it is 0.3;
// patch numbers do not count (A2A 1.0, section 3.6).
func VersionOf(header string) (Version, error) {
	said := strings.TrimSpace(header)
	for _, v := range []Version{V1, V03} {
		if said == string(v) || strings.HasPrefix(said, string(v)+".") {
			return v, nil
		}
	}
	if said == "" {
		return V03, nil
	}
	return V1, &Fault{VersionNotSupported, "A2A 1.0 and 0.3 are spoken here"}
}

// VersionHeader is the header that names the edition.
const VersionHeader = "A2A-Version"

// unlimited is a length of history without a limit.
const unlimited = -1

// Order is a message to an agent, and how the answer is wanted.
type Order struct {
	Message Message
	Wait    bool // the answer comes once the task has ended, or waits for somebody
	History int  // the most messages of the answer's history; below 0: no limit
}

// ReadOrder reads the parameters of [Send] and [Stream]. A client waits unless it says
// otherwise. Failures are [*Fault].
func ReadOrder(v Version, params canon.Value) (Order, error) {
	m, err := ReadMessage(v, params.Get("message"))
	if err != nil {
		return Order{}, err
	}
	how := params.Get("configuration")
	if how.Type() != canon.TypeUndefined && how.Type() != canon.TypeObject {
		return Order{}, wrong("configuration", "is no object")
	}
	if how.Get("pushNotificationConfig").Len() > 0 || how.Get("taskPushNotificationConfig").Len() > 0 {
		return Order{}, &Fault{PushNotSupported, "nobody is notified from here: ask for the task, or for its stream"}
	}
	o := Order{Message: m, Wait: !how.Get("returnImmediately").True()}
	if v == V03 {
		said := how.Get("blocking")
		o.Wait = said.Type() != canon.TypeBool || said.True()
	}
	if m.FromAgent {
		return o, wrong("message.role", "is that of the agent")
	}
	o.History, err = readHistory(how)
	return o, err
}

// Document returns the parameters in JSON.
func (o Order) Document(v Version) canon.Value {
	how := canon.Object(member("returnImmediately", canon.Bool(!o.Wait)))
	if v == V03 {
		how = canon.Object(member("blocking", canon.Bool(o.Wait)))
	}
	return canon.Object(member("message", o.Message.Document(v)), member("configuration", how))
}

func readHistory(of canon.Value) (int, error) {
	said := of.Get("historyLength")
	if said.Type() == canon.TypeUndefined || said.Type() == canon.TypeNull {
		return unlimited, nil
	}
	return whole(said, "historyLength", 0, math.MaxInt32)
}

// whole reads a whole number within bounds.
func whole(v canon.Value, name string, least, most int) (int, error) {
	n := v.Float()
	if v.Type() != canon.TypeNumber || n != math.Trunc(n) || n < float64(least) || n > float64(most) {
		return 0, wrong(name, "is no whole number that is taken here")
	}
	return int(n), nil
}

// Wanted is a task that a client asks about.
type Wanted struct {
	ID      string
	History int // as in [Order]
}

// ReadWanted reads the parameters of [Get], [Cancel] and [Subscribe]. Failures are [*Fault].
func ReadWanted(params canon.Value) (Wanted, error) {
	w := Wanted{ID: params.Get("id").Text()}
	if w.ID == "" || len(w.ID) > longestID {
		return w, wrong("id", "is missing, or no id of a task")
	}
	var err error
	w.History, err = readHistory(params)
	return w, err
}

// Short returns the task with at most so many messages of its history, the newest; below 0:
// all.
func (t Task) Short(history int) Task {
	if history >= 0 && len(t.History) > history {
		t.History = t.History[len(t.History)-history:]
	}
	return t
}

// Query says which tasks a client wants to see (A2A 1.0, section 3.1.4).
type Query struct {
	Context   string    // empty: all
	State     State     // empty: all
	Since     time.Time // of the status; zero: all
	Size      int       // of a page
	After     string    // the token of the page; empty: the first
	History   int       // as in [Order]
	Artifacts bool
}

// The sizes of pages.
const (
	usualPage = 50
	mostPage  = 100
)

// ReadQuery reads the parameters of [List]. Failures are [*Fault].
func ReadQuery(v Version, params canon.Value) (Query, error) {
	q := Query{Context: params.Get("contextId").Text(), After: params.Get("pageToken").Text(), Size: usualPage, Artifacts: params.Get("includeArtifacts").True(), History: unlimited}
	var err error
	if size := params.Get("pageSize"); size.Type() != canon.TypeUndefined {
		if q.Size, err = whole(size, "pageSize", 1, mostPage); err != nil {
			return q, err
		}
	}
	if said := params.Get("status").Text(); said != "" && said != statePrefix+"UNSPECIFIED" {
		if q.State = readState(v, said); q.State == unknownState {
			return q, wrong("status", "is no state of a task")
		}
	}
	if said := params.Get("statusTimestampAfter").Text(); said != "" {
		if q.Since, err = time.Parse(time.RFC3339Nano, said); err != nil {
			return q, wrong("statusTimestampAfter", "is no time")
		}
	}
	q.History, err = readHistory(params)
	return q, err
}

// Page is a page of tasks.
type Page struct {
	Tasks []Task
	Next  string // the token of the next page; empty: there is none
	Total int
}

// Document returns the page in JSON.
func (p Page) Document(v Version, q Query) canon.Value {
	list := make([]canon.Value, len(p.Tasks))
	for i, t := range p.Tasks {
		list[i] = t.Document(v)
	}
	return canon.Object(member("tasks", canon.Array(list...)), member("nextPageToken", canon.String(p.Next)),
		member("pageSize", canon.Int(int64(q.Size))), member("totalSize", canon.Int(int64(p.Total))))
}
