// Package check renders the Helm chart of Satchel by Helm's own library and looks at what
// comes out. It is a module of its own, so that the program does not depend on Helm.
package check
