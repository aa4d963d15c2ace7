// Two Grafana dashboards as code: the service itself, from what Prometheus scrapes, and its data, from its HTTP API through the data source
// Infinity. `npm run dashboards` writes them as JSON next to this file; tests run every expression and every request.
import { writeFileSync } from 'node:fs';
import type { Builder, Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table';
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries';

const FOLDER = new URL('./', import.meta.url);
const variable = (name: string): string => `\${${name}}`;
const PROMETHEUS = { type: 'prometheus', uid: variable('prometheus') };
const INFINITY = { type: 'yesoreyeram-infinity-datasource', uid: variable('infinity') };
/** Of 24 columns. */
const HALF = 12;

// The service, from its metrics.

interface MetricPanel {
  readonly title: string;
  /** What it means, and when to act. */
  readonly description: string;
  readonly expr: string;
  /** Of a series, with its labels in double braces. */
  readonly legend: string;
  readonly unit?: string;
}

const metric = ({ title, description, expr, legend, unit = 'short' }: MetricPanel) =>
  new TimeseriesBuilder()
    .title(title)
    .description(description)
    .datasource(PROMETHEUS)
    .unit(unit)
    .min(0)
    .span(HALF)
    .withTarget(new DataqueryBuilder().expr(expr).legendFormat(legend));

const fact = (title: string, expr: string, { unit = 'short', red }: { unit?: string; red?: number } = {}) =>
  new StatBuilder()
    .title(title)
    .datasource(PROMETHEUS)
    .unit(unit)
    .span(4)
    .thresholds(
      new ThresholdsConfigBuilder()
        .mode(ThresholdsMode.Absolute)
        .steps([
          { value: null, color: 'green' },
          ...(red === undefined ? [] : [{ value: red, color: 'red' }]),
        ]),
    )
    .withTarget(new DataqueryBuilder().expr(expr).instant());

/** None is 0 only while a server says so: without one, nothing is known of sources. */
const SOURCES_NOT_READ =
  'count(min by (source) (source_up{job="risk-data"}) == 0) or 0 * count(ready{job="risk-data"} == 1)';

// What all servers say of the same data counts once: `max by` comes before any sum.
const SERVICE: readonly MetricPanel[] = [
  {
    title: 'Requests a second',
    description: 'By status. Many 429 or 401 are callers; 5xx are ours.',
    expr: 'sum by (status) (rate(http_requests_total{job="risk-data"}[5m]))',
    legend: '{{status}}',
    unit: 'reqps',
  },
  {
    title: 'Slowest endpoints, 99th percentile',
    description: 'Time until the response was handed to the socket, the five slowest.',
    expr: 'topk(5, histogram_quantile(0.99, sum by (le, route) (rate(http_request_duration_seconds_bucket{job="risk-data"}[5m]))))',
    legend: '{{route}}',
    unit: 's',
  },
  {
    title: 'Age of datasets',
    description: 'The ten oldest. Each grows between two runs of the jobs, and returns.',
    expr: 'topk(10, max by (dataset) (dataset_age_seconds{job="risk-data"}))',
    legend: '{{dataset}}',
    unit: 's',
  },
  {
    title: 'Datasets whose quality gate does not pass',
    description:
      'Counts by verdict. A dataset with `fail` is held back: the earlier rows are served, marked.',
    expr: 'sum by (verdict) (max by (dataset, verdict) (dataset_gate{job="risk-data", verdict!="pass"}))',
    legend: '{{verdict}}',
  },
  {
    title: 'Subjects held back',
    description: 'Pairs of a dataset and a subject that a failing check keeps out of the served version.',
    expr: 'max(subjects_held_back{job="risk-data"})',
    legend: 'held back',
  },
  {
    title: 'Open conditions',
    description: 'By severity. No line means that their number is not known, not that there are none.',
    expr: 'max by (severity) (conditions_open{job="risk-data"})',
    legend: '{{severity}}',
  },
  {
    title: 'Lag of sources',
    description: 'How far reading lags behind the clock, the ten that lag most.',
    expr: 'topk(10, max by (source) (source_lag_seconds{job="risk-data"}))',
    legend: '{{source}}',
    unit: 's',
  },
  {
    title: 'Stream',
    description: 'Open connections, and events sent a second.',
    expr: 'stream_connections{job="risk-data"}',
    legend: 'connections',
  },
  {
    title: 'Webhook subscriptions',
    description: 'By status. A disabled one receives nothing until its owner enables it.',
    expr: 'max by (status) (webhook_subscriptions{job="risk-data"})',
    legend: '{{status}}',
  },
  {
    title: 'Calculations',
    description: 'Waiting for a worker. Requests are refused when the queue is full.',
    expr: 'analytics_waiting{job="risk-data"}',
    legend: 'waiting',
  },
  {
    title: 'Resident memory',
    description: 'Of the server.',
    expr: 'process_resident_memory_bytes{job="risk-data"}',
    legend: '{{instance}}',
    unit: 'bytes',
  },
];

export function serviceDashboard() {
  const dashboard = new DashboardBuilder('Risk data: the service')
    .uid('risk-data-service')
    .tags(['risk-data'])
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .timezone('utc')
    .withVariable(new DatasourceVariableBuilder('prometheus').label('Prometheus').type('prometheus'))
    .withRow(new RowBuilder('Now'))
    .withPanel(fact('Ready servers', 'sum(ready{job="risk-data"})'))
    .withPanel(
      fact('Degraded', 'max(service_status{job="risk-data", status=~"degraded|unavailable"})', { red: 1 }),
    )
    .withPanel(
      fact('Age of the served version', 'max(snapshot_age_seconds{job="risk-data"})', {
        unit: 's',
        red: 900,
      }),
    )
    .withPanel(fact('Sources not read', SOURCES_NOT_READ, { red: 1 }))
    .withPanel(
      fact('Gates that fail', 'sum(max by (dataset) (dataset_gate{job="risk-data", verdict="fail"}))', {
        red: 1,
      }),
    )
    .withPanel(
      fact('Longest failing webhook', 'max(webhook_failing_seconds{job="risk-data"})', {
        unit: 's',
        red: 3600,
      }),
    )
    .withRow(new RowBuilder('Over time'));
  for (const panel of SERVICE) dashboard.withPanel(metric(panel));
  return dashboard.build();
}

// Its data, from the API.

interface Column {
  /** Member of a record, or column of the CSV. */
  readonly selector: string;
  readonly text: string;
  readonly type: 'string' | 'number' | 'timestamp' | 'timestamp_epoch_s';
}

/** A request of the data source Infinity. */
export interface InfinityQuery {
  refId?: string;
  readonly datasource: typeof INFINITY;
  readonly type: 'json' | 'csv';
  readonly source: 'url';
  readonly parser: 'backend';
  readonly format: 'table' | 'timeseries';
  readonly url: string;
  readonly url_options: { readonly method: 'GET' };
  readonly root_selector: string;
  readonly columns: readonly Column[];
  readonly _implementsDataqueryVariant: () => void;
}

const infinity = (query: Pick<InfinityQuery, 'type' | 'url' | 'columns'> & { root?: string }) => {
  const built: InfinityQuery = {
    refId: 'A',
    datasource: INFINITY,
    type: query.type,
    source: 'url',
    parser: 'backend',
    format: query.type === 'csv' ? 'timeseries' : 'table',
    url: variable('service') + query.url,
    url_options: { method: 'GET' },
    root_selector: query.root ?? '',
    columns: query.columns,
    _implementsDataqueryVariant: () => undefined,
  };
  const builder: Builder<Dataquery> = { build: () => built as unknown as Dataquery };
  return builder;
};

const text = (selector: string, title: string): Column => ({ selector, text: title, type: 'string' });
const number = (selector: string, title: string): Column => ({ selector, text: title, type: 'number' });
const time = (selector: string, title: string): Column => ({ selector, text: title, type: 'timestamp' });
const TIME: Column = { selector: 't', text: 'Time', type: 'timestamp_epoch_s' };

const table = (
  title: string,
  description: string,
  request: { url: string; columns: readonly Column[]; root?: string },
) =>
  new TableBuilder()
    .title(title)
    .description(description)
    .datasource(INFINITY)
    .span(HALF)
    .withTarget(infinity({ type: 'json', root: 'data', ...request }));

const series = (title: string, description: string, url: string, columns: readonly Column[]) =>
  new TimeseriesBuilder()
    .title(title)
    .description(description)
    .datasource(INFINITY)
    .span(HALF)
    .withTarget(infinity({ type: 'csv', url, columns: [TIME, ...columns] }));

const PANELS = [
  table('Can the data be trusted?', 'The verdict of the service about its own inputs.', {
    url: '/v1/status',
    root: '',
    columns: [
      text('status', 'Status'),
      text('headline', 'What is known'),
      time('as_of', 'Data of'),
      text('version', 'Version'),
    ],
  }),
  table('What is wrong now', 'Open conditions, the most severe first.', {
    url: '/v2/conditions',
    columns: [
      text('severity', 'Severity'),
      text('title', 'Condition'),
      time('since', 'Since'),
      number('value_now', 'Value'),
      text('unit', 'Unit'),
      text('evidence_url', 'Evidence'),
    ],
  }),
  table('Newest events', 'Without a key 15 minutes late.', {
    url: '/v2/events?limit=50',
    columns: [
      time('ts', 'Time'),
      text('severity', 'Severity'),
      text('type', 'Event'),
      text('subject_id', 'Subject'),
      text('event_id', 'Id'),
    ],
  }),
  table('Pegs', 'A price of nothing is not known; the reason is in the API.', {
    url: '/v2/pegs',
    columns: [
      text('symbol', 'Asset'),
      text('chain', 'Chain'),
      text('state', 'State'),
      text('price', 'Price'),
      number('deviation_bps', 'Deviation, basis points'),
      number('sources', 'Sources'),
      time('observed_at', 'Observed'),
    ],
  }),
  series(
    'Peg $symbol',
    'Deviation and the limit above which a depeg is reported, basis points.',
    `/v2/pegs/${variable('chain')}/${variable('symbol')}/series?format=csv`,
    [number('deviation_bps', 'Deviation'), number('enter_bps', 'Limit')],
  ),
  series(
    'Coverage',
    'Subjects with complete data, and those whose source cannot be verified.',
    '/v2/coverage/history?format=csv',
    [number('complete', 'Complete'), number('unverifiable', 'Unverifiable'), number('stale', 'Stale')],
  ),
  table('Lending markets', 'Utilisation as a share; nothing where the source does not state it.', {
    url: '/v2/lending/markets',
    columns: [
      text('protocol', 'Protocol'),
      text('name', 'Market'),
      text('chain', 'Chain'),
      number('supplied_usd', 'Supplied, USD'),
      number('withdrawable_usd', 'Withdrawable, USD'),
      number('utilization', 'Utilisation'),
      text('oracle_status', 'Oracle'),
    ],
  }),
  table('Sources', 'Every source that is fetched, with its state.', {
    url: '/v1/status',
    root: 'sources',
    columns: [text('id', 'Source'), text('state', 'State'), time('last_read_at', 'Last read')],
  }),
];

export function dataDashboard() {
  const dashboard = new DashboardBuilder('Risk data: what is wrong')
    .uid('risk-data')
    .tags(['risk-data'])
    .refresh('1m')
    .time({ from: 'now-7d', to: 'now' })
    .timezone('utc')
    .withVariable(
      new DatasourceVariableBuilder('infinity').label('Infinity').type('yesoreyeram-infinity-datasource'),
    )
    .withVariable(
      new TextBoxVariableBuilder('service')
        .label('Address of the service')
        .defaultValue('http://127.0.0.1:8080'),
    )
    .withVariable(new TextBoxVariableBuilder('chain').label('Chain').defaultValue('ethereum'))
    .withVariable(new TextBoxVariableBuilder('symbol').label('Peg').defaultValue('USDC'));
  for (const panel of PANELS) dashboard.withPanel(panel);
  return dashboard.build();
}

/** File name and content of each dashboard. */
export const DASHBOARDS: readonly (readonly [file: string, build: () => object])[] = [
  ['service.json', serviceDashboard],
  ['data.json', dataDashboard],
];

export const asText = (dashboard: object): string => `${JSON.stringify(dashboard, null, 2)}\n`;

if (import.meta.main)
  for (const [file, build] of DASHBOARDS) writeFileSync(new URL(file, FOLDER), asText(build()));
