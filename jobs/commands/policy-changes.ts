// Applies individual policy values from the command line to the policy section of the configuration file.
import { UsageError } from '../../platform/command-line/usage-error.ts';

export interface PolicyChange {
  /** Dotted path in the policy, such as `anomaly.tvl_change`; `threshold` stands for the threshold of the event type. */
  readonly name: string;
  /** As typed: JSON if it parses, plain text otherwise. */
  readonly value: string;
}

type Section = { readonly [name: string]: unknown };

/** What the name `threshold` stands for. */
export interface ThresholdOfType {
  readonly type: string;
  /** Null if the type has no single threshold. */
  readonly path: string | null;
  /** Paths of the values that govern the type. */
  readonly names: readonly string[];
}

const MAX_LISTED = 12;

/** The section with the changes applied, unchecked. @throws UsageError for `threshold` if there is none, with the paths that there are */
export function changedSection(
  section: unknown,
  changes: readonly PolicyChange[],
  threshold: ThresholdOfType,
): Section {
  return changes.reduce<Section>((changed, { name, value }) => {
    const path = name === 'threshold' ? threshold.path : name;
    if (path === null) throw new UsageError(noThreshold(threshold, value));
    return withValue(changed, path.split('.'), valueTyped(value));
  }, asSection(section));
}

function noThreshold({ type, names }: ThresholdOfType, value: string): string {
  const start = `--set threshold: ${type} has no single threshold`;
  const [first] = names;
  if (first === undefined) return `${start}, and no policy value of its own.`;
  const listed = names.slice(0, MAX_LISTED).map((name) => `  ${name}`);
  const more =
    names.length > MAX_LISTED
      ? [`  and ${names.length - MAX_LISTED} more: GET /v2/event-types lists them.`]
      : [];
  return [`${start}; name one of its values, for example --set ${first}=${value}:`, ...listed, ...more].join(
    '\n',
  );
}

const asSection = (value: unknown): Section =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Section) : {};

function withValue(section: Section, path: readonly string[], value: unknown): Section {
  const [head = '', ...rest] = path;
  if (rest.length === 0) return { ...section, [head]: value };
  // Names of event types contain dots, so the cooldown of one type is a single member.
  if (head === 'cooldown_s')
    return { ...section, [head]: { ...asSection(section[head]), [rest.join('.')]: value } };
  return { ...section, [head]: withValue(asSection(section[head]), rest, value) };
}

function valueTyped(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
