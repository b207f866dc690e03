package documents

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/satchel-memory/satchel/aimem"
	"github.com/satchel-memory/satchel/internal/atomicfile"
	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/vault/bundle"
)

// bundles is the name of the format that carries a whole brain.
const bundles = "aimem"

// bundleFlags are the flags that apply to bundles only.
type bundleFlags struct {
	Scope             string `enum:",FULL,DNA_ONLY,SINCE,full,professional,personal,financial,minimal" default:"" help:"With --to aimem: FULL, DNA_ONLY (identity, preferences, decisions, pitfalls, procedures, pinned) or SINCE with --since. With --to engram: full, professional, personal, financial or minimal. Default: all." placeholder:"SCOPE"`
	History           bool   `help:"With --to aimem: include earlier versions."`
	IncludeEmbeddings bool   `help:"With --to aimem: include the vectors that chunks were imported with."`
	EmbeddingModel    string `help:"With --include-embeddings: the model of the vectors. Default: the model of most chunks." placeholder:"MODEL"`
	IDs               string `name:"ids" enum:",own,origin" default:"" help:"With --to aimem: own, or origin to keep the ids of imported chunks, which the specification forbids. Default: own." placeholder:"own|origin"`
	NoSign            bool   `help:"With --to aimem: write no signature."`
}

// bundleResult is the result of a bundle's export.
type bundleResult struct {
	Checksum     string         `json:"checksum"`
	Chunks       int            `json:"chunks"`
	Omitted      map[string]int `json:"omitted"`
	OmittedEdges int            `json:"omitted_edges"`
	Embeddings   int            `json:"embeddings"`
	Model        string         `json:"embedding_model,omitempty"`
	Signature    string         `json:"signature,omitempty"` // the file

	signed []byte
	models []string // models with vectors, if none leave
}

// bundle writes the brain as one AIMEM bundle.
func (c *ExportCmd) bundle(a *cli.App) error {
	q, err := c.brainQuery()
	if err != nil {
		return err
	}
	if q.OriginIDs {
		a.Warn("--ids origin keeps ids of other namespaces than ours: AIMEM 2.3 forbids that, and strict consumers refuse the bundle")
	}
	return a.With(cli.Preparing, func(o *cli.Session) error {
		way, err := Leaving(o, a.Ctx)
		if err != nil {
			return err
		}
		var done bundleResult
		if err := way.Place(a, c.Output, func(out io.Writer) (err error) {
			if done, err = c.writeBundle(a, o, q, out); err == nil && isFile(c.Output) {
				err = removeSignature(c.Output)
			}
			return err
		}); err != nil {
			return err
		}
		if done.signed != nil {
			done.Signature = signatureOf(c.Output)
			if err := cli.PlaceBy(done.Signature, way.pass, func(w io.Writer) error { _, err := w.Write(done.signed); return err }); err != nil {
				return err
			}
		}
		return c.reportBundle(a, done)
	})
}

// brainQuery returns the part of the brain to export. It refuses scopes that AIMEM
// does not have.
func (c *ExportCmd) brainQuery() (aimem.Export, error) {
	q := aimem.Export{
		Scope: aimem.Scope(c.Scope), Since: c.Since.Time, ToPeer: c.ToPeer, OriginIDs: c.IDs == "origin",
		History: c.History, Embeddings: c.IncludeEmbeddings, Model: c.EmbeddingModel,
	}
	if q.Scope == "" && !q.Since.IsZero() {
		q.Scope = aimem.Since
	}
	switch {
	case c.Scope != strings.ToUpper(c.Scope):
		return q, cli.Usagef("--scope %s is of Engram exports; bundles have FULL, DNA_ONLY and SINCE", c.Scope)
	case len(c.ID) > 0 || len(c.Kind) > 0 || len(c.Project) > 0 || c.Public:
		return q, cli.Usagef("a bundle holds a whole brain, what nothing may decay (--scope DNA_ONLY) or what was written since then (--since); " +
			"for single memories, --project, --kind and --public say --to ump")
	case c.WellKnown != "" || c.Markdown || c.Endpoint != "" || c.Prune:
		return q, cli.Usagef("--well-known, --markdown, --endpoint and --prune are for UMP documents")
	case q.Scope == aimem.Since && q.Since.IsZero():
		return q, cli.Usagef("--scope SINCE needs --since TIME")
	case q.Scope != aimem.Since && !q.Since.IsZero():
		return q, cli.Usagef("--since goes with --scope SINCE alone")
	case q.Model != "" && !q.Embeddings:
		return q, cli.Usagef("--embedding-model goes with --include-embeddings")
	}
	return q, nil
}

// writeBundle writes the document, and signs it if it goes to a file.
func (c *ExportCmd) writeBundle(a *cli.App, o *cli.Session, q aimem.Export, out io.Writer) (bundleResult, error) {
	var done bundleResult
	chunks := 0
	var p *cli.Progress
	q.Progress = func(n int) {
		chunks = n
		p.Reached(n)
	}
	err := bundle.New(o.Vault).ExportBrain(a.Ctx, o.Caller(), q, func(b aimem.Brain, report aimem.ExportReport) error {
		p = a.ProgressOf("exported", "chunks", report.Records)
		defer p.End()
		sum, size, err := aimem.Measure(b)
		if err != nil {
			return err
		}
		done = bundleResult{
			Checksum: sum, Omitted: report.Omitted, OmittedEdges: report.OmittedEdges,
			Embeddings: report.Embeddings, Model: report.Model, models: report.Models,
		}
		if !c.NoSign && isFile(c.Output) {
			key, err := o.ProducerKey()
			if err != nil {
				return err
			}
			if done.signed, err = aimem.Sign(key, aimem.PayloadOf(b, size)); err != nil {
				return err
			}
		}
		write := aimem.Write
		if c.NDJSON {
			write = aimem.WriteStream
		}
		done.Chunks = chunks
		return write(out, b, sum)
	})
	return done, err
}

// signatureOf names the file beside a bundle that holds its signature (decision
// AD-24).
func signatureOf(file string) string { return aimem.SignatureName(file) }

// removeSignature removes the signature of a bundle that is about to be replaced,
// beside its name and beside the target of a link. That signature would make the new
// bundle look forged.
func removeSignature(file string) error {
	for _, name := range []string{file, atomicfile.Target(file)} {
		if err := os.Remove(signatureOf(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// isFile reports whether a bundle goes to a file that can have a signature beside it.
func isFile(path string) bool {
	return !cli.IsStdout(path) && !atomicfile.IsStream(atomicfile.Target(path))
}

// reportBundle reports what was exported and what was withheld.
func (c *ExportCmd) reportBundle(a *cli.App, done bundleResult) error {
	if a.JSON && !cli.IsStdout(c.Output) {
		return a.Emit(done)
	}
	a.Say("exported %s as a bundle, %s", cli.Plural(done.Chunks, "chunk", "chunks"), done.Checksum)
	if done.Signature != "" {
		a.Say("signed in %s", cli.Clean(done.Signature))
	}
	for _, reason := range slices.Sorted(maps.Keys(done.Omitted)) {
		a.Say("left out %d: %s", done.Omitted[reason], reason)
	}
	if c.IncludeEmbeddings {
		done.tellEmbeddings(a, c.EmbeddingModel)
	}
	if done.OmittedEdges > 0 {
		hint := ""
		if narrow := aimem.Scope(c.Scope); narrow == aimem.DNAOnly || narrow == aimem.Since || !c.Since.IsZero() {
			hint = "; --scope FULL holds more of them"
		}
		a.Say("left out %s with an end outside of the bundle%s", cli.Plural(done.OmittedEdges, "edge", "edges"), hint)
	}
	return nil
}

// tellEmbeddings names the models whose vectors were exported, or says why there are
// none.
func (b bundleResult) tellEmbeddings(a *cli.App, asked string) {
	switch {
	case b.Embeddings > 0:
		a.Say("with %s of %s", cli.Plural(b.Embeddings, "embedding", "embeddings"), cli.OneLine(b.Model, 100))
	case len(b.models) > 0:
		a.Warn("without embeddings: there are none of %s; there are some of %s", cli.OneLine(asked, 100), cli.OneLine(strings.Join(b.models, ", "), 400))
	default:
		a.Warn("without embeddings: none came with what leaves")
	}
}
