// Who appends events, to be killed at any moment: `appender.ts <snapshot folder> <total>` opens the log as jobs do, appends batches, each
// with a version of its own, until the log has so many events, and says after each publication how many there are.
import { setTimeout as wait } from 'node:timers/promises';
import { type EventCandidate, openEventLog } from '../../snapshots/events.ts';
import { openHistory } from '../../snapshots/history.ts';
import { publishVersion } from '../../snapshots/write.ts';
import { inFolder } from '../support/in-folder.ts';

/** When servers of these tests think they are (`AS_OF_MS`); what they are made of would take long to load here. */
const START_MS = Date.parse('2026-03-01T12:00:00Z');
const MAX_AT_ONCE = 6;
const PAUSE_MS = 15;

const [dir = '', total = '0'] = process.argv.slice(2);
const { head, damage } = await openHistory(inFolder(dir));
if (damage.length > 0) throw damage[0];
const log = await openEventLog(inFolder(dir), head?.events.segments ?? []);

const isoSeconds = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');

/** Event number `n`: types take turns. */
function candidate(n: number): EventCandidate {
  const type = n % 2 === 0 ? 'oracle.feed.invalid' : 'oracle.stale';
  const feed = `0xf${n % 3}`;
  const data = { chain: 'ethereum', oracle_address: feed, market_id: feed, note: 'é '.repeat(n % 50) };
  const subject_id = `oracle:ethereum:${feed}:${feed}`;
  return {
    key: `test|${n}`,
    envelope: { type, severity: 'warn', chain: 'ethereum', subject_id, ts: isoSeconds(START_MS), data },
  };
}

async function publishNext(): Promise<void> {
  const from = log.count();
  const upTo = Math.min(Number(total), from + 1 + (from % MAX_AT_ONCE));
  // Those before are candidates again, as after any crash.
  const first = Math.max(0, from - MAX_AT_ONCE);
  const candidates = Array.from({ length: upTo - first }, (_, index) => candidate(first + index));
  const nowMs = START_MS + upTo * 1_000;
  await log.append(candidates, nowMs);
  await publishVersion(inFolder(dir), {
    as_of: isoSeconds(nowMs),
    generated_at: isoSeconds(nowMs),
    engine_version: 'test 1',
    methodology_version: '1.0.0',
    policy_version: '1.0.0',
    datasets: [],
    segments: log.segments(),
  });
  process.stdout.write(`${log.count()}\n`);
}

// A crash can leave events that no version names.
if (log.count() > (head?.events.count ?? 0) && log.count() >= Number(total)) await publishNext();
while (log.count() < Number(total)) {
  await publishNext();
  await wait(PAUSE_MS);
}
