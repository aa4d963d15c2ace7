// One spelling for the addresses in a name, for looking it up.

const ADDRESS = /\b0x[0-9a-f]*/gi;
const MIXED = /0X|0x[0-9a-f]*[A-F]/;

/**
 * The text with every hexadecimal address in lower case, because checksum casing does not make a different address; symbols and names keep
 * their case.
 */
export const foldAddresses = (text: string): string =>
  MIXED.test(text) ? text.replace(ADDRESS, (address) => address.toLowerCase()) : text;
