/** docs/guides/names.md says where PyTorch's names are. Needs the package built into target/npm. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { missingUses, PAGE, page, statuses } from './names.mjs';

/** The modules whose names a program of the core uses. */
const CORE = ['torch', 'torch.Tensor', 'torch.nn', 'torch.nn.Module', 'torch.nn.functional', 'torch.nn.init', 'torch.optim', 'torch.utils.data'];

describe("PyTorch's names", () => {
  test('are in the page as the package has them', async () => {
    assert.equal(await readFile(PAGE, 'utf8'), await page(), 'run node tests/pytorch/names.mjs --write');
  });

  test('all have a status, and every row of elsewhere.tsv has a name', async () => {
    const { modules, unused } = await statuses();
    const unknown = modules.flatMap(({ module, names }) => names.filter(({ status }) => status === 'unknown').map(({ name }) => `${module}.${name}`));
    assert.deepEqual(unknown, []);
    assert.deepEqual(unused.map(({ module, pattern }) => `${module} ${pattern}`), []);
  });

  test('are there by nine names in ten, and by the uses of real programs', async () => {
    const { modules } = await statuses();
    const names = modules.filter(({ module }) => CORE.includes(module)).flatMap((one) => one.names).filter(({ status }) => status !== 'none');
    const there = names.filter(({ status }) => ['same', 'other', 'short'].includes(status));
    assert.ok(there.length >= 0.9 * names.length, `${there.length} of ${names.length} names`);
    const { whole, missing } = await missingUses();
    const sum = missing.reduce((so, { count }) => so + count, 0);
    assert.ok(sum <= 0.03 * whole, `${sum} of ${whole} uses are of ${missing.map(({ name }) => name).join(', ')}`);
  });
});
