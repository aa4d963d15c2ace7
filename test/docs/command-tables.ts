// The commands and flags of docs/operations.md, one table per program, from the definitions that parse the command lines.
import { commandRows } from './programs.ts';
import { markdownTable } from './markdown-table.ts';

type Flag = ReturnType<typeof commandRows>[number]['flags'][number];

const formOf = ({ name, value }: Flag) => (value === undefined ? `\`--${name}\`` : `\`--${name} ${value}\``);

function meaningOf({ description, choices, default: preset }: Flag): string {
  const facts = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(preset === undefined ? [] : [`default \`${preset}\``]),
  ];
  return `${description}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
}

const tableOf = (program: string): string =>
  markdownTable(
    ['Command', 'Arguments and flags', 'What it does'],
    commandRows()
      .filter((row) => row.program === program)
      .flatMap(({ usage, description, words, flags }) => [
        [`\`${usage}\``, '', description],
        ...words.map((word) => ['', `\`${word.name}\``, word.description]),
        ...flags.map((flag) => ['', formOf(flag), meaningOf(flag)]),
      ]),
  );

const programs = [...new Set(commandRows().map(({ program }) => program))];

export const COMMAND_TABLES: Readonly<Record<string, () => string>> = Object.fromEntries(
  programs.map((program) => [`commands-${program}`, () => tableOf(program)]),
);
