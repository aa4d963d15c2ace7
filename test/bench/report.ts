// What a benchmark returns and how it is printed: figures, and ratios against a goal. Ratios are measured side by side because
// absolute times mean nothing on a shared machine.

export interface BenchRatio {
  readonly label: string;
  readonly value: number;
  /** For example `≥ 0.95` or `≤ 2`. */
  readonly goal: string;
}

export interface BenchReport {
  readonly name: string;
  /** Named measurements with their unit in the name: `answers_per_cpu_second`. */
  readonly figures: { readonly [label: string]: number | string };
  readonly ratios: readonly BenchRatio[];
  /** Lines printed after the tables. */
  readonly notes?: readonly string[];
}

/** Whether a ratio reaches its goal; null when the goal is not of the form `≥ n` or `≤ n`. */
export function reaches({ value, goal }: BenchRatio): boolean | null {
  const [, sign, limit] = /^(≥|>=|≤|<=)\s*([0-9]*\.?[0-9]+)\s*[×x]?/.exec(goal.trim()) ?? [];
  if (limit === undefined || !Number.isFinite(value)) return null;
  return sign === '≥' || sign === '>=' ? value >= Number(limit) : value <= Number(limit);
}

const VERDICTS = new Map([
  [true, 'reached'],
  [false, 'missed'],
  [null, ''],
]);

/** The report as two aligned tables. */
export function formatReport({ name, figures, ratios, notes = [] }: BenchReport): string {
  const figureRows = Object.entries(figures).map(([label, value]) => [label, written(value)]);
  const ratioRows = ratios.map((ratio) => [
    ratio.label,
    written(ratio.value),
    ratio.goal,
    VERDICTS.get(reaches(ratio)) ?? '',
  ]);
  const tables = [
    ...(figureRows.length === 0 ? [] : [table(['figure', 'value'], figureRows)]),
    ...(ratioRows.length === 0 ? [] : [table(['ratio', 'value', 'goal', ''], ratioRows)]),
  ];
  return [`benchmark ${name}`, ...tables, ...(notes.length === 0 ? [] : [notes.join('\n')])].join('\n\n');
}

function written(value: number | string): string {
  if (typeof value === 'string') return value;
  if (!Number.isFinite(value)) return String(value);
  return value.toLocaleString(
    'en-US',
    Math.abs(value) >= 1_000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 4 },
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? '').length, cell.length)),
  );
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) =>
        column === 1 ? (row[1] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
      )
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** Middle of an odd number of values, mean of the two middle ones of an even number. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (upper + lower) / 2;
}
