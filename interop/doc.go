// Package interop holds the tests of mcpdyno's command line against servers that
// other people's SDKs make.
package interop
