// Help texts, generated from the definition of a program and the list of settings.
import { CONFIG, environmentName, flagName } from '../../schemas/setting-layers.ts';
import { SETTINGS } from '../../schemas/settings.ts';
import type { CommandSpec, FlagSpec, ProgramSpec } from './define-program.ts';

const WIDTH = 110;
const INDENT = 2;
const MAX_LABEL = 34;

/** All commands or those of a group, the settings and the notes. */
export function programHelp(program: ProgramSpec, names = Object.keys(program.commands)): string {
  return [...usageLines(program, names), '', ...settingsLines(), ...notesOf(program)].join('\n');
}

/** A few lines, shown below the problem with a command line. */
export function programUsage({ invocation, commands, defaultCommand }: ProgramSpec): string {
  const names = Object.keys(commands);
  return [
    `Usage: ${invocation} ${placeholder(defaultCommand)} [flags]`,
    ...(names.length === 1 ? [] : wrap(`Commands: ${names.join(', ')}`, WIDTH)),
    `Flags, settings and examples: ${invocation}${names.length === 1 ? '' : ' <command>'} --help`,
  ].join('\n');
}

const placeholder = (defaultCommand: string | null) => (defaultCommand === null ? '<command>' : '[command]');

/** One command with its words, flags and examples, the settings and the notes. */
export function commandHelp(program: ProgramSpec, name: string, spec: CommandSpec): string {
  return [
    `Usage: ${usageOf(program, name, spec)}`,
    '',
    ...wrap(spec.description, WIDTH),
    ...section(
      'Arguments',
      spec.words.map((word) => [word.name, word.description]),
    ),
    ...section('Flags', [...Object.entries(spec.flags).map(([flag, one]) => flagRow(flag, one)), HELP_ROW]),
    ...section(
      'Examples',
      spec.examples.map((example) => [example, '']),
    ),
    '',
    ...settingsLines(),
    ...notesOf(program),
  ].join('\n');
}

/** `npm run jobs -- retract --to VERSION` */
export function usageOf(program: ProgramSpec, name: string, { words, flags }: CommandSpec): string {
  const shownName = name === program.defaultCommand ? [] : [name];
  const shownWords = words.map((word) => (word.isRequired ? word.name : `[${word.name}]`));
  const shownFlags = Object.entries(flags).map(([flag, spec]) => {
    const text = withValue(flag, spec);
    return spec.isRequired ? text : `[${text}${spec.isRepeatable ? ' …' : ''}]`;
  });
  return [program.invocation, ...shownName, ...shownWords, ...shownFlags].join(' ').replace(/ --$/, '');
}

type Row = readonly [label: string, text: string];

const HELP_ROW: Row = ['--help', 'Print this text'];

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
  const rows = SETTINGS.map(({ name, default: usual, help }): Row => {
    const flag = `${flagName(name)} (${environmentName(name)})`;
    return [flag, `${plain(help)} [${usual === '' ? 'empty' : usual}]`];
  });
  const config: Row = [`${flagName(CONFIG)} (${environmentName(CONFIG)})`, 'Configuration file, JSON'];
  return [
    'Settings, as a flag, an environment variable, a line of .env or a member of the configuration file [default]:',
    ...table([config, ...rows]),
  ];
}

const notesOf = ({ notes }: ProgramSpec): string[] =>
  notes.length === 0 ? [] : ['', ...notes.flatMap((note) => wrap(note, WIDTH))];

const section = (title: string, rows: readonly Row[]): string[] =>
  rows.length === 0 ? [] : ['', `${title}:`, ...table(rows)];

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

/** A label that is too long gets its own line. */
function table(rows: readonly Row[]): string[] {
  const width = Math.min(MAX_LABEL, Math.max(...rows.map(([label]) => label.length)));
  const margin = ' '.repeat(INDENT + width + 2);
  return rows.flatMap(([label, text]) => {
    const lines = wrap(text, WIDTH - margin.length);
    const own = `${' '.repeat(INDENT)}${label}`;
    if (text === '') return [own];
    if (label.length > width) return [own, ...lines.map((line) => margin + line)];
    return lines.map((line, index) => (index === 0 ? own.padEnd(margin.length) : margin) + line);
  });
}

/** Settings are described in Markdown, for the documentation. */
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
