// What a shock can name besides one asset, market or vault. Without the schemas of requests, so that calculations load no package.

/** Subject of a shock that applies to everything of its kind. */
export const EVERYTHING = '*';
