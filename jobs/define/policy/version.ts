// The version under which a policy is published: its own version, or the default version with a fingerprint of its content.
import type { PolicyValues } from './define.ts';

/** An explicit version is kept; otherwise a policy that differs from the defaults is marked by a hash of the whole policy. */
export function publishedVersion(policy: PolicyValues, defaults: PolicyValues): string {
  const { policy_version: version, ...content } = policy;
  const { policy_version: standard, ...standardContent } = defaults;
  const text = canonical(content);
  return version !== standard || text === canonical(standardContent)
    ? version
    : `${version}+${fingerprint(text)}`;
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}

/** 64-bit FNV-1a in hex: distinguishes policies, but is no protection against tampering. */
function fingerprint(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
