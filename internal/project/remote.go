package project

import (
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"
)

// normalize turns a git remote's address into "host/path": the host in lower case, without
// credentials, port, query and the endings "/" and ".git". The path keeps its case. It
// reports false for an address that is valid on one machine only, such as a path or
// file://.
func normalize(remote string) (string, bool) {
	remote = strings.TrimSpace(remote)
	scheme, _, full := strings.Cut(remote, "://")
	if !full {
		return scp(remote)
	}
	u, err := url.Parse(remote)
	if err != nil || !slices.Contains(carriers(), strings.ToLower(scheme)) {
		return "", false
	}
	return join(u.Hostname(), u.Path)
}

// carriers are the schemes that reach a repository on another machine.
func carriers() []string {
	return []string{"https", "http", "ssh", "git", "git+ssh", "ssh+git", "ftp", "ftps"}
}

// scp reads git's short form, [user@]host:path, where the host may stand in
// brackets, with a port or as an IPv6 address.
func scp(remote string) (string, bool) {
	host, file, ok := strings.Cut(remote, ":")
	if open := strings.IndexByte(remote, '['); open >= 0 && open < len(host) {
		inner, rest, closed := strings.Cut(remote[open+1:], "]:")
		if !closed || open > 0 && remote[open-1] != '@' {
			return "", false
		}
		host, file = inner, rest
		if before, port, one := strings.Cut(inner, ":"); one && !strings.Contains(port, ":") {
			host = before
		}
	}
	if !ok || strings.ContainsAny(host, `/\`) || len(host) == 1 {
		return "", false // a path, or a drive of Windows
	}
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	return join(host, file)
}

// join makes the name of a host and a path on it.
func join(host, file string) (string, bool) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	file = strings.Trim(path.Clean("/"+file), "/")
	file = strings.TrimSuffix(file, ".git")
	file = strings.TrimSuffix(file, "/")
	name := host + "/" + file
	if host == "" || file == "" || len(name) > longest || strings.ContainsFunc(name, unfit) {
		return "", false
	}
	return name, true
}

// longest bounds a name in bytes. Models see the name, and whoever made the repository
// chose it, so it must be an address and no text.
const longest = 200

// unfit reports whether a name may not contain r: it is invisible, or breaks lines.
func unfit(r rune) bool { return !unicode.IsPrint(r) }
