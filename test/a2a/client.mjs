// Drives an agent that satchel serve serves, with the A2A project's own client: node client.mjs
// URL TOKEN AGENT EDITION. Prints one line for each thing that it saw, and ends with 1 if
// something is not as it should be. internal/e2e/a2a_javascript_test.go starts it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

const [base, token, agent, edition] = process.argv.slice(2);
const asked = new Set();
const fetchImpl = (url, init = {}) => {
  const headers = new Headers(init.headers);
  if (init.method === 'POST') {
    headers.set('Authorization', `Bearer ${token}`);
    asked.add(JSON.parse(init.body).method);
  }
  return fetch(url, { ...init, headers });
};
const legacyCompat = { enabled: edition === '0.3' };
const factory = new ClientFactory(ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
  transports: [new JsonRpcTransportFactory({ fetchImpl, legacyCompat })],
  cardResolver: new DefaultAgentCardResolver({ fetchImpl, legacyCompat }),
}));

const raw = await (await fetch(`${base}/a2a/${agent}/.well-known/agent-card.json`)).json();
if (edition === '0.3') {
  delete raw.supportedInterfaces; // what a client of 0.3 does not look at
}
const client = edition === '0.3' ? await factory.createFromAgentCard(raw) : await factory.createFromUrl(base);
const message = (text, more = {}) => ({
  tenant: '', metadata: undefined, configuration: undefined,
  message: { messageId: randomUUID(), role: 1, contextId: '', taskId: '', extensions: [], referenceTaskIds: [], metadata: undefined,
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }], ...more },
});
const COMPLETED = 3, CANCELED = 5, INPUT_REQUIRED = 6;
const fails = async (name, doing) => {
  try {
    await doing();
  } catch (err) {
    assert.ok(err.constructor.name.endsWith(name), String(err));
    return;
  }
  assert.fail(`no ${name}`);
};

const asks = message('Book number 1.');
const task = await client.sendMessage(asks);
assert.equal(task.status.state, COMPLETED);
assert.equal(task.artifacts[0].parts[0].content.value, 'Done.');
console.log('sent', task.id);

const again = await client.sendMessage(asks);
assert.equal(again.id, task.id);
console.log('sent again');

const got = await client.getTask({ tenant: '', id: task.id, historyLength: 5 });
assert.equal(got.history[0].parts[0].content.value, 'Book number 1.');
assert.equal(got.contextId, task.contextId);
console.log('got');

const seen = [];
for await (const event of client.sendMessageStream(message('Book number 2.'))) {
  seen.push(event.payload.$case);
}
assert.equal(seen[0], 'task');
assert.equal(seen.at(-2), 'artifactUpdate');
assert.equal(seen.at(-1), 'statusUpdate');
console.log('streamed', seen.join(' '));

const waits = await client.sendMessage(message('Pay.'));
assert.equal(waits.status.state, INPUT_REQUIRED);
assert.match(waits.status.message.parts[0].content.value, /approves a call of the tool pay/);
await fails('UnsupportedOperationError', () => client.sendMessage(message('Approved!', { taskId: waits.id, contextId: waits.contextId })));
console.log('waits');

const cancelled = await client.cancelTask({ tenant: '', id: waits.id, metadata: undefined });
assert.equal(cancelled.status.state, CANCELED);
await fails('TaskNotCancelableError', () => client.cancelTask({ tenant: '', id: waits.id, metadata: undefined }));
await fails('TaskNotFoundError', () => client.getTask({ tenant: '', id: randomUUID(), historyLength: 0 }));
console.log('cancelled');

if (edition === '1.0') {
  const page = await client.listTasks({ tenant: '', contextId: task.contextId, status: 0, pageToken: '', pageSize: 10 });
  assert.deepEqual(page.tasks.map((t) => t.id), [task.id]);
  assert.equal(page.nextPageToken, '');
  console.log('listed');
}
console.log('methods', [...asked].sort().join(' '));
