// The table of policy values of docs/configuration.md, from the definitions of the policies.
import { describedPolicy } from './describe-policy.ts';
import { markdownTable } from './markdown-table.ts';

const MAX_DEFAULT_CHARACTERS = 80;

/** Long lists are described by their members; their defaults are in the definition. */
const shownDefault = (text: string | null) =>
  text === null || text === 'null' || text.length > MAX_DEFAULT_CHARACTERS ? '' : `\`${text}\``;

export const policyTable = (): string =>
  markdownTable(
    ['Value', 'Type', 'Default', 'Limits', 'Meaning'],
    describedPolicy().map(({ name, type, default: preset, limits, description }) => [
      `\`${name}\``,
      type,
      shownDefault(preset),
      limits,
      description,
    ]),
  );
