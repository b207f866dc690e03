package project_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/internal/project"
)

func TestNormalize(t *testing.T) {
	for remote, want := range map[string]string{
		"https://github.com/owner/repo.git":             "github.com/owner/repo",
		"https://github.com/owner/repo":                 "github.com/owner/repo",
		"https://github.com/owner/repo/":                "github.com/owner/repo",
		"https://github.com/owner/repo.git/":            "github.com/owner/repo",
		"  https://github.com/owner/repo.git\n":         "github.com/owner/repo",
		"HTTPS://GitHub.COM/Owner/Repo.git":             "github.com/Owner/Repo",
		"https://sam:s3cret@github.com/owner/repo.git":  "github.com/owner/repo",
		"https://x-access-token:a%40b@github.com/o/r":   "github.com/o/r",
		"https://github.com:443/owner/repo.git":         "github.com/owner/repo",
		"https://github.com./owner/repo.git":            "github.com/owner/repo",
		"https://github.com//owner//repo.git":           "github.com/owner/repo",
		"https://git.example.com/a/b/c.git?x=1#main":    "git.example.com/a/b/c",
		"ssh://git@github.com/owner/repo.git":           "github.com/owner/repo",
		"ssh://git@host.example:2222/owner/repo.git":    "host.example/owner/repo",
		"ssh://git@[2001:db8::1]:2222/owner/repo.git":   "2001:db8::1/owner/repo",
		"git+ssh://git@github.com/owner/repo":           "github.com/owner/repo",
		"git://git.example.com/pub/repo.git":            "git.example.com/pub/repo",
		"git@github.com:owner/repo.git":                 "github.com/owner/repo",
		"git@GitHub.com:owner/repo":                     "github.com/owner/repo",
		"github.com:owner/repo.git":                     "github.com/owner/repo",
		"git@host.example:/srv/git/repo.git":            "host.example/srv/git/repo",
		"git@host.example:~sam/repo.git":                "host.example/~sam/repo",
		"git@[host.example:2222]:owner/repo.git":        "host.example/owner/repo",
		"git@[2001:db8::1]:owner/repo.git":              "2001:db8::1/owner/repo",
		"[host.example:2222]:owner/repo":                "host.example/owner/repo",
		"https://dev.azure.com/org/project/_git/repo":   "dev.azure.com/org/project/_git/repo",
		"https://git.example.com/some%20group/repo.git": "git.example.com/some group/repo",
		"https://git.example.com/a/../b/repo.git":       "git.example.com/b/repo",
		"org-1234@github.com:owner/repo.git":            "github.com/owner/repo",
		"https://github.com/owner/repo.github.io.git":   "github.com/owner/repo.github.io",
	} {
		if got, ok := project.Normalize(remote); !ok || got != want {
			t.Errorf("%q: got %q, %v, want %q", remote, got, ok, want)
		}
	}
}

func TestNormalizeRefuses(t *testing.T) {
	for _, remote := range []string{
		"", " ", "/srv/git/repo.git", "../repo", "./repo:x", "repo", "file:///srv/git/repo.git",
		`C:\code\repo`, "C:/code/repo", "https://", "https://github.com", "https://github.com/",
		"https://github.com/.git", "git@github.com:", "git@github.com:/", "user@:repo", "[host:22:repo", "x[host]:repo",
		"https://github.com/a\x00b/c", "git@host:a\nb", "ext::sh -c 'echo x'://a/b", "https://%zz/a",
		"https://github.com/a\u2028b/c", "https://github.com/a%0Ab/c", "https://github.com/a/\u202eb", "https://github.com/o/" + strings.Repeat("x", 200),
	} {
		if got, ok := project.Normalize(remote); ok {
			t.Errorf("%q became %q", remote, got)
		}
	}
}

// tree writes files below a new folder whose path has no links in it.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const origin = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:owner/repo.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"

func TestOf(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		dir   string
		want  string // "" and below: relative to the tree
		local string
		git   bool
	}{
		"a clone":                    {map[string]string{".git/config": origin}, ".", "github.com/owner/repo", "", true},
		"below a clone":              {map[string]string{".git/config": origin, "a/b/c.txt": ""}, "a/b", "github.com/owner/repo", "", true},
		"no repository":              {map[string]string{"a/x": ""}, "a", "", "a", false},
		"no remote":                  {map[string]string{".git/config": "[core]\n", "a/x": ""}, "a", "", ".", true},
		"no configuration":           {map[string]string{".git/HEAD": "ref: refs/heads/main\n"}, ".", "", ".", true},
		"a remote on this machine":   {map[string]string{".git/config": "[remote \"origin\"]\nurl = /srv/r.git\n"}, ".", "", ".", true},
		"origin before others":       {map[string]string{".git/config": "[remote \"a\"]\nurl=https://x.example/a/a\n" + origin}, ".", "github.com/owner/repo", "", true},
		"upstream before others":     {map[string]string{".git/config": "[remote \"a\"]\nurl=https://x.example/a/a\n[remote \"upstream\"]\nurl=https://x.example/u/u\n"}, ".", "x.example/u/u", "", true},
		"others by name":             {map[string]string{".git/config": "[remote \"b\"]\nurl=https://x.example/b/b\n[remote \"a\"]\nurl=https://x.example/a/a\n"}, ".", "x.example/a/a", "", true},
		"first address counts":       {map[string]string{".git/config": "[remote \"origin\"]\nurl=https://x.example/a/a\nurl=https://x.example/b/b\n"}, ".", "x.example/a/a", "", true},
		"push address does not":      {map[string]string{".git/config": "[remote \"origin\"]\npushurl=https://x.example/p/p\nurl=https://x.example/a/a\n"}, ".", "x.example/a/a", "", true},
		"quotes, comments, case":     {map[string]string{".git/config": "# url = x\n[REMOTE \"origin\"] ; here\r\n\tURL = \"https://x.example/a#b/c\" # there\r\n"}, ".", "x.example/a", "", true},
		"a line continued":           {map[string]string{".git/config": "[remote \"origin\"]\nurl = https://x.example/\\\na/b\n"}, ".", "x.example/a/b", "", true},
		"an address of another kind": {map[string]string{".git/config": "[url \"https://x.example/\"]\nurl = https://x.example/a/b\n"}, ".", "", ".", true},
		"a submodule": {map[string]string{
			".git/config":             origin,
			"sub/.git":                "gitdir: ../.git/modules/sub\n",
			".git/modules/sub/config": "[remote \"origin\"]\nurl = https://github.com/owner/sub\n",
		}, "sub", "github.com/owner/sub", "", true},
		"a linked work tree": {map[string]string{
			"main/.git/config":                 origin,
			"main/.git/worktrees/wt/commondir": "../..\n",
			"wt/.git":                          "gitdir: ../main/.git/worktrees/wt\n",
		}, "wt", "github.com/owner/repo", "", true},
		"a linked work tree without remote": {map[string]string{
			"main/.git/config":                 "[core]\n",
			"main/.git/worktrees/wt/commondir": "../..\n",
			"wt/.git":                          "gitdir: ../main/.git/worktrees/wt\n",
		}, "wt", "", "main", true},
	} {
		t.Run(name, func(t *testing.T) {
			root := tree(t, test.files)
			want := test.want
			if want == "" {
				want = filepath.ToSlash(filepath.Join(root, test.local))
			}
			got, err := project.Of(filepath.Join(root, test.dir))
			if err != nil || got.Name != want || got.Git != test.git {
				t.Errorf("got %+v, %v, want name %q, git %v", got, err, want, test.git)
			}
		})
	}
}

func TestOfThroughLink(t *testing.T) {
	root := tree(t, map[string]string{"real/x": ""})
	if err := os.Symlink("real", filepath.Join(root, "link")); err != nil {
		t.Skip("skipped: no symbolic links here")
	}
	got, err := project.Of(filepath.Join(root, "link"))
	if want := filepath.ToSlash(filepath.Join(root, "real")); err != nil || got.Name != want {
		t.Errorf("got %q, %v, want %q", got.Name, err, want)
	}
}

func TestOfFails(t *testing.T) {
	if _, err := project.Of(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that does not exist has a project")
	}
	for name, content := range map[string]string{"empty": "", "nonsense": "hello", "two lines": "gitdir: a\nb"} {
		if _, err := project.Of(tree(t, map[string]string{".git": content})); err == nil {
			t.Errorf("%s: a .git file that points nowhere is accepted", name)
		}
	}
}
