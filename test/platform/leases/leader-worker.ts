// A job host reduced to what leading takes: it waits for its turn, records its term, and publishes a counter as fast as it can. It prints
// what it published. `blind`: it never checks whether it still leads, so only the folder can refuse it.
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { PgLeases } from '../../../platform/leases/pg-leases.ts';
import { every } from '../../../platform/processes/stop-signal.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { enterTerm, fencedDisk } from '../../../platform/storage/fence.ts';
import { FolderObjectStore } from '../../../platform/storage/folder-store.ts';

const [url = '', dir = '', owner = '', leaseMs = '', isBlind = ''] = process.argv.slice(2);
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);

const leases = await PgLeases.open({
  url,
  owner,
  leaseMs: Number(leaseMs),
  steadyMs: () => performance.now(),
  every,
  wait: (ms) => wait(ms),
  warn: (message) => say({ warning: message }),
});
const lease = await leases.wait('lead', new Promise<never>(() => undefined));
const own = lease?.term;
if (lease === null || own === null || own === undefined) throw new Error('A lease with a term was expected.');
try {
  const folder = { disk: nodeDisk, dir };
  await enterTerm(folder, own);
  const isHeld = () => isBlind === 'blind' || lease.isHeld();
  const store = new FolderObjectStore(fencedDisk({ ...folder, own, isHeld }), dir);
  await store.tidy();
  for (let count = 0; ; count++) {
    const text = JSON.stringify({ term: own.number, count });
    await store.commit([{ path: `objects/${own.number}-${count % 50}`, chunks: [Buffer.from(text)] }], {
      key: 'current.json',
      bytes: Buffer.from(text),
    });
    say({ term: own.number, count });
  }
} catch (error) {
  say({ refused: error instanceof Error ? error.message : String(error) });
  process.exit(0);
}
