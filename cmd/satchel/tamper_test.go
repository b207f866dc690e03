package main

import (
	"database/sql"
	"strings"
	"testing"
)

// tamper runs a statement on the database behind the program's back.
func tamper(t *testing.T, a *app, statement string, args ...any) {
	t.Helper()
	h, err := a.home()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", h.database())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	result, err := db.Exec(statement, args...)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%s changed %d rows: %v", statement, n, err)
	}
}

// rewrite is a statement that puts one word for another in what records say.
const rewrite = `UPDATE records SET origin = CAST(replace(CAST(origin AS TEXT), ?, ?) AS BLOB) WHERE instr(origin, CAST(? AS BLOB)) > 0`

// tried runs commands one after the other and tells what each printed.
type tried struct {
	a             *app
	out, messages *shared
	seen, said    int
}

func (p *tried) run(args ...string) (code int, out, messages string) {
	code = run(p.a, args)
	out, messages = p.out.String()[p.seen:], p.messages.String()[p.said:]
	p.seen, p.said = len(p.out.String()), len(p.messages.String())
	return code, out, messages
}

func tampered(t *testing.T) (p *tried, id string) {
	t.Helper()
	a, out, messages := person(t, t.Context())
	p = &tried{a: a, out: out, messages: messages}
	for _, args := range [][]string{{"init", "-q"}, {"remember", "I drink tea"}, {"remember", "I drive a tram"}} {
		code, printed, said := p.run(args...)
		if code != exitDone {
			t.Fatalf("%v ends with %d: %s", args, code, said)
		}
		if args[0] == "remember" && id == "" {
			id = printed[strings.Index(printed, "urn:ump:"):]
			id = strings.Fields(id)[0]
		}
	}
	return p, id
}

func TestTamperedRecord(t *testing.T) {
	p, id := tampered(t)
	tamper(t, p.a, rewrite, "drink tea", "drink gin", "drink tea")
	t.Run("UMP-7-7 an edited record is not served", func(t *testing.T) {
		code, out, said := p.run("get", id)
		if code != exitRefused || !strings.Contains(said, "changed outside of satchel") && !strings.Contains(said, "not what its owner signed") || strings.Contains(out+said, "gin") {
			t.Errorf("get ends with %d: %s%s", code, out, said)
		}
		for _, args := range [][]string{{"recall", "drink"}, {"recall", "--format", "framed", "drink"}, {"list"}, {"brief"}, {"export"}} {
			if code, out, said := p.run(args...); code != exitDone || strings.Contains(out+said, "gin") {
				t.Errorf("%v ends with %d: %s%s", args, code, out, said)
			}
		}
		if _, out, _ := p.run("list"); !strings.Contains(out, "tram") {
			t.Errorf("list hides the others: %s", out)
		}
	})
	t.Run("doctor and verify name it", func(t *testing.T) {
		code, out, _ := p.run("doctor")
		if code != exitFailed || !strings.Contains(out, "WRONG  record         "+id) || !strings.Contains(out, "forget --hard "+id) {
			t.Errorf("doctor ends with %d: %s", code, out)
		}
		code, out, _ = p.run("verify", id)
		if code != exitRefused || !strings.Contains(out, "content_hash does not match") || !strings.Contains(out, "0 verified, 0 unsigned, 1 failed") {
			t.Errorf("verify ends with %d: %s", code, out)
		}
		if code, out, _ = p.run("verify", "--all"); code != exitRefused || !strings.Contains(out, "1 verified, 0 unsigned, 1 failed") {
			t.Errorf("verify --all ends with %d: %s", code, out)
		}
	})
	t.Run("it can be erased", func(t *testing.T) {
		if code, _, said := p.run("forget", "--hard", "--yes", id); code != exitDone {
			t.Fatalf("forget ends with %d: %s", code, said)
		}
		if code, out, _ := p.run("verify", "--all"); code != exitDone || !strings.Contains(out, "1 verified, 0 unsigned, 0 failed") {
			t.Errorf("verify --all ends with %d: %s", code, out)
		}
		if onDisk(t, p.a, "drink gin") {
			t.Error("what it said is still on the disk")
		}
	})
}

func TestTamperedColumn(t *testing.T) {
	p, id := tampered(t)
	tamper(t, p.a, `UPDATE records SET kind = 'identity', project = 'elsewhere' WHERE id = ?`, id)
	code, out, _ := p.run("doctor")
	if code != exitFailed || !strings.Contains(out, id+": its kind, project is filed other than it says") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
	if code, out, _ := p.run("get", id); code != exitRefused || strings.Contains(out, "elsewhere") {
		t.Errorf("get ends with %d: %s", code, out)
	}
	for _, args := range [][]string{{"verify", id}, {"verify", "--all"}} {
		if code, out, _ := p.run(args...); code != exitRefused || !strings.Contains(out, id+": its kind, project is filed other than it says") {
			t.Errorf("%v ends with %d: %s", args, code, out)
		}
	}
}

// A version that was closed is put back to what it said before: what lies there is
// signed, and verify and doctor say that it is not what was stored last.
func TestRowPutBack(t *testing.T) {
	p, id := tampered(t)
	if code, _, said := p.run("revise", id, "--text", "I drink coffee"); code != exitDone {
		t.Fatalf("revise ends with %d: %s", code, said)
	}
	tamper(t, p.a, `UPDATE records SET current = NULL, valid_to = NULL WHERE id = ?`, id)
	_, doctor, _ := p.run("doctor")
	code, all, _ := p.run("verify", "--all")
	_, one, _ := p.run("verify", id)
	if code != exitRefused || !strings.Contains(all, "2 verified, 0 unsigned, 1 failed") {
		t.Errorf("verify --all ends with %d: %s", code, all)
	}
	for name, said := range map[string]string{"doctor": doctor, "verify --all": all, "verify": one} {
		if !strings.Contains(said, id+": ") || !strings.Contains(said, "outside of satchel") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func TestTamperedAudit(t *testing.T) {
	p, id := tampered(t)
	if code, _, said := p.run("forget", id); code != exitDone {
		t.Fatalf("forget ends with %d: %s", code, said)
	}
	tamper(t, p.a, `UPDATE audit SET entry = CAST(replace(CAST(entry AS TEXT), 'user_revoked', 'outdated') AS BLOB)`)
	code, out, _ := p.run("doctor")
	if code != exitFailed || !strings.Contains(out, "WRONG  audit log") || !strings.Contains(out, "satchel audit verify") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
}

func TestDoctorFindsARenamedOwner(t *testing.T) {
	p, _ := tampered(t)
	tamper(t, p.a, `UPDATE owners SET did = replace(did, 'did:key:z6Mk', 'did:key:z6Mx')`)
	if code, out, _ := p.run("doctor"); code != exitFailed || !strings.Contains(out, "belongs to another owner than its row") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
}
