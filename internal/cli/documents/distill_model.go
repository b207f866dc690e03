package documents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/satchel-memory/satchel/internal/cli"
	"github.com/satchel-memory/satchel/internal/modelhttp"
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
	if m.Model == "" {
		return nil, cli.Usagef("say which model to ask: --model NAME")
	}
	key := ""
	if m.KeyEnv != "" {
		if key = a.Env(m.KeyEnv); key == "" {
			return nil, cli.Usagef("the environment variable %s is empty; put the key into it, or leave --key-env out", cli.Clean(m.KeyEnv))
		}
	}
	server, err := modelhttp.New(m.Endpoint, completions, key)
	if err != nil {
		return nil, cli.Usagef("--endpoint: %w", err)
	}
	return func(prompt string) (string, error) { return m.ask(a, server, prompt) }, nil
}

// ask asks one question.
func (m *distillModel) ask(a *cli.App, server *modelhttp.Server, prompt string) (string, error) {
	ctx, stop := context.WithTimeout(a.Ctx, modelPatience)
	defer stop()
	data, err := server.Ask(ctx, map[string]any{
		"model": m.Model, "temperature": 0, "messages": []map[string]string{{"role": "user", "content": prompt}},
	}, mostAnswered)
	if refusal, ok := errors.AsType[*modelhttp.Refusal](err); ok {
		return "", modelRefusal(refusal, m.Model)
	}
	if errors.Is(err, modelhttp.ErrTooLarge) {
		return "", fmt.Errorf("the model answers with more than %d bytes; ask another one", mostAnswered)
	}
	if err != nil {
		return "", fmt.Errorf("ask the model: %w; without --endpoint none is asked", err)
	}
	return answered(data)
}

// modelRefusal says what to do about a refusal.
func modelRefusal(refusal *modelhttp.Refusal, model string) error {
	host := cli.Clean(refusal.Host)
	switch refusal.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return cli.Refusedf("%s refuses the key; name the variable that holds the right one with --key-env", host)
	case http.StatusNotFound:
		return fmt.Errorf("%s knows no model %s, or not this path; --endpoint is the URL up to and with /v1", host, cli.Clean(model))
	case http.StatusTooManyRequests:
		return fmt.Errorf("%s takes no more questions for now; try again later, or leave --endpoint out", host)
	}
	return fmt.Errorf("%s answers with %d; try again, or leave --endpoint out", host, refusal.Status)
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
