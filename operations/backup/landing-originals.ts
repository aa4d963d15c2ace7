// Landing, the ledger and recordings as a backup reads them, from the data folder or from the bucket that job hosts share, while the jobs
// land, compact and remove.
import { isDeepStrictEqual } from 'node:util';
import { readShared } from '../../jobs/app/copies/journal.ts';
import { keyOf } from '../../jobs/app/copies/journal-form.ts';
import { QUARANTINE_FOLDER } from '../../jobs/ingest/data-folder.ts';
import { CATALOGUE, textOfCatalogue } from '../../jobs/ingest/receipts/catalogue.ts';
import { lostFiles } from '../../jobs/ingest/receipts/lost-and-found.ts';
import { landedFiles, quarantineFiles, readSealed } from '../../jobs/ingest/receipts/receipt.ts';
import { entryOf, refuse } from '../../jobs/ingest/receipts/recover.ts';
import {
  type ReceiptFile,
  type Survey,
  surveyCalmly,
  withoutReplaced,
} from '../../jobs/ingest/receipts/survey.ts';
import { lastVersion } from '../../jobs/pipeline/run/ledger.ts';
import { type LedgerEntry, parseLedger } from '../../jobs/pipeline/run/ledger-line.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import { FolderObjectStore } from '../../platform/storage/folder-store.ts';
import type { ObjectStore } from '../../platform/storage/object-store.ts';
import { type Original, originalIn, originalOf } from './originals.ts';
import type { PublishedHead } from './published-originals.ts';

const MAX_SURVEYS = 20;
const LEDGER = 'ledger.ndjson';
const RECEIPT = /^landing\/[^/.][^/]*\/[^/]+\/[^/]+\.json$/;

export interface LandingStores {
  readonly dataDir: string;
  /** The bucket that job hosts share; null if everything is in the folder. */
  readonly shared: ObjectStore | null;
}

/** @throws IngestError when something that landed is lost or in doubt */
export async function landingOriginals({ dataDir, shared }: LandingStores): Promise<readonly Original[]> {
  return shared === null ? inFolder(dataDir) : inBucket(shared);
}

async function inFolder(dir: string): Promise<readonly Original[]> {
  const folder = { disk: nodeDisk, dir };
  const survey = await steadySurvey(dir);
  refuse(folder, survey.faults);
  const all = withoutReplaced(survey.receipts);
  const counted = new Set(all);
  const receipts = survey.receipts.filter(({ receipt }) => counted.has(receipt));
  const missing = new Set(survey.warnings.map(({ file }) => file));
  const store = new FolderObjectStore(nodeDisk, dir);
  const named = (path: string, sha256: string | null) => originalIn(store, path, { path, sha256 });
  const quarantined = quarantineFiles(all).filter(({ path }) => !missing.has(path));
  const known = new Set(quarantined.map(({ path }) => path));
  const unsealed = receipts.some(({ isSealed }) => !isSealed);
  const unlisted = unsealed
    ? (await store.list(`${QUARANTINE_FOLDER}/`)).filter((path) => !known.has(path))
    : [];
  const others = [...(await lostFiles(folder)), ...unlisted, 'landing/key-fingerprint.txt'];
  return [
    ...[...landedFiles(all), ...quarantined].map(({ path, sha256 }) => named(path, sha256)),
    ...receipts.map(({ path }) => named(path, null)),
    ...others.map((path) => named(path, null)),
    ...(unsealed ? [] : [originalOf(CATALOGUE, Buffer.from(textOfCatalogue(receipts.map(entryOf))))]),
  ];
}

/**
 * Two surveys with the same receipts: all of them existed at the instant between the two, so none is an old one whose successor was not
 * seen yet.
 */
async function steadySurvey(dir: string): Promise<Survey> {
  const folder = { disk: nodeDisk, dir };
  let before = await surveyCalmly(folder);
  for (let attempt = 1; attempt <= MAX_SURVEYS; attempt++) {
    const now = await surveyCalmly(folder);
    if (isDeepStrictEqual(marksOf(before), marksOf(now))) return now;
    before = now;
  }
  throw new Error(
    `Landing in ${dir} changed during each of ${MAX_SURVEYS} attempts to read it. No backup was made. Repeat it between two runs.`,
  );
}

const marksOf = ({ receipts, faults }: Survey): readonly string[] => [
  ...receipts.map(({ path, sha256 }) => `${path} ${sha256}`),
  ...faults.map(({ file, problem }) => `${file}: ${problem}`),
];

async function inBucket(store: ObjectStore): Promise<readonly Original[]> {
  const { files = new Map<string, never>() } = (await readShared(store)) ?? {};
  const receipts: ReceiptFile[] = [];
  for (const [path, record] of files) {
    const bytes = RECEIPT.test(path) ? await store.get(keyOf(path, record), record.sha256) : null;
    if (bytes !== null) receipts.push({ ...readSealed(bytes.toString('utf8')), path });
  }
  return [
    ...[...files].map(([path, record]) =>
      originalIn(store, keyOf(path, record), { path, sha256: record.sha256 }),
    ),
    originalOf(CATALOGUE, Buffer.from(textOfCatalogue(receipts.map(entryOf)))),
  ];
}

/** The lines up to what the published head shows: the ledger never records more than is published. Null without a ledger. */
export async function ledgerOriginal(
  stores: LandingStores,
  head: PublishedHead | null,
): Promise<Original | null> {
  const bytes = await ledgerBytes(stores);
  return bytes.length === 0 ? null : originalOf(LEDGER, linesUpTo(bytes, head));
}

/** The newest version that the ledger has as published; null if none. */
export const lastPublished = async (stores: LandingStores): Promise<string | null> =>
  lastVersion(parseLedger(await ledgerBytes(stores), LEDGER).entries);

async function ledgerBytes({ dataDir, shared }: LandingStores): Promise<Buffer> {
  if (shared === null) return (await new FolderObjectStore(nodeDisk, dataDir).get(LEDGER)) ?? Buffer.alloc(0);
  return Buffer.from(((await readShared(shared))?.ledger ?? []).map((line) => `${line}\n`).join(''));
}

function linesUpTo(bytes: Buffer, head: PublishedHead | null): Buffer {
  const lines = bytes
    .subarray(0, bytes.lastIndexOf(0x0a) + 1)
    .toString('utf8')
    .split('\n')
    .slice(0, -1);
  const later = lines.findIndex((line) => {
    const [entry] = parseLedger(Buffer.from(`${line}\n`), LEDGER).entries;
    return entry !== undefined && isLater(entry, head);
  });
  const kept = later === -1 ? lines : lines.slice(0, later);
  return Buffer.from(kept.map((line) => `${line}\n`).join(''));
}

function isLater({ output_version, job, state, interval }: LedgerEntry, head: PublishedHead | null): boolean {
  if (typeof output_version === 'string' && output_version > (head?.pointer.version ?? '')) return true;
  const isTick = job === 'tick' && (state === 'succeeded' || state === 'partial');
  return isTick && interval.to > (head === null ? -1 : Date.parse(head.manifest.as_of) / 1000);
}

const DESCRIPTION = /^(recordings\/.+)\.json$/;

/** Complete recordings: a description names its bodies, which were written before it. */
export async function recordingOriginals({ dataDir, shared }: LandingStores): Promise<readonly Original[]> {
  const store = shared ?? new FolderObjectStore(nodeDisk, dataDir);
  const keys = (await store.list('recordings/')).filter((key) => !key.startsWith('recordings/.tmp/'));
  const described = new Set(keys.flatMap((key) => DESCRIPTION.exec(key)?.[1] ?? []));
  const isComplete = (key: string) =>
    DESCRIPTION.test(key) || described.has(key.slice(0, key.lastIndexOf('/')));
  return keys.filter(isComplete).map((key) => originalIn(store, key, { path: key, sha256: null }));
}

/** Small files of the folder that are replaced as a whole. */
export async function folderOriginals({ dataDir, shared }: LandingStores): Promise<readonly Original[]> {
  const store = new FolderObjectStore(nodeDisk, dataDir);
  const names = [
    'ledger.ndjson.torn',
    'installation.txt',
    ...(shared === null ? ['installation.json', 'demo-world.json'] : []),
  ];
  const found: Original[] = [];
  for (const name of names) {
    const bytes = await store.get(name);
    if (bytes !== null) found.push(originalOf(name, bytes));
  }
  return found;
}
