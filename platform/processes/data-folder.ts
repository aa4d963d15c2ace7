// What a data folder remembers, in one small file: the profile and the configuration file that it is written with, and the formats of its
// parts. Generated rows never land next to real ones, a forgotten `--config` is noticed before anything is done, and a program refuses a
// folder that a newer one has written.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type FolderUse, shellWord } from '../command-line/command-for.ts';

export const INSTALLATION_FILE = 'installation.json';

/** A number rises when programs that know only the previous one can no longer work with that part. */
export const FORMATS = { landing: 1, ledger: 1, snapshots: 1, warehouse: 1 } as const;
export type Part = keyof typeof FORMATS;
const PARTS = Object.keys(FORMATS) as Part[];
const PROFILES = ['demo', 'files', 'live'] as const;

export interface Installation {
  readonly formats: { readonly [part in Part]: number };
  readonly profile: (typeof PROFILES)[number];
  readonly config: RememberedConfig | null;
  /** Version of the program that wrote this. */
  readonly program: string;
}

export interface ConfigPath {
  readonly absolute: string;
  /** Relative to the data folder, for installations that are moved or copied with their configuration. */
  readonly from_folder: string;
}

export interface RememberedConfig {
  /** Where the file was found, last use first. Hosts that share a folder may have it in different places. */
  readonly paths: readonly ConfigPath[];
  readonly sha256: string;
}

const MAX_PATHS = 8;

/** The command does not fit the data folder. Nothing was done. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

export interface Caller {
  /** Version of this program. */
  readonly program: string;
  /** How the program is started, such as `npm run jobs --`. */
  readonly invocation: string;
  /** Its arguments as they were typed. */
  readonly argv: readonly string[];
}

/** Folder in which a restore collects files, relative to the data folder; it disappears when all of them are in place. */
export const RESTORING = '.restoring';

/** @throws FolderError if a backup was only partly restored into the folder */
export function refuseUnfinishedRestore(dir: string): void {
  if (!existsSync(join(dir, RESTORING))) return;
  throw new FolderError(
    `A restore into ${dir} was interrupted, so it is incomplete. Nothing was done. Restore again into the same folder, with \`npm run restore -- --to ${dir} --from ADDRESS\`.`,
  );
}

/** Null for a folder that is new, or older than this file. @throws FolderError if it is damaged, or a newer program wrote the folder */
export function readInstallation(dir: string, program: string): Installation | null {
  refuseUnfinishedRestore(dir);
  const file = join(dir, INSTALLATION_FILE);
  return existsSync(file) ? parseInstallation(readFileSync(file, 'utf8'), { file, program }) : null;
}

/**
 * Until a row has landed or was refused, a folder remembers nothing: the first command may have been a mistake. `landing`: the folder of
 * landed rows, with a folder for each raw table.
 */
export const hasTables = (landing: string): boolean =>
  existsSync(landing) &&
  readdirSync(landing, { withFileTypes: true }).some(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );

/** `file`: its name, for messages. @throws FolderError */
export function parseInstallation(
  text: string,
  { file, program }: { readonly file: string; readonly program: string },
): Installation {
  const value = parsed(text);
  refuseNewer(value, { file, program });
  if (isInstallation(value)) return value;
  throw new FolderError(
    `${file} is damaged. It records with which profile and configuration the folder is written. Restore it from a backup, or remove it: the next run records what it is started with, unless that contradicts the rows that have landed.`,
  );
}

/** Only members that every later version keeps are read, so that the message can name the version whatever else has changed. */
function refuseNewer(
  value: { readonly [member: string]: unknown },
  { file, program }: { readonly file: string; readonly program: string },
): void {
  const { formats, program: writer } = value;
  const newer = Object.entries(isRecord(formats) ? formats : {}).filter(
    ([part, format]) => Number(format) > ((FORMATS as { readonly [part: string]: number })[part] ?? 0),
  );
  if (newer.length === 0) return;
  const list = newer
    .map(([part, format]) => `${part} ${format} (known here: ${knownFormat(part)})`)
    .join(', ');
  throw new FolderError(
    `${file}: version ${writer} wrote this folder, and this is version ${program}, which does not know its format: ${list}. Nothing was done. Use version ${writer} or a later one, or choose another folder with --data-dir.`,
  );
}

const knownFormat = (part: string): string =>
  PARTS.includes(part as Part) ? String(FORMATS[part as Part]) : 'none';

const isRecord = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parsed(text: string): { readonly [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function isInstallation(value: unknown): value is Installation {
  if (!isRecord(value)) return false;
  const { formats, profile, config, program } = value;
  const hasFormats = isRecord(formats) && PARTS.every((part) => Number.isSafeInteger(formats[part]));
  return (
    (config === null || isConfig(config)) &&
    hasFormats &&
    PROFILES.some((one) => one === profile) &&
    typeof program === 'string'
  );
}

const isConfig = (value: unknown): value is RememberedConfig =>
  isRecord(value) &&
  typeof value['sha256'] === 'string' &&
  Array.isArray(value['paths']) &&
  value['paths'].length > 0 &&
  value['paths'].every((path) => isRecord(path) && isText(path['absolute']) && isText(path['from_folder']));

const isText = (value: unknown) => typeof value === 'string';

export const textOfInstallation = (installation: Installation): string =>
  `${JSON.stringify(installation, null, 1)}\n`;

/** What is remembered of this command's configuration. A file with the content of the known one is a copy; both are then known. */
export function configToRemember(known: RememberedConfig | null, use: FolderUse): RememberedConfig | null {
  const given = configOf(use);
  if (given === null || known === null || !isSame(known, given)) return given;
  const others = known.paths.filter(({ absolute }) =>
    given.paths.every((path) => path.absolute !== absolute),
  );
  return { ...given, paths: [...given.paths, ...others].slice(0, MAX_PATHS) };
}

function configOf({ config_path: path, settings }: FolderUse): RememberedConfig | null {
  if (path === null) return null;
  const absolute = resolve(path);
  return {
    paths: [{ absolute, from_folder: relative(resolve(settings.data_dir), absolute) }],
    sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
  };
}

export interface WriterUse extends FolderUse {
  readonly settings: FolderUse['settings'] & { readonly adopt_config: boolean };
}

/** @throws FolderError if the folder is written with another profile, or with a configuration file that this command does not have */
export function refuseOtherUse(
  known: Pick<Installation, 'profile' | 'config'>,
  use: WriterUse,
  caller: Caller,
): void {
  refuseOtherProfile(known, use, caller);
  const { settings } = use;
  const given = configOf(use);
  if (known.config === null || settings.adopt_config || isSame(known.config, given)) return;
  const way = given === null ? 'To go on without one' : 'If that file takes its place from now on';
  throw new FolderError(
    `${settings.data_dir} is written with the configuration ${reachable(known.config, settings.data_dir)}, but this command has ${use.config_path ?? 'none'}. Nothing was done. To use it: ${commandWith(known, use, caller)}\n${way}, add --adopt-config.`,
  );
}

/** Between `files` and `live`, `adopt_config` decides: both hold real rows. @throws FolderError */
export function refuseOtherProfile(
  known: Pick<Installation, 'profile' | 'config'>,
  use: WriterUse,
  caller: Caller,
): void {
  const { profile, data_dir: dir, adopt_config: isAdopted } = use.settings;
  if (known.profile === profile) return;
  const isDemo = [known.profile, profile].includes('demo');
  if (!isDemo && isAdopted) return;
  const way = isDemo
    ? `For profile ${profile}, choose another folder with --data-dir.`
    : `If the folder has profile ${profile} from now on, add --adopt-config.`;
  throw new FolderError(
    `${dir} holds data of profile ${known.profile}, but this command has profile ${profile}. Nothing was done. To go on with that data: ${commandWith(known, use, caller)}\n${way}`,
  );
}

/** Another content of the same file is an ordinary change. */
const isSame = (known: RememberedConfig, given: RememberedConfig | null): boolean =>
  given !== null &&
  (known.sha256 === given.sha256 ||
    known.paths.some((path) =>
      given.paths.some(
        ({ absolute, from_folder }) => absolute === path.absolute || from_folder === path.from_folder,
      ),
    ));

/** The command as it was typed, with the remembered configuration and profile. */
function commandWith(
  known: Pick<Installation, 'profile' | 'config'>,
  { config_path: given, settings }: WriterUse,
  { invocation, argv }: Caller,
): string {
  const { config } = known;
  const path = config === null ? pathUnknown(known.profile) : reachable(config, settings.data_dir);
  // The remembered file may state the profile itself.
  const isProfileOpen =
    known.profile !== settings.profile &&
    (path === null || (given !== null && resolve(given) === resolve(path)));
  return [
    ...invocation.split(' '),
    ...withoutFlags(argv, ['--config', '--profile']),
    ...(path === null ? [] : ['--config', path]),
    ...(isProfileOpen ? ['--profile', known.profile] : []),
  ]
    .map(shellWord)
    .join(' ');
}

/** The profile `files` has a configuration file, even if an earlier version has not recorded which. */
const pathUnknown = (profile: Installation['profile']) => (profile === 'files' ? 'FILE' : null);

/** Where the remembered file is now: it may have moved together with the folder. Below the working directory, the path is relative. */
export function reachable({ paths }: RememberedConfig, dir: string): string {
  const all = [
    ...paths.map(({ from_folder }) => resolve(dir, from_folder)),
    ...paths.map(({ absolute }) => absolute),
  ];
  const found = all.find((path) => existsSync(path)) ?? paths[0]?.absolute ?? '';
  const short = relative('.', found);
  return short.startsWith('..') ? found : short;
}

function withoutFlags(argv: readonly string[], flags: readonly string[]): readonly string[] {
  return argv.filter((argument, index) => {
    const before = argv[index - 1];
    return !(
      flags.some((flag) => argument === flag || argument.startsWith(`${flag}=`)) ||
      (before !== undefined && flags.includes(before))
    );
  });
}
