// Where objects are in an S3-compatible store: bucket, prefix, endpoint and credentials, from settings and environment.

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Location {
  /** Origin, with the bucket in its path if it is not part of the host; no slash at the end. */
  readonly url: string;
  readonly bucket: string;
  /** Empty, or with a slash at the end. */
  readonly prefix: string;
  readonly region: string;
  readonly credentials: Credentials;
}

export interface S3Settings {
  /** Name of the setting that holds the address. */
  readonly setting: string;
  /** `s3://bucket/prefix` */
  readonly address: string;
  /** Empty for AWS. Any other endpoint has the bucket in its path. */
  readonly endpoint: string;
  readonly region: string;
  readonly env: { readonly [name: string]: string | undefined };
}

/** The settings or the environment do not name a place. */
export class S3SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/;

/** @throws S3SettingsError */
export function s3Location({ setting, address, endpoint, region, env }: S3Settings): S3Location {
  const [, bucket, path = ''] = ADDRESS.exec(address) ?? [];
  if (bucket === undefined)
    throw new S3SettingsError(`${setting} is ${JSON.stringify(address)}, not s3://bucket/prefix.`);
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.some((part) => part === '.' || part === '..'))
    throw new S3SettingsError(`${setting} is ${JSON.stringify(address)}: its prefix has "." or "..".`);
  return {
    url: urlOf(bucket, endpoint, region),
    bucket,
    prefix: parts.map((part) => `${part}/`).join(''),
    region,
    credentials: credentialsOf(setting, env),
  };
}

function urlOf(bucket: string, endpoint: string, region: string): string {
  if (endpoint === '') return `https://${bucket}.s3.${region}.amazonaws.com`;
  if (!URL.canParse(endpoint)) throw new S3SettingsError(`S3_ENDPOINT is ${endpoint}, not an address.`);
  const { protocol, hostname, origin } = new URL(endpoint);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw new S3SettingsError(
      `S3_ENDPOINT is ${origin}: without https, data and signatures can be read in transit. Plain http is allowed on this machine only.`,
    );
  return `${origin}/${bucket}`;
}

const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

function credentialsOf(setting: string, env: S3Settings['env']): Credentials {
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
  if (!(accessKeyId && secretAccessKey))
    throw new S3SettingsError(
      `${setting} is a bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.`,
    );
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}
