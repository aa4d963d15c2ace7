// What `doctor` finds: how urgent it is, what is wrong and what to do.

export const URGENCIES = ['critical', 'warning', 'notice'] as const;

export interface Finding {
  /** `critical`: data is lost, wrong or not delivered, or soon will be. `warning`: it will be without attention. `notice`: worth knowing. */
  readonly urgency: (typeof URGENCIES)[number];
  readonly check: string;
  readonly problem: string;
  readonly todo: string;
}

export type Findings = readonly Omit<Finding, 'check'>[];

export interface Check {
  readonly name: string;
  /** Changes nothing. May throw: what could not be checked is a finding too. */
  readonly find: () => Promise<Findings>;
}

export interface Diagnosis {
  /** By urgency; within one urgency, in the order of the checks. */
  readonly findings: readonly Finding[];
  /** Names of all checks, and whether each could be carried out. */
  readonly checks: readonly { readonly name: string; readonly state: 'ok' | 'found' | 'unknown' }[];
}

export async function diagnose(checks: readonly Check[]): Promise<Diagnosis> {
  const findings: Finding[] = [];
  const states: Diagnosis['checks'][number][] = [];
  for (const { name, find } of checks) {
    try {
      const found = await find();
      findings.push(...found.map((finding) => ({ ...finding, check: name })));
      states.push({ name, state: found.length === 0 ? 'ok' : 'found' });
    } catch (error) {
      findings.push({ ...unknown(error), check: name });
      states.push({ name, state: 'unknown' });
    }
  }
  const rank = ({ urgency }: Finding) => URGENCIES.indexOf(urgency);
  return { findings: findings.toSorted((a, b) => rank(a) - rank(b)), checks: states };
}

const unknown = (error: unknown): Findings[number] => ({
  urgency: 'critical',
  problem: `it could not be checked: ${error instanceof Error ? error.message : String(error)}`,
  todo: 'Correct what the message names, and run doctor again.',
});

export const critical = (problem: string, todo: string): Findings[number] => ({
  urgency: 'critical',
  problem,
  todo,
});
export const warning = (problem: string, todo: string): Findings[number] => ({
  urgency: 'warning',
  problem,
  todo,
});
export const notice = (problem: string, todo: string): Findings[number] => ({
  urgency: 'notice',
  problem,
  todo,
});
