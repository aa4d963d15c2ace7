// Tables of names: what a name from outside finds in them is in the table, never what every object inherits, such as `constructor`.

/** Undefined for a name that the table does not have. */
export const ownMember = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
