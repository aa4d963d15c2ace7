// The settings as documentation: the table of docs/configuration.md, and `.env.example`.
import { expectation } from '../../schemas/read-setting.ts';
import { SETTINGS } from '../../schemas/settings.ts';
import { markdownTable } from './markdown-table.ts';

const CONFIG_HELP =
  'Configuration file (JSON): settings in lower case, and the sections `sources` and `policy`';

export function settingsTable(): string {
  const rows = SETTINGS.map((spec) => [
    `\`${spec.name.toUpperCase()}\``,
    spec.default === '' ? '' : `\`${spec.default}\``,
    spec.help + (spec.kind === 'string' ? '' : ` (${expectation(spec)})`),
  ]);
  return markdownTable(['Setting', 'Default', 'Meaning'], [['`CONFIG`', '', CONFIG_HELP], ...rows]);
}

/** Every setting with its default, commented out. */
export function dotEnvExample(): string {
  const head =
    '# Copy to .env and remove the # from the lines you change. Names and values are checked at start.\n';
  const entries = [{ name: 'config', default: '', help: CONFIG_HELP }, ...SETTINGS].map((spec) => {
    const preset = /[\s#]/.test(spec.default) ? `"${spec.default}"` : spec.default;
    return `\n# ${spec.help}\n#${spec.name.toUpperCase()}=${preset}\n`;
  });
  return [head, ...entries].join('');
}
