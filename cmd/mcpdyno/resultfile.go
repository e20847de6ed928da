package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A resultFile is emptied at its first record and not before: a run that
// measures nothing leaves an earlier result as it was.
type resultFile struct {
	*os.File
	made  bool // it did not exist
	begun bool
}

func openResult(path string) (*resultFile, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	made := err == nil
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	}
	if err != nil {
		return nil, err
	}
	return &resultFile{File: file, made: made}, nil
}

func (f *resultFile) Write(p []byte) (int, error) {
	if err := f.begin(); err != nil {
		return 0, err
	}
	n, err := f.File.Write(p)
	if err != nil {
		err = fmt.Errorf("%w; make room there, or choose another place with -o", err)
	}
	return n, err
}

func (f *resultFile) begin() error {
	if f.begun {
		return nil
	}
	f.begun = true
	if !f.regular() {
		return nil
	}
	return f.Truncate(0)
}

// regular tells a file from a device or a pipe, which have no length.
func (f *resultFile) regular() bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// discard takes away a file in which nothing was written.
func (f *resultFile) discard() {
	if f.made {
		os.Remove(f.Name())
	}
}
