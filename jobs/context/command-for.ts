// The command line of a command for the data folder and configuration that this process works with, so that a message can be copied.
import { SETTINGS } from '../../schemas/settings.ts';
import type { Config } from '../config.ts';

type Named = Pick<Config, 'config_path'> & {
  readonly settings: Pick<Config['settings'], 'data_dir' | 'profile'>;
};

/** `words`: the command and its own flags, such as `reland --source my-rounds`. */
export function commandFor({ config_path, settings }: Named, words: string): string {
  const { data_dir, profile } = settings;
  const flags = [
    ...(config_path === null ? [] : ['--config', quotedWord(config_path)]),
    ...(config_path === null && profile !== defaultOf('profile') ? ['--profile', profile] : []),
    ...(data_dir === defaultOf('data_dir') ? [] : ['--data-dir', quotedWord(data_dir)]),
  ];
  return ['npm run jobs --', words, ...flags].join(' ');
}

const defaultOf = (name: string) => SETTINGS.find((setting) => setting.name === name)?.default;

/** As a word of a POSIX shell. */
const quotedWord = (word: string): string =>
  /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
