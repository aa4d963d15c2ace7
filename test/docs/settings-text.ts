// The settings as documentation: the table of docs/configuration.md, and `.env.example`.
import { expectation } from '../../platform/settings/load-settings.ts';
import type { SettingSpec } from '../../platform/settings/setting-spec.ts';
import { SETTING_GROUPS } from '../../platform/settings/settings.ts';
import { markdownTable } from './markdown-table.ts';

const CONFIG_HELP =
  'Configuration file (JSON): settings in lower case, and the sections `sources` and `policy`';

const CONFIG_ROW = ['`CONFIG`', '', CONFIG_HELP];

/** A table for each group, under its heading. */
export function settingsTable(): string {
  return SETTING_GROUPS.map(({ title, settings }, index) => {
    const rows = settings.map(settingRow);
    const table = markdownTable(
      ['Setting', 'Default', 'Meaning'],
      index === 0 ? [CONFIG_ROW, ...rows] : rows,
    );
    return `### ${title}\n\n${table}`;
  }).join('\n');
}

const settingRow = (spec: SettingSpec): readonly string[] => [
  `\`${spec.name.toUpperCase()}\``,
  spec.default === '' ? '' : `\`${spec.default}\``,
  spec.help + (spec.kind === 'string' ? '' : ` (${expectation(spec)})`),
];

/** Every setting with its default, commented out. */
export function dotEnvExample(): string {
  const head =
    '# Copy to .env and remove the # from the lines you change. Names and values are checked at start.\n';
  return [
    head,
    entryOf({ name: 'config', default: '', help: CONFIG_HELP }),
    ...SETTING_GROUPS.flatMap(({ title, settings }) => [`\n## ${title}\n`, ...settings.map(entryOf)]),
  ].join('');
}

function entryOf(spec: Pick<SettingSpec, 'name' | 'default' | 'help'>): string {
  const preset = /[\s#]/.test(spec.default) ? `"${spec.default}"` : spec.default;
  return `\n# ${spec.help}\n#${spec.name.toUpperCase()}=${preset}\n`;
}
