// Parses the text form of metrics like Prometheus: families with their samples.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Families = ReadonlyMap<string, readonly Sample[]>;

const LINE = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-z_]+)="([^"]*)"/g;

export function familiesOf(text: string): Families {
  const families = new Map<string, Sample[]>();
  let samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const family = /^# TYPE (\S+) /.exec(line)?.[1];
    if (family !== undefined) {
      samples = [];
      families.set(family, samples);
    } else if (line !== '' && !line.startsWith('#')) samples.push(sampleOf(line));
  }
  return families;
}

function sampleOf(line: string): Sample {
  const [, name, labels = '', value] = LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`not a sample: ${line}`);
  const pairs = [...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text] as const);
  return { name, labels: Object.fromEntries(pairs), value: value === 'Nan' ? Number.NaN : Number(value) };
}
