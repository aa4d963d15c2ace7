// A table in Markdown. A bar inside a cell is escaped; a line break is not allowed.

const cell = (text: string) => text.replaceAll('|', '\\|');
const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |\n`;

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), `|${'---|'.repeat(head.length)}\n`, ...rows.map(line)].join('');
}
