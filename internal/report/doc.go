// Package report is one report model, several writers.
//
//  1. [Build] does all arithmetic: a log becomes a [Document], which is the
//     published JSON document (docs/format.md).
//  2. [JSON] writes the document.
//  3. [Text] and [Markdown] lay it out: both turn it into the same page of
//     headings, tables and lists (page.go), and differ in how they draw one.
//  4. [Check] builds the document again and compares it with the stored one.
//
// The writers compute nothing but units, and trust nothing: what a server sent is
// cleaned for the terminal and escaped for Markdown.
package report
