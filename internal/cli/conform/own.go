package conform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"

	aimemsuite "github.com/satchel-memory/satchel/conformance/aimem"
	"github.com/satchel-memory/satchel/internal/cli"
)

// whereTokens says where a token comes from.
const whereTokens = "of satchel serve, the file token in the store's folder holds one, and satchel token mint --verb read,write,export makes others"

// ownToken returns the token of this store.
func ownToken(a *cli.App) (string, error) {
	h, _, err := a.ExistingStore()
	if err != nil {
		return "", err
	}
	return h.ReadToken()
}

// noRow returns the requested rows and sections that do not exist, "" if all exist.
func noRow(only []string) string {
	var missing []string
	for i, id := range rowsOf("AIMEM-", only) {
		if !aimemsuite.Tries(id) {
			missing = append(missing, only[i])
		}
	}
	return strings.Join(missing, ", ")
}

// reachPatience is how long a server may take for its first answer.
const reachPatience = 15 * time.Second

// reachable checks that a server answers, before the command describes its test. The
// answer's content does not matter.
func reachable(a *cli.App, client *http.Client, url string) error {
	ctx, stop := context.WithTimeout(a.Ctx, reachPatience)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return cli.Usagef("%s is no address of a server; write it as http://127.0.0.1:7777", cli.Clean(url))
	}
	response, err := client.Do(request)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("nothing listens at %s: start the server (satchel serve), or name the port it listens on", cli.Clean(url))
	}
	if err != nil {
		return err
	}
	return response.Body.Close()
}
