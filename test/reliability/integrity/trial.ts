// One trial: a copy of the installation, one file of it harmed, at rest or while the programs run; then what each program makes of it, and
// what is there after the file was restored.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readStatus } from '../../../jobs/commands/status.ts';
import { verify } from '../../../jobs/commands/verify.ts';
import { rebuild, runOnce } from '../../../jobs/commands/work.ts';
import { withContext } from '../../../jobs/app/with-context.ts';
import type { PipelineContext } from '../../../jobs/pipeline/context.ts';
import { readPublished } from '../../../server/export.ts';
import { listsOf } from '../../../server/define/list-shape.ts';
import { ENDPOINTS } from '../../../server/endpoints.ts';
import { nodeDisk } from '../../../platform/storage/disk.ts';
import { inFolder } from '../../support/in-folder.ts';
import {
  datasetHashes,
  publishedEvents,
  type TestFolder,
  testFolder,
  testWorldInput,
  withoutIds,
} from '../../support/pipeline-world.ts';
import { deliver } from '../../support/sample-family/deliveries.ts';
import { type Harm, harm, isOfStore } from './damage.ts';
import { FIRST_RUN, installationAt, openStoreIn, SECOND_RUN } from './folders.ts';

const SILENT = 'the server serves other data without reporting it';

export type Work = 'run' | 'rebuild';

export interface Trial extends Omit<Harm, 'dir'> {
  readonly whole: string;
  readonly work: Work;
  /** Whether the file is harmed while both programs have the folder open. */
  readonly isRunning: boolean;
}

/** What is published, or what the store holds: two folders with the same contents are alike to every reader. */
type Contents = string;

export interface Outcome {
  readonly path: string;
  readonly verdict: 'harmless' | 'reported' | 'changed in silence' | 'lost after the restoration';
  readonly detail: string;
}

/** What sound folders hold after the work, and after the run that follows it. */
export interface Expected {
  readonly afterWork: Contents;
  readonly afterNext: Contents;
}

/** Null when the file or the damage is not possible. */
export async function perform(trial: Trial, expected: Expected): Promise<Outcome | null> {
  const folder = testFolder();
  try {
    cpSync(trial.whole, folder.dir, { recursive: true });
    return isOfStore(trial.kind) ? await onStore(trial, folder) : await onJobs(trial, folder, expected);
  } finally {
    folder.remove();
  }
}

export async function expectedOf(whole: string, work: Work): Promise<Expected> {
  const folder = testFolder();
  try {
    cpSync(whole, folder.dir, { recursive: true });
    await workThere(folder.dir, work, () => {});
    const afterWork = published(folder.dir);
    await nextRun(folder.dir);
    return { afterWork, afterNext: published(folder.dir) };
  } finally {
    folder.remove();
  }
}

async function onJobs(trial: Trial, { dir }: TestFolder, expected: Expected): Promise<Outcome | null> {
  const before = published(dir);
  let harmed = trial.isRunning ? null : harm({ ...trial, dir });
  if (!trial.isRunning && harmed === null) return null;
  const found = trial.isRunning ? [] : await whatOthersSay(dir, before);
  if (found.includes(SILENT) && harmed !== null)
    return { path: harmed.path, verdict: 'changed in silence', detail: 'the server serves it' };
  const said = await workThere(dir, trial.work, () => {
    if (trial.isRunning) harmed = harm({ ...trial, dir });
  });
  if (harmed === null) return null;
  const { path } = harmed;
  const after = attempt(() => published(dir));
  if (said === '' && after !== expected.afterWork) {
    const report = [...found, ...(await faultsOf(dir))].join('; ');
    if (report === '') return { path, verdict: 'changed in silence', detail: after };
  }
  const report = said !== '' ? said : await attemptAsync(() => nextRun(dir));
  if (report !== '') harmed.restore();
  const problem = await attemptAsync(() => nextRun(dir));
  const atTheEnd = attempt(() => published(dir));
  if (problem !== '' || atTheEnd !== expected.afterNext || !isKept(trial.whole, dir))
    return { path, verdict: 'lost after the restoration', detail: `${report} | ${problem} | ${atTheEnd}` };
  return { path, verdict: report === '' ? 'harmless' : 'reported', detail: report };
}

/** Whether every event that was published still is, with its id and at its position. */
function isKept(whole: string, dir: string): boolean {
  const before = publishedEvents(whole);
  return isDeepStrictEqual(publishedEvents(dir).slice(0, before.length), before);
}

/** Empty if nothing was reported, otherwise the report: an error, or an exit code other than 0. */
async function workThere(dir: string, work: Work, inBetween: () => void): Promise<string> {
  const options = installationAt(FIRST_RUN, { isRebuild: work === 'rebuild' });
  return attemptAsync(async () => {
    const code = await withContext(...testWorldInput(dir, options), (world: PipelineContext) => {
      inBetween();
      return work === 'run' ? runOnce(world, null) : rebuild(world);
    });
    if (code !== 0) throw new Error(`exit code ${code}`);
  });
}

async function nextRun(dir: string): Promise<void> {
  deliver(dir, SECOND_RUN);
  const code = await withContext(...testWorldInput(dir, installationAt(SECOND_RUN)), (world) =>
    runOnce(world, null),
  );
  if (code !== 0) throw new Error(`exit code ${code}`);
}

/** Ids of new events depend on the run that found them. */
const published = (dir: string): Contents =>
  JSON.stringify([datasetHashes(dir), withoutIds(publishedEvents(dir))]);

async function faultsOf(dir: string): Promise<readonly string[]> {
  const snapshots = inFolder(join(dir, 'snapshots'));
  const ledger = join(dir, 'ledger.ndjson');
  return (await readStatus({ disk: nodeDisk, dataDir: dir, snapshots, ledger, nowMs: FIRST_RUN * 1000 }))
    .faults;
}

/** Reports of `verify`, `status` and a starting server; a server that serves anything other than what was published must say so. */
async function whatOthersSay(dir: string, before: Contents): Promise<readonly string[]> {
  const lines: string[] = [];
  const snapshotDir = join(dir, 'snapshots');
  const problem = await attemptAsync(async () => {
    await verify({
      disk: nodeDisk,
      dataDir: dir,
      snapshots: inFolder(snapshotDir),
      print: (line) => void lines.push(line),
    });
  });
  const { version, notices } = await served(snapshotDir);
  const isAsPublished = attempt(() => published(dir)) === before;
  const isSilent = !isAsPublished && version !== null && notices.length === 0;
  return [
    isSilent ? SILENT : '',
    problem,
    ...lines.filter((line) => !/files are intact/.test(line)),
    ...notices,
  ].filter((line) => line !== '');
}

async function served(snapshotDir: string) {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const context = {
    snapshots: inFolder(snapshotDir),
    datasetAccess: () => 'open' as const,
    lists: listsOf(ENDPOINTS),
    serviceVersion: 'test',
    nowMs: () => FIRST_RUN * 1000,
    log,
  };
  return readPublished(context, ({ versions, operations }) => ({
    version: versions.current?.version ?? null,
    notices: operations.notices.map(({ message }) => message),
  }));
}

async function onStore(trial: Trial, { dir }: TestFolder): Promise<Outcome | null> {
  const sound = await keysIn(trial.whole, dir);
  const harmed = harm({ ...trial, dir });
  if (harmed === null) return null;
  const { path } = harmed;
  const seen = await attemptAsync(async () => {
    const now = await readKeys(dir);
    if (now !== sound) throw new Error(`other keys: ${now}`);
  });
  // Other keys count as reported only when the store itself says what is wrong.
  if (seen.startsWith('other keys') && !/fault|damaged|not as/.test(seen))
    return { path, verdict: 'changed in silence', detail: seen };
  if (seen !== '') {
    cpSync(join(trial.whole, 'ops'), join(dir, 'ops'), { recursive: true, force: true });
    harmed.restore();
  }
  const again = await attemptText(() => readKeys(dir));
  if (again !== sound) return { path, verdict: 'lost after the restoration', detail: `${seen} | ${again}` };
  return { path, verdict: seen === '' ? 'harmless' : 'reported', detail: seen };
}

/** Reads the keys in a separate copy, because opening a store applies its log. */
async function keysIn(whole: string, folder: string): Promise<string> {
  const copy = `${folder}/sound`;
  cpSync(join(whole, 'ops'), join(copy, 'ops'), { recursive: true });
  return readKeys(copy);
}

async function readKeys(dir: string): Promise<string> {
  const { store } = await openStoreIn(dir);
  try {
    const keys = await store.keys.list();
    const broken = await store.audit.verify();
    const headFault = await store.audit.headFault();
    const refused = await store.keys.unlogged();
    const faults = [broken, headFault, ...refused].filter((fault) => fault !== undefined && fault !== null);
    const list = keys.map(({ id, org, plan }) => `${id} ${org} ${plan}`).sort();
    return `${list.join(', ')}${faults.length === 0 ? '' : ` fault: ${faults.map(String).join('; ')}`}`;
  } finally {
    await store.close();
  }
}

function attempt(read: () => string): string {
  try {
    return read();
  } catch (error) {
    return `unreadable: ${String(error)}`;
  }
}

async function attemptText(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    return `unreadable: ${String(error)}`;
  }
}

async function attemptAsync(work: () => Promise<void>): Promise<string> {
  try {
    await work();
    return '';
  } catch (error) {
    return error instanceof Error && error.message !== '' ? error.message : String(error);
  }
}
