package engram

import (
	"strconv"
	"strings"
)

// CheckVersion reports whether a reader of version supported (empty: [Version]) may read a
// document of version (section 3.10, decision E-34). It compares numbers, not text. newer
// means that both are drafts and the document's is later, which deserves a warning. The
// error is a [*Fault] with [UnsupportedVersion].
func CheckVersion(version, supported string) (newer bool, err error) {
	if supported == "" {
		supported = Version
	}
	hasMajor, hasMinor, ok := splitVersion(supported)
	major, minor, valid := splitVersion(version)
	if !ok || !valid || major > hasMajor {
		return false, &Fault{Code: UnsupportedVersion, Rule: "ENGRAM-3.10-4", Detail: "Supported versions: " + majors(hasMajor)}
	}
	return major == 0 && hasMajor == 0 && minor > hasMinor, nil
}

func splitVersion(s string) (major, minor int, ok bool) {
	if !versionShape.MatchString(s) {
		return 0, 0, false
	}
	parts := strings.Split(s, ".")
	major, _ = strconv.Atoi(parts[0]) // at most nine digits
	minor, _ = strconv.Atoi(parts[1])
	return major, minor, true
}

// majors lists the major versions up to one: a reader of 1.0 also reads drafts.
func majors(last int) string {
	list := []string{"0.x"}
	for i := 1; i <= min(last, 9); i++ {
		list = append(list, strconv.Itoa(i)+".x")
	}
	return strings.Join(list, ", ")
}
