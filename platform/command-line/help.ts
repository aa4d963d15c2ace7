// Help texts, generated from the definition of a program and the list of settings.
import { CONFIG, environmentName, flagName } from '../settings/setting-layers.ts';
import { SETTING_GROUPS } from '../settings/settings.ts';
import type { SettingSpec } from '../settings/setting-spec.ts';
import type { CommandSpec, FlagSpec, ProgramSpec } from './define-program.ts';

const WIDTH = 110;
const INDENT = 2;
const MAX_LABEL = 34;

/** All commands, the settings and the notes. */
export const programHelp = (program: ProgramSpec): string =>
  [...usageLines(program, Object.keys(program.commands)), '', ...settingsLines(), ...notesOf(program)].join(
    '\n',
  );

/** Commands that start with the same word, and the notes. */
export const groupHelp = (program: ProgramSpec, names: readonly string[]): string =>
  [...usageLines(program, names), '', whereSettingsAre(program), ...notesOf(program)].join('\n');

/** A few lines, printed below the error message about a command line. */
export function programUsage({ invocation, commands, defaultCommand }: ProgramSpec): string {
  const names = Object.keys(commands);
  return [
    `Usage: ${invocation} ${placeholder(defaultCommand)} [flags]`,
    ...(names.length === 1
      ? [`Flags, settings and examples: ${invocation} --help`]
      : [
          ...wrap(`Commands: ${names.join(', ')}`, WIDTH),
          `Flags and examples: ${invocation} <command> --help. Settings: ${invocation} --help`,
        ]),
  ].join('\n');
}

const placeholder = (defaultCommand: string | null) => (defaultCommand === null ? '<command>' : '[command]');

/** One command with its words, flags and examples, and the notes. Settings appear only in the help of the program. */
export function commandHelp(program: ProgramSpec, name: string, spec: CommandSpec): string {
  return [
    `Usage: ${usageOf(program, name, spec)}`,
    '',
    ...wrap(spec.description, WIDTH),
    ...section(
      'Arguments',
      spec.operands.map((word) => [word.name, word.description]),
    ),
    ...section('Flags', [...Object.entries(spec.flags).map(([flag, one]) => flagRow(flag, one)), HELP_ROW]),
    ...section(
      'Examples',
      spec.examples.map((example) => [example, '']),
    ),
    '',
    ...(isOnlyCommand(program) ? settingsLines() : [whereSettingsAre(program)]),
    ...notesOf(program),
  ].join('\n');
}

const whereSettingsAre = ({ invocation }: ProgramSpec): string =>
  `Settings, for example --data-dir, are flags as well: ${invocation} --help`;

/** The help of a program with one command is the help of that command. */
export const isOnlyCommand = ({ commands }: ProgramSpec): boolean => Object.keys(commands).length === 1;

/** `npm run jobs -- retract --to VERSION` */
export function usageOf(program: ProgramSpec, name: string, { operands, flags }: CommandSpec): string {
  const shownName = name === program.defaultCommand ? [] : [name];
  const shownOperands = operands.map((word) => (word.isRequired ? word.name : `[${word.name}]`));
  const shownFlags = Object.entries(flags).map(([flag, spec]) => {
    const text = withValue(flag, spec);
    return spec.isRequired ? text : `[${text}${spec.isRepeatable ? ' …' : ''}]`;
  });
  return [program.invocation, ...shownName, ...shownOperands, ...shownFlags].join(' ').replace(/ --$/, '');
}

type Row = readonly [label: string, text: string];

const HELP_ROW: Row = ['--help', 'Print this help'];

function usageLines(program: ProgramSpec, names: readonly string[]): string[] {
  const rows = names.flatMap((name): Row[] => {
    const spec = program.commands[name];
    return spec === undefined ? [] : [[name, spec.description]];
  });
  return [
    `Usage: ${program.invocation} ${placeholder(program.defaultCommand)} [flags]`,
    '',
    ...wrap(program.description, WIDTH),
    ...section('Commands', rows),
  ];
}

function settingsLines(): string[] {
  const width = labelWidth(
    SETTING_GROUPS.flatMap(({ settings }) => settings.map(({ name }) => settingLabel(name))),
  );
  return [
    'Settings, as a flag, an environment variable, a line of .env or a member of the configuration file [default]:',
    ...table([[settingLabel(CONFIG), 'Configuration file, JSON']], width),
    ...SETTING_GROUPS.flatMap(({ title, settings }) => section(title, settings.map(settingRow), width)),
  ];
}

const settingLabel = (name: string) => `${flagName(name)} (${environmentName(name)})`;

const settingRow = ({ name, default: usual, help }: SettingSpec): Row => [
  settingLabel(name),
  `${plain(help)} [${usual === '' ? 'empty' : usual}]`,
];

const notesOf = ({ notes }: ProgramSpec): string[] =>
  notes.length === 0 ? [] : ['', ...notes.flatMap((note) => wrap(note, WIDTH))];

const section = (title: string, rows: readonly Row[], width?: number): string[] =>
  rows.length === 0 ? [] : ['', `${title}:`, ...table(rows, width)];

function flagRow(name: string, spec: FlagSpec): Row {
  const usual = spec.default === undefined ? '' : ` [${spec.default}]`;
  const more = [spec.isRequired ? 'required' : '', spec.isRepeatable ? 'repeatable' : ''].filter(Boolean);
  return [
    withValue(name, spec),
    `${spec.description}${more.length === 0 ? '' : ` (${more.join(', ')})`}${usual}`,
  ];
}

const withValue = (name: string, { type, value, choices }: FlagSpec): string =>
  type === 'boolean' ? `--${name}` : `--${name} ${choices?.join('|') ?? value ?? 'VALUE'}`;

const labelWidth = (labels: readonly string[]): number =>
  Math.min(MAX_LABEL, Math.max(...labels.map(({ length }) => length)));

/** A label that is too long takes a line of its own. */
function table(rows: readonly Row[], width = labelWidth(rows.map(([label]) => label))): string[] {
  const margin = ' '.repeat(INDENT + width + 2);
  return rows.flatMap(([label, text]) => {
    const lines = wrap(text, WIDTH - margin.length);
    const own = `${' '.repeat(INDENT)}${label}`;
    if (text === '') return [own];
    if (label.length > width) return [own, ...lines.map((line) => margin + line)];
    return lines.map((line, index) => (index === 0 ? own.padEnd(margin.length) : margin) + line);
  });
}

/** Descriptions of settings are Markdown, for the documentation. */
const plain = (markdown: string) => markdown.replaceAll('`', '');

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
