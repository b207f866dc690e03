// Gets access to a memory that satchel serve --oauth serves, as a remote assistant does, with the
// MCP project's own client: node client.mjs URL ADDRESS. ADDRESS is where the host of URL listens.
// It prints one line for each thing that it did, and "open URL" where its user opens a page;
// a line on standard input says that the test may go on. It ends with 1 if something is not as it
// should be. test/pages/oauth_test.go starts it and sits before the browser.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import dns from 'node:dns';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError, auth, discoverOAuthServerInfo } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [server, address] = process.argv.slice(2);
const { hostname } = new URL(server);
const real = dns.lookup; // the name is known to nobody, so that the client is told where it is
dns.lookup = (name, options, done) => (name === hostname ? real(address, options, done) : real(name, options, done));
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const goOn = () => lines.next();

// The page to which the server sends the browser back.
let arrived;
const back = createServer((request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1');
  if (url.pathname !== '/back') {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>back</title><h1>You are connected</h1>');
  arrived(url.searchParams);
});
await new Promise((done) => back.listen(0, '127.0.0.1', done));
const redirectUrl = `http://127.0.0.1:${back.address().port}/back`;

// What a client keeps. It hides its refresh token from the SDK while it asks for more: a refresh
// gives what was granted before, and the SDK would try that first.
const kept = {};
let asksForMore = false;
const provider = {
  redirectUrl,
  clientMetadata: { client_name: 'Trial of the SDK', redirect_uris: [redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
  state: () => (kept.state = randomUUID()),
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client; console.log('registered', client.client_id); },
  tokens: () => kept.tokens && (asksForMore ? { ...kept.tokens, refresh_token: undefined } : kept.tokens),
  saveTokens: (tokens) => { kept.tokens = tokens; console.log('tokens', tokens.scope); },
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => { kept.verifier = verifier; },
  redirectToAuthorization: (url) => {
    assert.equal(url.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(url.searchParams.get('code_challenge'), createHash('sha256').update(kept.verifier).digest('base64url'));
    kept.answer = new Promise((done) => { arrived = done; });
    console.log('open', String(url));
  },
  invalidateCredentials: (scope) => {
    if (scope === 'all' || scope === 'tokens') delete kept.tokens;
    if (scope === 'all' || scope === 'client') delete kept.client;
    console.log('forgot', scope);
  },
};

// The server ends the streams of an access that is over. A transport that opened its stream again
// would ask its user for access besides the client that the test is about.
const reconnectionOptions = { maxRetries: 0, initialReconnectionDelay: 1000, maxReconnectionDelay: 1000, reconnectionDelayGrowFactor: 1 };

// connect returns a client that is let in, after its user was asked if that is needed.
async function connect() {
  for (let tries = 0; ; tries++) {
    const transport = new StreamableHTTPClientTransport(new URL(server), { authProvider: provider, reconnectionOptions });
    const client = new Client({ name: 'sdk-trial', version: '1.0.0' });
    try {
      await client.connect(transport);
      return { client, transport };
    } catch (err) {
      if (!(err instanceof UnauthorizedError) || tries > 0) throw err;
      await finish(transport);
    }
  }
}

// finish waits for the browser to come back, and takes the tokens.
async function finish(transport) {
  const answer = await kept.answer;
  assert.equal(answer.get('state'), kept.state);
  assert.equal(answer.get('error'), null);
  const { authorizationServerMetadata } = await discoverOAuthServerInfo(server);
  assert.equal(answer.get('iss'), authorizationServerMetadata.issuer); // RFC 9207
  await transport.finishAuth(answer.get('code'));
}

const text = (result) => result.content.map((part) => part.text).join('\n');

const info = await discoverOAuthServerInfo(server);
assert.equal(info.resourceMetadata.resource, server);
assert.ok(info.authorizationServerMetadata.code_challenge_methods_supported.includes('S256'));
assert.ok(info.authorizationServerMetadata.registration_endpoint && info.authorizationServerMetadata.revocation_endpoint);
console.log('discovered', info.authorizationServerMetadata.issuer);

let { client, transport } = await connect();
const tools = (await client.listTools()).tools.map((tool) => tool.name);
assert.ok(tools.includes('ump_recall'), tools.join());
const recalled = text(await client.callTool({ name: 'ump_recall', arguments: { query: 'Do we use pnpm or npm?' } }));
assert.match(recalled, /pnpm/);
console.log('recalled');

// A refresh, which gives another refresh token too.
const before = kept.tokens;
assert.equal(await auth(provider, { serverUrl: server }), 'AUTHORIZED');
assert.notEqual(kept.tokens.access_token, before.access_token);
assert.notEqual(kept.tokens.refresh_token, before.refresh_token);
assert.match(text(await client.callTool({ name: 'ump_recall', arguments: { query: 'pnpm' } })), /pnpm/);
console.log('refreshed');

// The owner allowed to read. To remember needs more, and the owner is asked once more.
asksForMore = true;
const remember = () => client.callTool({ name: 'ump_remember', arguments: { text: 'The bridge opens at noon.', kind: 'semantic' } });
await assert.rejects(remember, UnauthorizedError);
await finish(transport);
asksForMore = false;
({ client, transport } = await connect());
const remembered = await remember();
assert.ok(!remembered.isError, text(remembered));
console.log('stepped up');

// The client gives its access back (RFC 7009).
const revoked = kept.tokens;
const gone = await fetch(info.authorizationServerMetadata.revocation_endpoint, { method: 'POST', body: new URLSearchParams({ token: revoked.refresh_token, token_type_hint: 'refresh_token', client_id: kept.client.client_id }) });
assert.equal(gone.status, 200);
const asked = await fetch(server, { method: 'POST', headers: { Authorization: `Bearer ${revoked.access_token}`, 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) });
assert.equal(asked.status, 401);
assert.match(asked.headers.get('WWW-Authenticate'), /resource_metadata=/);
console.log('gave back');

// It asks again, and now the owner takes the access away.
delete kept.tokens;
({ client, transport } = await connect());
assert.match(text(await client.callTool({ name: 'ump_recall', arguments: { query: 'pnpm' } })), /pnpm/);
console.log('in again');
await goOn();
const taken = client.callTool({ name: 'ump_recall', arguments: { query: 'pnpm' } });
await assert.rejects(taken, UnauthorizedError);
console.log('shut out');

// It asks once more, and is refused.
const refusal = await kept.answer;
assert.equal(refusal.get('error'), 'access_denied');
assert.equal(refusal.get('code'), null);
console.log('refused');
process.exit(0);
