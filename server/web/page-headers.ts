// The policy of every page, which prevents loading from other hosts.

/** Scripts, styles and data of this host only. */
export const PAGE_HEADERS: readonly string[] = [
  'Content-Security-Policy',
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy',
  'no-referrer',
];
