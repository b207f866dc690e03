"""Remembers a fact, finds it, forgets it, and reads the context that assistants start from."""
import os

from satchel_client import Client, NotFound

client = Client(os.environ["SATCHEL_URL"], token=os.environ["SATCHEL_TOKEN"], timeout=10)

made = client.remember({"record": {"body": {"text": "The build uses pnpm, never npm."}, "kind": "procedural"}})
found = client.recall({"query": "which package manager does the build use?"})
for hit in found["results"]:
    print("found:", hit["record"]["body"]["text"])
print("kind:", client.get(made["id"])["record"]["kind"])

client.forget({"id": made["id"], "reason": "user_revoked"})
try:
    client.get("urn:ump:nothing")
except NotFound as refusal:
    print("refused:", refusal.code, "-", refusal)

print("context of:", client.context(scope="minimal")["issuer"]["name"])
