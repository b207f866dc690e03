package main

import (
	"database/sql"
	"os"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/cli/clitest"
)

// tamper runs a statement on the database behind the program's back.
func tamper(t *testing.T, a *cli.App, statement string, args ...any) {
	t.Helper()
	h, err := a.Home()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", h.Database())
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
	a             *cli.App
	out, messages *clitest.Buffer
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
	a, out, messages := clitest.Person(t, t.Context())
	p = &tried{a: a, out: out, messages: messages}
	for _, args := range [][]string{{"init", "-q"}, {"remember", "I drink tea"}, {"remember", "I drive a tram"}} {
		code, printed, said := p.run(args...)
		if code != cli.ExitDone {
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
	t.Parallel()
	p, id := tampered(t)
	tamper(t, p.a, rewrite, "drink tea", "drink gin", "drink tea")
	t.Run("UMP-7-7 an edited record is not served", func(t *testing.T) {
		code, out, said := p.run("get", id)
		if code != cli.ExitRefused || !strings.Contains(said, "changed outside of satchel") && !strings.Contains(said, "not what its owner signed") || strings.Contains(out+said, "drink gin") {
			t.Errorf("get ends with %d: %s%s", code, out, said)
		}
		for _, args := range [][]string{{"recall", "drink"}, {"recall", "--format", "framed", "drink"}, {"list"}, {"brief"}, {"export"}} {
			if code, out, said := p.run(args...); code != cli.ExitDone || strings.Contains(out+said, "drink gin") {
				t.Errorf("%v ends with %d: %s%s", args, code, out, said)
			}
		}
		if _, out, _ := p.run("list"); !strings.Contains(out, "tram") {
			t.Errorf("list hides the others: %s", out)
		}
	})
	t.Run("doctor and verify name it", func(t *testing.T) {
		code, out, _ := p.run("doctor")
		if code != cli.ExitFailed || !strings.Contains(out, "WRONG  record         "+id) || !strings.Contains(out, "forget --hard "+id) {
			t.Errorf("doctor ends with %d: %s", code, out)
		}
		code, out, _ = p.run("verify", id)
		if code != cli.ExitRefused || !strings.Contains(out, "content_hash does not match") || !strings.Contains(out, "0 verified, 0 unsigned, 1 failed") {
			t.Errorf("verify ends with %d: %s", code, out)
		}
		if code, out, _ = p.run("verify", "--all"); code != cli.ExitRefused || !strings.Contains(out, "1 verified, 0 unsigned, 1 failed") {
			t.Errorf("verify --all ends with %d: %s", code, out)
		}
	})
	t.Run("it can be erased", func(t *testing.T) {
		if code, _, said := p.run("forget", "--hard", "--yes", id); code != cli.ExitDone {
			t.Fatalf("forget ends with %d: %s", code, said)
		}
		if code, out, _ := p.run("verify", "--all"); code != cli.ExitDone || !strings.Contains(out, "1 verified, 0 unsigned, 0 failed") {
			t.Errorf("verify --all ends with %d: %s", code, out)
		}
		if onDisk(t, p.a, "drink gin") {
			t.Error("what it said is still on the disk")
		}
	})
}

func TestTamperedColumn(t *testing.T) {
	t.Parallel()
	p, id := tampered(t)
	tamper(t, p.a, `UPDATE records SET kind = 'identity', project = 'elsewhere' WHERE id = ?`, id)
	code, out, _ := p.run("doctor")
	if code != cli.ExitFailed || !strings.Contains(out, id+": its kind, project is filed other than it says") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
	if code, out, _ := p.run("get", id); code != cli.ExitRefused || strings.Contains(out, "elsewhere") {
		t.Errorf("get ends with %d: %s", code, out)
	}
	for _, args := range [][]string{{"verify", id}, {"verify", "--all"}} {
		if code, out, _ := p.run(args...); code != cli.ExitRefused || !strings.Contains(out, id+": its kind, project is filed other than it says") {
			t.Errorf("%v ends with %d: %s", args, code, out)
		}
	}
}

// A version that was closed is put back to what it said before: what lies there is
// signed, and verify and doctor say that it is not what was stored last.
func TestRowPutBack(t *testing.T) {
	t.Parallel()
	p, id := tampered(t)
	if code, _, said := p.run("revise", id, "--text", "I drink coffee"); code != cli.ExitDone {
		t.Fatalf("revise ends with %d: %s", code, said)
	}
	tamper(t, p.a, `UPDATE records SET current = NULL, valid_to = NULL WHERE id = ?`, id)
	_, doctor, _ := p.run("doctor")
	code, all, _ := p.run("verify", "--all")
	_, one, _ := p.run("verify", id)
	if code != cli.ExitRefused || !strings.Contains(all, "2 verified, 0 unsigned, 1 failed") {
		t.Errorf("verify --all ends with %d: %s", code, all)
	}
	for name, said := range map[string]string{"doctor": doctor, "verify --all": all, "verify": one} {
		if !strings.Contains(said, id+": ") || !strings.Contains(said, "outside of satchel") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func TestTamperedAudit(t *testing.T) {
	t.Parallel()
	p, id := tampered(t)
	if code, _, said := p.run("forget", id); code != cli.ExitDone {
		t.Fatalf("forget ends with %d: %s", code, said)
	}
	tamper(t, p.a, `UPDATE audit SET entry = CAST(replace(CAST(entry AS TEXT), 'user_revoked', 'outdated') AS BLOB)`)
	code, out, _ := p.run("doctor")
	if code != cli.ExitFailed || !strings.Contains(out, "WRONG  audit log") || !strings.Contains(out, "satchel audit verify") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
}

// TestAccountsAreSealed takes the key of an owner away, undoes a revocation and lets a
// stranger in, behind the program's back; and goes over to another key first, or not.
func TestAccountsAreSealed(t *testing.T) {
	t.Parallel()
	for name, statements := range map[string][]string{
		"the key is taken away":     {`UPDATE owners SET account = NULL, revoked = '', secret = '' WHERE label = 'ana'`, `DELETE FROM grants`},
		"a quota is taken away":     {`UPDATE owners SET quota_records = 0 WHERE label = 'bea'`},
		"a revocation is undone":    {`UPDATE grants SET revoked = NULL`},
		"a revocation is deleted":   {`DELETE FROM grants`, `UPDATE owners SET revoked = '' WHERE label = 'bea'`},
		"a stranger is let in":      {`INSERT INTO owners SELECT owner + 9, replace(did, 'did:key:z6Mk', 'did:key:z6Mx'), ` + ownerColumns + ` FROM owners WHERE label = 'bea'`},
		"two swap their labels":     {`UPDATE owners SET label = CASE label WHEN 'ana' THEN 'bea' ELSE 'ana' END WHERE label <> ''`},
		"one takes another's place": {`UPDATE owners SET account = (SELECT account FROM owners WHERE label = 'bea') WHERE label = 'ana'`},
	} {
		t.Run(name, func(t *testing.T) {
			p := filled(t, 1)
			p.must(t, "owner", "add", "--label", "ana", "--records", "5")
			p.must(t, "owner", "add", "--label", "bea", "--records", "5")
			for _, who := range []string{"ana", "bea"} {
				p.must(t, "--owner", who, "token", "revoke", "first")
			}
			p.must(t, "owner", "rekey", "--yes")
			p.must(t, "doctor")
			for _, s := range statements {
				tamper(t, p.a, s)
			}
			if code, out, _ := p.run("doctor"); code != cli.ExitFailed || !strings.Contains(out, "WRONG  store") {
				t.Errorf("doctor ends with %d: %s", code, out)
			}
		})
	}
}

// ownerColumns are those of table owners but owner and did.
const ownerColumns = `numbered, imported, sequence, began, entries, hashes, documents, length, records, bytes, erased, cleaned,
	added, quota_records, quota_bytes, revoked, moved, label, account, total, secret, seal, attached`

// TestKeyOfTheStore: a folder of an earlier release gets the key that its owner's key
// makes, unless others' rows were sealed by another, which only a backup brings back.
func TestKeyOfTheStore(t *testing.T) {
	t.Parallel()
	p := filled(t, 1)
	h, _, err := p.a.ExistingStore()
	if err != nil {
		t.Fatal(err)
	}
	path := h.Key(cli.StoreKey)
	lose := func() []byte {
		t.Helper()
		was, err := os.ReadFile(path)
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		return was
	}
	was := lose()
	p.must(t, "list")
	if cli.Exists(path) {
		t.Error("reading made it")
	}
	p.must(t, "owner", "add", "--label", "ana")
	if again := lose(); string(again) != string(was) {
		t.Error("it is another")
	}
	if code, out, _ := p.run("doctor"); code != cli.ExitFailed || !strings.Contains(out, "WRONG  store key") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
	p.must(t, "doctor", "--mend")
	p.must(t, "owner", "rekey", "--yes")
	if is, err := os.ReadFile(path); err != nil || string(is) != string(was) {
		t.Errorf("another key changed it, %v", err)
	}
	was = lose()
	if code, _, said := p.run("remember", "without it"); code != cli.ExitRefused || !strings.Contains(said, "copy it from a backup") {
		t.Errorf("without it remember ends with %d: %s", code, said)
	}
	if code, out, _ := p.run("doctor", "--mend"); code != cli.ExitFailed || cli.Exists(path) {
		t.Errorf("doctor ends with %d and makes another: %s", code, out)
	}
	p.must(t, "list")
	if err := os.WriteFile(path, was, 0o600); err != nil {
		t.Fatal(err)
	}
	p.must(t, "--owner", "ana", "remember", "all is well")
	p.must(t, "doctor")
}

func TestDoctorFindsARenamedOwner(t *testing.T) {
	t.Parallel()
	p, _ := tampered(t)
	tamper(t, p.a, `UPDATE owners SET did = replace(did, 'did:key:z6Mk', 'did:key:z6Mx')`)
	if code, out, _ := p.run("doctor"); code != cli.ExitFailed || !strings.Contains(out, "belongs to another owner than its row") {
		t.Errorf("doctor ends with %d: %s", code, out)
	}
}
