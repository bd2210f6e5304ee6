/** A server in Node that answers many requests at once. Each request has a separate scope. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { PACKAGE } from '../browser/lib/package-page.mjs';

/** More seconds for a trial by hand. */
const SECONDS = Number(process.env.LANTHORN_SERVER_SECONDS ?? 2);
const CONNECTIONS = 50;

test('overlapping scopes of requests lose no tensor, and leave none behind', async () => {
  const { init, memory, nn, scope, tensor } = await import(`${PACKAGE}/js/index.js`);
  await init({ device: 'cpu' });
  const net = new nn.Sequential(new nn.Linear(4, 16), new nn.ReLU(), new nn.Linear(16, 1));
  const answer = (number) => scope(async () => {
    const x = tensor([[number, 1, 2, 3]]);
    const hidden = net.at(0).call(x);
    await new Promise((resolve) => { setTimeout(resolve, number % 3); });
    const mean = hidden.mean();
    await mean.item();
    const output = net.at(2).call(net.at(1).call(hidden));
    await new Promise((resolve) => { setImmediate(resolve); });
    return scope(() => output.add(mean).mul(0).add(number).item());
  });
  const server = createServer(async ({ url }, response) => {
    try {
      response.end(String(await answer(Number(url.slice(1)))));
    } catch (error) {
      response.writeHead(500).end(error.message);
    }
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const { port } = server.address();
  const wrong = [];
  let requests = 0;
  const ask = async (end) => {
    while (performance.now() < end) {
      const number = requests++;
      const text = await (await fetch(`http://127.0.0.1:${port}/${number}`)).text();
      if (text !== String(number)) wrong.push(`${number}: ${text}`);
    }
  };
  const run = (seconds) => Promise.all(Array.from({ length: CONNECTIONS }, () => ask(performance.now() + 1000 * seconds)));
  await run(SECONDS / 2);
  const before = memory();
  await run(SECONDS / 2);
  const after = memory();
  server.close();
  server.closeAllConnections();
  assert.deepEqual(wrong, []);
  assert.ok(requests > 200, `${requests} requests`);
  assert.equal(after.tensors, before.tensors);
  assert.ok(after.bytes <= before.bytes, `${before.bytes} bytes became ${after.bytes}`);
});
