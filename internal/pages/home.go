package pages

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/memory"
)

// homePage is what the first page shows.
type homePage struct {
	frame
	Overview
	Rows     []row
	Waiting  int          // things
	First    []waitingRow // of them
	Bars     []bar
	BarsText string // the same for those who do not see them
	Named    []namedLink
	More     int // projects that Named leaves out
}

// namedProjects is how many projects the first page names.
const namedProjects = 8

// firstWaiting is how many things that wait the first page shows.
const firstWaiting = 5

// home answers what assistants know at all.
func (h *Handler) home(w http.ResponseWriter, r *http.Request, v visitor) {
	f := h.frame(r, v, "Home", "home")
	o, err := h.backend.Overview(r.Context(), v.caller, f.Now)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	waits, err := h.backend.Waits(r.Context(), v.caller)
	if err != nil {
		h.fail(w, r, v, err)
		return
	}
	p := homePage{frame: f, Overview: o, Rows: rowsOf(o.Newest, f.Now), Waiting: len(waits), First: h.withLines(r, v, waitingRows(waits[:min(len(waits), firstWaiting)], f.Now), waits)}
	p.Bars, p.BarsText = barsOf(o.Weeks)
	for _, project := range o.Projects {
		if project.Name != "" && len(p.Named) < namedProjects {
			p.Named = append(p.Named, linkOf(project))
		} else if project.Name != "" {
			p.More++
		}
	}
	h.show(w, r, http.StatusOK, "home", p)
}

// InProjects counts the projects that have a name.
func (p homePage) InProjects() int { return len(p.Named) + p.More }

// row is one memory in a list.
type row struct {
	ID      string
	Name    string // the whole id, without its prefix
	Path    string
	Text    string
	Kind    string
	Project string
	When    moment
	From    string
	Others  bool // it is from somebody else than the owner
	Marks   []mark
}

func rowsOf(records []memory.Record, now time.Time) []row {
	rows := make([]row, len(records))
	for i, rec := range records {
		rows[i] = rowOf(rec, now)
	}
	return rows
}

func rowOf(rec memory.Record, now time.Time) row {
	from := fromWhom(rec)
	return row{Others: from != "" && from != ownerWord, ID: shortID(rec.ID), Name: strings.TrimPrefix(string(rec.ID), memory.IDPrefix), Path: memoryPath(rec.ID), Text: cut(rec.Body.Text, rowText), Kind: kindWord(rec.Kind), Project: cut(rec.Scope.Project, 60),
		When: momentOf(rec.Time.Created, now), From: from, Marks: marksOf(rec, now)}
}

// bar is a week of the picture of the last weeks. Its numbers are those of the picture.
type bar struct {
	X, Y, Height int
	Text         string
}

// The size of the picture.
const (
	barStep   = 20
	barHeight = 64
)

// barsOf draws how many memories came in each week, if they came in several.
func barsOf(weeks [Weeks]int) (bars []bar, text string) {
	most, busy := 1, 0
	for _, n := range weeks {
		most = max(most, n)
		if n > 0 {
			busy++
		}
	}
	if busy < 2 {
		return nil, "" // one bar says no more than the number of memories
	}
	text = "New memories in each of the last " + strconv.Itoa(Weeks) + " weeks, this one last:"
	for i, n := range weeks {
		height := n * barHeight / most
		if n > 0 {
			height = max(height, 3)
		}
		bars = append(bars, bar{X: i * barStep, Y: barHeight - height, Height: height, Text: counted(n, "new memory", "new memories") + weekWords(Weeks-1-i)})
		text += " " + strconv.Itoa(n)
	}
	return bars, text
}

func weekWords(ago int) string {
	switch ago {
	case 0:
		return " this week"
	case 1:
		return " last week"
	}
	return ", " + strconv.Itoa(ago) + " weeks ago"
}
