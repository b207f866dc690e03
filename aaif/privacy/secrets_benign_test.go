package privacy_test

import (
	"testing"

	"github.com/satchel-memory/satchel/aaif/privacy"
	"github.com/satchel-memory/satchel/canon"
)

// benign are texts as they stand in definitions, of which some look like secrets.
func benign() map[string][]string {
	return map[string][]string{
		"/agent/instructions": {
			"Never reveal the API key or password.", "Ask for the password: the user types it.", "Authorization: Bearer {token}", "Authorization: Bearer ${API_TOKEN}",
			"Send the header X-API-Key: <your key>", "api_key=YOUR_API_KEY", "password: ********", "password=$DB_PASSWORD", "Use sk-... as the prefix.",
			"Keys begin with ghp_ and are 40 characters long.", "https://{user}:{pass}@host", "https://{{user}}:{{pass}}@host/db", "postgres://$USER:$PASSWORD@db/ledger",
			"https://<user>:<password>@host", "api key: provided_by_operator", "api key: provided_by_the_operator", "token: set_by_the_platform", "secret: read_from_environment",
			"access key: stored_in_the_vault", "api key is stored in the vault", "token is required for every request", "If the token is invalid, retry.",
			"password is incorrect: tell the user", "the password is case-sensitive and must have 12 characters", "client_secret is read from the environment", "token: string, required",
			"password (string): the user's password", "secret: boolean", "api_key: see vault", "Token is opaque-and-short-lived", "primary key: invoice_number_2026", "Set password to null",
			"token = process.env.TOKEN", "token = os.environ['TOKEN']", "password = getpass()", "did:key:z6MkjTLC7iNpzZJDNDwEpK36iLMb46QHZnnMF4ocJMsaonXF",
			"commit 691a5ee0c4e1f2c7a0b4b1b2c3d4e5f60718293a", "It is at arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf.",
			"Run curl -H 'X-Key: $KEY' and read what it says.", "Run curl -H \"Authorization: Bearer $TOKEN\" first.", "Start it with --api-key $API_KEY --port 8080.",
			"Start it with --api-key OPENAI_API_KEY_2 set.", "Use --partition-key customer_id2 and --sort-key created_at.", "--token-limit 4096 --max-tokens 12000",
			"--key-file /etc/ssl/private/server1.pem", "--ssh-key ~/.ssh/id_ed25519", "Pass --secret prod/ledger-v2 to name it.", "The secret to good service is patience.",
			"Between 9:30 and 17:45, route 1234:5678 is closed.", "Bot 123456789 answers.", "See /bots/123456789/commands", "Send {\"bot\": \"ledger-bot-2026\"}",
			"Press Ctrl-H for help, -H for headers.", "Linear has lin_api keys; never ask for one.", "Doppler tokens begin with dp.pt.", "Versions dp.1.2 and dp.pt are fine.",
			"See https://a.example/x?code=404 and https://a.example/x?k=2026", "https://a.example/search?q=invoice+2026&k=stemming", "https://a.example/x?code=authorization_code",
		},
		"/agent/tools/0/description": {
			"Basic access: read only.", "Bearer authentication is used.", "The passphrase is never stored.", "PASSWORD_RESET_URL", "My password is required when logging in.",
			"the key is customer_id and the value is amount_in_eur", "access token = the value of env var TOKEN", "Sorts by key: ascending2.", "Reads 2026-06-10T09:17:43Z.",
			"Takes ISBN 978-3-16-148410-0.", "Uses AES-256-GCM and SHA-512.", "Needs OAuth 2.0 with PKCE (S256).", "Returns ETag W/\"0a1b2c3d4e5f\".",
			"Returns tracestate 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.", "Build 20260610.1 of 3.4.0-rc.2+b17", "MAC 00:1B:44:11:3A:B7, IPv6 2001:db8::8a2e:370:7334",
			"Sends 1 to 5 items; error E4012.", "Understands #ff00aa and rgb(1,2,3).", "IMEI and VIN 1HGCM82633A004352", "Ticket OPS-12345, change CHG0030192",
		},
		"/agent/tools/0/auth/env_var": {
			"OPENAI_API_KEY", "STRIPE_SECRET_KEY_LIVE_2026", "MY_COMPANY_PRODUCTION_DATABASE_PASSWORD", "githubToken", "azureOpenAiApiKeyForEastUs2Region", "awsS3BucketV2KeyId",
			"AUTH0_M2M_B2B_CLIENT_SECRET", "K8S_CLUSTER1_SA_TOKEN", "EU_WEST_1_DB_2_PASSWORD_V3", "S3_ACCESS_KEY_ID_2", "OAUTH2_CLIENT_SECRET", "LEDGER_TOKEN_20261231", "_TOKEN",
			"x509CertificateKeyV3", "gpt4oMiniApiKey", "HTTP2_H2C_TOKEN", "ACME_TENANT_0042_KEY", "secretForTeam7InRegionEu3", "TWILIO_ACCOUNT_SID", "customerPortalServiceAccountToken",
		},
		"/agent/tools/0/auth/header": {
			"X-API-Key", "Ocp-Apim-Subscription-Key", "X-Amz-Security-Token", "Authorization", "X-Shopify-Access-Token", "Authorization: Bearer {token}", "X-Key: ${KEY_2}",
			"Authorization: Bearer", "X-Auth-Token-V2", "Api-Key: <key>", "Cookie", "X-Goog-Iam-Authorization-Token", "PRIVATE-TOKEN", "X-Vault-Token", "DD-API-KEY",
		},
		"/agent/tools/0/endpoint": {
			"https://api.example.com/v1/customers/{id}/invoices", "https://api.telegram.org/bot{token}/send", "stdio:npx -y @acme/mcp-server-ledger@1.2.3 --port 8080",
			"stdio:uvx mcp-server-git --repository /srv/git/ledger2", "stdio:docker run -i --rm -e API_KEY ghcr.io/acme/ledger:1.2.3", "stdio:npx server --api-key ${API_KEY}",
			"stdio:npx server --token {token} --region eu-west-1", "stdio:npx server --auth oauth2 --scope read", "stdio:npx server --token-file /run/secrets/ledger_token_2",
			"mcp://ledger.example/tools/v2", "https://a.example/x?v=9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "https://a.example/x?id=7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01&code=invoice-2026",
			"https://a.example/bot/123456789:status", "https://ledger.example:8443/v2/entries?page=2&per_page=100", "wss://stream.example/v1/ledger?format=json",
			"https://hooks.example/services/ledger/incoming", "https://a.example/x?k={key}", "https://acme.openai.azure.com/openai/deployments/gpt-4o-2024-08-06?api-version=2024-10-21",
		},
		"/agent/tools/0/parameters_schema/properties/amount/default": {
			"550e8400-e29b-41d4-a716-446655440000", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "2026-01-01T00:00:00Z", "claude-3-5-sonnet-20241022",
			"text/html; charset=utf-8", "America/Argentina/ComodRivadavia", "SELECT id FROM users WHERE active = true", "^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+$",
			"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
			"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk", "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
			"InvoiceStatusChangedNotificationHandler", "com.example.billing.InvoiceServiceImpl2", "org.acme.ledger.v2.EntryRepositoryImpl", "DE89370400440532013000", "gpt-4o-mini-2024-07-18",
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "abcdefghijklmnopqrstuvwxyz", "kubernetes.io/service-account.name", "projects/my-project-123456/locations/europe-west1",
			"0x71C7656EC7ab88b098defB751B7401B5f6d8976F", "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPdeG", "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
			"cus_NffrFeUfNV2Hib", "price_1MoBy5LkdIwHu7ixZhnattbh", "prod_NWjs8kKbJWmuuc", "sub_1MowQVLkdIwHu7ixeRlqHVzs", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "evt_1NG8Du2eZvKYlo2CUI79vXWy",
			"call_62136355Xq3fT5Wb8R2kLmNo", "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "asst_abc123DEF456ghi789JKL012", "C024BE91L", "01ARZ3NDEKTSV4RRFFQ69G5FAV",
			"fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7", "anthropic.claude-3-5-sonnet-20240620-v1:0", "meta-llama/Llama-3.3-70B-Instruct", "src/main/java/com/acme/Ledger2.java",
			"urn:isbn:9783161484100", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "AAAAAAAAAAAAAAAAAAAAAAAAAAAA", "2026-W24-3", "#RRGGBBAA", "P3Y6M4DT12H30M5S",
			"+00:00", "https://acme.example/a/b/c?x=1", "ANSI_X3.4-1968", "ISO_8859-1:1987",
		},
		"/agent/tools/0/parameters_schema/properties/amount/enum/0": {
			"gpt-4o-mini-2024-07-18", "claude-sonnet-4-5-20250929", "Llama-3-70B-Instruct", "eu-west-1a", "INVOICE_STATUS_2026", "price_1MoBy5LkdIwHu7ixZhnattbh",
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "com.example.billing.InvoiceServiceImpl2", "text-embedding-3-large", "Europe/Berlin", "m5.24xlarge",
			"Standard_D8s_v3", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "x86_64-unknown-linux-gnu", "urn:uuid:7b1f6d0e-3c55-4f0a-9a60-0f5f6f1f2a01", "ISO-8601",
			"0x71C7656EC7ab88b098defB751B7401B5f6d8976F", "anthropic.claude-3-5-sonnet-20241022-v2:0", "rec.709-D65-24fps", "AES-256-GCM",
		},
		"/agent/tools/0/auth/vault_ref/key": {
			"password", "api_key", "LEDGER_API_KEY_2", "clientSecret2026", "s3AccessKeyV2", "db.password", "ledger/token-2026", "access-token",
		},
		"/agent/memory/0/content": {
			"Order 2026-000123 shipped with 1Z999AA10123456784.", "The customer prefers invoices as PDF/A-3.",
			"Deployed image ghcr.io/acme/ledger@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "Booked flight LH2026 with PNR X7K9QZ.",
			"Wi-Fi at the office is called ACME-Guest-5G.", "The password policy wants 12 characters and 2 digits.", "Last run: run_62136355, 12,345 tokens, 0.42 EUR.",
			"Her PGP fingerprint is 3AA5 C343 7123 8F28 2A4D  7A47 1B2C 3D4E 5F60 7182",
		},
	}
}

func TestBenignTextsAreLeft(t *testing.T) {
	t.Run("AAIF-12-4 none of 200 harmless texts is found", func(t *testing.T) {
		d := sample(t, "agent")
		tried := 0
		for pointer, texts := range benign() {
			for _, text := range texts {
				tried++
				edited := d
				edited.Value = set(isObjectList(d.Value, pointer), pointer, canon.String(text))
				for _, p := range privacy.Secrets(edited, privacy.SecretOptions{}) {
					t.Errorf("%v: %s", p, text)
				}
			}
		}
		if tried < 200 {
			t.Errorf("%d texts", tried)
		}
	})
}
