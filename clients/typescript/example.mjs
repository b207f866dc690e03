// Remembers a fact, finds it, forgets it, and reads the context that assistants start from.
import { Client, SatchelError } from "satchel-client";

const client = new Client({ url: process.env.SATCHEL_URL, token: process.env.SATCHEL_TOKEN, timeout: 10_000 });

const made = await client.remember({ record: { body: { text: "The build uses pnpm, never npm." }, kind: "procedural" } });
const found = await client.recall({ query: "which package manager does the build use?" });
for (const hit of found.results ?? []) {
  console.log("found:", hit.record.body.text);
}
console.log("kind:", (await client.get(made.id)).record.kind);

await client.forget({ id: made.id, reason: "user_revoked" });
try {
  await client.get("urn:ump:nothing");
} catch (refusal) {
  if (!(refusal instanceof SatchelError)) throw refusal;
  console.log("refused:", refusal.code, "-", refusal.message);
}
console.log("context of:", (await client.context({ scope: "minimal" })).issuer.name);
