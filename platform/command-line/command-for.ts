// The command line of a command for one data folder and configuration, so that it can be copied from a message.
import { SETTINGS, type Settings } from '../settings/settings.ts';

export interface FolderUse {
  readonly settings: Pick<Settings, 'data_dir' | 'profile'>;
  /** Configuration file as given, or null. */
  readonly config_path: string | null;
}

/** `words`: the command and its own flags, such as `reland --source my-rounds`. */
export function commandFor({ config_path, settings }: FolderUse, operands: string): string {
  const { data_dir, profile } = settings;
  const flags = [
    ...(config_path === null ? [] : ['--config', shellWord(config_path)]),
    ...(config_path === null && profile !== defaultOf('profile') ? ['--profile', profile] : []),
    ...(data_dir === defaultOf('data_dir') ? [] : ['--data-dir', shellWord(data_dir)]),
  ];
  return ['npm run jobs --', operands, ...flags].join(' ');
}

const defaultOf = (name: string) => SETTINGS.find((setting) => setting.name === name)?.default;

/** As a word of a POSIX shell. */
export const shellWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
