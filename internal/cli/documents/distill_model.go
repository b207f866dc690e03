package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
)

// Limits of a question to a model.
const (
	modelPatience = 2 * time.Minute
	mostAnswered  = 4 << 20
	completions   = "/chat/completions"
)

// distillModel names the model to ask as well; none by default.
type distillModel struct {
	Endpoint string `help:"Ask a model at this OpenAI-compatible URL too, such as http://127.0.0.1:11434/v1. It receives the redacted conversation. Only proposals that quote a turn are taken." placeholder:"URL"`
	Model    string `help:"The model to ask." placeholder:"NAME"`
	KeyEnv   string `name:"key-env" help:"The environment variable with the key for the URL. Default: no key." placeholder:"VAR"`
}

// proposer returns the function that asks a model; nil: there is no model.
func (m *distillModel) proposer(a *cli.App) (func(string) (string, error), error) {
	if m.Endpoint == "" {
		if m.Model != "" || m.KeyEnv != "" {
			return nil, cli.Usagef("--model and --key-env belong to --endpoint")
		}
		return nil, nil
	}
	u, err := url.Parse(m.Endpoint)
	switch {
	case err != nil || u.Host == "" || u.User != nil:
		return nil, cli.Usagef("--endpoint is no URL; write https://HOST/v1")
	case u.Scheme != "https" && (u.Scheme != "http" || !cli.OnThisMachine(u)):
		return nil, cli.Usagef("models are asked over https only, or on this machine: anybody on the way could read the conversation")
	case m.Model == "":
		return nil, cli.Usagef("say which model to ask: --model NAME")
	}
	if !strings.HasSuffix(u.Path, completions) {
		u.Path = strings.TrimSuffix(u.Path, "/") + completions
	}
	key := ""
	if m.KeyEnv != "" {
		if key = a.Env(m.KeyEnv); key == "" {
			return nil, cli.Usagef("the environment variable %s is empty; put the key into it, or leave --key-env out", cli.Clean(m.KeyEnv))
		}
	}
	client := &http.Client{Timeout: modelPatience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return func(prompt string) (string, error) { return m.ask(a, client, u, key, prompt) }, nil
}

// ask asks one question.
func (m *distillModel) ask(a *cli.App, client *http.Client, u *url.URL, key, prompt string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": m.Model, "temperature": 0, "messages": []map[string]string{{"role": "user", "content": prompt}},
	})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(a.Ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	if key != "" {
		request.Header.Set("Authorization", "Bearer "+key)
	}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask the model: %w; without --endpoint none is asked", err)
	}
	defer response.Body.Close()
	if err := modelRefusal(response.StatusCode, u, m.Model); err != nil {
		return "", err
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, mostAnswered+1))
	if err != nil {
		return "", fmt.Errorf("ask the model: %w", err)
	}
	if len(data) > mostAnswered {
		return "", fmt.Errorf("the model answers with more than %d bytes; ask another one", mostAnswered)
	}
	return answered(data)
}

// modelRefusal says what to do about a refusal; nil: the answer is no refusal.
func modelRefusal(status int, u *url.URL, model string) error {
	host := cli.Clean(u.Host)
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return cli.Refusedf("%s refuses the key; name the variable that holds the right one with --key-env", host)
	case status == http.StatusNotFound:
		return fmt.Errorf("%s knows no model %s, or not this path; --endpoint is the URL up to and with /v1", host, cli.Clean(model))
	case status == http.StatusTooManyRequests:
		return fmt.Errorf("%s takes no more questions for now; try again later, or leave --endpoint out", host)
	}
	return fmt.Errorf("%s answers with %d; try again, or leave --endpoint out", host, status)
}

// answered returns the model's answer.
func answered(data []byte) (string, error) {
	var answer struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(data, &answer); err != nil || len(answer.Choices) == 0 {
		return "", errors.New("the model's server does not answer as OpenAI's does; is --endpoint the URL up to /v1?")
	}
	return answer.Choices[0].Message.Content, nil
}
