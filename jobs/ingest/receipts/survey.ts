// Surveys the landing and quarantine folders and reports their contents and faults. Changes nothing and reads no landed file: their bytes
// are checked when they are used, and by `verify`.
import { basename, join } from 'node:path';
import { isMissing } from '../../../platform/storage/disk.ts';
import type { Finding } from '../../../snapshots/verify.ts';
import {
  type DataFolder,
  dayFolder,
  dayOf,
  LANDING_FOLDER,
  namesIn,
  QUARANTINE_FOLDER,
  quarantinePath,
  TEMPORARY_FOLDER,
} from '../data-folder.ts';
import { type Catalogue, readCatalogue } from './catalogue.ts';
import { type Receipt, readSealed, type StoredReceipt, standingOf } from './receipt.ts';

export interface ReceiptFile extends StoredReceipt {
  /** Relative to the data folder, like all paths here. */
  readonly path: string;
}

export interface Survey {
  readonly receipts: readonly ReceiptFile[];
  readonly catalogue: Catalogue | null;
  /** Whether receipts of an older version are being given their hashes, or were when a crash interrupted this. */
  readonly isStamping: boolean;
  /** Landed rows that are lost or in doubt: nothing may be computed from the rest. */
  readonly faults: readonly Finding[];
  /** Missing landed files that a receipt names; they are among the faults. */
  readonly missing: readonly Receipt[];
  /** Quarantined rows that are lost: nothing is computed from them. */
  readonly warnings: readonly Finding[];
  /** Files that no receipt names. */
  readonly unknown: readonly string[];
  /** Receipts of a supersession that was never committed. */
  readonly pending: readonly ReceiptFile[];
}

export const RESTORE_ADVICE = 'Restore it from a backup and run again; published data is unchanged.';
/** Mark in the folder of temporary files while receipts of an older version are given their hashes. */
export const STAMPING = 'stamping';
const QUARANTINE_ADVICE = 'Restore it from a backup; the rows in it can be neither listed nor redriven.';

export const receiptPath = ({ table, interval, batch }: Pick<Receipt, 'table' | 'interval' | 'batch'>) =>
  join(dayFolder(table, dayOf(interval.to)), `${batch}.json`);

/** For a reader while another process may be landing: a second survey no longer finds files that were in transit. */
export async function surveyCalmly(folder: DataFolder): Promise<Survey> {
  const first = await surveyLanding(folder);
  if (first.faults.length + first.warnings.length + first.unknown.length === 0) return first;
  return surveyLanding(folder);
}

export async function surveyLanding(folder: DataFolder): Promise<Survey> {
  // The list is read before the receipts: a receipt written in between is then not listed yet, so none is reported missing.
  const catalogue = await readCatalogue(folder);
  const isStamping = (await namesIn(folder, TEMPORARY_FOLDER)).includes(STAMPING);
  const { names, receipts, damaged } = await readDayFolders(folder);
  const faults = [...damaged, ...catalogueFaults(receipts, { catalogue, faults: damaged, isStamping })];
  const missing = withoutReplaced(receipts).filter(({ file }) => file !== null && !names.has(file));
  for (const { file, file_sha256 } of missing)
    faults.push({
      file: file ?? '',
      problem: `it is missing (sha256 ${file_sha256}).`,
      advice: RESTORE_ADVICE,
    });
  const known = new Set(
    receipts.flatMap(({ path, receipt }) => (receipt.file === null ? [path] : [path, receipt.file])),
  );
  // Files that a damaged receipt may name stay in place.
  const inDoubt = new Set(faults.flatMap(({ file }) => (names.has(file) ? [basename(file, '.json')] : [])));
  const isUnknown = (path: string) => !known.has(path) && !inDoubt.has(basename(path).replace(/\.\w+$/, ''));
  const quarantine = await surveyQuarantine(folder, receipts);
  const unknown = [...names, ...quarantine.unknown].filter(isUnknown);
  const open = new Set(standingOf(receipts.map(({ receipt }) => receipt)).pending);
  const pending = receipts.filter(({ receipt }) => open.has(receipt));
  return {
    receipts,
    catalogue,
    isStamping,
    faults,
    missing,
    warnings: quarantine.warnings,
    unknown,
    pending,
  };
}

interface DayFolders {
  /** Paths of all files in the day folders. */
  readonly names: ReadonlySet<string>;
  readonly receipts: readonly ReceiptFile[];
  readonly damaged: readonly Finding[];
}

async function readDayFolders(dataFolder: DataFolder): Promise<DayFolders> {
  const names = new Set<string>();
  const receipts: ReceiptFile[] = [];
  const damaged: Finding[] = [];
  for (const folder of await dayFolders(dataFolder)) {
    for (const name of await namesIn(dataFolder, folder)) {
      const path = join(folder, name);
      const found = name.endsWith('.json') ? await readReceipt(dataFolder, path) : undefined;
      if (found !== null) names.add(path);
      if (found === null || found === undefined) continue;
      if ('problem' in found) damaged.push(found);
      else receipts.push(found);
    }
  }
  return { names, receipts, damaged };
}

/** Folders `landing/<table>/day=…`. */
async function dayFolders(folder: DataFolder): Promise<string[]> {
  const folders: string[] = [];
  for (const table of await namesIn(folder, LANDING_FOLDER)) {
    if (table.startsWith('.')) continue;
    const days = await namesIn(folder, join(LANDING_FOLDER, table));
    folders.push(...days.map((day) => join(LANDING_FOLDER, table, day)));
  }
  return folders;
}

/** Null when it disappeared in the meantime. */
async function readReceipt({ disk, dir }: DataFolder, path: string): Promise<ReceiptFile | Finding | null> {
  const fault = (problem: string): Finding => ({ file: path, problem, advice: RESTORE_ADVICE });
  try {
    const read = readSealed((await disk.read(join(dir, path))).toString('utf8'));
    const { receipt } = read;
    const location = receiptPath(receipt);
    if (location !== path) return fault(`the receipt belongs to ${location}.`);
    if (receipt.file !== null && receipt.file !== path.replace(/\.json$/, '.parquet'))
      return fault(`the receipt names ${receipt.file}, which is not next to it.`);
    return { ...read, path };
  } catch (error) {
    if (isMissing(error)) return null;
    return fault(`the receipt cannot be read: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** Receipts that are missing or differ from what was written. */
function* catalogueFaults(
  receipts: readonly ReceiptFile[],
  { catalogue, faults, isStamping }: Pick<Survey, 'catalogue' | 'faults' | 'isStamping'>,
): Generator<Finding> {
  if (catalogue === null && (isStamping || receipts.every(({ isSealed }) => !isSealed))) return;
  const entries = catalogue?.entries ?? new Map<string, never>();
  for (const { path, sha256, isSealed } of receipts) {
    const entry = entries.get(path);
    const isOther = entry === undefined ? !isSealed : entry.receipt !== sha256;
    if (isOther)
      yield { file: path, problem: 'it is not the receipt that was written.', advice: RESTORE_ADVICE };
  }
  const there = new Set([...receipts.map(({ path }) => path), ...faults.map(({ file }) => file)]);
  const absent = [...entries.keys()].filter((path) => !there.has(path));
  const replaced = replacedAmong(receipts, new Set(absent.map((path) => basename(path, '.json'))));
  for (const path of absent.filter((one) => !replaced.has(basename(one, '.json'))))
    yield { file: path, problem: 'the receipt is missing.', advice: RESTORE_ADVICE };
}

/** Those of the batches that a compaction replaces. Compactions of years name a million batches, of which few are asked for. */
function replacedAmong(receipts: readonly ReceiptFile[], batches: ReadonlySet<string>): ReadonlySet<string> {
  const replaced = new Set<string>();
  for (const { receipt } of batches.size === 0 ? [] : receipts)
    for (const batch of receipt.replaces ?? []) if (batches.has(batch)) replaced.add(batch);
  return replaced;
}

/**
 * The receipts whose files must exist, superseded ones included. A compaction is committed by its receipt: the replaced batches no longer
 * count and may be half removed. Batches of a supersession that was never committed may be half written.
 */
export function withoutReplaced(receipts: readonly ReceiptFile[]): Receipt[] {
  const replaced = replacedAmong(receipts, new Set(receipts.map(({ receipt }) => receipt.batch)));
  const all = receipts.map(({ receipt }) => receipt);
  const pending = new Set(standingOf(all).pending);
  return all.filter((receipt) => !replaced.has(receipt.batch) && !pending.has(receipt));
}

async function surveyQuarantine(
  folder: DataFolder,
  receipts: readonly ReceiptFile[],
): Promise<Pick<Survey, 'warnings' | 'unknown'>> {
  const there = new Set<string>();
  for (const table of await namesIn(folder, QUARANTINE_FOLDER)) {
    for (const name of await namesIn(folder, join(QUARANTINE_FOLDER, table)))
      there.add(join(QUARANTINE_FOLDER, table, name));
  }
  const warnings: Finding[] = [];
  const known = new Set<string>();
  for (const { receipt, isSealed } of receipts) {
    const { table, batch, replaces = [], quarantine_files = {} } = receipt;
    for (const one of isSealed ? [] : [batch, ...replaces]) known.add(quarantinePath(table, one));
    for (const one of Object.keys(quarantine_files)) {
      const file = quarantinePath(table, one);
      known.add(file);
      if (!there.has(file)) warnings.push({ file, problem: 'it is missing.', advice: QUARANTINE_ADVICE });
    }
  }
  return { warnings, unknown: [...there].filter((path) => !known.has(path)) };
}
