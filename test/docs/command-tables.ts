// The commands and flags of docs/operations.md, one table per program, from the definitions that parse the command lines.
import { commandRows } from './programs.ts';
import { markdownTable } from './markdown-table.ts';

type Flag = ReturnType<typeof commandRows>[number]['flags'][number];

function flagText({ name, value, description, choices, default: preset }: Flag): string {
  const form = value === undefined ? `--${name}` : `--${name} ${value}`;
  const facts = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(preset === undefined ? [] : [`default \`${preset}\``]),
  ];
  return `\`${form}\` ${description}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
}

const tableOf = (program: string): string =>
  markdownTable(
    ['Command', 'What it does', 'Arguments and flags'],
    commandRows()
      .filter((row) => row.program === program)
      .map(({ usage, description, words, flags }) => [
        `\`${usage}\``,
        description,
        [...words.map((word) => `\`${word.name}\` ${word.description}`), ...flags.map(flagText)].join('<br>'),
      ]),
  );

const programs = [...new Set(commandRows().map(({ program }) => program))];

export const COMMAND_TABLES: Readonly<Record<string, () => string>> = Object.fromEntries(
  programs.map((program) => [`commands-${program}`, () => tableOf(program)]),
);
