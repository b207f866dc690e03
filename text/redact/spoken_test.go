package redact_test

import (
	"strings"
	"testing"

	"github.com/satchel-memory/satchel/text/redact"
)

// TestSaid: a value called a password is masked, in whatever words; words about passwords
// stay.
func TestSaid(t *testing.T) {
	forty := strings.Repeat("aB3dE5g/", 5)
	for in, want := range map[string]string{
		"password - hunter22": "password - §", "password -> hunter22": "password -> §", "password => hunter22": "password => §", "password — hunter22": "password — §", "password： hunter22": "password： §",
		"Password:\n  hunter22\nend": "Password:\n  §\nend", "**Password:** hunter22": "**Password:** §", "| password | hunter22 |": "| password | § |", "<password>hunter22</password>": "<password>§</password>",
		"pass: hunter22": "pass: §", "pw: hunter22": "pw: §", "passcode: 482913": "passcode: §", "PIN: 4821": "PIN: §", "the pin code is 4821": "the pin code is §",
		"log in with password hunter22 today": "log in with password § today", "password was changed to hunter22": "password was changed to §", "password set to hunter22.": "password set to §.",
		"`hunter22` is my password": "`§` is my password", "hunter22 is the password": "§ is the password",
		"Use hunter22 as the password": "Use § as the password", "machine h login bob password hunter22": "machine h login bob password §",
		"export DB_PASS=hunter22": "export DB_PASS=§", "SECRET_KEY=abcdefgh1": "SECRET_KEY=§", "ENCRYPTION_KEY=abcdefgh1": "ENCRYPTION_KEY=§",
		"mysql -u root -phunter22 db": "mysql -u root -p§ db", "sshpass -p hunter22 ssh x": "sshpass -p § ssh x",
		"Cookie: a=b; sessionid=" + forty[:30] + "; x=y": "Cookie: a=b; sessionid=§; x=y", "Set-Cookie: PHPSESSID=" + forty[:30] + ";": "Set-Cookie: PHPSESSID=§;",
		"passphrase: correct horse battery staple": "passphrase: §", "AWS secret access key " + forty: "AWS secret access key §",
		"mot de passe : hunter22": "mot de passe : §", "contraseña: hunter22": "contraseña: §", "la password è hunter22": "la password è §", "senha: hunter22": "senha: §", "Пароль: hunter22": "Пароль: §", "密码：hunter22": "密码：§", "密码是hunter22": "密码是§",
		"パスワード: hunter22": "パスワード: §", "비밀번호: hunter22": "비밀번호: §", "hasło: hunter22": "hasło: §", "wachtwoord: hunter22": "wachtwoord: §", "şifre: hunter22": "şifre: §", "salasana: hunter22": "salasana: §", "lösenord: hunter22": "lösenord: §",
	} {
		if got, n := redact.Secrets().Text(in); got != strings.ReplaceAll(want, "§", "[SECRET-REDACTED]") || n["secret"] != 1 {
			t.Errorf("%q became %q", in, got)
		}
	}
	for _, in := range []string{
		"bypass: version22", "tests pass: 12/12/2026", "pass: 100.00%", "token - 2026-11-23", "token => token.value2", "token -> https://x1.example", "if token>1234567", "| password | string |", "| token | role |",
		"passphrase: ask Ann for the one of today", "with password managers", "with the password of Ann", "Use bcrypt as the password hash", "the pin: 1234", "what is my password", "[SECRET-REDACTED] is my password", "is my password safe", "mysql -u root -p", "docker run mysql -p3306:3306", "Cookie: theme=dark2026xx",
		"secret:\n  name: web2026x", "password:\n  type2:\n", "mot de passe : à demander", "contraseña: pregunta a Ana", "el token es un texto", "the author=somebody2026x", "password - see the wiki", "sshpass -p $PASS ssh x", "the signing key is kept in the vault",
	} {
		if got, _ := redact.Secrets().Text(in); got != in {
			t.Errorf("%q became %q", in, got)
		}
	}
}
