// The settings as they are written down for people: the README's table and `.env.example`, both made from the list of settings.
import { expectation } from '../../schemas/read-setting.ts';
import { SETTINGS } from '../../schemas/settings.ts';

const CONFIG_HELP =
  'Configuration file (JSON): settings in lower case, and the sections `sources` and `policy`';

/** One row a setting, as GitHub shows it. */
export function settingsTable(): string {
  const rows = SETTINGS.map((spec) => {
    const values = spec.kind === 'string' ? '' : ` (${expectation(spec)})`;
    const preset = spec.default === '' ? '' : `\`${spec.default}\``;
    return `| \`${spec.name.toUpperCase()}\` | ${preset} | ${spec.help}${values} |`;
  });
  return [
    '| Setting | Default | What for |',
    '|---|---|---|',
    `| \`CONFIG\` | | ${CONFIG_HELP} |`,
    ...rows,
    '',
  ].join('\n');
}

/** Every setting with its default, commented out. */
export function dotEnvExample(): string {
  const head = '# Copy to .env and remove the # of what you change. Names and values are checked at start.\n';
  const entries = [{ name: 'config', default: '', help: CONFIG_HELP }, ...SETTINGS].map((spec) => {
    const preset = /[\s#]/.test(spec.default) ? `"${spec.default}"` : spec.default;
    return `\n# ${spec.help}\n#${spec.name.toUpperCase()}=${preset}\n`;
  });
  return [head, ...entries].join('');
}
