package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// here is the platform of this machine.
var here = platform{runtime.GOOS, runtime.GOARCH}

// stampOf is what the program says to --version.
func (r *release) stampOf(t *testing.T) string {
	t.Helper()
	path := r.programFile(t)
	line, _, _ := strings.Cut(command(t, path, "--version"), "\n")
	return strings.TrimPrefix(line, "satchel ")
}

// programFile writes the program of this machine to a file.
func (r *release) programFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), here.binary())
	if err := os.WriteFile(path, r.programs[here], 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPackageFields reads packages with the tools of Debian and of RPM.
func TestPackageFields(t *testing.T) {
	r := tiny(t)
	for _, arch := range []string{"amd64", "arm64"} {
		p := platform{"linux", arch}
		t.Run("deb "+arch, func(t *testing.T) {
			need(t, "dpkg-deb")
			path := filepath.Join(r.out, r.asset(p, ".deb"))
			if said := command(t, "dpkg-deb", "--showformat=${Package} ${Version} ${Architecture} ${Homepage}", "-W", path); said != "satchel 1.2.3-1 "+arch+" "+homepage {
				t.Errorf("%q", said)
			}
			dir := t.TempDir()
			command(t, "dpkg-deb", "-x", path, dir)
			holds(t, r, p, tree(t, dir), "usr/share/doc/satchel/copyright", "usr/share/zsh/vendor-completions/_satchel")
		})
		t.Run("rpm "+arch, func(t *testing.T) {
			need(t, "rpm", "rpm2cpio", "cpio")
			path := filepath.Join(r.out, r.asset(p, ".rpm"))
			want := "satchel 1.2.3 1 " + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[arch] + " Apache-2.0 1767225601 localhost"
			if said := command(t, "rpm", "-qp", "--qf", "%{NAME} %{VERSION} %{RELEASE} %{ARCH} %{LICENSE} %{BUILDTIME} %{BUILDHOST}", path); said != want {
				t.Errorf("%q", said)
			}
			if said := command(t, "rpm", "-K", path); !strings.Contains(said, "OK") {
				t.Error(said)
			}
			if said := command(t, "rpm", "-qip", path) + command(t, "rpm", "-qp", "--scripts", path); !strings.Contains(said, homepage) || !strings.Contains(said, "~/.local/share/satchel") {
				t.Error(said)
			}
			dir := t.TempDir()
			command(t, "sh", "-c", `cd "$1" && rpm2cpio "$0" | cpio -id --quiet --no-absolute-filenames 2>/dev/null`, path, dir)
			holds(t, r, p, tree(t, dir), "usr/share/licenses/satchel/LICENSE", "usr/share/zsh/site-functions/_satchel")
		})
	}
}

// holds requires the files of a package.
func holds(t *testing.T, r *release, p platform, files map[string][]byte, names ...string) {
	t.Helper()
	if !bytes.Equal(files["usr/bin/satchel"], r.programs[p]) {
		t.Error("the program is another one")
	}
	for _, name := range append(names, "usr/share/man/man1/satchel.1.gz", "usr/share/doc/satchel/licences.txt.gz",
		"usr/share/bash-completion/completions/satchel", "usr/share/fish/vendor_completions.d/satchel.fish", "usr/lib/systemd/user/satchel.service") {
		if len(files[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
}

// machine runs a script as root of a machine like this one, whose files are thrown away: a layer in
// memory lies over them. The script finds $1, $2 and so on.
func machine(t *testing.T, script string, arguments ...string) string {
	t.Helper()
	need(t, "unshare", "mount", "chroot")
	if os.Getuid() != 0 || exec.Command("unshare", "--mount", "--pid", "--fork", "sh", "-c", `mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r`).Run() != nil {
		t.Skip("skipped: this machine lays no files over its own (root and overlayfs are needed)")
	}
	outside := `mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w /mnt/r && mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/u,workdir=/mnt/w /mnt/r &&
mount -t proc proc /mnt/r/proc && mount --bind /dev /mnt/r/dev && mkdir -p /mnt/r/packages && n=0 &&
for file in "$@"; do n=$((n+1)); cp "$file" "/mnt/r/packages/$n-$(basename "$file")"; done &&
printf '%s' "$SCRIPT" > /mnt/r/packages/script && exec chroot /mnt/r env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -c 'exec sh -eu /packages/script /packages/*-*'`
	c := exec.Command("unshare", append([]string{"--mount", "--pid", "--fork", "sh", "-eu", "-c", outside, "-"}, arguments...)...)
	c.Env = append(os.Environ(), "SCRIPT="+script)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// oldVersion sorts before each release and before each commit (0.0.0-g and its hash), for dpkg and
// for RPM, to which a number is newer than a letter.
const oldVersion = "0.0.0-a"

// TestDebian installs an older package, makes a memory as a user, upgrades, removes and purges: the
// memory stays, and the package says where.
func TestDebian(t *testing.T) {
	r := built(t)
	need(t, "dpkg", "apt-get", "useradd")
	older := &release{root: "..", stamp: "v0.0.0-old", version: oldVersion, at: r.at, licence: r.licence, texts: r.texts, programs: map[platform][]byte{}}
	var err error
	if older.programs[here], err = older.build(here); err != nil {
		t.Fatal(err)
	}
	first, err := older.linuxPackage(here, "deb")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "older.deb")
	if err := os.WriteFile(path, first, 0o644); err != nil {
		t.Fatal(err)
	}
	said := machine(t, debian, path, filepath.Join(r.out, r.asset(here, ".deb")))
	for _, want := range []string{"satchel 0.0.0-old\n", "satchel " + r.stampOf(t) + "\n", "1  1. tea is green", "2  1. tea is green", "3  1. tea is green", "complete: remember", "manual: satchel",
		"satchel: the program is removed. Nobody's memories are: they stay in ~/.local/share/satchel", "gone\n", "everything of the package is gone\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "the program is removed"); n != 1 { // at remove; neither at the upgrade nor at purge
		t.Errorf("%d times it is said that the program is removed:\n%s", n, said)
	}
}

// debian is what an administrator and a user do.
const debian = `
apt-get install -y -qq --no-install-recommends "$1"
useradd -m ada
ada() { su ada -c "cd; $1"; }
satchel --version | head -n 1
ada 'satchel init -q && satchel remember -q "tea is green"'
echo "1 $(ada 'satchel recall -q tea')"
apt-get install -y -qq --no-install-recommends "$2"
satchel --version | head -n 1
echo "2 $(ada 'satchel recall -q tea')"
echo "complete: $(bash -c '. /usr/share/bash-completion/completions/satchel; COMP_WORDS=(satchel reme); COMP_CWORD=1; _satchel; echo ${COMPREPLY[*]}')"
echo "manual: $(zcat /usr/share/man/man1/satchel.1.gz | grep -o -m 1 satchel | head -n 1)"
apt-get remove -y -qq satchel
[ -e /usr/bin/satchel ] || echo gone
dpkg --purge satchel
for file in /usr/bin/satchel /usr/share/doc/satchel /usr/share/man/man1/satchel.1.gz /usr/share/bash-completion/completions/satchel /usr/lib/systemd/user/satchel.service; do [ ! -e "$file" ]; done
echo "everything of the package is gone"
dpkg -i "$2"
echo "3 $(ada 'satchel recall -q tea')"
`

// TestRPM installs the package with RPM, upgrades it and erases it.
func TestRPM(t *testing.T) {
	r := built(t)
	need(t, "rpm", "useradd")
	older := *r
	older.version = oldVersion
	first, err := older.linuxPackage(here, "rpm")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "older.rpm")
	if err := os.WriteFile(path, first, 0o644); err != nil {
		t.Fatal(err)
	}
	said := machine(t, `
rpm --initdb
rpm -i --nodeps --force-debian "$1"
useradd -m ada
su ada -c 'cd; satchel init -q && satchel remember -q "tea is green"'
rpm -U --nodeps --force-debian "$2"
rpm -q satchel
rpm -V --nodeps satchel && echo "verified"
su ada -c 'cd; satchel recall -q tea'
rpm -e satchel
[ -e /usr/bin/satchel ] || echo gone
du -s /home/ada/.local/share/satchel
`, path, filepath.Join(r.out, r.asset(here, ".rpm")))
	for _, want := range []string{"verified\n", "tea is green", "gone\n", "they stay in ~/.local/share/satchel", "/home/ada/.local/share/satchel\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "the program is removed"); n != 1 {
		t.Errorf("%d times it is said that the program is removed:\n%s", n, said)
	}
}
