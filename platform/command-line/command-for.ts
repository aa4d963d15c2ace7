// The command line of a command for the data of a running program: a message that asks an operator to run a command shows it with the
// settings with which the program itself was started, so that the command works on the same data.
import { SETTINGS, type Settings } from '../settings/settings.ts';

export interface FolderUse {
  readonly settings: Pick<Settings, 'data_dir' | 'profile'> &
    Partial<Pick<Settings, 'ops_store' | 'seal_key_file'>>;
  /** Configuration file as given, or null. */
  readonly config_path: string | null;
}

type Program = 'jobs' | 'server' | 'keys' | 'backup';

/** `operands`: a command and its own flags, such as `reland --source my-rounds`. */
export function commandFor(
  { config_path, settings }: FolderUse,
  operands: string,
  program: Program = 'jobs',
): string {
  const flags = [
    ...(config_path === null ? [] : ['--config', config_path]),
    ...(config_path === null ? flagOf(settings, 'profile') : []),
    ...flagOf(settings, 'data_dir'),
    ...(program === 'jobs' ? [] : [...flagOf(settings, 'ops_store'), ...flagOf(settings, 'seal_key_file')]),
  ];
  return [`npm run ${program} --`, operands, ...flags.map(shellWord)].join(' ');
}

/**
 * Below the programs, a message names a command alone: ``the command `verify` of the jobs``. The program that prints the message completes
 * it here. What is published or sent to callers of the API is never completed, because it must not name folders of the operator.
 */
export const withCommands = (text: string, use: FolderUse): string =>
  text.replaceAll(
    /the command `([^`]+)` of the (jobs|server|keys)\b/gi,
    (_, operands: string, program: Program) => `\`${commandFor(use, operands, program)}\``,
  );

/** Nothing for a value that the program also has by default. */
function flagOf(settings: FolderUse['settings'], name: keyof FolderUse['settings']): readonly string[] {
  const value = settings[name];
  const usual = SETTINGS.find((setting) => setting.name === name)?.default;
  if (value === undefined || value === String(usual).replaceAll('{data_dir}', settings.data_dir)) return [];
  return [`--${name.replaceAll('_', '-')}`, value];
}

/** As a word of a POSIX shell. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
