// A writer to be killed: publishes the events of one tick after another and then its documents, and prints each tick once its publication
// has returned. Arguments: the place, and the maximum number of versions.
import { Claim } from '../../../snapshots/claim.ts';
import { openEventLog } from '../../../snapshots/events.ts';
import { collectGarbage } from '../../../snapshots/gc.ts';
import { openHistory } from '../../../snapshots/history.ts';
import { datasetsAsOf } from '../../../snapshots/layout.ts';
import { publishEvents, publishVersion } from '../../../snapshots/write.ts';
import { candidate, dataset, publication, T0 } from '../support/world.ts';
import { isBucket, storeAt } from './upload.ts';

const TICK_MS = 300_000;
const [location = '', atMost = 'Infinity'] = process.argv.slice(2);
const store = await storeAt(location);
const claim = isBucket(location)
  ? await Claim.take(store, { installation: 'killed', term: null })
  : undefined;

async function publishNext(): Promise<number> {
  const { head, damage } = await openHistory(store);
  if (damage.length > 0) throw damage[0];
  const tick = head === null ? 1 : (Date.parse(datasetsAsOf(head)) - T0) / TICK_MS + 1;
  const log = await openEventLog(store, head?.events.segments ?? [], { claim });
  const lately = [tick - 2, tick - 1, tick].filter((one) => one > 0);
  const appended = await log.append(
    lately.map((one) => candidate(`tick ${one}`, T0 + one * TICK_MS)),
    T0 + tick * TICK_MS,
  );
  const { as_of, generated_at } = publication(tick);
  if (appended.length > 0)
    await publishEvents(store, { as_of, generated_at, segments: log.segments() }, { claim });
  const values = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`k${i}`, { tick, padding: 'x'.repeat(300) }]),
  );
  const datasets = [dataset('one', values), dataset('two', values), dataset('same', { a: 1 })];
  await publishVersion(store, publication(tick, { datasets, segments: log.segments() }), { claim });
  return tick;
}

for (let i = 0; i < Number(atMost); i++) {
  const tick = await publishNext();
  process.stdout.write(`${tick}\n`);
  const nowMs = T0 + tick * TICK_MS;
  if (tick % 10 === 0)
    await collectGarbage(store, { nowMs, keepMs: 50 * TICK_MS, keepDays: 0, leaseTtlMs: TICK_MS }, { claim });
}
