// `quarantine list`: rows that did not land and have not been redriven. Only reads files, so it works while a scheduler runs.
import type { Disk } from '../../platform/storage/disk.ts';
import { CONFLICT_STORED } from '../ingest/check/dedupe.ts';
import { type ListedRow, readQuarantine } from '../ingest/quarantine/quarantine.ts';
import { ReceiptStore } from '../ingest/receipts/receipts.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { counted } from '../../platform/base/plural.ts';

export interface QuarantineView {
  readonly disk: Disk;
  readonly dataDir: string;
  /** A command as it is typed for this folder. */
  readonly commandFor: (message: string) => string;
  readonly print: (line: string) => void;
}

const SHOWN_RAW = 120;

/** Prints one line per row, as JSON or as text. */
export async function listQuarantine(
  { disk, dataDir, commandFor, print }: QuarantineView,
  json: boolean,
): Promise<ExitCode> {
  const folder = { disk, dir: dataDir };
  let rows = 0;
  const contradicting = new Set<string>();
  for await (const row of readQuarantine(folder, await ReceiptStore.read(folder), {})) {
    if (row.redriven_by !== null) continue;
    rows += 1;
    if (row.reason === CONFLICT_STORED) contradicting.add(row.source);
    print(json ? JSON.stringify(row) : describe(row));
  }
  if (!json)
    print(
      rows === 0
        ? 'Nothing is in quarantine.'
        : `${counted(rows, 'row')}. To land those that now pass: ${commandFor('quarantine redrive')} (rows refused for their join: deliver the files again)`,
    );
  if (!json)
    for (const source of [...contradicting].sort())
      print(
        `Rows of ${source} contradict rows that landed before. If those are wrong, correct their mapping, and land them again: ${commandFor(`reland --source ${source} --dry-run`)}`,
      );
  return EXIT.done;
}

function describe({ source, file, line, record, reason, raw, encoding, batch }: ListedRow): string {
  const location = line === null ? `record ${record}` : `line ${line}`;
  const text = encoding === 'utf8' ? JSON.stringify(raw) : `${encoding} ${raw}`;
  return `${source} ${file ?? ''} ${location}: ${reason}: ${text.slice(0, SHOWN_RAW)} (batch ${batch.slice(0, 12)})`.replace(
    '  ',
    ' ',
  );
}
