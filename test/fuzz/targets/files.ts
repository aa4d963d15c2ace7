// Files that the jobs and the operator's programs read back: a damaged disk, an older program or another hand may have changed them.
import { parseHead, replay, textOfHead } from '../../../jobs/app/copies/journal-form.ts';
import { type Receipt, readSealed, sealReceipt } from '../../../jobs/ingest/receipts/receipt.ts';
import { parseLedger, writeLine } from '../../../jobs/pipeline/run/ledger-line.ts';
import { inRange, Recording } from '../../../jobs/sources/live/fetch/recording.ts';
import { type Backup, parseBackup, textOfBackup } from '../../../operations/backup/backup-form.ts';
import { canonicalJson } from '../../../platform/storage/canonical.ts';
import {
  DamagedFileError,
  RefusedInputError,
  UnsupportedFormatError,
} from '../../../platform/storage/errors.ts';
import { errorsOf } from '../../../schemas/validator.ts';
import { makeSealer } from '../../../server/store/seal.ts';
import { demand, type FuzzTarget, ofJson } from '../fuzz-target.ts';

const ID = '01JDZ0000000000000000000AB';
const SHA = 'a'.repeat(64);

const BACKUP: Backup = {
  format: 1,
  id: ID,
  program: '0.1.0',
  begun_at: '2026-03-01T12:00:00Z',
  ended_at: '2026-03-01T12:00:01Z',
  formats: { landing: 1 },
  version: ID,
  as_of: '2026-03-01T12:00:00Z',
  events: 1,
  last_event_id: ID,
  has_store: false,
  config: 'config.json',
  key_mark: null,
  files: [
    { path: 'config.json', sha256: SHA, bytes: 1, pieces: [SHA] },
    { path: 'snapshots/current.json', sha256: SHA, bytes: 1, pieces: [SHA], modified_ms: 1 },
  ],
};

/** A backup whose hash is right: whoever writes a backup writes the hash too. */
function readBackup(text: string): void {
  const backup = parseBackup(Buffer.from(text), { id: ID, file: 'backup', program: '0.1.0' });
  for (const { path } of backup.files)
    demand(!path.startsWith('/') && !path.split('/').includes('..'), `a path outside the folder: ${path}`);
}

function sealedBackup(input: Buffer): void {
  let backup: Backup;
  try {
    backup = JSON.parse(input.toString()) as Backup;
    canonicalJson(backup);
  } catch {
    return;
  }
  readBackup(textOfBackup(backup));
}

const RECEIPT = {
  batch: SHA,
  table: 'a',
  source: { id: 'a', kind: 'file', name: 'A', url: null, chain: null, license: null },
  interval: { from: 0, to: 1 },
  fetched_at: 1,
  content_hash: SHA,
  rows_in: 1,
} as unknown as Receipt;

/** Its callers report any error as damage, in words of their own. */
function readReceipt(text: string): void {
  let stored: ReturnType<typeof readSealed>;
  try {
    stored = readSealed(text);
  } catch {
    return;
  }
  if (stored.isSealed) demand(sealReceipt(stored.receipt).text === text, 'another text when sealed again');
}

const ENTRY = {
  run: ID,
  job: 'tick',
  interval: { from: 0, to: 60 },
  attempt: 1,
  state: 'succeeded',
  at: '2026-03-01T12:00:00Z',
  rows: { in: 2, landed: 1, quarantined: 1, deduplicated: 0 },
} as const;

const RECORDING: Recording = {
  id: ID,
  source: 'a',
  partition: 'all',
  params: {},
  outcome: 'accepted',
  reasons: [],
  fault: null,
  retry_at: null,
  window: { from: 0, to: 1 },
  urgency: 'tip',
  fetched_at: 1,
  as_of: 1,
  newest_possible: 1,
  block: { chain: 'a', number: 1, hash: '0x1', tag: 'safe' },
  license: null,
  sha256: SHA,
  bytes: 1,
  records: 1,
  ended: null,
  shape: ['a'],
  newest: null,
  confirms: [],
  pages: [],
};

function readRecording(value: unknown): void {
  if (errorsOf(Recording, value).length > 0) return;
  const { as_of, fetched_at, newest_possible } = inRange(value as Recording);
  demand(as_of <= fetched_at && fetched_at <= newest_possible, 'times out of order');
  canonicalJson(value);
}

const LINES = [`+ ${SHA} 1 landing/a.parquet`, '- landing/a.parquet', '= {"run":"x"}'];

function readLedger(input: Buffer): void {
  const { entries, torn } = parseLedger(input, 'ledger.ndjson');
  if (torn !== null) demand(torn.start + torn.bytes.length === input.length, 'the torn line is not the end');
  const written = entries.map(writeLine).join('');
  demand(parseLedger(Buffer.from(written), 'again').entries.length === entries.length, 'entries are lost');
}

const SEALER = makeSealer(Buffer.alloc(32, 1), (count) => Buffer.alloc(count, 2));

const from = 'whoever can write to the data folder';
const DAMAGED = [DamagedFileError, UnsupportedFormatError];

export const TARGETS: readonly FuzzTarget[] = [
  {
    name: 'files/backup',
    from: 'whoever can write to the place of backups',
    seeds: [textOfBackup(BACKUP)],
    refuses: DAMAGED,
    run: (input) => readBackup(input.toString()),
  },
  {
    name: 'files/sealed-backup',
    from: 'whoever can write to the place of backups',
    seeds: [JSON.stringify(BACKUP)],
    tokens: ['..', '/etc/passwd', 'a/../b', '.restoring', '\\', 'config.json/x'],
    refuses: DAMAGED,
    operations: (bytes) => 100_000 + 1_000 * bytes,
    run: sealedBackup,
  },
  {
    name: 'files/receipt',
    from,
    seeds: [sealReceipt(RECEIPT).text, JSON.stringify(RECEIPT)],
    refuses: [],
    run: (input) => readReceipt(input.toString()),
  },
  {
    name: 'files/recording',
    from,
    seeds: [JSON.stringify(RECORDING)],
    refuses: [RefusedInputError],
    run: ofJson(readRecording),
  },
  {
    name: 'files/ledger',
    from,
    seeds: [writeLine(ENTRY), JSON.stringify(ENTRY)],
    refuses: [],
    run: readLedger,
  },
  {
    name: 'files/journal',
    from: 'whoever can write to the bucket of job hosts',
    seeds: [textOfHead({ leader: { installation: 'a', number: 1 }, pieces: [SHA], tail: LINES })],
    refuses: DAMAGED,
    run: (input) => {
      const { tail } = parseHead(input, 'head.json');
      replay(tail, 'head.json');
    },
  },
  {
    name: 'files/sealed-key',
    from: 'whoever can write to the ops store',
    seeds: [SEALER.seal(Buffer.from('secret'), 'a:b')],
    // Of the cipher or of the form: whatever it is, nothing is opened.
    refuses: [Error],
    run: (input) => demand(SEALER.open(input, 'a:b').toString() === 'secret', 'another secret'),
  },
];
