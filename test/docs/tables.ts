// The generated tables of docs/, each from the definition that the programs use.
import { ERRORS } from '../../schemas/errors.ts';
import { EVENT_CATALOGUE } from '../../schemas/events.ts';
import { PLANS, SCOPES } from '../../schemas/plans.ts';
import { resolutionsOf, type SeriesDefinition } from '../../schemas/series.ts';
import { CLOSE_CODES } from '../../schemas/stream.ts';
import type { Access } from '../../server/define/caller.ts';
import type { Endpoint } from '../../server/define/endpoint.ts';
import { ENDPOINTS } from '../../server/endpoints.ts';
import { TOOLS } from '../../server/mcp/tools.ts';
import { COMMAND_TABLES } from './command-tables.ts';
import { hostTable } from './host-table.ts';
import { markdownTable } from './markdown-table.ts';
import { policyTable } from './policy-table.ts';
import { RESOURCE_TABLES } from './resource-tables.ts';
import { settingsTable } from './settings-text.ts';

const code = (text: string) => `\`${text}\``;
const count = (value: number) => value.toLocaleString('en');

function accessOf(access: Access): string {
  if (access === 'open') return 'open';
  return `${access.plan}, ${[access.scope, ...(access.moreScopes ?? [])].map(code).join(' ')}`;
}

/** `/v2/webhooks/:id` as the contract writes it: `/v2/webhooks/{id}`. */
const written = ({ method, path }: Endpoint) => code(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`);

const endpointTable = () =>
  markdownTable(
    ['Endpoint', 'Access', 'What it returns or does'],
    ENDPOINTS.map((endpoint) => [written(endpoint), accessOf(endpoint.access), endpoint.summary]),
  );

/** Columns with their units; the unit of several in a row is named after the last. */
function columnsText({ columns }: SeriesDefinition): string {
  const entries = Object.entries(columns).map(([name, { unit }]) => ({ name, unit }));
  return entries
    .map(({ name, unit }, index) =>
      unit === null || entries[index + 1]?.unit === unit ? code(name) : `${code(name)} (${unit})`,
    )
    .join(', ');
}

const historyTable = () =>
  markdownTable(
    ['Endpoint', 'Dataset', 'Resolutions', 'Columns'],
    ENDPOINTS.flatMap((endpoint) =>
      (endpoint.histories ?? []).map((history) => [
        written(endpoint),
        code(history.dataset),
        resolutionsOf(history).map(code).join(' '),
        columnsText(history),
      ]),
    ),
  );

const toolTable = () =>
  markdownTable(
    ['Tool', 'Access', 'Arguments'],
    TOOLS.map(({ name, access, input }) => [
      code(name),
      accessOf(access),
      Object.keys(input.properties)
        .map((argument) => (input.required?.includes(argument) ? `**${code(argument)}**` : code(argument)))
        .join(' '),
    ]),
  );

const errorTable = () =>
  markdownTable(
    ['Code', 'HTTP', 'Body', 'Message'],
    Object.entries(ERRORS).map(([name, { http, body, message }]) => [code(name), `${http}`, body, message]),
  );

const dataMembers = ({ data }: (typeof EVENT_CATALOGUE)[number]) =>
  Object.keys((data as { properties?: object }).properties ?? {})
    .map(code)
    .join(', ');

const eventTable = () =>
  markdownTable(
    ['Type', 'Severity', 'Fires when', '`subject_id`', 'Members of `data`'],
    EVENT_CATALOGUE.map((event) => [
      code(event.type),
      event.severities.join(', ') + (event.severity_rule === undefined ? '' : `: ${event.severity_rule}`),
      event.summary,
      code(event.subject),
      dataMembers(event),
    ]),
  );

const PLAN_COLUMNS = {
  requests_per_minute: 'Requests per minute',
  replay_window_days: 'Replay, days',
  stream_connections: 'Stream connections',
  webhook_subscriptions: 'Webhooks',
  monte_carlo_runs_per_month: 'Monte Carlo runs per month',
  simulator_runs_per_month: 'Simulator runs per month',
} as const;

const planTable = () =>
  markdownTable(
    ['Plan', ...Object.values(PLAN_COLUMNS)],
    Object.entries(PLANS).map(([name, plan]) => [
      name,
      ...(Object.keys(PLAN_COLUMNS) as (keyof typeof PLAN_COLUMNS)[]).map((column) => count(plan[column])),
    ]),
  );

const closeCodeTable = () =>
  markdownTable(
    ['Code', 'Meaning'],
    Object.entries(CLOSE_CODES).map(([closeCode, meaning]) => [closeCode, meaning]),
  );

export const TABLES: Readonly<Record<string, () => string>> = {
  'agent-tools': toolTable,
  'close-codes': closeCodeTable,
  endpoints: endpointTable,
  errors: errorTable,
  events: eventTable,
  histories: historyTable,
  hosts: hostTable,
  plans: planTable,
  policy: policyTable,
  scopes: () => `${SCOPES.map(code).join(' ')}\n`,
  settings: settingsTable,
  ...COMMAND_TABLES,
  ...RESOURCE_TABLES,
};
