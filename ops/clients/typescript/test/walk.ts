/** An agent's walk against a real server: `node dist/test/walk.js URL KEY`. */

import assert from "node:assert/strict";

import { Slowwave, SlowwaveError } from "../src/slowwave.js";

const [url, key] = process.argv.slice(2);
assert(url !== undefined && key !== undefined);
const slowwave = new Slowwave(url, { key });
const whose = { user: "nora", agent: "concierge" };

const told = { ...whose, session: "s1", key: "m1", content: "I live in Lisbon", speaker: "Nora" };
const receipt = await slowwave.push(told);
assert.equal(receipt.state, "stored");
assert.equal((await slowwave.push(told)).repeated, true);
const many = await slowwave.pushBatch({ ...whose, episodes: [{ content: "fine", key: "m2" }, { content: "" }] });
assert.deepEqual(many.items.map((one) => one.state), ["stored", "refused"]);

const ended = await slowwave.endSession({ ...whose, session: "s1" });
assert(ended.due.length > 0);

const found = await slowwave.recall({ ...whose, question: "Where does Nora live?", limit: 3 });
assert(found.items.some((one) => /Lisbon/.test(one.text)));

const facts = await slowwave.facts({ ...whose, limit: 10 });
for (const fact of facts.items) assert.equal((await slowwave.why(fact.id)).fact, fact.id);

await assert.rejects(slowwave.push({ ...told, content: "I live in Oslo" }), (error) => {
  assert(error instanceof SlowwaveError);
  assert.deepEqual([error.status, error.title], [409, "Conflict"]);
  assert(error.hint);
  return true;
});
await assert.rejects(new Slowwave(url, { key: "sw_none" }).facts(whose), { status: 401, title: "Unauthorized" });
await assert.rejects(new Slowwave("http://127.0.0.1:9", { patienceSeconds: 0 }).live(), { status: 0 });

console.log(`walked: ${facts.items.length} facts`);
