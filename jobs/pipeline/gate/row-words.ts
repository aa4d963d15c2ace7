// Counts of rows in the messages of gates, in the singular and the plural.

export const rowsIn = (count: number): string => `${count} ${count === 1 ? 'row' : 'rows'}`;

export const wereRefused = (count: number): string => (count === 1 ? 'was refused' : 'were refused');
