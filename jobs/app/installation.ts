// What a data folder remembers, seen from the jobs: read from the folder or from the bucket that job hosts share, checked before a command
// starts, and written by the leader before it works on the folder.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { commandFor } from '../../platform/command-line/command-for.ts';
import {
  type Caller,
  configToRemember,
  FORMATS,
  hasTables,
  INSTALLATION_FILE,
  type Installation,
  type Part,
  parseInstallation,
  readInstallation,
  refuseOtherUse,
  textOfInstallation,
} from '../../platform/processes/data-folder.ts';
import { nodeDisk } from '../../platform/storage/disk.ts';
import type { TermMark } from '../../platform/storage/fence.ts';
import type { Config } from '../config.ts';
import { surveyLanding } from '../ingest/receipts/survey.ts';
import type { Reporter } from '../pipeline/run/report.ts';
import { keepCopy } from './copies/pull.ts';
import { readSharedFile } from './data-store.ts';
import type { StoreEffects } from './open-snapshots.ts';
import { setWarehouseAside } from './set-aside.ts';

type FolderIdentity = Pick<Installation, 'profile' | 'config'>;

/**
 * Before a command starts, on any host. What an earlier version has left is judged later, by the leader.
 * @throws FolderError if the command does not fit what the folder remembers; nothing was changed
 */
export async function refuseOtherFolder(
  config: Config,
  effects: StoreEffects,
  caller: Caller,
): Promise<void> {
  const known = await remembered(config, effects, caller.program);
  if (known !== null) refuseOtherUse(known, config, caller);
}

async function remembered(
  config: Config,
  effects: StoreEffects,
  program: string,
): Promise<Installation | null> {
  const { settings, paths } = config;
  if (settings.data_store === '') {
    const known = readInstallation(settings.data_dir, program);
    return hasTables(paths.landing) ? known : null;
  }
  const shared = await readSharedFile(config, effects, INSTALLATION_FILE);
  return shared && parseInstallation(shared.bytes.toString('utf8'), { file: shared.name, program });
}

export interface ClaimContext extends Caller {
  readonly reporter: Pick<Reporter, 'step' | 'warn'>;
  /** The leader's term, if several hosts take turns. */
  readonly term: TermMark | null;
}

/**
 * For the leader, before it works on the folder: checks once more, and remembers what this command is started with.
 * @throws FolderError if it does not fit what the folder remembers or holds
 */
export async function claimFolder(
  config: Config,
  { reporter, term, ...caller }: ClaimContext,
): Promise<void> {
  const { settings, paths } = config;
  const written = readInstallation(settings.data_dir, caller.program);
  const known: FolderIdentity | null = hasTables(paths.landing)
    ? (written ?? (await landedBefore(config, reporter)))
    : null;
  if (known !== null) refuseOtherUse(known, config, caller);
  if (written !== null) await migrate(config, written, { reporter, term });
  const { profile } = settings;
  const remembered = configToRemember(known?.config ?? null, config);
  const next = { formats: FORMATS, profile, config: remembered, program: caller.program };
  await write(settings.data_dir, next);
  if (written === null && known !== null)
    reporter.step('the data folder of an earlier version is adopted', {
      profile,
      config: config.config_path,
      ...FORMATS,
    });
}

/** What a folder without a record holds; null without rows. An earlier version may have mixed generated rows with real ones. */
async function landedBefore(
  config: Config,
  reporter: ClaimContext['reporter'],
): Promise<FolderIdentity | null> {
  const { settings } = config;
  const { receipts } = await surveyLanding({ disk: nodeDisk, dir: settings.data_dir });
  const sources = receipts.flatMap(({ receipt: { source, rows_landed } }) =>
    rows_landed > 0 ? [source] : [],
  );
  if (sources.length === 0) return null;
  const generated = [...new Set(sources.flatMap(({ kind, id }) => (kind === 'simulated' ? [id] : [])))];
  const isMixed =
    generated.length > 0 && sources.some(({ kind }) => kind !== 'simulated' && kind !== 'derived');
  if (generated.length > 0 && !isMixed) return { profile: 'demo', config: null };
  const { profile } = settings;
  if (isMixed && profile !== 'demo') reporter.warn(mixedText(config, generated));
  return { profile: profile === 'demo' ? 'files' : profile, config: null };
}

const mixedText = (config: Config, generated: readonly string[]): string =>
  `${config.settings.data_dir} holds generated rows of ${generated.join(', ')} next to real ones. To leave them out, for each of these sources: ${commandFor(config, 'drop --source NAME')}`;

/** Every earlier format of landing, ledger and snapshots can be read as it is; a warehouse of another format is computed again. */
async function migrate(
  config: Config,
  { formats, program }: Installation,
  { reporter, term }: Pick<ClaimContext, 'reporter' | 'term'>,
): Promise<void> {
  const older = (Object.keys(FORMATS) as Part[]).filter((part) => formats[part] < FORMATS[part]);
  if (older.length === 0) return;
  if (older.includes('warehouse')) await setWarehouseAside(config, term);
  for (const part of older)
    reporter.step(
      `the data folder of version ${program} is upgraded: ${part} ${formats[part]} to ${FORMATS[part]}`,
    );
}

async function write(dir: string, installation: Installation): Promise<void> {
  const file = join(dir, INSTALLATION_FILE);
  const bytes = Buffer.from(textOfInstallation(installation));
  if (existsSync(file) && (await nodeDisk.read(file)).equals(bytes)) return;
  await keepCopy(nodeDisk, file, bytes);
  await nodeDisk.syncFolder(dir);
}
