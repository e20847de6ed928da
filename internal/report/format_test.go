package report

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcpdyno/result"
)

// docs/format.md lists every key of the document and of the file, and no other.
func TestFormatPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/format.md")
	if err != nil {
		t.Fatal(err)
	}
	records, document, found := strings.Cut(string(page), "# The report as JSON")
	if !found {
		t.Fatal("docs/format.md has no part about the JSON report")
	}
	sameKeys(t, "file", listedKeys(records), recordKeys())
	sameKeys(t, "document", listedKeys(document), slices.DeleteFunc(documentKeys(t), fromRunRecord))
}

// fromRunRecord reports whether the page describes a key of the document with
// the run record, from where it is taken as it is.
func fromRunRecord(key string) bool {
	return strings.Contains(key, ".") && slices.Contains(recordKeys(), "run."+key)
}

func sameKeys(t *testing.T, what string, listed, produced []string) {
	t.Helper()
	for _, key := range produced {
		if !slices.Contains(listed, key) {
			t.Errorf("%s: %s is produced and not in docs/format.md", what, key)
		}
	}
	for _, key := range listed {
		if !slices.Contains(produced, key) {
			t.Errorf("%s: %s is in docs/format.md and not produced", what, key)
		}
	}
}

// listedKeys are the code spans that begin the rows of the page's tables. One
// row may list several.
func listedKeys(page string) []string {
	var keys []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(page, -1) {
		for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			keys = append(keys, span[1])
		}
	}
	return keys
}

// documentKeys are the paths of every key that the test logs produce, lists as
// [], the keys of counts by name as *.
func documentKeys(t *testing.T) []string {
	keys := map[string]bool{}
	for _, d := range []*Document{smallDoc(), floorsDoc(), troubleDoc(), singleDoc()} {
		var b bytes.Buffer
		if err := JSON(&b, d); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		addKeys(keys, "", v)
	}
	return sortedKeys(keys)
}

func addKeys(keys map[string]bool, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if strings.HasSuffix(path, "outcomes") || strings.HasSuffix(path, "warnings") {
				key = "*"
			}
			at := strings.TrimPrefix(path+"."+key, ".")
			keys[at] = true
			addKeys(keys, at, value)
		}
	case []any:
		for _, value := range v {
			addKeys(keys, path+"[]", value)
		}
	}
}

// recordKeys are the keys of the records, by type: calls.n.
func recordKeys() []string {
	keys := map[string]bool{}
	for name, record := range map[string]any{"run": result.Run{}, "trial": result.Trial{}, "calls": result.Calls{},
		"cold": result.Cold{}, "trial_end": result.TrialEnd{}, "audit": result.Audit{}, "note": result.Note{},
		"summary": result.Summary{}, "end": result.End{}} {
		addFields(keys, name, reflect.TypeOf(record))
	}
	return sortedKeys(keys)
}

func addFields(keys map[string]bool, path string, t reflect.Type) {
	for t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
		t, path = t.Elem(), path+"[]"
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "" {
			continue // has a form of its own: a time
		}
		keys[path+"."+name] = true
		addFields(keys, path+"."+name, t.Field(i).Type)
	}
}

// Every row has every key, whatever it could not measure.
func TestRowsHaveAllKeys(t *testing.T) {
	text, err := json.Marshal(troubleDoc())
	if err != nil {
		t.Fatal(err)
	}
	var d struct{ Rows []map[string]any }
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	want := sortedKeys(d.Rows[0])
	for i, row := range d.Rows {
		if got := sortedKeys(row); !slices.Equal(got, want) {
			t.Errorf("row %d has the keys %v, want %v", i, got, want)
		}
	}
}
