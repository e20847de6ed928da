//go:build !linux

package proc

func daemon([]string)            {}
func listPipes([]string)         {}
func statusLine(string) string   { return "" }
func taskMasks() (none []string) { return none }
