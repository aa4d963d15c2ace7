// Applies individual policy values from the command line to the policy section of the configuration file.
import { UsageError } from '../../launch/cli/usage-error.ts';

export interface PolicyChange {
  /** Dotted path in the policy, such as `anomaly.tvl_change`; `threshold` stands for the threshold of the event type. */
  readonly name: string;
  /** As typed: JSON if it parses, plain text otherwise. */
  readonly value: string;
}

type Section = { readonly [name: string]: unknown };

/** The section with the changes applied, unchecked. `threshold` is the path that the name `threshold` stands for; null if there is none. */
export function changedSection(
  section: unknown,
  changes: readonly PolicyChange[],
  threshold: string | null,
): Section {
  return changes.reduce<Section>((changed, { name, value }) => {
    const path = name === 'threshold' ? threshold : name;
    if (path === null)
      throw new UsageError(
        '--set threshold: this event type has no single threshold; give the path of a policy value.',
      );
    return withValue(changed, path.split('.'), valueTyped(value));
  }, asSection(section));
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
