package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"mcpdyno/result"
)

// Check builds the document again from the records of a finished run and
// compares it, figure by figure, with the one that is stored in its summary
// record. It returns every difference; none means that the stored report follows
// from the records.
func Check(l *result.Log) []error {
	if l.Summary == nil {
		return []error{errors.New("no stored report to check: the run did not reach its end")}
	}
	stored, err := decode(l.Summary.Document)
	if err != nil {
		return []error{fmt.Errorf("reading the stored report: %w", err)}
	}
	text, err := json.Marshal(Build(l))
	if err != nil {
		return []error{fmt.Errorf("encoding the report: %w", err)}
	}
	built, err := decode(text)
	if err != nil {
		return []error{fmt.Errorf("reading the report: %w", err)}
	}
	return differences("", stored, built)
}

// decode keeps numbers as they are written.
func decode(text []byte) (any, error) {
	var v any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&v)
	return v, err
}

func differences(path string, stored, built any) []error {
	switch s := stored.(type) {
	case map[string]any:
		if b, ok := built.(map[string]any); ok {
			return objectDifferences(path, s, b)
		}
	case []any:
		if b, ok := built.([]any); ok && len(b) == len(s) {
			return listDifferences(path, s, b)
		}
	}
	if reflect.DeepEqual(stored, built) {
		return nil
	}
	return []error{fmt.Errorf("%s: stored %s, the records give %s", path, short(stored), short(built))}
}

func objectDifferences(path string, stored, built map[string]any) []error {
	keys := maps.Clone(stored)
	maps.Copy(keys, built)
	var all []error
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, differences(path+"."+key, stored[key], built[key])...)
	}
	return all
}

func listDifferences(path string, stored, built []any) []error {
	var all []error
	for i := range stored {
		all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), stored[i], built[i])...)
	}
	return all
}

// short is a value as JSON, cut to fit on a line.
func short(v any) string {
	const most = 80
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		return string(bytes.ToValidUTF8(text[:most], nil)) + "…"
	}
	return string(text)
}
