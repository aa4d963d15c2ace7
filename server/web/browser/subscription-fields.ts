// A webhook subscription as fields of a form: what each format needs, what the form sends, and which field an error is about.

export const FORMATS = [
  'standard',
  'cloudevents',
  'slack',
  'discord',
  'telegram',
  'teams',
  'pagerduty',
  'alertmanager',
] as const;
export type Format = (typeof FORMATS)[number];
export const SEVERITIES = ['info', 'warn', 'high', 'critical'] as const;

/** Addresses to copy, whose example is also what the service expects. */
export const ADDRESSES: Readonly<Record<Format, string>> = {
  standard: 'https://hooks.example.com/risk',
  cloudevents: 'https://hooks.example.com/risk',
  slack: 'https://hooks.slack.com/services/T…/B…/…',
  discord: 'https://discord.com/api/webhooks/<id>/<token>',
  telegram: 'https://api.telegram.org/bot<token>/sendMessage',
  teams: 'https://….logic.azure.com/workflows/…',
  pagerduty: 'https://events.pagerduty.com/v2/enqueue',
  alertmanager: 'https://<your Alertmanager>/api/v2/alerts',
};

/** Whether the receiver checks signatures; the addresses of all others are secrets. */
export const isSigned = (format: string): boolean => format === 'standard' || format === 'cloudevents';

export interface Subscription {
  readonly id: string;
  readonly url: string;
  readonly format: string;
  readonly events: readonly string[];
  readonly min_severity: string | null;
  readonly protocols: readonly string[] | null;
  readonly chains: readonly string[] | null;
  readonly subjects: readonly string[] | null;
  readonly grouping: { readonly minutes: number } | null;
  readonly quiet_hours: {
    readonly from: string;
    readonly to: string;
    readonly time_zone: string;
    readonly always_send: readonly string[];
  } | null;
  readonly description: string | null;
  readonly status: string;
}

/** Lists have one entry a line; commas separate too, which no name has. */
const listOf = (text: string): readonly string[] | null => {
  const entries = text.split(/[\n,]/).flatMap((entry) => entry.trim() || []);
  return entries.length === 0 ? null : entries;
};

/**
 * The body of a request. For a new subscription without what is empty; for a change, what is empty is removed, and an address or a key that
 * is not entered stays as it is.
 */
export function bodyOf(form: FormData, before: Subscription | undefined): Record<string, unknown> {
  const text = (name: string) => String(form.get(name) ?? '').trim();
  const optional = (name: string) => text(name) || null;
  const body: Record<string, unknown> = {
    format: text('format'),
    url: text('url'),
    routing_key: text('routing_key'),
    chat_id: text('chat_id'),
    events: form.getAll('events').map(String),
    min_severity: optional('min_severity'),
    protocols: listOf(text('protocols')),
    chains: listOf(text('chains')),
    subjects: listOf(text('subjects')),
    grouping: text('grouping/minutes') === '' ? null : { minutes: Number(text('grouping/minutes')) },
    quiet_hours: quietHours(form),
    description: optional('description'),
    status: text('status'),
  };
  if (before !== undefined) delete body['format'];
  const isOmitted = (name: string, value: unknown) =>
    value === '' ||
    (before === undefined && value === null && name !== 'url') ||
    (name === 'url' && value === before?.url);
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isOmitted(name, value)));
}

function quietHours(form: FormData): object | null {
  const [from, to] = [String(form.get('quiet_hours/from') ?? ''), String(form.get('quiet_hours/to') ?? '')];
  if (from === '' && to === '') return null;
  return {
    time_zone: String(form.get('quiet_hours/time_zone') ?? '').trim(),
    // A time that is missing is sent as it is, so that the service says what it expects.
    from,
    to,
    always_send: form.getAll('quiet_hours/always_send').map(String),
  };
}

interface WrongField {
  readonly field: string;
  readonly problem: string;
}

/** The problems by the field of the form that they are about: the longest name that a reported path begins with. */
export function problemsByField(
  fields: readonly WrongField[],
  names: readonly string[],
): { readonly known: ReadonlyMap<string, string>; readonly others: readonly string[] } {
  const known = new Map<string, string>();
  const others: string[] = [];
  for (const { field, problem } of fields) {
    const [name] = names
      .filter((one) => field === one || field.startsWith(`${one}/`) || one.startsWith(`${field}/`))
      .toSorted((a, b) => b.length - a.length);
    if (name === undefined) others.push(`${field} ${problem}`);
    else known.set(name, problem);
  }
  return { known, others };
}
