// What an id states about its subject besides kind and chain.

const UNIX_TIME = /^[0-9]{10}$/;

/**
 * The naming parts, without a time: `ethena-usde` of `anomaly:tvl_drop:ethereum::ethena-usde:1794096000`. If there are none, the chain is
 * the subject.
 */
export function namingParts(subject_id: string, chain: string | null | undefined): readonly string[] {
  const [, second, ...rest] = subject_id.split(':');
  if (second === undefined) return [subject_id];
  if (rest.length === 0) return [second];
  return rest.filter((part) => part !== '' && part !== chain && !UNIX_TIME.test(part));
}
