// Package internal_test holds the rules of the house: who may import whom, and
// how large things may grow. ARCHITECTURE.md has the same table in words.
package internal_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "mcpdyno"

// arrows says what each package may import of ours, by path below the module;
// tests may import more. A package that is not here may import nothing, and
// nobody but tests may import fake.
func arrows() map[string][]string {
	return map[string][]string{
		"result":             {},
		"result/resulttest":  {"result"},
		"internal/wire":      {},
		"internal/transport": {"internal/wire"},
		"internal/mcp":       {"internal/wire", "internal/transport"},
		"internal/proc":      {"result"},
		"internal/load":      {"result"},
		"internal/bench":     {"internal/load", "internal/mcp", "internal/proc", "internal/transport", "result"},
		"internal/study":     {"internal/bench", "internal/mcp", "internal/proc", "internal/stat", "internal/compare", "internal/verdict", "result"},
		"internal/stat":      {},
		"internal/compare":   {"result", "internal/stat"},
		"internal/verdict":   {"result", "internal/stat"},
		"internal/report":    {"result", "internal/stat", "internal/compare", "internal/verdict"},
		"internal/null":      {"internal/wire", "internal/mcp"},
		"internal/fake":      {},
		"bench/stdio":        {},
		"cmd/mcpdyno": {"result", "internal/bench", "internal/mcp", "internal/null", "internal/proc", "internal/report", "internal/study",
			"internal/transport", "internal/verdict"},
	}
}

// Budgets of a file that is not a test.
const (
	maxFileLines = 600
	maxFuncLines = 70
)

// sources calls each for every Go file of the module that is not a test.
func sources(t *testing.T, each func(name string, text []byte, file *ast.File, set *token.FileSet)) {
	t.Helper()
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "interop" || d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		each(filepath.ToSlash(strings.TrimPrefix(name, ".."+string(filepath.Separator))), text, file, set)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestArrows(t *testing.T) {
	allowed := arrows()
	sources(t, func(name string, _ []byte, file *ast.File, _ *token.FileSet) {
		from := path.Dir(name)
		may, known := allowed[from]
		if !known {
			t.Errorf("%s: the package %s is not in the table", name, from)
			return
		}
		for _, imp := range file.Imports {
			target, _ := strconv.Unquote(imp.Path.Value)
			to, ours := strings.CutPrefix(target, module+"/")
			if ours && !slices.Contains(may, to) {
				t.Errorf("%s: %s may not import %s", name, from, to)
			}
		}
	})
}

func TestBudgets(t *testing.T) {
	sources(t, func(name string, text []byte, file *ast.File, set *token.FileSet) {
		if n := strings.Count(string(text), "\n"); n > maxFileLines {
			t.Errorf("%s has %d lines, the most is %d: is it two things?", name, n, maxFileLines)
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > maxFuncLines {
				t.Errorf("%s: %s has %d lines, the most is %d", name, f.Name.Name, n, maxFuncLines)
			}
			if f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s has an init function: nothing runs before main", name)
			}
		}
	})
}

// TestNothingChangesInPackages allows a package variable only where it cannot be
// meant to change: an interface check, an error, an embedded file, a compiled
// pattern, an array.
func TestNothingChangesInPackages(t *testing.T) {
	sources(t, func(name string, text []byte, file *ast.File, set *token.FileSet) {
		for _, decl := range file.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				if !constant(v, string(text[set.Position(v.Pos()).Offset:set.Position(v.End()).Offset]), g.Doc) {
					t.Errorf("%s: the package variable %s could change", name, v.Names[0].Name)
				}
			}
		}
	})
}

func constant(v *ast.ValueSpec, text string, doc *ast.CommentGroup) bool {
	if v.Names[0].Name == "_" || strings.HasPrefix(v.Names[0].Name, "err") || strings.HasPrefix(v.Names[0].Name, "Err") {
		return true
	}
	if doc != nil && strings.HasPrefix(doc.List[len(doc.List)-1].Text, "//go:embed ") {
		return true
	}
	for _, pattern := range []string{"regexp.MustCompile(", "strings.NewReplacer(", "= [", "= [...]"} {
		if strings.Contains(text, pattern) && !strings.Contains(text, "= []") {
			return true
		}
	}
	return false
}

// TestNoPathsOfAMachine keeps what only one machine has out of what all share.
func TestNoPathsOfAMachine(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z", "..").Output()
	if err != nil {
		t.Skipf("this is no git checkout: %v", err)
	}
	machine := regexp.MustCompile(`(^|[^\w.>\[])/(work|root|home)/`)
	for _, name := range strings.Split(strings.Trim(string(list), "\x00"), "\x00") {
		text, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // deleted, and not yet committed
			t.Fatal(err)
		}
		if found := machine.Find(text); found != nil && filepath.Base(name) != "house_test.go" {
			t.Errorf("%s contains the path %s of somebody's machine", name, found)
		}
	}
}
