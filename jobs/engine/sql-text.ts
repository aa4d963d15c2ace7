// Literals and names in SQL text, written the same for every engine.

export const literal = (value: string | number | boolean | null): string => {
  if (value === null) return 'null';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
};

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
