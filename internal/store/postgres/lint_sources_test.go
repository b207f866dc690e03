package postgres

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// source is a statement and where it stands.
type source struct{ place, text string }

// sources collects the statements of the package: those of migrations, those written
// in Go, put together where they are written in parts, and those made of tables.
func sources(t *testing.T) []source {
	all := migrated(t)
	all = append(all, written(t)...)
	for _, table := range tables() {
		for _, text := range []string{table.insert, table.bulk, table.upsert, table.row, table.rows} {
			all = append(all, source{"table " + table.Name, text})
		}
	}
	for _, text := range slices.Concat(securing(nil), distributing(nil), []string{insertOwner, updateOwner, selectLeft, updateRecord}) {
		all = append(all, source{"set-up", text})
	}
	for set := range strings.SplitSeq((&Store{}).settings(&pgx.ConnConfig{}), "; ") {
		if strings.Contains(set, "plan") {
			all = append(all, source{"settings", set})
		}
	}
	for name, text := range statements {
		all = append(all, source{name, text})
	}
	return all
}

func migrated(t *testing.T) (all []source) {
	names, err := fs.Glob(embedded(), "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal("no migrations", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(embedded(), name)
		if err != nil {
			t.Fatal(err)
		}
		bare := regexp.MustCompile(`(?m)--.*$`).ReplaceAllString(string(text), "")
		for statement := range strings.SplitSeq(bare, ";") {
			if statement = strings.TrimSpace(statement); statement != "" {
				all = append(all, source{name, statement})
			}
		}
	}
	return all
}

// folder puts constant strings together.
type folder struct {
	named map[string]ast.Expr
}

// written finds the string expressions that are statements.
func written(t *testing.T) (all []source) {
	set := token.NewFileSet()
	f := folder{named: make(map[string]ast.Expr)}
	var files []*ast.File
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		f.collect(file)
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text, ok := f.fold(e, 0)
			if ok && isStatement(text) {
				all = append(all, source{fmt.Sprint(set.Position(e.Pos())), text})
			}
			return !ok
		})
	}
	return all
}

func isStatement(text string) bool {
	return regexp.MustCompile(`^[\s(]*(SELECT|INSERT|UPDATE|DELETE|WITH|VALUES|CREATE|ALTER|DROP|SET|RESET|LOCK|GRANT|REVOKE|VACUUM|TRUNCATE|` +
		`COPY|MERGE|TABLE|DO|CALL|CLUSTER|REINDEX|COMMENT|IMPORT)\s|` +
		`(?i)^[\s(]*(SELECT\s.*\sFROM\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\b|(CREATE|ALTER|DROP)\s+TABLE\s)`).MatchString(text)
}

// collect notes the constants and variables of a file.
func (f folder) collect(file *ast.File) {
	for _, decl := range file.Decls {
		general, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			values, ok := spec.(*ast.ValueSpec)
			if !ok || len(values.Values) != len(values.Names) {
				continue
			}
			for i, name := range values.Names {
				f.named[name.Name] = values.Values[i]
			}
		}
	}
}

// fold returns the string that an expression is. What is only known when the program
// runs stands in it as §. ok is false for what is no string, and for a name alone,
// which is looked at where it is declared.
func (f folder) fold(e ast.Expr, depth int) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, isText := f.fold(e.X, depth+1)
		right, too := f.fold(e.Y, depth+1)
		if !isText && !too {
			return "", false
		}
		if !isText {
			left = "§"
		}
		if !too {
			right = "§"
		}
		return left + right, true
	case *ast.Ident:
		if value := f.named[e.Name]; depth > 0 && depth < 20 && value != nil {
			return f.fold(value, depth+1)
		}
	case *ast.CallExpr:
		if to := types.ExprString(e.Fun); len(e.Args) == 1 && (to == "string" || to == "memory.DID") {
			return f.fold(e.Args[0], depth+1)
		}
	case *ast.ParenExpr:
		return f.fold(e.X, depth)
	}
	return "", false
}
