// Reads the few elements that are needed from S3's XML responses. Names in listings are URL-encoded, as requested.

export interface Listing {
  readonly keys: readonly string[];
  /** Common prefixes. */
  readonly prefixes: readonly string[];
  /** Null on the last page. */
  readonly next: string | null;
}

export function parseListing(xml: string): Listing {
  const inside = (element: string, name: string) =>
    [...xml.matchAll(new RegExp(`<${element}>(.*?)</${element}>`, 'gs'))].map(([, text = '']) =>
      nameIn(textOf(text, name)),
    );
  const isTruncated = textOf(xml, 'IsTruncated') === 'true';
  return {
    keys: inside('Contents', 'Key'),
    prefixes: inside('CommonPrefixes', 'Prefix'),
    next: isTruncated ? textOf(xml, 'NextContinuationToken') : null,
  };
}

export const parseError = (xml: string): { readonly code: string; readonly message: string } => ({
  code: textOf(xml, 'Code'),
  message: textOf(xml, 'Message'),
});

const textOf = (xml: string, name: string): string =>
  plain(new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '');

const ENTITIES: { readonly [name: string]: string } = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const plain = (text: string): string =>
  text.replace(/&(?:(lt|gt|quot|apos|amp)|#(\d+)|#x([0-9a-fA-F]+));/g, (_, name, decimal, hex) =>
    name === undefined
      ? String.fromCodePoint(Number.parseInt(decimal ?? hex, hex ? 16 : 10))
      : (ENTITIES[name] ?? ''),
  );

const nameIn = (encoded: string): string => decodeURIComponent(encoded.replaceAll('+', '%20'));
